"""Tampered bundles: every command reports them in one sentence and does nothing else."""

import os
import sys

import pytest
import traces
from click.testing import CliRunner
from log_builder import log, record, span
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.checks import check_part
from tlparse_bundle.bundle.find import find
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.cli.main import cli

LOG, TABLES = "logs/rank_0/log.json", "logs/rank_0/"
TEXT = (
    'str ["a.py", 0]\n dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename": 0}, {"line": 2,'
    ' "name": "g", "filename": 0}]}\n artifact:a 0/0\n | text\n'
)
MALFORMED = {
    "logs is not a list": ("manifest.json", lambda m: m.update(logs=5)),
    "a log is not an object": ("manifest.json", lambda m: m["logs"].append("x")),
    "format is not an object": ("manifest.json", lambda m: m.update(format=[])),
    "minor is a text": ("manifest.json", lambda m: m["format"].update(minor="1")),
    "codec is a list": ("manifest.json", lambda m: m.update(codec=["none"])),
    "codec is unknown": ("manifest.json", lambda m: m.update(codec="rar")),
    "id is a number": ("manifest.json", lambda m: m["logs"][0].update(id=5)),
    "id is a path": ("manifest.json", lambda m: m["logs"][0].update(id="../x")),
    "two logs of one id": ("manifest.json", lambda m: m["logs"][1].update(m["logs"][0])),
    "path is null": ("manifest.json", lambda m: m["logs"][0].update(path=None)),
    "path leads out": ("manifest.json", lambda m: m["logs"][0].update(path="../../etc/passwd")),
    "source is a text": ("manifest.json", lambda m: m["logs"][0].update(source="x.log")),
    "rank is a list": ("manifest.json", lambda m: m["logs"][0].update(rank=[0])),
    "rank is less than 0": ("manifest.json", lambda m: m["logs"][0].update(rank=-1)),
    "statuses is a list": ("manifest.json", lambda m: m["logs"][0]["summary"].update(statuses=[1])),
    "event count is a text": ("manifest.json", lambda m: m["logs"][0].update(event_count="many")),
    "producer is missing": ("manifest.json", lambda m: m.pop("producer")),
    "descriptors is a list": ("manifest.json", lambda m: m.update(descriptors=[])),
    "rank_tables is a list": ("manifest.json", lambda m: m.update(rank_tables=["rank_findings"])),
    "job is a list": ("manifest.json", lambda m: m.update(job=["text"])),
    "the directory is a list": (LOG, lambda t: []),
    "tables is a list": (LOG, lambda t: t.update(tables=[])),
    "a table is missing": (LOG, lambda t: t["tables"].pop("compiles")),
    "a table is a number": (LOG, lambda t: t["tables"].update(compiles=5)),
    "a table leads out": (LOG, lambda t: t["tables"]["compiles"]["files"][0].update(path="../../x")),
    "the files of a table are a number": (LOG, lambda t: t["tables"]["compiles"].update(files=5)),
    "kinds holds texts": (LOG, lambda t: t.update(kinds=["a"])),
    "a chunk begins elsewhere": (LOG, lambda t: t["tables"]["events"]["files"][0].update(first_event=7)),
    "a chunk is much too long": (LOG, lambda t: t["tables"]["events"]["files"][0].update(rows=10**15)),
    "the table of compiles has no rows": (TABLES + "compiles.jsonl", lambda t: []),
    "a compile is a list": (TABLES + "compiles.jsonl", lambda t: [[]]),
    "compiles is a number": (TABLES + "compiles.jsonl", lambda t: 7),
    "a compile is null": (TABLES + "compiles.jsonl", lambda t: [None]),
    "a compile lacks its key": (TABLES + "compiles.jsonl", lambda t: t[0].pop("compile")),
    "an event that there is not": (TABLES + "compiles.jsonl", lambda t: t[0].update(first_event=10**9)),
}


@pytest.fixture(scope="module")
def sound(two_ranks):
    return two_ranks(log(TEXT) + span("x", "B", 5) + record("artifact:b 0/0", payload="other " * 60_000))


@pytest.fixture
def bundle(sound, tmp_path):
    import shutil

    shutil.copytree(sound, tmp_path / "bundle")
    return tmp_path / "bundle"


def commands(bundle, out):
    """Yield the arguments of each command that reads the tables of a bundle."""
    return [
        ["info", bundle, "--json"], ["cat", bundle, "rank_0/0/0/a"], ["restore", bundle, out / "logs"], ["legacy", bundle, out / "legacy"],
        ["export", bundle, out / "page.html"], ["merge", bundle, out / "merged"], ["validate", bundle], ["compare", bundle, bundle],
    ]  # fmt: skip


