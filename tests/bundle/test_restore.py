"""Restoring the source logs from a bundle. (log_of checks this for every degraded log.)"""

import functools
import gzip

import pytest
import traces
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.restore import restore, restored_bytes
from tlparse_bundle.log.discover import TORCH_NAME
from tlparse_bundle.log.log_file import open_log
from tlparse_bundle.pipeline import log_writer
from tlparse_bundle.tables import rows


@pytest.fixture
def made(tmp_path):
    """Return made({name: bytes}): the bundle of these logs."""

    def make(logs, **options):
        (tmp_path / "logs").mkdir()
        for name, data in logs.items():
            (tmp_path / "logs" / name).write_bytes(data)
        build(discover([tmp_path / "logs"]), tmp_path / "bundle", jobs=1, **options)
        return Bundle.open(tmp_path / "bundle")

    return make


@pytest.mark.parametrize("name", traces.FIXTURES)
def test_fixtures(name, root, built, tmp_path):
    trace = root / "fixtures" / name / "trace"
    written = restore(built(trace), tmp_path / "new" / "folder")
    sources = {}
    for log in discover([trace]):
        with open_log(log) as stream:
            sources[log.path.name.removesuffix(".zst")] = b"".join(
                iter(functools.partial(stream.read, 1 << 20), b"")
            )
    assert {path.name: path.read_bytes() for path in written} == sources


@pytest.mark.parametrize("path", traces.params(traces.PUBLIC_LOGS, traces.PUBLIC))
def test_public_traces(path, built, tmp_path):
    (written,) = restore(built(path), tmp_path)
    assert (
        written.name
        == f"{'dedicated_log_torch_trace_' if TORCH_NAME.match(path.name) else ''}{built(path).logs[0].id}.log"
    )
    assert written.read_bytes() == path.read_bytes()


def test_records_across_small_chunks(made, tmp_path, monkeypatch):
    monkeypatch.setattr(log_writer, "CHUNK_BYTES", 10)
    monkeypatch.setattr(rows, "ROWS_PER_FILE", 2)
    data = (
        b"noise\n"
        + log("a\n | one\n | two\n b\n c\n | three") * 5
        + log("d\n | four").replace(b"\n", b"\r\n")
        + b"\n\nend"
    )
    (path,) = restore(made({"x.log": data}), tmp_path / "again")
    assert path.read_bytes() == data


def test_a_compressed_log_comes_back_decompressed(made, tmp_path):
    data = log("a\n | text")
    (path,) = restore(made({"x.log.gz": gzip.compress(data)}), tmp_path / "again")
    assert (path.name, path.read_bytes()) == ("x.log", data)


def test_nothing_is_overwritten(made, tmp_path):
    bundle = made({"x.log": log("a"), "y.log": log("b")})
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "y.log").write_text("mine")
    with pytest.raises(BundleError, match="already exists"):
        restore(bundle, tmp_path / "again")
    assert traces.files(tmp_path / "again") == {"y.log": b"mine"}


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/tmp/evil",
        "..",
        "",
        "a\0b",
        "a/b",
        "C:evil",
        "x" * 300,
        "json.py",
        ".bashrc",
        "sitecustomize.py",
        "x.log/../../y",
        "\x1b[2J",
    ],
)
def test_no_bundle_chooses_a_name(name, made, tmp_path):
    made({"x.log": log("a")}, codec="none")
    traces.rewrite(tmp_path / "bundle", "manifest.json", lambda m: m["logs"][0]["source"].update(name=name))
    (path,) = restore(Bundle.open(tmp_path / "bundle"), tmp_path / "again")
    assert path == tmp_path / "again" / "x.log"


@pytest.mark.parametrize(
    "id_", ["../../evil", "..", ".bashrc", "/tmp/evil", "a/b", "", "x\n", "-x", "é", "a\0b", 5, None]
)
def test_an_invalid_id_is_refused(id_, made, tmp_path):
    made({"x.log": log("a")}, codec="none")
    traces.rewrite(tmp_path / "bundle", "manifest.json", lambda m: m["logs"][0].update(id=id_))
    with pytest.raises(BundleError, match=r"manifest\.json is damaged: logs\[0\]\.id"):
        restore(Bundle.open(tmp_path / "bundle"), tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "name",
    [
        "dedicated_log_torch_trace_rank_0_ab.log",
        "my trace.txt",
        "dedicated_log_torch_trace_rank_3_x y.log.gz",
    ],
)
def test_a_restored_log_builds_the_same_bundle(name, made, tmp_path):
    data = log("artifact:a 0/0\n | text")
    bundle = made({name: gzip.compress(data) if name.endswith(".gz") else data})
    (path,) = restore(bundle, tmp_path / "again")
    again = build(discover([path]), tmp_path / "second", jobs=1).manifest["logs"][0]
    before = bundle.manifest["logs"][0]
    assert [again[key] for key in ("id", "rank", "path")] == [before[key] for key in ("id", "rank", "path")]


def pieces(bundle, at_most):
    """Return the size of the restored log; raise an error when it would be larger."""
    size = 0
    for piece in restored_bytes(bundle.logs[0]):
        size += len(piece)
        assert size <= at_most
    return size


