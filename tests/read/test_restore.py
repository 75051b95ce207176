"""The source logs again, written by the tool. (log_of holds every degraded log against it.)"""

import functools
import gzip

import pytest
import traces
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.build import event_writer, verbatim_writer
from tlparse_bundle.read.restore import restore
from tlparse_bundle.trace.log_file import open_log


@pytest.fixture
def made(tmp_path):
    """made({name: bytes}): the bundle of these logs."""

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
            sources[log.path.name.removesuffix(".zst")] = b"".join(iter(functools.partial(stream.read, 1 << 20), b""))
    assert {path.name: path.read_bytes() for path in written} == sources


@pytest.mark.parametrize("path", traces.params(traces.PUBLIC_LOGS, traces.PUBLIC))
def test_public_traces(path, built, tmp_path):
    (written,) = restore(built(path), tmp_path)
    assert written.name == path.name and written.read_bytes() == path.read_bytes()


def test_records_across_small_chunks(made, tmp_path, monkeypatch):
    monkeypatch.setattr(verbatim_writer, "CHUNK_BYTES", 10)
    monkeypatch.setattr(event_writer, "EVENTS_PER_CHUNK", 2)
    data = b"noise\n" + log("a\n | one\n | two\n b\n c\n | three") * 5 + log("d\n | four").replace(b"\n", b"\r\n") + b"\n\nend"
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
    with pytest.raises(BundleError, match="exists already"):
        restore(bundle, tmp_path / "again")
    assert traces.files(tmp_path / "again") == {"y.log": b"mine"}


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "..", "", "a\0b", "a/b", "C:evil", "x" * 300])
def test_the_name_in_a_crafted_bundle_becomes_no_path(name, made, tmp_path):
    made({"x.log": log("a")}, codec="none")
    traces.rewrite(tmp_path / "bundle", "manifest.json", lambda m: m["logs"][0]["source"].update(name=name))
    (path,) = restore(Bundle.open(tmp_path / "bundle"), tmp_path / "again")
    assert path == tmp_path / "again" / "x.log"


def test_a_damaged_bundle_is_noticed(made, tmp_path):
    made({"x.log": log("a\n | text")}, codec="none")
    (chunk,) = (tmp_path / "bundle" / "logs").rglob("verbatim/*")
    chunk.write_bytes(chunk.read_bytes().replace(b"V", b"W"))
    with pytest.raises(BundleError, match="SHA-256"):
        restore(Bundle.open(tmp_path / "bundle"), tmp_path / "again")


@pytest.mark.parametrize("damage", [lambda t: t.pop("byte_offset"), lambda t: t["blob_index"].__setitem__(0, 99), lambda t: t.update(payload_forms=[]), lambda t: []])
def test_a_bundle_with_a_damaged_table_is_a_sentence(damage, made, tmp_path):
    made({"x.log": log("a\n | text")}, codec="none")
    traces.rewrite(tmp_path / "bundle", "logs/x/events/0000.json", damage)
    with pytest.raises(BundleError, match="is damaged: "):
        restore(Bundle.open(tmp_path / "bundle"), tmp_path / "again")


def test_a_place_that_cannot_be_written_is_a_sentence(made, tmp_path):
    bundle = made({"x.log": log("a")})
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ("x" * 300)):
        with pytest.raises(BundleError, match="cannot be written"):
            restore(bundle, place)
