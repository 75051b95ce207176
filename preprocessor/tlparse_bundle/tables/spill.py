"""Data and numbers kept until the end of a log, compressed and mostly in a temporary file."""

from __future__ import annotations

import os
import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import BinaryIO, Generic, TypeVar

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.zstd_codec import decode, encode_fast

_PACK_BYTES = 16 << 10
_WAITING_ROWS = 256
_MAX_BYTES = 32 << 10  # in memory; no small log needs a file
_copies = 0  # how often this process was copied on its way from the first one

_Number = TypeVar("_Number", int, float)


class Packs:
    """Pieces of data by number. Raise BundleError when the file cannot be written.

    The temporary file has no name and disappears with the process. A forked copy sees earlier data only;
    neither process sees later additions of the other.
    """

    __slots__ = ("_before", "_begin", "_copies", "_ends", "_file")

    def __init__(self) -> None:
        self._file: BinaryIO = BytesIO()
        self._begin = 0  # the place of its first byte among all
        self._before: BinaryIO | None = None  # of the other process, which has what comes before that
        self._ends = array("q", [0])
        self._copies = _copies

    def append(self, data: bytes | bytearray) -> None:
        pack = encode_fast(data)
        end = self._ends[-1]
        try:
            if self._copies != _copies:
                self._part()
            if end <= _MAX_BYTES < end + len(pack) and self._before is None:
                self._move()
            self._file.seek(end - self._begin)
            self._file.write(pack)
            self._file.flush()
        except OSError as error:
            hint = "Set TMPDIR to a folder for temporary files with enough space."
            raise BundleError(
                f"{_temporary_folder()} cannot be written: {error.strerror or error}",
                hint=hint,
                code="unwritable",
            ) from error
        self._ends.append(end + len(pack))

    def _move(self) -> None:
        """Move the data to a file."""
        from tempfile import TemporaryFile  # no small log needs it

        file = TemporaryFile()  # noqa: SIM115 (open as long as this object)
        self._file.seek(0)
        file.write(self._file.read())
        self._file = file

    def _part(self) -> None:
        """Read from the file in a forked copy, while the other process keeps writing to it."""
        self._copies = _copies
        if not isinstance(self._file, BytesIO) and self._before is None:
            self._before, self._file, self._begin = self._file, BytesIO(), self._ends[-1]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> bytes:
        start, end = self._ends[number], self._ends[number + 1]
        file = self._file
        if self._before is not None and start < self._begin:
            file = self._before
        else:
            start, end = start - self._begin, end - self._begin
        return decode(_read(file, start, end - start), sys.maxsize)

    def __iter__(self) -> Iterator[bytes]:
        return map(self.__getitem__, range(len(self)))

    def __del__(self) -> None:
        try:  # noqa: SIM105 (when the process ends, the imports of this module may be gone)
            self._file.close()
        except OSError:  # append() has reported a full disk
            pass


def _temporary_folder() -> str:
    from tempfile import gettempdir

    try:
        return f"'{gettempdir()}'"
    except OSError:  # no folder can be written
        return "the folder for temporary files"


def _read(file: BinaryIO, start: int, size: int) -> bytes:
    if isinstance(file, BytesIO) or not hasattr(os, "pread"):
        file.seek(start)
        return file.read(size)
    data = os.pread(file.fileno(), size, start)  # copies of the process share the place at which a file is
    while len(data) < size and (more := os.pread(file.fileno(), size - len(data), start + len(data))):
        data += more
    return data


def _copied() -> None:
    global _copies
    _copies += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_copied)


class Numbers(Generic[_Number]):
    """Numbers of a type code of ``array``."""

    __slots__ = ("_ends", "_limit", "_newest", "_packs", "_unpacked")

    def __init__(self, typecode: str):
        self._newest: array[_Number] = array(typecode)
        self._limit = _PACK_BYTES // self._newest.itemsize
        self._packs = Packs()
        self._ends = array("q", [0])  # how many numbers there are before each pack, and in all of them
        self._unpacked: tuple[int, array[_Number]] | None = None  # number of a pack, and its numbers

    def append(self, number: _Number) -> None:
        self._newest.append(number)
        if len(self._newest) >= self._limit:
            self._pack()

    def extend(self, numbers: Iterable[_Number]) -> None:
        """Add a few numbers at once."""
        self._newest.extend(numbers)
        if len(self._newest) >= self._limit:
            self._pack()

    def _pack(self) -> None:
        self._packs.append(self._newest.tobytes())
        self._ends.append(len(self))
        self._newest = array(self._newest.typecode)

    def __len__(self) -> int:
        return self._ends[-1] + len(self._newest)

    def __getitem__(self, number: int) -> _Number:
        """Return a number. Access to neighboring ones is cheap."""
        if number >= self._ends[-1]:
            return self._newest[number - self._ends[-1]]
        pack = bisect_right(self._ends, number) - 1
        if self._unpacked is None or self._unpacked[0] != pack:
            self._unpacked = pack, array(self._newest.typecode, self._packs[pack])
        return self._unpacked[1][number - self._ends[pack]]

    def __iter__(self) -> Iterator[_Number]:
        for pack in self._packs:
            yield from array(self._newest.typecode, pack)
        yield from self._newest

    def whole(self) -> array[_Number]:
        """Return all numbers in order."""
        numbers: array[_Number] = array(self._newest.typecode)
        for pack in self._packs:
            numbers.frombytes(pack)
        numbers.extend(self._newest)
        return numbers


class NumberRows:
    """Columns of integers of equal length, by type code. The newest rows are buffered and added together."""

    __slots__ = ("_columns", "_count", "_rows")

    def __init__(self, typecodes: str):
        self._columns: list[Numbers[int]] = [Numbers(typecode) for typecode in typecodes]
        self._rows: list[tuple[int, ...]] = []
        self._count = 0

    def add(self, *cells: int) -> int:
        """Add a row with a cell per column; return its position."""
        self._rows.append(cells)
        if len(self._rows) >= _WAITING_ROWS:
            self._close_rows()
        self._count += 1
        return self._count - 1

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> tuple[int, ...]:
        """Return a row. Access to neighboring ones is cheap."""
        if number >= self._count - len(self._rows):
            return self._rows[number - self._count]
        return tuple(column[number] for column in self._columns)

    def _close_rows(self) -> None:
        for column, cells in zip(self._columns, zip(*self._rows, strict=True), strict=False):
            column.extend(cells)
        self._rows.clear()

    def whole(self) -> list[array[int]]:
        """Return the columns."""
        self._close_rows()
        return [column.whole() for column in self._columns]
