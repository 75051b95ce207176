"""JSON arrays that grow while a log is read. They are kept compressed: a large log has many rows, which say much the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import orjson
import zstandard

_PACK_BYTES = 64 << 10
_BATCH = 1024  # items that are written at once


def packed(data: bytes | bytearray) -> bytes:
    """Data that wait, compressed quickly. A copy: what the compressor returns keeps the room for data that do not compress."""
    return bytes(memoryview(zstandard.ZstdCompressor(level=1).compress(data)))


class JsonList:
    """What is added is written at once: later changes of it are not seen. ``size_bytes`` is that of the JSON."""

    __slots__ = ("_packs", "_open", "_count", "size_bytes")

    def __init__(self, items: Iterable[Any] = ()):
        self._packs: list[bytes] = []
        self._open = bytearray()  # of the newest items, as they stand between the brackets
        self._count = 0
        self.size_bytes = 2
        self.extend(items)

    def append(self, item: Any) -> None:
        self._add(orjson.dumps(item), 1)

    def extend(self, items: Iterable[Any]) -> None:
        rest = iter(items)
        while batch := list(islice(rest, _BATCH)):
            self._add(orjson.dumps(batch)[1:-1], len(batch))

    def _add(self, json: bytes, count: int) -> None:
        if self._count:
            self._open += b","
            self.size_bytes += 1
        self._open += json
        self.size_bytes += len(json)
        self._count += count
        if len(self._open) >= _PACK_BYTES:
            self._packs.append(packed(self._open))
            self._open = bytearray()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        """The items, as JSON has them."""
        for piece in self._texts():
            yield from orjson.loads(b"[%b]" % piece.removeprefix(b","))

    def pieces(self) -> Iterator[bytes]:
        """The JSON, piece by piece."""
        yield b"["
        yield from self._texts()
        yield b"]"

    def _texts(self) -> Iterator[bytes]:
        yield from map(zstandard.ZstdDecompressor().decompress, self._packs)
        yield bytes(self._open)


class JsonColumns:
    """Columns of equal length, each a JsonList."""

    def __init__(self, *names: str):
        self._columns = {name: JsonList() for name in names}
        self._rows: list[tuple] = []  # the newest, which are not in the columns yet

    def add(self, *cells: Any) -> None:
        """Add a row: a cell for each column, in their order."""
        self._rows.append(cells)
        if len(self._rows) >= _BATCH:
            self._close_rows()

    def _close_rows(self) -> None:
        for column, cells in zip(self._columns.values(), zip(*self._rows)):
            column.extend(cells)
        self._rows = []

    def table(self) -> dict[str, JsonList]:
        self._close_rows()
        return self._columns
