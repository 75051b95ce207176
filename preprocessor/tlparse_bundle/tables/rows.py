"""JSON arrays and table rows that grow while a log is read.

All but the newest items are compressed, because rows are many and repetitive.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.bundle.layout import BYTES_PER_FILE, ROWS_PER_FILE
from tlparse_bundle.tables.spill import Packs

_PACK_BYTES = 16 << 10
_MAX_UNPACKED = 12  # recompiles of one function may be far from each other, each beside those of the next one
_BATCH = 256  # items that are encoded at once
# In text from the log, these quotation marks would be escaped.
_BLOB = re.compile(rb'("blob":[0-9]+)')

Item = TypeVar("Item")


class JsonList(Generic[Item]):
    """List whose items are encoded when added, so later changes are not seen. ``size_bytes`` is the size of
    the JSON.
    """

    __slots__ = ("_count", "_ends", "_open", "_packs", "_unpacked", "size_bytes")

    separator = b","

    def __init__(self, items: Iterable[Item] = ()):
        self._packs = Packs()
        self._ends = array("q")  # how many items there are with each pack
        self._open = bytearray()  # of the newest items, as they stand between the brackets
        self._count = 0
        self._unpacked: dict[int, list[Item]] = {}  # items of the packs read last; the open pack is the last
        self.size_bytes = 2
        self.extend(items)

    def append(self, item: Item) -> None:
        self._add(dumps(item), 1)

    def extend(self, items: Iterable[Item]) -> None:
        rest = iter(items)
        while batch := list(islice(rest, _BATCH)):
            self._add(dumps(batch)[1:-1], len(batch))

    def _add(self, json: bytes, count: int) -> None:
        self._unpacked.pop(len(self._packs), None)
        if self._count:
            self._open += self.separator
            self.size_bytes += 1
        self._open += json
        self.size_bytes += len(json)
        self._count += count
        if len(self._open) >= _PACK_BYTES:
            self._packs.append(self._open)
            self._ends.append(self._count)
            self._open = bytearray()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        """Iterate over the parsed items."""
        return self.since(0)

    def __getitem__(self, number: int) -> Item:
        """Return an item. Access to neighbors of items that were read before is cheap."""
        pack = bisect_right(self._ends, number)
        items = self._unpacked.pop(pack, None)
        if items is None:
            items = self._items(self._packs[pack] if pack < len(self._packs) else bytes(self._open))
            if len(self._unpacked) == _MAX_UNPACKED:
                del self._unpacked[next(iter(self._unpacked))]
        self._unpacked[pack] = items
        return items[number - (self._ends[pack - 1] if pack else 0)]

    def since(self, number: int) -> Iterator[Item]:
        """Yield the items from an index on."""
        pack = bisect_right(self._ends, number)
        before = self._ends[pack - 1] if pack else 0
        items = chain.from_iterable(map(self._items, self._texts(pack)))
        return islice(items, number - before, None) if number > before else items

    def pieces(self) -> Iterator[bytes]:
        """Yield the JSON in pieces."""
        yield b"["
        yield from self._texts()
        yield b"]"

    def _texts(self, first: int = 0) -> Iterator[bytes]:
        yield from map(self._packs.__getitem__, range(first, len(self._packs)))
        yield bytes(self._open)

    @staticmethod
    def _items(piece: bytes) -> list[Any]:
        items: list[Any] = loads(b"[%b]" % piece.removeprefix(b","))
        return items


class Rows(JsonList[Item]):
    """Rows of one table, encoded when added, so later changes are not seen. ``size_bytes`` is the size of
    the JSON Lines.
    """

    __slots__ = ()

    separator = b"\n"

    def extend(self, items: Iterable[Item]) -> None:
        """Add rows."""
        rest = iter(items)
        while batch := list(islice(rest, _BATCH)):
            self._add(b"\n".join(map(dumps, batch)), len(batch))

    def add_lines(self, lines: Sequence[bytes]) -> None:
        """Add rows that are already JSON, without line feeds."""
        for start in range(0, len(lines), _BATCH):
            batch = lines[start : start + _BATCH]
            self._add(b"\n".join(batch), len(batch))

    def files(self, blobs: Sequence[str] | None = None) -> Iterator[tuple[int, list[bytes]]]:
        """Yield the number of rows and the JSON Lines pieces of each file of the table.

        A file ends with its 4,096th row or the row that fills its first MiB. ``blobs``: paths that
        replace the numbers in the field 'blob'.
        """
        if blobs is None and len(self) <= ROWS_PER_FILE and self.size_bytes <= BYTES_PER_FILE:
            if len(self):
                yield len(self), [*self._texts(), b"\n"]
            return
        fields = {
            b'"blob":%d' % number: b'"blob":%b' % dumps(path) for number, path in enumerate(blobs or ())
        }
        pieces: list[bytes] = []
        count = size_bytes = 0
        for text in filter(None, self._texts()):
            text = text.removeprefix(b"\n")
            if fields:
                parts = _BLOB.split(text)
                parts[1::2] = map(fields.__getitem__, parts[1::2])
                text = b"".join(parts)
            rows = text.count(b"\n") + 1
            fits = count + rows < ROWS_PER_FILE and size_bytes + len(text) + 1 < BYTES_PER_FILE
            for piece in (text,) if fits else text.split(b"\n"):
                pieces.append(piece)
                count += rows if fits else 1
                size_bytes += len(piece) + 1
                if count == ROWS_PER_FILE or size_bytes >= BYTES_PER_FILE:
                    yield count, [b"\n".join(pieces), b"\n"]
                    pieces, count, size_bytes = [], 0, 0
        if pieces:
            yield count, [b"\n".join(pieces), b"\n"]

    @staticmethod
    def _items(piece: bytes) -> list[Any]:
        return parse_rows(piece.removeprefix(b"\n"))


def parse_rows(lines: bytes) -> list[Any]:
    """Return the rows of JSON Lines, parsed in one call. Raise JSONDecodeError for other lines."""
    rows: list[Any] = loads(b"[%b]" % lines.removesuffix(b"\n").replace(b"\n", b","))
    return rows
