"""Reading a bundle from Python, and finding entries by typed words."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import tlparse_bundle
import traces
from log_builder import log, record
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.base.recent_cache import Newest
from tlparse_bundle.base.wording import size
from tlparse_bundle.bundle import checked_files
from tlparse_bundle.bundle.find import find
from tlparse_bundle.bundle.store import read as store_read
from tlparse_bundle.render.info import as_dict, as_text

TEXT = """
    str ["main.py", 0]
    dynamo_start 0/0 {"stack": [{"line": 7, "name": "f", "filename": 0}]}
    dynamo_output_graph 0/0
        | graph
    artifact:same 0/0
        | first
    artifact:same 0/0
        | second
    artifact:a/b/c 0/0
        | slashes
    artifact:odd#2 0/0
        | number sign
    link 0/0 {"name": "profile", "url": "https://example.org"}
    chromium_event 0/0
        | {"name": "x", "ph": "B", "ts": 1}
    chromium_event
        | {"name": "y", "ph": "E", "ts": 2}
    compilation_metrics 0/0 {"co_name": "f", "co_filename": "main.py", "co_firstlineno": 7, "graph_op_count": 2, "dynamo_cumulative_compile_time_us": 1500}
    dynamo_start 0/0
    artifact:same 0/0
        | of the second occurrence
    artifact:json !0 {"encoding": "json"}
        | {"a": 1}
