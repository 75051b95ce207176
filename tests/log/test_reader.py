"""Bytes to records."""

import io
import random

import pytest
from log_builder import log, record
from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log import record_reader
from tlparse_bundle.log.record_reader import RecordReader


def read(data):
    records = RecordReader(io.BytesIO(data), Diagnostics())
    out = list(records)
    return [r for r in out if r.prefix], b"".join(r.kept for r in out) + records.tail


def test_a_record_has_prefix_envelope_and_payload():
    data = b'W1231 23:59:58.123456 4711 torch/a b.py:12] {"x": 1}\n\tone\n\ttwo\n'
    (it,), kept = read(data)
    assert it.prefix == (b"W", b"1231 23:59:58", b"123456", b"4711 torch/a b.py:12")
    assert (it.envelope, it.payload.data, it.verbatim, it.cut) == (b'{"x": 1}', b"one\ntwo", False, False)
    assert (it.line, it.byte_offset, it.size_bytes) == (1, 0, len(data))
    assert kept == data[: data.index(b"\t")]


@pytest.mark.parametrize("payload", [b"\tone\n\ttwo", b"one\t\ntwo\t", b"a\tb\n\n\tc", b"\t", b"\n\n"])
def test_tabs_in_a_payload_stay(payload):
    line = b"V0401 12:00:00.000000 7 a.py:1] {}\n"
    (it, next_), _ = read(line + b"\t" + payload.replace(b"\n", b"\n\t") + b"\n" + line)
    assert (it.payload.data, it.verbatim, next_.line) == (payload, False, 3 + payload.count(b"\n"))


def test_a_path_with_a_colon_ends_before_the_next_record():
    line = b"V0401 12:00:00.000000 7 a:b/c.py:1] {}\n"
    records, kept = read(3 * line)
    assert [(it.line, it.byte_offset, it.size_bytes) for it in records] == [
        (number + 1, number * len(line), len(line)) for number in range(3)
    ]
    assert kept == 3 * line


def test_a_byte_order_mark_is_reported_in_line_1():
    diagnostics = Diagnostics()
    records = list(RecordReader(io.BytesIO(b"\xef\xbb\xbf" + log("a")), diagnostics))
    assert [record.byte_offset for record in records if record.prefix] == [3]
    (row,) = diagnostics.rows()
    assert (row["code"], row["line"], row["byte_offset"]) == ("byte-order-mark", 1, 0)


def test_places_of_records_count_payload_lines():
    data = log("a\n | one\n | two\n b\n c")
    records, _ = read(data)
    assert [r.line for r in records] == [1, 4, 5]
    assert [data[r.byte_offset : r.byte_offset + r.size_bytes] for r in records] == data.replace(
        b"\nV", b"\n\0V"
    ).split(b"\0")


@pytest.mark.parametrize(
    "prefix",
    [
        b"V0401 12:00:00.000000 7 C:\\torch\\a.py:1] ",
        b"V0401 12:00:00,000000 7 a.py:1] ",
        b"V0401 12:00:00.000000    7 a.py:1] ",
        b"E9999 99:99:99.999999 0 a:b: c.py:0] ",
        b"V0401 12:00:00.000000 7 a.py:1]",
    ],
)
def test_valid_prefixes(prefix):
    ((it,), _) = read(prefix + b"{}\n")
    assert it.envelope == b"{}"


@pytest.mark.parametrize(
    "line",
    [
        b"v0401 12:00:00.000000 7 a.py:1] {}",
        b" V0401 12:00:00.000000 7 a.py:1] {}",
        b"V0401 12:00:00.000 7 a.py:1] {}",
        b"V0401 12:00:00.000000 a.py:1] {}",
        b"V0401 12:00:00.000000 7 a.py] {}",
        b"V0401T12:00:00.000000 7 a.py:1] {}",
        b"[rank0]:V0401 12:00:00.000000 7 a.py:1] {}",
        b"V0401 12:00:00.000000 7 a.py\nb.py:1] {}",
    ],
)
def test_lines_that_are_not_records(line):
    records, kept = read(line + b"\n")
    assert records == [] and kept == line + b"\n"


def test_a_bracket_in_the_envelope_does_not_move_its_start():
    ((it,), _) = read(b'V0401 12:00:00.000000 7 a.py:1] {"x": "b.py:2] "}\n')
    assert it.envelope == b'{"x": "b.py:2] "}'


class CountingStream(io.BytesIO):
    given = 0

    def read(self, size=-1):
        data = super().read(size)
        self.given += len(data)
        return data


def test_the_log_is_read_once_and_block_by_block(monkeypatch):
    monkeypatch.setattr(record_reader, "BLOCK_BYTES", 1000)
    data = record("a", payload="x" * 100) * 300
    stream = CountingStream(data)
    records = RecordReader(stream, Diagnostics())
    count = 0
    for it in records:
        count += 1
        assert stream.given <= it.byte_offset + it.size_bytes + 2 * 1000
    assert (count, stream.given, records.position) == (300, len(data), len(data))


def test_garbage_without_records_does_not_pile_up(monkeypatch):
    monkeypatch.setattr(record_reader, "BLOCK_BYTES", 1000)
    data = b"noise\n" * 10_000 + log("a")
    pieces = list(RecordReader(io.BytesIO(data), Diagnostics()))
    assert max(len(piece.kept) for piece in pieces) < 3000
    assert b"".join(piece.kept for piece in pieces) == data


@pytest.mark.parametrize("seed", range(20))
def test_no_byte_is_lost_or_invented_in_random_logs(seed, monkeypatch):
    """Verbatim bytes and payloads put together equal the log, for any mixture of lines and any block size."""
    random.seed(seed)
    pieces = [
        log("a"),
        b"\tp\n",
        b"\n",
        b"\r\n",
        b"\t\n",
        b"noise\n",
        b"\t\tp\r\n",
        log("b")[:-1] + b"\r\n",
        b"\xff\x00\n",
        b"V0401 12:00:00.000000 7 a.py:1] \n",
    ]
    data = b"".join(random.choices(pieces, k=200))[: random.randrange(400, 3000)]
    found = []
    for block in (1, 5, 100, 1 << 20):
        monkeypatch.setattr(record_reader, "BLOCK_BYTES", block)
        records = RecordReader(io.BytesIO(data), Diagnostics())
        whole = b""
        found.append([])
        for it in records:
            whole += it.kept
            if it.payload is not None and not it.verbatim:
                whole += b"\t" + it.payload.data.replace(b"\n", b"\n\t") + b"\n"
            if it.prefix:
                found[-1].append(
                    (
                        it.line,
                        it.byte_offset,
                        it.size_bytes,
                        it.envelope,
                        it.payload and it.payload.data,
                        it.verbatim,
                    )
                )
        assert whole + records.tail == data
    assert found[0] == found[1] == found[2] == found[3]
    assert [data[:offset].count(b"\n") + 1 for _, offset, *_ in found[0]] == [line for line, *_ in found[0]]
