"""Every kind of damage to a bundle is found."""

import json
import shutil

import pytest
import traces
from log_builder import log, record, span
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.layout import FORMAT_MAJOR, FORMAT_MINOR
from tlparse_bundle.bundle.validate import validate


@pytest.fixture(scope="module")
def sound(two_ranks):
    text = (
        'str ["a.py", 0]\n dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename": 0}]}\n artifact:a'
        " 0/0\n | text\n"
    )
    return two_ranks(log(text) + span("x", "B", 5) + record("artifact:b 0/0", payload="bad", md5="0" * 32))


@pytest.fixture
def bundle(sound, tmp_path):
    """A copy of the bundle, to damage."""
    shutil.copytree(sound, tmp_path / "out")
    return tmp_path / "out"


def problems(folder):
    return validate(Bundle.open(folder))


def test_a_sound_bundle_has_no_problems(bundle):
    assert problems(bundle) == []


def test_every_file_matters(bundle):
    """Each file that is missing or changed is found and named."""
    names = [name for name in traces.files(bundle) if name != "manifest.json"]
    assert len(names) > 15
    for name in names:
        data = (bundle / name).read_bytes()
        (bundle / name).unlink()
        missing = problems(bundle)
        (bundle / name).write_bytes(b"{")
        other = problems(bundle)
        (bundle / name).write_bytes(data)
        for found in (missing, other):
            assert found and name.split("/")[-1] in " ".join(found), name


def test_a_changed_byte_of_a_blob_is_found(bundle):
    for path in sorted(bundle.glob("blobs/*/*")):
        data = path.read_bytes()
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        assert any("hash of its content differs" in problem for problem in problems(bundle))
        path.write_bytes(data)


