"""Parses JSON of a log so that it can be written again.

Python writes more than JSON allows or JavaScript reads: NaN and infinities, huge integers, lone
surrogates, deep nesting.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.log.record_reader import MAX_LINE_BYTES

MAX_SAFE_INTEGER = 2**53 - 1
_MAX_DEPTH = 100  # of lists and objects in each other; JSON writers and readers have limits above
_ZEROS = re.compile(rb"0+")
_DIGITS_AS_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_SIXTEEN_DIGITS = b"0" * 16
_NOTHING = object()


def parse_json(data: bytes | str, *, for_table: bool = True) -> Any:
    """Return the value. Raise ValueError when ``data`` is not JSON, nested too deeply or larger than an
    envelope.

    NaN and infinities become strings, and so do integers that JavaScript cannot hold. ``for_table=False``
    is faster but keeps such integers and deep nesting, so the value must not be written as a whole.
    """
    text = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if len(text) > MAX_LINE_BYTES:
        raise ValueError("too large")
    value = _NOTHING
    if not for_table or not has_long_integer(text):
        try:  # noqa: SIM105 - without three calls for each payload
            value = loads(text)
        except ValueError:
            pass
    if value is _NOTHING:
        try:
            value, _ = lenient_json(text)
        except RecursionError:
            raise ValueError("nested too deeply") from None
    if for_table and is_deep(text, value):
        raise ValueError("nested too deeply")
    return value


def json_to_keep(value: Any) -> bytes:
    """Return JSON of a value, copied: orjson's result keeps its buffer, up to ten times as large."""
    return bytes(memoryview(dumps(value)))


def is_deep(text: bytes, value: Any) -> bool:
    """Return whether JSON is nested more deeply than other readers may accept."""
    if len(text) < 2 * _MAX_DEPTH or text.count(b"[") + text.count(b"{") <= _MAX_DEPTH:
        return False
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [
            child
            for v in level
            if type(v) in (list, dict)
            for child in (v.values() if type(v) is dict else v)
        ]
    return bool(level)


def is_index(value: Any) -> bool:
    """Return whether a value is an index: an integer, not bool, not negative, and exact in JavaScript."""
    return type(value) is int and 0 <= value <= MAX_SAFE_INTEGER


def has_long_integer(text: bytes) -> bool:
    """Return whether JSON may hold an integer beyond 2**53, which JavaScript lacks. Digits after a point
    don't count.
    """
    # Finding fixed text is several times faster than matching a pattern.
    digits = text.translate(_DIGITS_AS_ZEROS)
    start = digits.find(_SIXTEEN_DIGITS)
    while start >= 0:
        zeros = _ZEROS.match(digits, start)
        end = start if zeros is None else zeros.end()
        if text[start - 1 : start] != b"." and (end - start > 16 or text[start:end] > b"9007199254740991"):
            return True
        start = digits.find(_SIXTEEN_DIGITS, end)
    return False


def lenient_json(text: bytes) -> tuple[Any, bool]:
    """Return JSON as Python writes it: NaN and infinities become strings, huge integers strings of digits.

    Lone surrogates and invalid UTF-8 become U+FFFD; the second value is whether there were any.
    """
    decoded = text.decode("utf-8", "replace")
    value = json.loads(decoded, parse_constant=str, parse_int=_safe_int, parse_float=_safe_float)
    clean = _without_surrogates(value) if b"\\u" in text else value
    return clean, clean != value or decoded.encode() != text


def _safe_int(digits: str) -> int | str:
    if len(digits) > 17:
        return digits
    number = int(digits)
    return number if abs(number) <= MAX_SAFE_INTEGER else digits


def _safe_float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _without_surrogates(value: Any) -> Any:
    if type(value) is str:
        return (
            value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if type(value) is list:
        return [_without_surrogates(v) for v in value]
    if type(value) is dict:
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    return value
