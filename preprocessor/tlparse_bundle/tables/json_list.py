"""JSON arrays that grow while a log is read.

All but the newest items are packed: a large log has many rows, which say much the same.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.tables.spill import Packs

_PACK_BYTES = 16 << 10
_BATCH = 256  # items that are written at once


class JsonList:
    """What is added is written at once: later changes of it are not seen.

    ``size_bytes`` is that of the JSON.
    """

    __slots__ = ("_count", "_ends", "_open", "_packs", "_unpacked", "size_bytes")

    separator = b","

    def __init__(self, items: Iterable[Any] = ()):
        self._packs = Packs()
        self._ends = array("q")  # how many items there are with each pack
        self._open = bytearray()  # of the newest items, as they stand between the brackets
        self._count = 0
        self._unpacked: tuple[int, list] | None = None  # number and items of a pack, the open one is the last
        self.size_bytes = 2
        self.extend(items)

    def append(self, item: Any) -> None:
        self._add(dumps(item), 1)

    def extend(self, items: Iterable[Any]) -> None:
        rest = iter(items)
        while batch := list(islice(rest, _BATCH)):
            self._add(dumps(batch)[1:-1], len(batch))

    def _add(self, json: bytes, count: int) -> None:
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
        self._unpacked = None

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        """The items, as JSON has them."""
        return self.since(0)

    def __getitem__(self, number: int) -> Any:
        """An item. Those next to each other are cheap."""
        pack = bisect_right(self._ends, number)
        if self._unpacked is None or self._unpacked[0] != pack:
            self._unpacked = (
                pack,
                self._items(self._packs[pack] if pack < len(self._packs) else bytes(self._open)),
            )
        return self._unpacked[1][number - (self._ends[pack - 1] if pack else 0)]

    def since(self, number: int) -> Iterator[Any]:
        """The items from this one on."""
        pack = bisect_right(self._ends, number)
        before = self._ends[pack - 1] if pack else 0
        items = chain.from_iterable(map(self._items, self._texts(pack)))
        return islice(items, number - before, None) if number > before else items

    def pieces(self) -> Iterator[bytes]:
        """The JSON, piece by piece."""
        yield b"["
        yield from self._texts()
        yield b"]"

    def _texts(self, first: int = 0) -> Iterator[bytes]:
        yield from map(self._packs.__getitem__, range(first, len(self._packs)))
        yield bytes(self._open)

    @staticmethod
    def _items(piece: bytes) -> list:
        return loads(b"[%b]" % piece.removeprefix(b","))
