"""Decompresses gzip in bounded memory, and gives what comes before damage or a cut."""

from __future__ import annotations

import zlib
from typing import IO

MAGIC = b"\x1f\x8b"
_CHUNK_BYTES = 1 << 18
_GZIP_FORMAT = 31  # of zlib: with header and checksum


class Gunzip:
    """The content of a gzip file. ``problem`` says why it ends early."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self._member = zlib.decompressobj(_GZIP_FORMAT)
        self._rest = b""  # not yet decompressed
        self._is_between = False  # before a further member, or at the end
        self.problem: str | None = None

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes; empty at the end."""
        pieces: list[bytes] = []
        while size > 0 and self.problem is None:
            if not self._rest:
                self._rest = self._file.read(_CHUNK_BYTES)
            if not self._rest.strip(b"\0") and (self._is_between or not self._rest):
                if not self._is_between:
                    self.problem = "The compressed data is cut off."
                break  # at the end, which can have padding
            try:
                piece = self._member.decompress(self._rest, size)
            except zlib.error as error:
                self.problem = f"The compressed data is damaged: {error}."
                break
            self._is_between, self._rest = False, self._member.unconsumed_tail
            if self._member.eof:
                self._is_between, self._rest = True, self._member.unused_data
                self._member = zlib.decompressobj(_GZIP_FORMAT)
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)