def failure_message(words):
    """Return a failing command's message; only a BundleError or an exit code may end it."""
    done = CliRunner().invoke(cli, [*map(str, words)])
    if isinstance(done.exception, BundleError):
        assert "\n" not in done.exception.message and len(done.exception.message) < 1000
        return done.exception.message
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.output if done.exit_code else None


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_bundles_are_reported_in_a_sentence(name, bundle, tmp_path):
    path, change = MALFORMED[name]
    traces.rewrite(bundle, path, change)
    (tmp_path / "out").mkdir()
    answers = {words[0]: failure_message(words) for words in commands(bundle, tmp_path / "out")}
    assert answers["validate"]
    assert answers["merge"], "a bundle that is not sound must not get into another one"
    if path == "manifest.json" and name not in ("path is null", "path leads out"):
        assert all("manifest" in answer for answer in answers.values()), answers
    assert not (tmp_path / "out" / "merged").exists()


def test_a_circle_of_stacks_is_refused(bundle):
    """Walking up the stack would never end."""
    traces.rewrite(bundle, TABLES + "stacks.jsonl", lambda t: t[0].update(parent=1))
    (compile,) = (c for c in Bundle.open(bundle).log("rank_0").compiles if c.row["stack"] is not None)
    with pytest.raises(BundleError, match="stack 1 does not precede it") as error:
        compile.stack  # noqa: B018
    assert error.value.code == "damaged"


def test_a_circle_of_spans_is_found(bundle):
    traces.rewrite(bundle, TABLES + "spans.jsonl", lambda rows: rows[0].update(parent=0))
    with pytest.raises(BundleError, match="row 0 is its own ancestor"):
        Bundle.open(bundle).log("rank_0").table("spans")


@pytest.mark.parametrize(
    "change", [lambda rows: rows[0].update(id=7), lambda rows: rows[0].update(parent=len(rows))]
)
def test_spans_are_numbered(change, bundle):
    traces.rewrite(bundle, TABLES + "spans.jsonl", change)
    with pytest.raises(BundleError, match="table spans of log rank_0 is damaged"):
        Bundle.open(bundle).log("rank_0").table("spans")
    assert "table 'spans' is damaged" in failure_message(["validate", bundle])


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.append(1),
        lambda rows: rows[0].update(self_us="1"),
        lambda rows: rows[0].pop("name"),
        lambda rows: [],
    ],
)
def test_tables_of_rows_are_checked_alone(change, bundle):
    """A command that needs the sums reports what is wrong with these, and nothing about the spans."""
    traces.rewrite(bundle, TABLES + "spans.jsonl", lambda rows: rows[0].update(parent=0))
    assert Bundle.open(bundle).log("rank_0").table("span_totals")
    traces.rewrite(bundle, TABLES + "span_totals.jsonl", change)
    with pytest.raises(BundleError, match=r"span_totals\.jsonl is damaged"):
        Bundle.open(bundle).log("rank_0").table("span_totals")
    assert "span_totals.jsonl is damaged" in failure_message(["compare", bundle, bundle])


@pytest.mark.parametrize(
    "column, value", [("function", 99), ("file", 99), ("code", -2), ("line", "1"), ("parent", -1)]
)
def test_a_frame_of_nothing_is_refused(column, value, bundle):
    traces.rewrite(bundle, TABLES + "stacks.jsonl", lambda t: t[0].update({column: value}))
    with pytest.raises(BundleError, match=r"stacks\.jsonl is damaged"):
        Bundle.open(bundle).log("rank_0").stack(0)


@pytest.mark.parametrize("row", [-1, 99, 10**30])
def test_missing_rows_are_reported_in_a_sentence(row, bundle):
    it = Bundle.open(bundle).log("rank_0")
    for call in (
        it.blob,
        lambda row: it.payload(next(iter(it.blobs)), row, 5),
        lambda row: it.payload(next(iter(it.blobs)), 0, row),
        it.metadata,
    ):
        with pytest.raises(BundleError):
            call(row)
    with pytest.raises(BundleError):
        it.stack(abs(row) + 99)


def spoiled(bundle):
    """The payload 'other …', a blob of its own, with one byte changed."""
    (path,) = (
        path for path in (bundle / "blobs").rglob("*") if path.is_file() and path.stat().st_size > 300_000
    )
    path.write_bytes(path.read_bytes().replace(b"other", b"Other", 1))
    return path.name


def test_a_changed_blob_is_refused_wherever_it_is_read(bundle, tmp_path):
    sha256 = spoiled(bundle)
    it = Bundle.open(bundle).log("rank_0")
    artifact = next(a for a in it.artifacts if a.name == "b")
    for read in (
        artifact.bytes,
        artifact.text,
        lambda: it.bundle.blob(sha256),
        lambda: [e.bytes() for e in it.events()],
    ):
        for _ in range(2):
            with pytest.raises(BundleError, match="hash of its content differs"):
                read()
    for words in (["cat", bundle, "rank_0/0/0/b"], ["cat", bundle, sha256], ["restore", bundle, tmp_path / "logs"], ["legacy", bundle, tmp_path / "legacy"],
                  ["export", bundle, tmp_path / "page.html"], ["merge", bundle, tmp_path / "merged"], ["validate", bundle]):  # fmt: skip
        assert "hash of its content differs" in failure_message(words), words


