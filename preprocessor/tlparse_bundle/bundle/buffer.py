"""Bytes that grow until they are written, in memory of their own."""

from __future__ import annotations

from mmap import mmap

_CAPACITY = 5 << 18  # what grows until it has 1 MiB seldom has more


class Buffer:
    """Takes pages as it is filled, and gives them all back. In the heap, large bytes that come and go
    side by side leave holes, more of them in a larger log.
    """

    __slots__ = ("size", "_memory")

    def __init__(self, data: bytes = b"") -> None:
        self.size = 0
        self._memory = mmap(-1, _CAPACITY)
        self.add(data)

    def add(self, data: bytes) -> None:
        end = self.size + len(data)
        if end > len(self._memory):
            larger = mmap(-1, 2 * end)
            larger[: self.size] = self._memory[: self.size]
            self._memory = larger
        self._memory[self.size : end] = data
        self.size = end

    def data(self) -> memoryview:
        """What there is. Nothing may be added afterwards."""
        return memoryview(self._memory)[: self.size]
