"""Data that wait until the end of a log: compressed and, but for the first, in a temporary file, so that memory does not grow with the log."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.zstd_codec import decode, encode_fast

_MAX_BYTES = 32 << 10  # in memory; no small log needs a file


class Packs:
    """Pieces of data, by number. The file has no name, and goes when this does, or with the process.

    Raises BundleError when the file cannot be written.
    """

    __slots__ = ("_file", "_ends")

    def __init__(self) -> None:
        self._file: BinaryIO = BytesIO()
        self._ends = array("q", [0])

    def append(self, data: bytes | bytearray) -> None:
        pack = encode_fast(data)
        try:
            if self._ends[-1] <= _MAX_BYTES < self._ends[-1] + len(pack):
                self._move()
            self._file.seek(self._ends[-1])
            self._file.write(pack)
            self._file.flush()
        except OSError as error:
            from tempfile import gettempdir

            hint = "Rows of tables wait there; TMPDIR names another folder."
            raise BundleError(f"{gettempdir()} cannot be written: {error.strerror or error}", hint=hint, code="unwritable") from error
        self._ends.append(self._ends[-1] + len(pack))

    def _move(self) -> None:
        """To a file, if there can be one."""
        from tempfile import TemporaryFile  # no small log needs it

        try:
            file = TemporaryFile()
        except OSError:
            return
        file.write(self._file.getvalue())
        self._file = file

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> bytes:
        start, end = self._ends[number], self._ends[number + 1]
        self._file.seek(start)
        return decode(self._file.read(end - start), sys.maxsize)

    def __iter__(self) -> Iterator[bytes]:
        return map(self.__getitem__, range(len(self)))

    def __del__(self) -> None:
        try:
            self._file.close()
        except OSError:  # of a full disk append() has told
            pass
