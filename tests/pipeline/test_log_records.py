"""A log that ends while it is read, as in each state of a growing bundle: complete records count, others wait."""

import hashlib

import pytest
from log_builder import record
from tlparse_bundle.log.record_reader import PREFIX
from tlparse_bundle.pipeline.log_records import LogRecords

FIRST = record("dynamo_start 0/0 {}")
WITH_PAYLOAD = record("dynamo_output_graph 0/0 {}", payload="one\ntwo")


class Pieces:
    """Bytes that come piece by piece; None: nothing more for now."""

    def __init__(self, *pieces):
        self._pieces = list(pieces)
        self.closed = False

    def read(self, size):
        data = self._pieces.pop(0) if self._pieces else b""
        assert data is None or len(data) <= size
        return data

    def close(self):
        self.closed = True


def ended_after(data):
    """Read a log that ends after these bytes for now; return its records, size, hash and rest."""
    records = LogRecords(None, Pieces(data, None, None, b""))
    found, stopped = [], False
    for one in records:
        if one is not None:
            found.append(one)
        elif not stopped:
            stopped = True
            records.stop()
    records.close()
    return found, records.size_bytes, records.sha256


@pytest.mark.parametrize(
    ("rest", "counts"),
    [
        (b"", False),
        (WITH_PAYLOAD, True),
        (WITH_PAYLOAD[:-1], False),
        (WITH_PAYLOAD[:-5], False),
        (WITH_PAYLOAD.replace(b"two", b"too"), False),
        (WITH_PAYLOAD.partition(b"\n")[0] + b"\n", False),
        (FIRST, True),
        (FIRST[:-1], False),
        (FIRST[:20], False),
        (b"another line\n", True),
        (b"another li", False),
        (FIRST.replace(b"{}", b"{"), True),
    ],
    ids=str,
)
def test_the_last_record_counts_when_it_is_complete(rest, counts):
    found, size_bytes, sha256 = ended_after(FIRST + rest)
    kept = FIRST + rest if counts else FIRST
    assert size_bytes == len(kept) and sha256 == hashlib.sha256(kept).hexdigest()
    is_record = counts and PREFIX.match(rest) is not None
    assert len(found) == 1 + is_record


def test_a_log_that_does_not_wait_is_hashed_as_a_whole():
    data = FIRST + WITH_PAYLOAD[:-3]
    records = LogRecords(None, Pieces(data, b""))
    assert len([one for one in records if one is not None]) == 2
    assert (records.size_bytes, records.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert records.tail == b""


def test_the_log_is_closed_with_its_records():
    raw = Pieces(b"")
    records = LogRecords(None, raw)
    assert not raw.closed
    records.close()
    assert raw.closed
