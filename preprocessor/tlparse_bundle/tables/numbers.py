"""Arrays of numbers that grow while a log is read. All but the newest are packed."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from tlparse_bundle.tables.packs import Packs

_PACK_BYTES = 16 << 10
_WAITING_ROWS = 256


class Numbers:
    """Numbers of a type code of ``array``."""

    __slots__ = ("_newest", "_limit", "_packs", "_packed_count")

    def __init__(self, typecode: str):
        self._newest = array(typecode)
        self._limit = _PACK_BYTES // self._newest.itemsize
        self._packs = Packs()
        self._packed_count = 0

    def append(self, number: float) -> None:
        self._newest.append(number)
        if len(self._newest) >= self._limit:
            self._pack()

    def extend(self, numbers: Iterable[float]) -> None:
        """Few numbers, which are added together."""
        self._newest.extend(numbers)
        if len(self._newest) >= self._limit:
            self._pack()

    def _pack(self) -> None:
        self._packs.append(self._newest.tobytes())
        self._packed_count += len(self._newest)
        self._newest = array(self._newest.typecode)

    def __len__(self) -> int:
        return self._packed_count + len(self._newest)

    def __iter__(self) -> Iterator[float]:
        for pack in self._packs:
            yield from array(self._newest.typecode, pack)
        yield from self._newest

    def whole(self) -> array:
        """All of them, in their order."""
        numbers = array(self._newest.typecode)
        for pack in self._packs:
            numbers.frombytes(pack)
        numbers.extend(self._newest)
        return numbers


class NumberRows:
    """Columns of numbers of equal length, by their type codes. The newest rows wait, so that columns are filled together."""

    __slots__ = ("_columns", "_rows", "_count")

    def __init__(self, typecodes: str):
        self._columns = [Numbers(typecode) for typecode in typecodes]
        self._rows: list[tuple[float, ...]] = []
        self._count = 0

    def add(self, *cells: float) -> int:
        """Add a row, a cell for each column; returns its position."""
        self._rows.append(cells)
        if len(self._rows) >= _WAITING_ROWS:
            self._close_rows()
        self._count += 1
        return self._count - 1

    def __len__(self) -> int:
        return self._count

    def _close_rows(self) -> None:
        for column, cells in zip(self._columns, zip(*self._rows)):
            column.extend(cells)
        self._rows.clear()

    def whole(self) -> list[array]:
        """The columns."""
        self._close_rows()
        return [column.whole() for column in self._columns]
