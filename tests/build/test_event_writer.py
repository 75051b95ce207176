"""The chunks of events, metadata and verbatim bytes."""

import pytest
from log_builder import log, record
from tlparse_bundle.build import event_writer, verbatim_writer


def chunks(it, name):
    return [(chunk["first_event_index"], chunk["count"]) for chunk in it.directory[name]]


@pytest.mark.parametrize("count,expected", [(1, [(0, 1)]), (4, [(0, 4)]), (5, [(0, 4), (4, 1)]), (8, [(0, 4), (4, 4)])])
def test_event_chunks(count, expected, log_of, monkeypatch):
    monkeypatch.setattr(event_writer, "EVENTS_PER_CHUNK", 4)
    it = log_of(b"".join(record(f"e{i} {i}/0", payload=f"p{i}") for i in range(count)))
    assert chunks(it, "events") == expected
    assert chunks(it, "metadata") == [(0, count)]
    assert [(e.index, e.type, e.text(), e.compile.id) for e in it.events()] == [(i, f"e{i}", f"p{i}", f"{i}/0") for i in range(count)]


def test_metadata_chunks_have_boundaries_of_their_own(log_of, monkeypatch):
    monkeypatch.setattr(event_writer, "EVENTS_PER_CHUNK", 7)
    monkeypatch.setattr(event_writer, "METADATA_CHUNK_BYTES", 100)
    it = log_of(b"".join(record('e {"number": %d, "text": "%s"}' % (i, "x" * i)) for i in range(40)))
    assert len(it.directory["metadata"]) > 5 and len(it.directory["events"]) == 6
    assert [event.metadata["e"]["number"] for event in it.events()] == list(range(40))


def test_verbatim_chunks(log_of, monkeypatch):
    monkeypatch.setattr(verbatim_writer, "CHUNK_BYTES", 200)
    it = log_of(b"".join(record(f"e{i}", payload="payload") for i in range(40)) + b"garbage\n" * 10)
    sizes = [chunk["size_bytes"] for chunk in it.directory["verbatim"]]
    assert len(sizes) > 5 and all(size >= 200 for size in sizes[:-1])
    assert not any(b"payload\n" in it.bundle.read(chunk["path"]) for chunk in it.directory["verbatim"])


def test_payload_forms_belong_to_rows_of_their_chunk(log_of, monkeypatch):
    monkeypatch.setattr(event_writer, "EVENTS_PER_CHUNK", 2)
    windows = record("b", payload="x\ny").replace(b"\n", b"\r\n")
    it = log_of(log("a") + log("a") + log("a") + windows + record("c", payload="x\ny").replace(b"x\n", b"x\n\n"))
    forms = [it.bundle.json(chunk["path"])["payload_forms"] for chunk in it.directory["events"]]
    assert forms == [{}, {"1": "crlf"}, {"0": "verbatim"}]


def test_metadata_without_content_is_null_and_read_as_an_object(log_of):
    it = log_of(log("dynamo_cpp_guards_str 0/0\n | guards\n x {\"a\": 1}"))
    stored = [row for chunk in it.directory["metadata"] for row in it.bundle.json(chunk["path"])["metadata"]]
    assert stored == [None, {"x": {"a": 1}}]
    assert [event.metadata for event in it.events()] == [{"dynamo_cpp_guards_str": {}}, {"x": {"a": 1}}]


def test_kinds_count_their_events_and_bytes(log_of):
    data = log("artifact:a\n | x\n artifact:b\n artifact:a\n dynamo_start 0/0")
    it = log_of(data)
    kinds = {(kind["type"], kind["name"]): kind["event_count"] for kind in it.directory["kinds"]}
    assert kinds == {("artifact", "a"): 2, ("artifact", "b"): 1, ("dynamo_start", None): 1}
    assert sum(kind["size_bytes"] for kind in it.directory["kinds"]) == len(data)


def test_a_log_without_records_has_no_chunks(log_of):
    it = log_of(b"\n\n")
    assert (it.directory["events"], it.directory["metadata"], list(it.events())) == ([], [], [])
