"""Reads pickles that only hold containers and scalars, without the module pickle.

The machine knows no operation that names, imports or calls anything, so a pickle cannot execute code. What it
can allocate is bounded by the number of its operations.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

MAX_OPERATIONS = 8_000_000  # a full buffer of 2,000 calls with long stacks has about a million
MAX_NUMBER_BYTES = 16
_MAX_LINE = 64  # bytes of a number in text
_MAX_PROTOCOL = 5
_KEYS = (str, int, bool, type(None))  # anything else could take long to hash, or crash


class BadPickle(ValueError):
    """A pickle that is damaged, or holds more than containers and scalars."""


class _Mark:
    """The place of an operation MARK on the stack."""


_MARK = _Mark()
_SIZES = {ord("K"): (1, "<B"), ord("M"): (2, "<H"), ord("J"): (4, "<i"), ord("G"): (8, ">d")}
_CONSTANTS: dict[int, object] = {ord("N"): None, 0x88: True, 0x89: False}
_EMPTY: dict[int, Callable[[], object]] = {ord("}"): dict, ord("]"): list, ord(")"): tuple}
_TEXTS = {ord("X"): 4, 0x8C: 1, 0x8D: 8}  # size of the length
_BYTES = {ord("C"): 1, ord("B"): 4, 0x8E: 8}
_LONGS = {0x8A: 1, 0x8B: 4}
_PUTS = {ord("q"): 1, ord("r"): 4}
_GETS = {ord("h"): 1, ord("j"): 4}
_TUPLES = {0x85: 1, 0x86: 2, 0x87: 3}
_REFUSED = {
    ord("c"): "GLOBAL",
    ord("i"): "INST",
    ord("o"): "OBJ",
    ord("R"): "REDUCE",
    ord("b"): "BUILD",
    ord("P"): "PERSID",
    ord("Q"): "BINPERSID",
    0x81: "NEWOBJ",
    0x82: "EXT1",
    0x83: "EXT2",
    0x84: "EXT4",
    0x92: "NEWOBJ_EX",
    0x93: "STACK_GLOBAL",
}


def read_plain_pickle(data: bytes) -> Any:
    """Return the value of a pickle. Raise BadPickle."""
    return _Machine(data).run()


class _Machine:
    def __init__(self, data: bytes):
        self._data = data
        self._at = 0
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def run(self) -> Any:
        for _ in range(MAX_OPERATIONS):
            start = self._at
            code = self._take(1)[0]
            if code == ord("."):
                if len(self._stack) != 1 or self._stack[0] is _MARK:
                    raise self._bad("its end does not leave one value", start)
                return self._stack[0]
            if not (self._scalar(code) or self._container(code) or self._memorize(code)):
                name = _REFUSED.get(code)
                what = f"the operation {name} can execute code" if name else f"unknown operation 0x{code:02x}"
                raise self._bad(f"{what}: only containers and scalars are read", start)
        raise self._bad(f"it has more than {MAX_OPERATIONS:,} operations", self._at)

    def _scalar(self, code: int) -> bool:
        """Apply an operation that pushes a scalar, or has no effect. Return whether it is one."""
        push = self._stack.append
        if code in _SIZES:
            size, form = _SIZES[code]
            push(struct.unpack(form, self._take(size))[0])
        elif code in _TEXTS:
            push(self._take(self._length(_TEXTS[code])).decode("utf-8", "replace"))
        elif code in _CONSTANTS:
            push(_CONSTANTS[code])
        elif code in _LONGS:
            size = self._length(_LONGS[code])
            if size > MAX_NUMBER_BYTES:
                raise self._bad(f"a number of {size:,} bytes", self._at)
            push(int.from_bytes(self._take(size), "little", signed=True))
        elif code in _BYTES:
            push(self._take(self._length(_BYTES[code])))
        elif code in (ord("I"), ord("L"), ord("F")):
            push(self._number_in_text(code))
        elif code == 0x80:
            if self._take(1)[0] > _MAX_PROTOCOL:
                raise self._bad("unknown protocol", self._at - 1)
        elif code == 0x95:  # FRAME: how many bytes follow, which does not matter here
            self._take(8)
        else:
            return False
        return True

    def _container(self, code: int) -> bool:
        """Apply an operation on containers. Return whether it is one."""
        if code in _EMPTY:
            self._stack.append(_EMPTY[code]())
        elif code == ord("("):
            self._stack.append(_MARK)
        elif code in _TUPLES:
            self._stack.append(tuple(reversed([self._pop() for _ in range(_TUPLES[code])])))
        elif code == ord("t"):
            self._stack.append(tuple(self._popped()))
        elif code == ord("l"):
            self._stack.append(self._popped())
        elif code == ord("d"):
            self._stack.append(self._set({}, self._popped()))
        elif code == ord("e"):
            items = self._popped()
            self._top(list).extend(items)
        elif code == ord("a"):
            item = self._pop()
            self._top(list).append(item)
        elif code == ord("u"):
            items = self._popped()
            self._set(self._top(dict), items)
        elif code == ord("s"):
            value, key = self._pop(), self._pop()
            self._set(self._top(dict), [key, value])
        else:
            return False
        return True

    def _memorize(self, code: int) -> bool:
        """Apply an operation on the memo. Return whether it is one."""
        if code in _PUTS:
            self._memo[self._length(_PUTS[code])] = self._last()
        elif code == 0x94:
            self._memo[len(self._memo)] = self._last()
        elif code in _GETS:
            number = self._length(_GETS[code])
            if number not in self._memo:
                raise self._bad(f"it reads {number} of the memo, which is not set", self._at)
            self._stack.append(self._memo[number])
        else:
            return False
        return True

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) < size:
            raise self._bad("it is cut off", len(self._data))
        self._at += size
        return taken

    def _length(self, size: int) -> int:
        return int.from_bytes(self._take(size), "little")

    def _number_in_text(self, code: int) -> float | bool:
        end = self._data.find(b"\n", self._at, self._at + _MAX_LINE)
        if end < 0:
            raise self._bad("a number without an end", self._at)
        text = self._take(end + 1 - self._at)[:-1]
        if code == ord("I") and text in (b"00", b"01"):
            return text == b"01"
        try:
            return float(text) if code == ord("F") else int(text.removesuffix(b"L"))
        except ValueError:
            raise self._bad("a number that is none", self._at) from None

    def _last(self) -> Any:
        if not self._stack or self._stack[-1] is _MARK:
            raise self._bad("it needs a value that is not there", self._at)
        return self._stack[-1]

    def _pop(self) -> Any:
        self._last()
        return self._stack.pop()

    def _top(self, kind: type) -> Any:
        if type(self._last()) is not kind:
            raise self._bad(
                f"it adds to a {type(self._stack[-1]).__name__} as if to a {kind.__name__}", self._at
            )
        return self._stack[-1]

    def _popped(self) -> list[Any]:
        """Remove the values after the last mark, and the mark."""
        for place in range(len(self._stack) - 1, -1, -1):
            if self._stack[place] is _MARK:
                items = self._stack[place + 1 :]
                del self._stack[place:]
                return items
        raise self._bad("it needs a mark that is not there", self._at)

    def _set(self, values: dict[Any, Any], items: list[Any]) -> dict[Any, Any]:
        if len(items) % 2:
            raise self._bad("a key without a value", self._at)
        for number in range(0, len(items), 2):
            if not isinstance(items[number], _KEYS):
                raise self._bad(f"a key that is a {type(items[number]).__name__}", self._at)
            values[items[number]] = items[number + 1]
        return values

    def _bad(self, what: str, at: int) -> BadPickle:
        return BadPickle(f"{what} (at byte {at:,})")
