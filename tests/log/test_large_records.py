"""Lines and records larger than any real one are passed on in pieces: bounded memory, no byte lost."""

import io
import random
import tracemalloc

import pytest
from log_builder import log, record
from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log import record_reader
from tlparse_bundle.log.record_reader import RecordReader


@pytest.fixture
def limits(monkeypatch):
    def set_limits(line, whole, block=64):
        monkeypatch.setattr(record_reader, "MAX_LINE_BYTES", line)
        monkeypatch.setattr(record_reader, "MAX_RECORD_BYTES", whole)
        monkeypatch.setattr(record_reader, "BLOCK_BYTES", block)

    return set_limits


def test_an_endless_line_is_not_a_record(log_of, found, limits):
    limits(line=500, whole=2000)
    data = log("a") + b"V0401 12:00:00.000000 7 a.py:1] {" + b"x" * 5000 + b"}\n" + log("b")
    it = log_of(data)
    assert [(event.type, event.row["line"]) for event in it.events()] == [("a", 1), ("b", 3)]
    assert found(it) == [("too-large", 2, len(log("a")), 1)]


def test_a_record_with_too_large_a_payload_is_kept_without_it(log_of, found, limits):
    limits(line=500, whole=2000)
    it = log_of(log("a") + record("big 0/0", payload="line\n" * 2000) + record("b", payload="x" * 1000))
    assert [(event.type, event.row["line"], event.bytes()) for event in it.events()] == [
        ("a", 1, None),
        ("big", 2, None),
        ("b", 2004, b"x" * 1000),
    ]
    assert ("too-large", 2, len(log("a")), 1) in found(it)


def test_a_file_that_is_one_line(log_of, found, limits):
    limits(line=500, whole=2000)
    it = log_of(b"x" * 100_000)
    assert it.row["event_count"] == 0 and found(it) == [("too-large", 1, 0, 1)]


@pytest.mark.parametrize(("rest", "payload"), [(b"\ty\n", None), (b"", b"x")])
def test_empty_lines_at_the_limit_belong_to_a_payload_that_goes_on(rest, payload, log_of, limits):
    big = record("big", payload="x") + b"\n\n"
    limits(line=500, whole=len(big))
    it = log_of(big + rest + log("b"))
    assert [(event.type, event.bytes()) for event in it.events()] == [("big", payload), ("b", None)]


@pytest.mark.parametrize(
    "data",
    [
        b"x" * 300_000,
        record("a", payload="y" * 300_000),
        record("a", payload="y\n" * 150_000),
        log("a") + b"\n" * 300_000,
    ],
)
def test_memory_is_bounded(data, limits):
    limits(line=500, whole=2000)
    records = RecordReader(io.BytesIO(data), Diagnostics())
    pieces = [piece.kept for piece in records]
    assert max(map(len, pieces)) < 4000 and len(records.tail) < 4000


@pytest.mark.parametrize("seed", range(60))
def test_no_byte_is_lost_whatever_the_limits(seed, limits):
    rng = random.Random(seed)
    pieces = [
        log("a"),
        b"\tp\n",
        b"\t" + b"q" * 90 + b"\n",
        b"\n",
        b"\n\n\n",
        b"\t\n",
        b"noise\n",
        b"n" * 150 + b"\n",
        log("b")[:-1] + b"\r\n",
    ]
    data = b"".join(rng.choices(pieces, k=rng.randrange(5, 150)))[: rng.randrange(100, 4000)]
    line, whole = rng.choice([(100, 150), (130, 400), (60, 61), (200, 1000)])
    found = []
    for block in (3, 17, 64, 1 << 20):
        limits(line, whole, block)
        diagnostics = Diagnostics()
        records = RecordReader(io.BytesIO(data), diagnostics)
        restored, seen = b"", []
        for it in records:
            restored += it.kept
            if it.payload is not None and not it.verbatim:
                restored += b"\t" + it.payload.data.replace(b"\n", b"\n\t") + b"\n"
            if it.prefix:
                seen.append(
                    (
                        it.line,
                        it.byte_offset,
                        it.size_bytes,
                        it.envelope,
                        it.payload and it.payload.data,
                        it.verbatim,
                        it.left_out,
                    )
                )
        assert restored + records.tail == data
        found.append((seen, diagnostics.counts()))
    assert found[0] == found[1] == found[2] == found[3]
    for number, offset, size, *_ in found[0][0]:
        assert (
            data[:offset].count(b"\n") + 1 == number
            and data[offset : offset + 1] == b"V"
            and size <= whole + line
        )


def test_a_large_payload_is_in_memory_once():
    payload = b"a line of some length, and a tab\t\n" * 300_000
    stream = io.BytesIO(log("a") + record("big", payload=payload) + log("b"))
    tracemalloc.start()
    try:
        records = iter(RecordReader(stream, Diagnostics()))
        sizes = [
            (len(it.payload.data if it.payload else b""), tracemalloc.get_traced_memory()[1])
            for it in records
        ]
    finally:
        tracemalloc.stop()
    assert [size for size, _ in sizes] == [0, len(payload), 0]
    assert max(peak for _, peak in sizes) < 1.3 * len(payload)