def test_a_changed_byte_of_a_verbatim_chunk_is_found(bundle):
    (path,) = bundle.glob("logs/rank_0/verbatim/*")
    path.write_bytes(path.read_bytes().replace(b"torch/a.py", b"torch/b.py", 1))
    assert problems(bundle) == ["log rank_0: the restored log has a different SHA-256 than the original"]


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
def test_a_damaged_compressed_file_is_found(codec, sound, tmp_path):
    build(discover([sound.parent]), tmp_path / "out", jobs=1, codec=codec)
    for name in traces.files(tmp_path / "out"):
        if name != "manifest.json":
            path = tmp_path / "out" / name
            data = path.read_bytes()
            path.write_bytes(data[: len(data) // 2])
            assert problems(tmp_path / "out"), name
            path.write_bytes(data)


LOG, EVENTS, METADATA, TABLES = (
    "logs/rank_0/log.json",
    "logs/rank_0/events.jsonl",
    "logs/rank_0/metadata.jsonl",
    "logs/rank_0/",
)
DAMAGE = {
    "event count": (LOG, lambda t: t.update(event_count=99)),
    "rows of a file": (LOG, lambda t: t["tables"]["events"]["files"][0].update(rows=2)),
    "rows of a table": (LOG, lambda t: t["tables"]["artifacts"].update(rows=99)),
    "first event of a file": (LOG, lambda t: t["tables"]["events"]["files"][0].update(first_event=1)),
    "first event of a file of metadata": (
        LOG,
        lambda t: t["tables"]["metadata"]["files"][0].update(first_event=1),
    ),
    "missing file": (LOG, lambda t: t["tables"].pop("events")),
    "size of a verbatim chunk": (LOG, lambda t: t["verbatim"][0].update(size_bytes=3)),
    "descriptor": (LOG, lambda t: t["kinds"][0].update(descriptor="nothing")),
    "language": (LOG, lambda t: t["kinds"][0].update(language="klingon")),
    "size of the log": (LOG, lambda t: t["source"].update(size_bytes=3)),
    "hash of the log": (LOG, lambda t: t["source"].update(sha256="0" * 64)),
    "id": (LOG, lambda t: t.update(id="other")),
    "rank": (LOG, lambda t: t.update(rank=7)),
    "missing field": (LOG, lambda t: t.pop("clock")),
    "additional field": (LOG, lambda t: t.update(surprise=1)),
    "missing table": (LOG, lambda t: t["tables"].pop("stacks")),
    "number of an event": (EVENTS, lambda t: t[0].update(event=99)),
    "compile of an event": (EVENTS, lambda t: t[0].update(compile="9/9", attempt=0)),
    "attempt of an event": (EVENTS, lambda t: t[1].update(attempt=99)),
    "blob of an event": (EVENTS, lambda t: t[2].update(blob="blobs/00/" + "0" * 64)),
    "half a payload": (EVENTS, lambda t: t[2].update(offset=None)),
    "offset in a blob": (EVENTS, lambda t: t[2].update(offset=99)),
    "size of a payload": (EVENTS, lambda t: t[2].update(payload_size_bytes=99)),
    "overlapping events": (EVENTS, lambda t: t[1].update(gap_bytes=-1)),
    "event after the end": (EVENTS, lambda t: t[-1].update(size_bytes=10**9)),
    "missing row": (EVENTS, lambda t: t.pop()),
    "missing field of a row": (EVENTS, lambda t: t[0].pop("line")),
    "wrong type": (EVENTS, lambda t: t[0].update(line="1")),
    "payload form": (EVENTS, lambda t: t[0].update(payload_form="upside down")),
    "no object": (EVENTS, lambda t: [[] for _ in t]),
    "stack of an event": (METADATA, lambda t: t[1]["metadata"]["dynamo_start"].update(stack_index=99)),
    "user stack of an event": (
        METADATA,
        lambda t: t[1]["metadata"]["dynamo_start"].update(user_stack_index=99),
    ),
    "stack of a record": (METADATA, lambda t: t[1]["metadata"].update(stack_index=99)),
    "user stack of a record": (METADATA, lambda t: t[1]["metadata"].update(user_stack_index=99)),
    "metadata row": (METADATA, lambda t: t.pop()),
    "event of a metadata row": (METADATA, lambda t: t[1].update(event=0)),
    "stack of a compile": (TABLES + "compiles.jsonl", lambda t: t[0].update(stack=99)),
    "status": (TABLES + "compiles.jsonl", lambda t: t[0].update(status="fine")),
    "key twice": (TABLES + "compiles.jsonl", lambda t: t * 2),
    "first event of a compile": (TABLES + "compiles.jsonl", lambda t: t[0].update(first_event=99)),
    "artifact count": (TABLES + "compiles.jsonl", lambda t: t[0].update(artifact_count=99)),
    "attempt count": (TABLES + "compiles.jsonl", lambda t: t[0].update(attempt_count=99)),
    "compile of an attempt": (TABLES + "attempts.jsonl", lambda t: t[0].update(compile="9/9")),
    "number of an attempt": (TABLES + "attempts.jsonl", lambda t: t[0].update(attempt=99)),
    "artifact count of an attempt": (TABLES + "attempts.jsonl", lambda t: t[0].update(artifact_count=99)),
    "compile of an artifact": (TABLES + "artifacts.jsonl", lambda t: t[0].update(compile="9/9")),
    "attempt of an artifact": (TABLES + "artifacts.jsonl", lambda t: t[0].update(attempt=99)),
    "blob of an artifact": (TABLES + "artifacts.jsonl", lambda t: t[0].update(blob="blobs/00/" + "0" * 64)),
    "SHA-256 of an artifact": (TABLES + "artifacts.jsonl", lambda t: t[0].update(sha256="nonsense")),
    "function of a stack": (TABLES + "stacks.jsonl", lambda t: t[0].update(function=99)),
    "id of a stack": (TABLES + "stacks.jsonl", lambda t: t[0].update(id=99)),
    "parent of a stack": (TABLES + "stacks.jsonl", lambda t: t[0].update(parent=0)),
    "name of a blob": (TABLES + "blobs.jsonl", lambda t: t[0].update(sha256="0" * 64)),
    "size of a blob": (TABLES + "blobs.jsonl", lambda t: t[0].update(size_bytes=10**6)),
    "kind of a blob": (TABLES + "blobs.jsonl", lambda t: t[0].update(kind="nothing")),
    "severity": (TABLES + "diagnostics.jsonl", lambda t: t[0].update(severity="terrible")),
    "log row": ("manifest.json", lambda t: t["logs"][0].update(event_count=99)),
    "path of a log": ("manifest.json", lambda t: t["logs"][0].update(path="logs/nowhere/log.json")),
    "path out of the bundle": ("manifest.json", lambda t: t["logs"][0].update(path="../../etc/passwd")),
    "additional field of the manifest": ("manifest.json", lambda t: t.update(surprise=1)),
    "missing descriptor": ("manifest.json", lambda t: t["descriptors"].clear()),
    "status count": ("manifest.json", lambda t: t["logs"][0]["summary"].update(statuses={"fine": 1})),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found(name, bundle):
    path, change = DAMAGE[name]
    traces.rewrite(bundle, path, change)
    assert problems(bundle)


@pytest.mark.parametrize("change", [lambda m: m.pop("codec"), lambda m: m.update(codec="rar"), lambda m: m.pop("logs"), lambda m: m.update(logs=5),
                                    lambda m: m["logs"][0].pop("id"), lambda m: m["logs"][1].update(m["logs"][0]), lambda m: m["logs"].append("x"), lambda m: m["format"].pop("minor"),
                                    lambda m: m["format"].update(minor="0"), lambda m: m.update(format=[]), lambda m: []])  # fmt: skip
def test_an_unusable_manifest_is_reported_in_a_sentence(change, bundle):
    traces.rewrite(bundle, "manifest.json", change)
    with pytest.raises(BundleError, match="manifest"):
        problems(bundle)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"null", b"[" * 10_000])
def test_a_manifest_that_is_not_json_is_reported_in_a_sentence(data, bundle):
    (bundle / "manifest.json").write_bytes(data)
    with pytest.raises(BundleError, match="manifest"):
        Bundle.open(bundle)


@pytest.mark.parametrize("major", [0, 1, 99])
def test_another_major_version_is_refused_with_both_numbers(major, bundle):
    traces.rewrite(bundle, "manifest.json", lambda manifest: manifest["format"].update(major=major, minor=7))
    with pytest.raises(BundleError) as error:
        Bundle.open(bundle)
    assert f"{major}.7" in error.value.message and f"{FORMAT_MAJOR}.{FORMAT_MINOR}" in error.value.message


def test_unknown_fields_of_a_newer_minor_version_are_accepted(bundle):
    traces.rewrite(
        bundle,
        "manifest.json",
        lambda m: (
            (m["format"].update(minor=99), m.update(new={"a": 1}), m["logs"][0].update(new=2))[3:] or None
        ),
    )
    for name in traces.files(bundle):
        if name.endswith(".json") and "/timeline/" not in name:
            traces.rewrite(bundle, name, lambda t: t.update(new_field={"a": 1}))
        elif name.endswith(".jsonl"):
            traces.rewrite(bundle, name, lambda rows: [{**row, "new_field": {"a": 1}} for row in rows])
    traces.rewrite(
        bundle,
        LOG,
        lambda t: t["tables"].update(
            new_table={"rows": 1, "files": [{"path": "logs/rank_0/new_table.jsonl", "rows": 1}]}
        ),
    )
    (bundle / "logs/rank_0/new_table.jsonl").write_text("{}\n")
    assert problems(bundle) == []
    assert [len(list(it.events())) for it in Bundle.open(bundle).logs] == [6, 6]


def test_damage_is_found_in_a_newer_minor_version_too(bundle):
    traces.rewrite(bundle, "manifest.json", lambda manifest: manifest["format"].update(minor=99))
    traces.rewrite(bundle, EVENTS, lambda t: t[0].update(line="x"))
    assert problems(bundle)


def test_many_problems_of_a_file_are_cut_short(bundle):
    traces.rewrite(bundle, EVENTS, lambda t: t * 1000)
    assert len(problems(bundle)) < 30


def test_a_value_that_is_too_deep_for_a_message(tmp_path):
    """jsonschema quotes the whole value in its message."""
    (tmp_path / "x.log").write_bytes(record("artifact:recompile_reasons 0/1", payload="0/0: x is None"))
    build(discover([tmp_path / "x.log"]), tmp_path / "out", codec="none", jobs=1)
    path = tmp_path / "out" / "logs" / "x" / "recompiles.jsonl"
    text = path.read_bytes()
    assert text.count(b'"text":null') == 1
    path.write_bytes(text.replace(b'"text":null', b'"text":' + b"[" * 1000 + b"]" * 1000))
    problem, *_ = validate(Bundle.open(tmp_path / "out"))
    assert problem.startswith("logs/x/recompiles.jsonl: ") and len(problem) < 500


def test_a_chunk_with_many_references_is_read_once(sound, tmp_path):
    shutil.copytree(sound, tmp_path / "out")
    path = next((tmp_path / "out" / "logs").glob("*/log.json"))
    directory = json.loads(path.read_bytes())
    (chunk,) = directory["verbatim"]
    directory["verbatim"] = [chunk] * 50_000
    path.write_text(json.dumps(directory))
    bundle = Bundle.open(tmp_path / "out")
    read = []
    bundle.read, bundle.json = (
        lambda path, *rest, how=how: read.append(path) or how(path, *rest)
        for how in (bundle.read, bundle.json)
    )
    assert validate(bundle) != [] and read.count(chunk["path"]) < 3


@pytest.mark.parametrize("name", ["metadata", "events"])
def test_a_file_with_many_references_is_read_once(name, sound, tmp_path):
    shutil.copytree(sound, tmp_path / "out")
    path = next((tmp_path / "out" / "logs").glob("*/log.json"))
    directory = json.loads(path.read_bytes())
    (file,) = directory["tables"][name]["files"]
    directory["tables"][name]["files"] = [file] * 50_000
    path.write_text(json.dumps(directory))
    problem, *_ = validate(Bundle.open(tmp_path / "out"))
    assert f"file 1 of {name} begins with event" in problem