def test_without_verification_it_is_given(bundle, tmp_path):
    spoiled(bundle)
    assert Bundle.open(bundle, verify=False).log("rank_0").artifacts[-1].text().startswith("Other")
    done = CliRunner().invoke(cli, ["cat", str(bundle), "rank_0/0/0/b", "--no-verify"])
    assert done.exit_code == 0 and done.output.startswith("Other")
    for words in (
        ["legacy", bundle, tmp_path / "legacy"],
        ["export", bundle, tmp_path / "page.html"],
        ["merge", bundle, tmp_path / "merged"],
    ):
        assert failure_message([*words, "--no-verify"]) is None
    assert "SHA-256" in failure_message(["restore", bundle, tmp_path / "logs", "--no-verify"]), (
        "that of the log is always checked"
    )


@pytest.mark.parametrize(
    "path",
    [
        "manifest.json",
        "logs/rank_0/log.json",
        "logs/rank_0/compiles.jsonl",
        "logs/rank_0/events.jsonl",
        "logs/rank_0/verbatim/0000.log",
    ],
)
def test_a_pipe_ends_every_command(path, bundle, tmp_path):
    """Opening a pipe would wait for a writer forever."""
    (bundle / path).unlink()
    os.mkfifo(bundle / path)
    for words in [*commands(bundle, tmp_path), ["site", bundle, tmp_path / "site"]]:
        answer = failure_message(words)
        if answer is None:
            assert words[0] in ("info", "cat", "restore", "export", "legacy", "compare") and path not in (
                "manifest.json",
                "logs/rank_0/log.json",
            )
        else:
            assert "not a regular file" in answer, words


@pytest.mark.parametrize(
    "path", ["manifest.json", "logs/rank_0/compiles.jsonl", "logs/rank_0", "logs", "blobs"]
)
def test_a_site_publishes_no_link(path, bundle, tmp_path):
    (bundle / path).rename(tmp_path / "secret")
    (bundle / path).symlink_to(tmp_path / "secret")
    assert "not a regular file" in failure_message(["site", bundle, tmp_path / "site"])
    assert not any("secret" in str(path) for path in (tmp_path / "site").rglob("*"))


def test_a_report_reads_no_file_that_a_link_names(bundle, tmp_path):
    """Rank reports of tlparse are read back after writing, and a link's URL looks like one of their files."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for rank in (0, 1):
        text = (
            f'link 0/0 @{rank} {{"name": "inductor_output_code_x.txt", "url":'
            f' "../inductor_output_code_x.txt"}}\n artifact:inductor_collective_schedule 0/0 @{rank}\n | []'
        )
        (folder / f"dedicated_log_torch_trace_rank_{rank}.log").write_bytes(log(text))
    build(discover([folder]), tmp_path / "links", jobs=1)
    os.mkfifo(tmp_path / "inductor_output_code_x.txt")
    os.mkfifo(tmp_path / "logs" / "inductor_output_code_x.txt")
    assert failure_message(["legacy", tmp_path / "links", tmp_path / "logs" / "report"]) is None


def test_an_endless_number_after_a_name(bundle):
    with pytest.raises(BundleError, match="has no artifact"):
        find(Bundle.open(bundle), "rank_0/0/0/a#" + "9" * 5000)


def test_sound_bundles_do_not_need_the_slow_checks(bundle, monkeypatch):
    """jsonschema takes a hundred times as long, so it only writes the messages."""
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert validate(Bundle.open(bundle)) == []
    traces.rewrite(bundle, LOG, lambda t: t.update(surprise=1))
    with pytest.raises(ImportError):
        validate(Bundle.open(bundle))


def test_output_of_validate_is_bounded(bundle):
    manifest = Bundle.open(bundle).manifest
    rows = [
        {**manifest["logs"][0], "id": f"log_{number}", "path": f"logs/log_{number}/log.json"}
        for number in range(2000)
    ]
    traces.rewrite(bundle, "manifest.json", lambda m: m.update(logs=rows))
    found = validate(Bundle.open(bundle))
    assert 200 < len(found) < 400 and "more" in found[-1]


@pytest.mark.parametrize(
    ("name", "numbers"), [("events", (3, 5)), ("metadata", (3, 3)), ("metadata", (5, 3))]
)
def test_events_of_a_file_out_of_order_are_named(name, numbers):
    rows, file = [{"event": number} for number in numbers], {"first_event": numbers[0]}
    with pytest.raises(BundleError, match=f"event {numbers[0]} is followed by event {numbers[1]}"):
        check_part(name, rows, file, "log.json")


def test_metadata_may_skip_events():
    check_part("metadata", [{"event": 3}, {"event": 5}], {"first_event": 3}, "log.json")


def test_a_file_with_a_different_first_event():
    with pytest.raises(BundleError, match=r"it begins with event 3, but log\.json has 4"):
        check_part("metadata", [{"event": 3}, {"event": 5}], {"first_event": 4}, "log.json")