"""


@pytest.fixture
def it(log_of):
    return log_of(log(TEXT))


@pytest.fixture
def many_kinds(log_of):
    """A log without parsed tables, with 40 kinds in turn, each with its own blob."""
    it = log_of(b"".join(record(f"artifact:kind_{i % 40} 0/0", payload=f"payload {i}") for i in range(400)))
    return Bundle(it.bundle.store).logs[0]


def test_events_in_the_order_of_the_log_read_each_blob_once(many_kinds, monkeypatch):
    read = []
    monkeypatch.setattr(
        checked_files, "read", lambda store, path, size: read.append(path) or store_read(store, path, size)
    )
    assert [e.text() for e in many_kinds.events(type="artifact")] == [f"payload {i}" for i in range(400)]
    assert len(read) == len(set(read)) == 40


def test_no_more_blobs_are_kept_than_memory_allows(many_kinds, monkeypatch):
    sizes = [row["size_bytes"] for row in many_kinds.blobs.values()]
    monkeypatch.setattr(many_kinds.bundle.blobs, "_newest", Newest(sum(sizes[:2])))
    read = []
    monkeypatch.setattr(
        checked_files, "read", lambda store, path, size: read.append(path) or store_read(store, path, size)
    )
    assert [e.text() for e in many_kinds.events(type="artifact")] == [f"payload {i}" for i in range(400)]
    assert len(read) == 400


def test_several_threads_read_one_bundle(many_kinds):
    many_kinds.compiles, many_kinds.blobs  # noqa: B018 (cached properties)
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda _: [e.text() for e in many_kinds.events(type="artifact")], range(16)))
    assert texts == [[f"payload {i}" for i in range(400)]] * 16


def test_the_names_of_the_package():
    for name in tlparse_bundle.__all__:
        assert getattr(tlparse_bundle, name)
    with pytest.raises(AttributeError):
        tlparse_bundle.nothing  # noqa: B018


def test_bundle_logs_compiles_artifacts(it):
    assert (it.id, it.rank, it.source) == ("x", None, "dedicated_log_torch_trace_x.log")
    assert [(c.key, c.status) for c in it.compiles] == [("0/0", "ok"), ("0/0@2", "unfinished")]
    compile = it.compile("0/0")
    assert [a.name for a in compile.artifacts] == [
        "dynamo_output_graph",
        "same",
        "same",
        "a/b/c",
        "odd#2",
        "profile",
        "compilation_metrics",
    ]
    assert compile.artifacts[0].text() == "graph" and compile.artifacts[0].bytes() == b"graph"
    assert compile.metrics["co_name"] == "f" and it.compile("0/0@2").metrics is None
    assert (
        compile.stack == [{"file": "main.py", "line": 7, "function": "f", "code": None}]
        and it.compile("0/0@2").stack == []
    )
    assert it.artifacts_by_compile["!0"][0].json() == {"a": 1}
    assert it.bundle.log("x").id == "x"


def test_events_by_type_name_and_compile(it):
    assert [e.index for e in it.events()] == list(range(14))
    assert [e.text() for e in it.events(type="artifact", name="same")] == [
        "first",
        "second",
        "of the second occurrence",
    ]
    assert [e.text() for e in it.events(name="same", compile_id="0/0@2")] == ["of the second occurrence"]
    assert [e.type for e in it.events() if e.compile is None] == ["str", "chromium_event"]
    assert [e.compile for e in it.events(type="dynamo_start")] == ["0/0", "0/0@2"]
    assert list(it.events(type="nothing")) == list(it.events(compile_id="9/9")) == []


def test_a_missing_name_is_reported_in_a_sentence(it):
    for call in (lambda: it.bundle.log("y"), lambda: it.compile("9/9"), lambda: it.metadata(99)):
        with pytest.raises(BundleError):
            call()


def test_everything_has_a_repr(it):
    for thing in (it.compile("0/0"), it.artifacts[0], next(it.events())):
        assert repr(thing).startswith("<")


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "logs/../../secret"])
def test_a_path_out_of_the_bundle_is_refused(path, it):
    (it.bundle.folder.parent / "secret").write_text("secret")
    with pytest.raises(BundleError, match="is not a path in the bundle"):
        it.bundle.read(path)


def test_a_crafted_directory_cannot_point_out_of_the_bundle(tmp_path):
    (tmp_path / "x.log").write_bytes(log("a"))
    build(discover([tmp_path / "x.log"]), tmp_path / "out", jobs=1, codec="none")
    traces.rewrite(
        tmp_path / "out",
        "logs/x/log.json",
        lambda t: t["tables"]["events"]["files"][0].update(path="../x.log"),
    )
    with pytest.raises(BundleError, match="is not a path in the bundle"):
        Bundle.open(tmp_path / "out").logs[0].table("events")


# ---- find


@pytest.mark.parametrize(
    "what,data",
    [
        ("x/0/0/dynamo_output_graph", b"graph"),
        ("x/0/0/same", b"first"),
        ("x/0/0/same#1", b"first"),
        ("x/0/0/same#2", b"second"),
        ("x/0/0@2/same", b"of the second occurrence"),
        ("x/0/0/a/b/c", b"slashes"),
        ("x/0/0/odd#2", b"number sign"),
        ("x/!0/json", b'{"a": 1}'),
    ],
)
def test_find_an_artifact(what, data, it):
    assert find(it.bundle, what) == data


def test_find_an_artifact_without_payload_gives_its_metadata(it):
    assert json.loads(find(it.bundle, "x/0/0/profile")) == {"name": "profile", "url": "https://example.org"}
    assert json.loads(find(it.bundle, "x/0/0/compilation_metrics"))["co_name"] == "f"


def test_find_a_timeline(it):
    assert [event["name"] for event in json.loads(find(it.bundle, "x/timeline"))] == ["x", "y"]


def test_find_a_deeply_nested_timeline(log_of):
    deep = '{"name": "x", "ph": "B", "ts": 1, "args": ' + "[" * 500 + "]" * 500 + "}"
    it = log_of(log(f"chromium_event 0/0\n | {deep}"))
    assert json.loads(find(it.bundle, "x/timeline")) == [json.loads(deep)]


def test_find_an_empty_timeline(log_of):
    assert json.loads(find(log_of(log("a")).bundle, "x/timeline")) == []


def test_find_a_blob_and_a_file(it):
    sha256 = it.table("blobs")[0]["sha256"]
    assert find(it.bundle, sha256) == it.bundle.blob(sha256)
    assert json.loads(find(it.bundle, "manifest.json")) == it.bundle.manifest
    assert json.loads(find(it.bundle, "logs/x/log.json.zst"))["id"] == "x"


@pytest.mark.parametrize(
    "what",
    [
        "",
        "y",
        "x",
        "x/",
        "x/0/0",
        "x/0/0/nothing",
        "x/0/0/same#3",
        "x/0/0/same#0",
        "x/9/9/same",
        "0" * 64,
        "logs/x/nothing",
        "blobs/../../x",
        "y/0/0/same",
    ],
)
def test_a_failed_search_is_reported_in_a_sentence(what, it):
    with pytest.raises(BundleError) as error:
        find(it.bundle, what)
    assert error.value.message


# ---- info


def test_info_shows_logs_and_compiles(it):
    text = as_text(it.bundle)
    assert "format 2." in text and "codec zstd" in text
    assert "0/0@2" in text and "main.py:7" in text and "1.5 ms" in text
    assert as_dict(it.bundle)["compiles"]["x"][0]["function"] == "f"
    json.dumps(as_dict(it.bundle))


def test_info_of_many_logs_and_compiles_stays_short(tmp_path):
    for i in range(60):
        (tmp_path / f"dedicated_log_torch_trace_{i:02}.log").write_bytes(log("a"))
    build(discover([tmp_path]), tmp_path / "many", jobs=1)
    text = as_text(Bundle.open(tmp_path / "many"))
    assert len(text.splitlines()) < 55 and "20 more logs" in text


@pytest.mark.parametrize(
    "value,text",
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345_678, "12.3 MB"), (5 * 10**12, "5000.0 GB")],
)
def test_sizes(value, text):
    assert size(value) == text


def test_bundles_and_logs_are_shown(built, root):
    bundle = Bundle.open(built(root / "fixtures" / "recompiles" / "trace").folder)
    log, headline = bundle.logs[0], bundle.logs[0].summary["text"]
    assert repr(bundle) == f"<Bundle {bundle.location}: 1 log>" and repr(log) == f"<Log {log.id}: {headline}>"


@pytest.mark.parametrize(
    ("what", "data"), [("x/0/0/a", b"first"), ("x/0/0_1/a", b"second"), ("x/0/0/b", b"third")]
)
def test_an_artifact_of_several_attempts_is_that_of_the_first_unless_named(log_of, what, data):
    frame = record("dynamo_start 0/0") + record("dynamo_start 0/0_1")
    first, second, third = (
        record(f"artifact:{name}", payload=text)
        for name, text in (("a 0/0", "first"), ("a 0/0_1", "second"), ("b 0/0_1", "third"))
    )
    assert find(log_of(frame + first + second + third).bundle, what) == data
