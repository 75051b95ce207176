"""Payloads to blobs: one for a large payload, otherwise packs of payloads of one kind.

Payloads of one kind resemble each other, so that a pack of them compresses several times better
than the payloads alone, and equal ranks make equal packs. The packs of the chromium events are
JSON arrays, which trace viewers open as they are; they hold the times of one process, so that no two
logs share one, and lie with their log.
"""

from __future__ import annotations

from collections.abc import Hashable

from tlparse_bundle.build.blob_places import BlobPlaces
from tlparse_bundle.build.buffer import Buffer, BufferOfSeries
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.format.layout import log_path

LARGE_BYTES = 256 << 10
PACK_BYTES = 1 << 20
MAX_OPEN_BYTES = 32 << 20
MAX_OPEN_PACKS = 256


class _Pack(Buffer):
    __slots__ = ("row",)

    def __init__(self, row: int):
        super().__init__()
        self.row = row


class BlobWriter:
    """The blobs of one log. ``timeline`` lists the rows of the packs of chromium events."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._rows: list[list] = []
        self._packs: dict[Hashable, _Pack] = {}
        self._open_bytes = 0
        self._places = BlobPlaces()
        self._timeline: BufferOfSeries | None = None
        self.timeline: list[int] = []

    def put(self, payload: bytes, sha256: str, kind: Hashable) -> tuple[int, int]:
        """Store a payload; returns blob row and offset in the blob."""
        content = sha256[:32]
        place = self._places.find(content)
        if place is None:
            place = self._store(payload, sha256, kind)
            self._places.add(content, *place)
        return place

    def put_trace_event(self, payload: bytes) -> tuple[int, int]:
        """Store the payload of a chromium event in the timeline; returns blob row and offset."""
        pack = self._timeline
        if pack is None:
            pack = self._timeline = BufferOfSeries()
            self.timeline.append(self._new_row())
        pack.add((b",\n" if pack.size else b"[\n") + payload)
        place = self.timeline[-1], pack.size - len(payload)
        if pack.size >= PACK_BYTES:
            self._close_timeline()
        return place

    def close(self) -> None:
        """Write what is still open."""
        self._close_timeline()
        for kind in list(self._packs):
            self._close(kind)

    def table(self) -> dict:
        """The blob table (schema: blobs). Call it after close() and the sink's wait()."""
        sha256, size, stored, path = zip(*self._rows) if self._rows else ((), (), (), ())
        return {"sha256": sha256, "size_bytes": size, "stored_size_bytes": stored, "path": path}

    def _new_row(self) -> int:
        self._rows.append([])
        return len(self._rows) - 1

    def _store(self, payload: bytes, sha256: str, kind: Hashable) -> tuple[int, int]:
        if len(payload) >= LARGE_BYTES:
            row = self._new_row()
            self._sink.put_blob(payload, self._rows[row], sha256=sha256)
            return row, 0
        pack = self._packs.get(kind)
        if pack is None:
            if len(self._packs) >= MAX_OPEN_PACKS:
                self._close(max(self._packs, key=lambda k: self._packs[k].size))
            pack = self._packs[kind] = _Pack(self._new_row())
        offset = pack.size
        pack.add(payload)
        self._open_bytes += len(payload)
        if pack.size >= PACK_BYTES:
            self._close(kind)
        elif self._open_bytes > MAX_OPEN_BYTES:
            self._close(max(self._packs, key=lambda k: self._packs[k].size))
        return pack.row, offset

    def _close(self, kind: Hashable) -> None:
        pack = self._packs.pop(kind)
        self._open_bytes -= pack.size
        self._sink.put_blob(pack.data(), self._rows[pack.row])

    def _close_timeline(self) -> None:
        if self._timeline is not None:
            self._timeline.add(b"\n]\n")
            path = log_path(self._log_id, f"timeline/{len(self.timeline) - 1:04d}.json", self._sink.codec)
            self._sink.put_blob(self._timeline.data(), self._rows[self.timeline[-1]], path, self._timeline.close)
            self._timeline = None
