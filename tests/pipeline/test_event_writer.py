"""The chunks of events, metadata and verbatim bytes."""

import pytest
from log_builder import log, record
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.pipeline import event_writer, log_writer
from tlparse_bundle.pipeline.file_writer import FileSink
from tlparse_bundle.tables import rows


def chunks(it, name):
    return [(file["first_event"], file["rows"]) for file in it.files(name)]


@pytest.mark.parametrize(
    "count,expected", [(1, [(0, 1)]), (4, [(0, 4)]), (5, [(0, 4), (4, 1)]), (8, [(0, 4), (4, 4)])]
)
def test_event_chunks(count, expected, log_of, monkeypatch):
    monkeypatch.setattr(rows, "ROWS_PER_FILE", 4)
    it = log_of(b"".join(record(f"e{i} {i}/0", payload=f"p{i}") for i in range(count)))
    assert chunks(it, "events") == expected
    assert chunks(it, "metadata") == []
    assert [(e.index, e.type, e.text(), e.compile) for e in it.events()] == [
        (i, f"e{i}", f"p{i}", f"{i}/0") for i in range(count)
    ]


def test_metadata_chunks_have_boundaries_of_their_own(log_of, monkeypatch):
    monkeypatch.setattr(rows, "ROWS_PER_FILE", 7)
    monkeypatch.setattr(event_writer, "BYTES_PER_FILE", 100)
    it = log_of(b"".join(record('e {"number": %d, "text": "%s"}' % (i, "x" * i)) for i in range(40)))
    assert len(it.files("metadata")) > 5 and len(it.files("events")) == 6
    assert [event.metadata["e"]["number"] for event in it.events()] == list(range(40))


def test_verbatim_chunks(log_of, monkeypatch):
    monkeypatch.setattr(log_writer, "CHUNK_BYTES", 200)
    it = log_of(b"".join(record(f"e{i}", payload="payload") for i in range(40)) + b"garbage\n" * 10)
    sizes = [chunk["size_bytes"] for chunk in it.directory["verbatim"]]
    assert len(sizes) > 5 and all(size >= 200 for size in sizes[:-1])
    assert not any(b"payload\n" in it.bundle.read(chunk["path"]) for chunk in it.directory["verbatim"])


@pytest.mark.parametrize("size,expected", [(9, [9]), (10, [10]), (20, [10, 10]), (25, [10, 10, 5])])
def test_a_verbatim_chunk_ends_with_the_piece_that_fills_it(size, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(log_writer, "CHUNK_BYTES", 10)
    writer = log_writer.VerbatimWriter(FileSink(tmp_path, CODECS["none"]), "a")
    writer.add([b"12345"] * (size // 5) + [b"1234"[: size % 5]])
    writer.close()
    assert [chunk["size_bytes"] for chunk in writer.chunks] == expected


def test_payload_forms(log_of, monkeypatch):
    monkeypatch.setattr(rows, "ROWS_PER_FILE", 2)
    windows = record("b", payload="x\ny").replace(b"\n", b"\r\n")
    it = log_of(
        log("a") + log("a") + log("a") + windows + record("c", payload="x\ny").replace(b"x\n", b"x\n\n")
    )
    assert [[row["payload_form"] for row in it.part("events", number)] for number in range(3)] == [
        [None, None],
        [None, "crlf"],
        ["verbatim"],
    ]


def test_metadata_without_content_has_no_row_and_read_as_an_object(log_of):
    it = log_of(log('dynamo_cpp_guards_str 0/0\n | guards\n x {"a": 1}'))
    assert it.table("metadata") == [{"event": 1, "metadata": {"x": {"a": 1}}}]
    assert [event.metadata for event in it.events()] == [{"dynamo_cpp_guards_str": {}}, {"x": {"a": 1}}]


def test_kinds_count_their_events_and_bytes(log_of):
    data = log("artifact:a\n | x\n artifact:b\n artifact:a\n dynamo_start 0/0")
    it = log_of(data)
    kinds = {(kind["type"], kind["name"]): kind["event_count"] for kind in it.directory["kinds"]}
    assert kinds == {("artifact", "a"): 2, ("artifact", "b"): 1, ("dynamo_start", None): 1}
    assert sum(kind["size_bytes"] for kind in it.directory["kinds"]) == len(data)


def test_a_log_without_records_has_no_chunks(log_of):
    it = log_of(b"\n\n")
    assert (it.files("events"), it.files("metadata"), list(it.events())) == ([], [], [])


def test_a_text_that_looks_like_a_blob_stays(log_of):
    it = log_of(record('artifact:"blob":0', payload="text") + record("artifact:b", payload="more"))
    assert all(row["blob"] in it.blobs for row in it.table("events"))
    assert [event.text() for event in it.events()] == ["text", "more"]
