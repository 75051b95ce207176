"""A mapping that forgets: of what grows with the log, the newest is what comes again."""

from __future__ import annotations

from typing import Generic, TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Newest(Generic[_Key, _Value]):
    """Holds what was added last, up to ``max_bytes``. Two that are told the same hold the same."""

    def __init__(self, max_bytes: int):
        self.max_bytes = max_bytes
        self._entries: dict[_Key, tuple[_Value, int]] = {}
        self._bytes = 0

    def add(self, key: _Key, value: _Value, size_bytes: int) -> None:
        """``key`` must be new. What is larger than all that may be held is not held."""
        if size_bytes > self.max_bytes:
            return
        self._entries[key] = value, size_bytes
        self._bytes += size_bytes
        while self._bytes > self.max_bytes:
            self._bytes -= self._entries.pop(next(iter(self._entries)))[1]

    def get(self, key: _Key) -> _Value | None:
        entry = self._entries.get(key)
        return None if entry is None else entry[0]
