"""A mapping of bounded size that keeps the newest entries."""

from __future__ import annotations

from typing import Generic, TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Newest(Generic[_Key, _Value]):
    """Holds the newest values up to ``max_bytes``. Deterministic: equal calls give equal contents."""

    def __init__(self, max_bytes: int):
        self.max_bytes = max_bytes
        self._values: dict[_Key, _Value] = {}
        self._sizes: dict[_Key, int] = {}
        self._bytes = 0
        self.get = self._values.get  # value of a key, or None

    def add(self, key: _Key, value: _Value, size_bytes: int) -> None:
        """Add a value, replacing an earlier one. Values larger than the limit are not kept."""
        if size_bytes > self.max_bytes:
            return
        if key in self._values:
            self._remove(key)
        self._values[key] = value
        self._sizes[key] = size_bytes
        self._bytes += size_bytes
        while self._bytes > self.max_bytes:
            self._remove(next(iter(self._values)))

    def _remove(self, key: _Key) -> None:
        del self._values[key]
        self._bytes -= self._sizes.pop(key)
