"""Writes payloads to blobs: one for a large payload, otherwise packs of payloads of one kind.

Payloads of one kind are similar, so a pack compresses several times better, and equal ranks produce equal
packs. Only the first kinds of a log have their own packs, so that the number of files grows with bytes,
not names. Packs of chromium events are JSON arrays that trace viewers open; they have the times of one
process, so logs cannot share them.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from tlparse_bundle.bundle.layout import log_path
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.payload import Payload
from tlparse_bundle.pipeline.file_writer import BlobRow, Buffer, BufferOfSeries, FileSink

_PLACE = struct.Struct("<II")  # blob row, offset in the blob
_HASH_BYTES = 16
_RECORD_BYTES = _HASH_BYTES + _PLACE.size
_GROUPS = 1024
LARGE_BYTES = 256 << 10
PACK_BYTES = 1 << 20
MAX_OPEN_BYTES = 32 << 20
MAX_KINDS = 256  # with packs of their own


class _Pack(Buffer):
    __slots__ = ("row",)

    def __init__(self, row: int):
        super().__init__()
        self.row = row


class BlobWriter:
    """Blobs of one log."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._rows: list[BlobRow | None] = []  # None for a pack that is still open
        self._packs: dict[Hashable, _Pack] = {}
        self._kinds: set[Hashable] = set()
        self._open_bytes = 0
        self._places = BlobPlaces()
        self._timeline: BufferOfSeries | None = None
        self._timeline_bytes = 0  # with the pieces that are not in it yet
        self._pieces: list[bytes] = []
        self._mark = object()  # on payloads that are in these blobs
        self._timeline_rows: list[int] = []  # of the packs of chromium events

    def place(self, events: Iterable[Event]) -> None:
        """Store the payloads of the next events; set ``blob_index`` and ``blob_offset``, -1 and 0 without a
        payload.
        """
        for event in events:
            if event.trace_event is not None:
                event.blob_index, event.blob_offset = self._put_trace_event(event.payload or b"")
            elif event.content is not None:
                event.blob_index, event.blob_offset = self._put(event.content, (event.type, event.name))
            else:
                event.blob_index, event.blob_offset = -1, 0
        self._flush_timeline()

    def _put(self, payload: Payload, kind: Hashable) -> tuple[int, int]:
        if payload.place is not None and payload.place[0] is self._mark:
            return payload.place[1]
        content = payload.sha256[:32]
        place = self._places.find(content)
        if place is None:
            place = self._store(payload.data, payload.sha256, kind)
            self._places.add(content, *place)
        payload.place = self._mark, place
        return place

    def _put_trace_event(self, payload: bytes) -> tuple[int, int]:
        pack = self._timeline
        if pack is None:
            pack = self._timeline = BufferOfSeries()
            self._timeline_bytes = 0
            self._timeline_rows.append(self._new_row())
        self._pieces.append(b",\n" if self._timeline_bytes else b"[\n")
        self._pieces.append(payload)
        offset = self._timeline_bytes + 2
        self._timeline_bytes = offset + len(payload)
        if self._timeline_bytes >= PACK_BYTES:
            self._close_timeline()
        return self._timeline_rows[-1], offset

    def _flush_timeline(self) -> None:
        if self._pieces and self._timeline is not None:
            self._timeline.add(b"".join(self._pieces))
            self._pieces = []

    def settle(self) -> None:
        """See LogTables."""
        for pack in self._packs.values():
            pack.settle()
        if self._timeline is not None:
            self._timeline.settle()

    def close(self) -> None:
        """Write the open packs."""
        self._close_timeline()
        for kind in list(self._packs):
            self._close(kind)

    def paths(self) -> list[str]:
        """Return the paths of the blobs, by number, after close()."""
        return [path for path, *_ in self._written()]

    def _written(self) -> list[BlobRow]:
        return [row for row in self._rows if row is not None]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the table (schema: blobs), after close()."""
        timeline = set(self._timeline_rows)
        rows = {
            row: "timeline" if number in timeline else "payloads"
            for number, row in enumerate(self._written())
        }
        for (path, sha256, size_bytes, stored_size_bytes), kind in rows.items():
            yield {
                "blob": path,
                "kind": kind,
                "sha256": sha256,
                "size_bytes": size_bytes,
                "stored_size_bytes": stored_size_bytes,
            }

    def _new_row(self) -> int:
        self._rows.append(None)
        return len(self._rows) - 1

    def _store(self, payload: bytes, sha256: str, kind: Hashable) -> tuple[int, int]:
        if len(payload) >= LARGE_BYTES:
            row = self._new_row()
            self._rows[row] = self._sink.put_blob(payload, self._place(row), sha256=sha256)
            return row, 0
        pack = self._packs.get(kind)
        if pack is None:
            kind = self._own(kind)
            pack = self._packs.get(kind)
            if pack is None:
                pack = self._packs[kind] = _Pack(self._new_row())
        offset = pack.size
        pack.add(payload)
        self._open_bytes += len(payload)
        if pack.size >= PACK_BYTES:
            self._close(kind)
        elif self._open_bytes > MAX_OPEN_BYTES:
            self._close(max(self._packs, key=lambda k: self._packs[k].size))
        return pack.row, offset

    def _own(self, kind: Hashable) -> Hashable:
        """Return the kind, or None, which stands for all others, after the first kinds."""
        if kind not in self._kinds:
            if len(self._kinds) >= MAX_KINDS:
                return None
            self._kinds.add(kind)
        return kind

    def _close(self, kind: Hashable) -> None:
        pack = self._packs.pop(kind)
        self._open_bytes -= pack.size
        self._rows[pack.row] = self._sink.put_blob(pack.data(), self._place(pack.row), sha256=pack.sha256())

    def _place(self, row: int) -> str | None:
        """Return the path of a blob, in a growing bundle with its log, to be removed with the state."""
        return log_path(self._log_id, f"packs/{row:04d}.log", self._sink.codec) if self._sink.below else None

    def _close_timeline(self) -> None:
        if self._timeline is not None:
            self._flush_timeline()
            self._timeline.add(b"\n]\n")
            path = log_path(
                self._log_id, f"timeline/{len(self._timeline_rows) - 1:04d}.json", self._sink.codec
            )
            self._rows[self._timeline_rows[-1]] = self._sink.put_blob(
                self._timeline.data(), path, sha256=self._timeline.sha256()
            )
            self._timeline.close()
            self._timeline = None


class BlobPlaces:
    """Blob row and offset in the blob, both below 2**32, by the hash of a payload, which is 32 hex digits."""

    def __init__(self) -> None:
        self._groups: dict[int, bytearray] = {}  # hashes, each with its place

    def _group_of(self, content: str) -> bytearray:
        # Bits of Python's randomized hash, so that no log can force all payloads into one group.
        return self._groups.setdefault(hash(content) % _GROUPS, bytearray())

    def find(self, content: str) -> tuple[int, int] | None:
        key, group = bytes.fromhex(content), self._group_of(content)
        start = group.find(key)
        while start % _RECORD_BYTES and start > 0:  # it stands across two records
            start = group.find(key, start + 1)
        if start < 0:
            return None
        row, offset = _PLACE.unpack_from(group, start + _HASH_BYTES)
        return row, offset

    def add(self, content: str, row: int, offset: int) -> None:
        self._group_of(content).extend(bytes.fromhex(content) + _PLACE.pack(row, offset))
