"""Buffers that hold bytes until they are written, and their positions."""

import hashlib

from tlparse_bundle.pipeline import blob_writer, file_writer
from tlparse_bundle.pipeline.blob_writer import BlobPlaces
from tlparse_bundle.pipeline.file_writer import Buffer, BufferOfSeries


def test_a_buffer_grows_beyond_its_first_memory(monkeypatch):
    monkeypatch.setattr(file_writer, "_CAPACITY", 4096)
    sizes = [0, 1, 4090, 5, 1, 3, 20_000, 0, 7]
    for first in range(len(sizes)):
        parts = [bytes([65 + number]) * size for number, size in enumerate(sizes[first:])]
        it = Buffer(parts[0])
        for part in parts[1:]:
            it.add(part)
        assert it.size == sum(map(len, parts))
        assert bytes(it.data()) == b"".join(parts)


def test_a_series_has_the_pages_of_those_before(monkeypatch):
    monkeypatch.setattr(file_writer, "_CAPACITY", 4096)
    monkeypatch.setattr(BufferOfSeries, "_closed", [])
    first, second = BufferOfSeries(b"first" * 100), BufferOfSeries(b"second")
    large = BufferOfSeries(b"large" * 4000)
    for it in (large, first, second):
        it.close()
    assert BufferOfSeries._closed == [first._memory], "one of the usual size"
    third, fourth = BufferOfSeries(b"3"), BufferOfSeries()
    third.add(b"rd")
    assert [bytes(it.data()) for it in (third, fourth)] == [b"3rd", b""]
    assert third._memory is first._memory and fourth._memory is not second._memory


def test_places_of_many_payloads():
    places, expected = BlobPlaces(), {}
    for number in range(5000):
        content = hashlib.sha256(str(number).encode()).hexdigest()[:32]
        assert places.find(content) is None
        expected[content] = number * 7, 2**32 - 1 - number
        places.add(content, *expected[content])
    assert all(places.find(content) == place for content, place in expected.items())


def test_a_hash_across_two_records(monkeypatch):
    """Bytes of a place and of the next hash can look like another hash."""
    monkeypatch.setattr(blob_writer, "_GROUPS", 1)
    places = BlobPlaces()
    places.add("00" * 16, 0, 0)
    places.add("00" * 8 + "11" * 8, 5, 6)
    assert places.find("00" * 8 + "11" * 8) == (5, 6)
    assert places.find("00" * 12 + "11" * 4) is None
    assert places.find("00" * 16) == (0, 0)
