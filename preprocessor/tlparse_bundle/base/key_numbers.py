"""Numbers by compile key, in about 25 bytes each where a dict takes 200."""

from __future__ import annotations

from array import array

_MAX_NEWEST = 4096  # few logs have more compiles
# Every character of a compile key is a hexadecimal digit, so a key of up to 14 is a number.
_DIGITS = str.maketrans("/!@_-", "abcde")
_MAX_CHARACTERS = 14
_ALPHABET = frozenset("0123456789/!@_-")
_SPREAD = 0x9E3779B97F4A7C15  # as in Fibonacci hashing
_MASK = (1 << 64) - 1
_FIRST_BITS = 14


class KeyNumbers:
    """A mapping from compile keys ('0/1', '!0/1/2@3', each possibly with '_2' for an attempt) to numbers of
    32 bits. Keys are never removed. Longer texts are kept in a dict.
    """

    __slots__ = ("_bits", "_count", "_keys", "_most", "_newest", "_numbers", "_others")

    def __init__(self, newest: int = _MAX_NEWEST) -> None:
        self._most = newest  # in a dict, which is faster
        self._newest: dict[str, int] = {}
        self._others: dict[str, int] = {}
        self._count = 0  # of the keys in the arrays, which are an open hash table
        self._bits = _FIRST_BITS
        self._keys, self._numbers = array("q"), array("i")

    def get(self, key: str) -> int | None:
        """Return the number of a key, or None."""
        number = self._newest.get(key)
        if number is not None or not (self._count or self._others):
            return number
        packed = _packed(key)
        if packed is None:
            return self._others.get(key)
        place = self._place(packed)
        if not self._keys[place]:
            return None
        self[key] = found = self._numbers[place]  # it may be asked for again
        return found

    def __setitem__(self, key: str, number: int) -> None:
        newest = self._newest
        newest[key] = number
        if len(newest) >= self._most:
            for old, value in newest.items():
                self._store(old, value)
            newest.clear()

    def setdefault(self, key: str, number: int) -> int:
        """Return the number of a key, which is ``number`` if it has none yet."""
        known = self.get(key)
        if known is not None:
            return known
        self[key] = number
        return number

    def _store(self, key: str, number: int) -> None:
        packed = _packed(key)
        if packed is None:
            self._others[key] = number
            return
        if 5 * self._count >= 3 * len(self._keys):
            self._grow()
        place = self._place(packed)
        if not self._keys[place]:
            self._keys[place] = packed
            self._count += 1
        self._numbers[place] = number

    def _place(self, packed: int) -> int:
        """Return the place of a key in the arrays, or the free one where it belongs."""
        keys, last = self._keys, len(self._keys) - 1
        if last < 0:
            self._grow()
            return self._place(packed)
        place = (packed * _SPREAD & _MASK) >> (64 - self._bits)
        while keys[place] and keys[place] != packed:
            place = (place + 1) & last
        return place

    def _grow(self) -> None:
        keys, numbers = self._keys, self._numbers
        self._bits += bool(keys)
        size = 1 << self._bits
        self._keys, self._numbers = array("q", bytes(8 * size)), array("i", bytes(4 * size))
        for packed, number in zip(keys, numbers, strict=True):
            if packed:
                place = self._place(packed)
                self._keys[place], self._numbers[place] = packed, number


def _packed(key: str) -> int | None:
    """Return a number above 0 that only this key has; None for a longer or different text."""
    if len(key) > _MAX_CHARACTERS or not _ALPHABET.issuperset(key):
        return None
    return int("1" + key.translate(_DIGITS), 16)