def test_no_more_is_written_than_the_log_had(made, tmp_path):
    """Many events name one blob as payload, but its lines are not in the log."""
    made(
        {"x.log": log("\n".join(["artifact:a 0/0\n | " + "y" * 5000] + ["artifact:a 0/0\n | z"] * 50))},
        codec="none",
    )

    def all_the_large_one(rows):
        return [
            {**row, **{key: rows[0][key] for key in ("blob", "offset", "payload_size_bytes")}} for row in rows
        ]

    traces.rewrite(tmp_path / "bundle", "logs/x/events.jsonl", all_the_large_one)
    bundle = Bundle.open(tmp_path / "bundle")
    size = bundle.logs[0].row["source"]["size_bytes"]
    with pytest.raises(BundleError, match="more bytes than the log"):
        pieces(bundle, size)


def test_logs_without_enough_room_are_not_started(made, tmp_path):
    made({"x.log": log("artifact:a 0/0\n | text")}, codec="none")
    traces.rewrite(
        tmp_path / "bundle", "manifest.json", lambda m: m["logs"][0]["source"].update(size_bytes=10**18)
    )
    with pytest.raises(BundleError, match="1,000,000,000,000,000,000 bytes, but only") as error:
        restore(Bundle.open(tmp_path / "bundle"), tmp_path / "new" / "again")
    assert error.value.code == "no-space" and not (tmp_path / "new").exists()


def test_a_chunk_is_not_written_again_for_each_payload(made, tmp_path):
    """The last chunk lacks its line end and there are many payloads: no chunk is written twice."""
    made({"x.log": log("\n".join(["artifact:a 0/0\n | y"] * 50))}, codec="none")
    (chunk,) = (tmp_path / "bundle" / "logs" / "x" / "verbatim").iterdir()
    chunk.write_bytes(chunk.read_bytes().replace(b"\n", b" "))
    bundle = Bundle.open(tmp_path / "bundle")
    written = 0
    with pytest.raises(BundleError, match="ends before event 0"):
        for piece in restored_bytes(bundle.logs[0]):
            written += len(piece)
    assert written <= chunk.stat().st_size


@pytest.mark.parametrize("size", [0, 10, 150])
def test_a_log_with_too_small_a_size_is_not_restored(size, made, tmp_path):
    made({"x.log": log("artifact:a 0/0\n | text")}, codec="none")
    traces.rewrite(
        tmp_path / "bundle", "manifest.json", lambda m: m["logs"][0]["source"].update(size_bytes=size)
    )
    with pytest.raises(BundleError, match="cannot restore log x"):
        pieces(Bundle.open(tmp_path / "bundle"), size)


@pytest.mark.parametrize("size", [1, 10**18])
def test_a_chunk_of_another_size_is_not_restored(size, made, tmp_path):
    made({"x.log": log("artifact:a 0/0\n | text")}, codec="none")
    traces.rewrite(tmp_path / "bundle", "logs/x/log.json", lambda t: t["verbatim"][0].update(size_bytes=size))
    with pytest.raises(BundleError):
        pieces(Bundle.open(tmp_path / "bundle"), 10**6)


def test_events_that_overlap_are_not_restored(made, tmp_path):
    made({"x.log": log("a 0/0\n | text\nb 0/0\n | other\n")}, codec="none")
    traces.rewrite(
        tmp_path / "bundle", "logs/x/events.jsonl", lambda t: t[1].update(gap_bytes=-t[0]["size_bytes"])
    )
    with pytest.raises(BundleError, match="gap_bytes"):
        pieces(Bundle.open(tmp_path / "bundle"), 10**6)


@pytest.mark.parametrize("empty", [False, True])
def test_a_damaged_bundle_is_noticed(empty, made, tmp_path):
    made({"x.log": log("a\n | text")}, codec="none")
    (chunk,) = (tmp_path / "bundle" / "logs").rglob("verbatim/*")
    chunk.write_bytes(chunk.read_bytes().replace(b"V", b"W"))
    if empty:
        (tmp_path / "again").mkdir()
    with pytest.raises(BundleError, match="SHA-256"):
        restore(Bundle.open(tmp_path / "bundle"), tmp_path / "again")
    assert not list((tmp_path / "again").iterdir()) if empty else not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda t: t[0].pop("gap_bytes"),
        lambda t: t[0].update(blob="blobs/00/" + "0" * 64),
        lambda t: t[0].update(payload_form=[]),
        lambda t: [[]],
    ],
)
def test_a_damaged_table_is_reported_in_a_sentence(damage, made, tmp_path):
    made({"x.log": log("a\n | text")}, codec="none")
    traces.rewrite(tmp_path / "bundle", "logs/x/events.jsonl", damage)
    with pytest.raises(BundleError, match="is damaged: "):
        restore(Bundle.open(tmp_path / "bundle"), tmp_path / "again")


def test_an_unwritable_place_is_reported_in_a_sentence(made, tmp_path):
    bundle = made({"x.log": log("a")})
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ("x" * 300)):
        with pytest.raises(BundleError, match=r"cannot be written|already exists"):
            restore(bundle, place)
