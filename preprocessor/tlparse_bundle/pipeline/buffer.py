"""Bytes that grow until they are written, in memory of their own."""

from __future__ import annotations

import hashlib
import mmap
from typing import Any

_CAPACITY = 5 << 18  # what grows until it has 1 MiB seldom has more
_PRIVATE = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
)  # pages come faster
_MAX_CLOSED = 1


class Buffer:
    """Takes pages as it is filled, and gives them all back. In the heap, large bytes that come and go
    side by side leave holes, more of them in a larger log.
    """

    __slots__ = ("_hash", "_hashed", "_memory", "size")

    def __init__(self, data: bytes = b"") -> None:
        self.size = self._hashed = 0
        self._hash: Any = None
        self._memory = self._pages()
        self.add(data)

    def _pages(self) -> mmap.mmap:
        return mmap.mmap(-1, _CAPACITY, **_PRIVATE)

    def add(self, data: bytes) -> None:
        try:
            self._memory.write(data)
        except ValueError:  # it is full
            larger = mmap.mmap(-1, 2 * (self.size + len(data)), **_PRIVATE)
            larger.write(self.data())
            larger.write(data)
            self._memory = larger
        self.size += len(data)

    def settle(self) -> None:
        """Hash what there is: it need not be done again by each copy of the process that writes it."""
        if self._hash is None:
            self._hash = hashlib.sha256()
        self._hash.update(memoryview(self._memory)[self._hashed : self.size])
        self._hashed = self.size

    def sha256(self) -> str | None:
        """Of all that there is; None when nothing was hashed before."""
        if self._hash is None:
            return None
        self.settle()
        return self._hash.hexdigest()

    def data(self) -> memoryview:
        """What there is. Nothing may be added afterwards."""
        return memoryview(self._memory)[: self.size]


class BufferOfSeries(Buffer):
    """One of a series, each of which is filled and written: it has the pages of one before.

    To get new ones takes longer than to fill them.
    """

    __slots__ = ()
    _closed: list[mmap.mmap] = []  # of the process

    def _pages(self) -> mmap.mmap:
        if not self._closed:
            return super()._pages()
        memory = self._closed.pop()
        memory.seek(0)
        return memory

    def close(self) -> None:
        """It was written: another one may have its pages."""
        if len(self._memory) == _CAPACITY and len(self._closed) < _MAX_CLOSED:
            self._closed.append(self._memory)
