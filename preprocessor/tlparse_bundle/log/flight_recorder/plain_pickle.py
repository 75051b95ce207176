"""Reads pickles that only hold containers and scalars, without the module pickle.

The machine knows no operation that names, imports or calls anything, so a pickle cannot execute code. What it
can allocate is bounded by the number of its operations.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import Any

MAX_OPERATIONS = 8_000_000  # a full buffer of 2,000 calls with long stacks has less than a million
MAX_NUMBER_BYTES = 16
_MAX_LINE = 64  # bytes of a number in text
_MAX_PROTOCOL = 5
_KEYS = (str, int, bool, type(None))  # anything else could take long to hash, or crash
_STOP = ord(".")
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


class BadPickle(ValueError):
    """A pickle that is damaged, or holds more than containers and scalars."""


class _Mark:
    """The place of an operation MARK on the stack."""


_MARK = _Mark()


def read_plain_pickle(data: bytes) -> Any:
    """Return the value of a pickle. Raise BadPickle."""
    return _Machine(data).run()


class _Machine:
    def __init__(self, data: bytes):
        self._data = data
        self._at = 0
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        push = self._stack.append
        self._operations: dict[int, Callable[[], object]] = {
            # scalars
            ord("N"): partial(push, None),
            0x88: partial(push, True),
            0x89: partial(push, False),
            ord("K"): partial(self._number, 1, "<B"),
            ord("M"): partial(self._number, 2, "<H"),
            ord("J"): partial(self._number, 4, "<i"),
            ord("G"): partial(self._number, 8, ">d"),
            ord("I"): partial(self._number_in_text, int),
            ord("L"): partial(self._number_in_text, int),
            ord("F"): partial(self._number_in_text, float),
            0x8A: partial(self._long, 1),
            0x8B: partial(self._long, 4),
            ord("X"): partial(self._text, 4),
            0x8C: partial(self._text, 1),
            0x8D: partial(self._text, 8),
            ord("C"): partial(self._bytes, 1),
            ord("B"): partial(self._bytes, 4),
            0x8E: partial(self._bytes, 8),
            # containers
            ord("("): partial(push, _MARK),
            ord("}"): lambda: push({}),
            ord("]"): lambda: push([]),
            ord(")"): lambda: push(()),
            0x85: partial(self._tuple, 1),
            0x86: partial(self._tuple, 2),
            0x87: partial(self._tuple, 3),
            ord("t"): lambda: push(tuple(self._popped())),
            ord("l"): lambda: push(self._popped()),
            ord("d"): lambda: push(self._set({}, self._popped())),
            ord("a"): self._append,
            ord("e"): self._extend,
            ord("s"): self._set_item,
            ord("u"): self._set_items,
            # memo
            ord("q"): partial(self._put, 1),
            ord("r"): partial(self._put, 4),
            0x94: self._memoize,
            ord("h"): partial(self._get, 1),
            ord("j"): partial(self._get, 4),
            # how the pickle is written
            0x80: self._protocol,
            0x95: partial(self._take, 8),  # FRAME: how many bytes follow
        }

    def run(self) -> Any:
        data, operations = self._data, self._operations
        for _ in range(MAX_OPERATIONS):
            start = self._at
            if start >= len(data):
                break
            code = data[start]
            if code == _STOP:
                return self._result()
            operation = operations.get(code)
            if operation is None:
                name = _REFUSED.get(code)
                what = f"the operation {name} can execute code" if name else f"unknown operation 0x{code:02x}"
                raise self._bad(f"{what}: only containers and scalars are read")
            self._at = start + 1
            operation()
        more = self._at < len(data)
        raise self._bad(f"it has more than {MAX_OPERATIONS:,} operations" if more else "it is cut off")

    def _result(self) -> Any:
        if len(self._stack) != 1 or self._stack[0] is _MARK:
            raise self._bad("its end does not leave one value")
        return self._stack[0]

    def _protocol(self) -> None:
        if self._take(1)[0] > _MAX_PROTOCOL:
            raise self._bad("unknown protocol")

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._data):
            raise self._bad("it is cut off")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def _length(self, size: int) -> int:
        return int.from_bytes(self._take(size), "little")

    def _number(self, size: int, form: str) -> None:
        self._stack.append(struct.unpack(form, self._take(size))[0])

    def _long(self, size: int) -> None:
        length = self._length(size)
        if length > MAX_NUMBER_BYTES:
            raise self._bad(f"a number of {length:,} bytes")
        self._stack.append(int.from_bytes(self._take(length), "little", signed=True))

    def _number_in_text(self, kind: Callable[[bytes], float]) -> None:
        end = self._data.find(b"\n", self._at, self._at + _MAX_LINE)
        if end < 0:
            raise self._bad("a number without an end")
        text = self._take(end + 1 - self._at)[:-1]
        if text in (b"00", b"01"):  # of I: protocol 0 has no other booleans
            self._stack.append(text == b"01")
            return
        try:
            self._stack.append(kind(text.removesuffix(b"L")))
        except ValueError:
            raise self._bad("text that is not a number") from None

    def _text(self, size: int) -> None:
        self._stack.append(self._take(self._length(size)).decode("utf-8", "replace"))

    def _bytes(self, size: int) -> None:
        self._stack.append(self._take(self._length(size)))

    def _tuple(self, size: int) -> None:
        self._stack.append(tuple(reversed([self._pop() for _ in range(size)])))

    def _append(self) -> None:
        item = self._pop()
        self._top(list).append(item)

    def _extend(self) -> None:
        items = self._popped()
        self._top(list).extend(items)

    def _set_item(self) -> None:
        value, key = self._pop(), self._pop()
        self._set(self._top(dict), [key, value])

    def _set_items(self) -> None:
        items = self._popped()
        self._set(self._top(dict), items)

    def _put(self, size: int) -> None:
        self._memo[self._length(size)] = self._last()

    def _memoize(self) -> None:
        self._memo[len(self._memo)] = self._last()

    def _get(self, size: int) -> None:
        number = self._length(size)
        if number not in self._memo:
            raise self._bad(f"it reads {number} of the memo, which is not set")
        self._stack.append(self._memo[number])

    def _last(self) -> Any:
        if not self._stack or self._stack[-1] is _MARK:
            raise self._bad("it needs a value that is not there")
        return self._stack[-1]

    def _pop(self) -> Any:
        self._last()
        return self._stack.pop()

    def _top(self, kind: type) -> Any:
        if type(self._last()) is not kind:
            raise self._bad(f"it adds to a {type(self._stack[-1]).__name__} as if to a {kind.__name__}")
        return self._stack[-1]

    def _popped(self) -> list[Any]:
        """Remove the values after the last mark, and the mark."""
        for place in range(len(self._stack) - 1, -1, -1):
            if self._stack[place] is _MARK:
                items = self._stack[place + 1 :]
                del self._stack[place:]
                return items
        raise self._bad("it needs a mark that is not there")

    def _set(self, values: dict[Any, Any], items: list[Any]) -> dict[Any, Any]:
        if len(items) % 2:
            raise self._bad("a key without a value")
        for number in range(0, len(items), 2):
            if not isinstance(items[number], _KEYS):
                raise self._bad(f"a key that is a {type(items[number]).__name__}")
            values[items[number]] = items[number + 1]
        return values

    def _bad(self, what: str) -> BadPickle:
        return BadPickle(f"{what} (at byte {self._at:,})")
