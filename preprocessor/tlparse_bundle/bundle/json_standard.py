"""JSON as orjson reads and writes it, byte for byte, with the standard library: for Python in a browser.

Differences are found by searching for rare text, so the common case costs one search.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

JSONDecodeError = ValueError  # invalid UTF-8 raises a different error than the parser

_DIGITS_AS_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_MANY_DIGITS = b"0" * 19  # integers of 64 bits have up to 20
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.]*e-0(\d)', re.DOTALL)


class Fragment:
    """JSON to embed unchanged in other JSON."""

    __slots__ = ("_text",)

    def __init__(self, text: bytes) -> None:
        self._text = text

    def value(self) -> Any:
        return loads(self._text)


def dumps(
    value: Any,
    default: Callable[[Any], Any] | None = None,
    *,
    indent: int | None = None,
    sort_keys: bool = False,
) -> bytes:
    """Return a value as JSON. Raise TypeError for unsupported values unless ``default`` converts them."""
    write = _writer(default, indent, sort_keys)
    try:
        try:
            text = write(value)
        except ValueError:  # NaN or an infinity
            text = write(_without_nan(value))
        if "e-0" in text:
            text = _TOKENS.sub(_small_number, text)
        return text.encode()
    except (RecursionError, UnicodeEncodeError, ValueError) as error:
        raise TypeError(str(error)) from None


def dumps_indented(value: object) -> bytes:
    return dumps(value, indent=2) + b"\n"


def dumps_sorted(value: object) -> bytes:
    return dumps(value, sort_keys=True)


def loads(data: bytes | bytearray | memoryview | str) -> Any:
    """Parse JSON. Raise ValueError for invalid or deeply nested JSON, and for numbers beyond floats."""
    text = data if isinstance(data, str) else str(data, "utf-8")
    raw = text.encode() if isinstance(data, str) else bytes(data)
    read = _read_long if _MANY_DIGITS in raw.translate(_DIGITS_AS_ZEROS) else _read
    try:
        value = read(text)
        if "\\u" in text:
            dumps(value)  # raises for half of a surrogate pair
    except (RecursionError, TypeError) as error:
        raise JSONDecodeError(str(error)) from None
    return value


def _refused(word: str) -> NoReturn:
    raise JSONDecodeError(f"unexpected {word}")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refused("infinity")


def _of_64_bits(digits: str) -> int | float:
    number = int(digits) if len(digits) < 40 else None
    return number if number is not None and -(1 << 63) <= number < 1 << 64 else _finite(digits)


_read = json.JSONDecoder(parse_float=_finite, parse_constant=_refused).decode
_read_long = json.JSONDecoder(parse_float=_finite, parse_int=_of_64_bits, parse_constant=_refused).decode


@cache
def _writer(
    default: Callable[[Any], Any] | None, indent: int | None, sort_keys: bool
) -> Callable[[Any], str]:
    def serializable(value: object) -> Any:
        if isinstance(value, Fragment):
            return value.value()
        if default is not None:
            return default(value)
        raise TypeError(f"Type is not JSON serializable: {type(value).__name__}")

    separators = (",", ":" if indent is None else ": ")
    return json.JSONEncoder(
        ensure_ascii=False,
        allow_nan=False,
        check_circular=False,
        indent=indent,
        sort_keys=sort_keys,
        separators=separators,
        default=serializable,
    ).encode


def _without_nan(value: Any) -> Any:
    if isinstance(value, Fragment):
        return value.value()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [_without_nan(item) for item in value]
    return {key: _without_nan(item) for key, item in value.items()} if isinstance(value, dict) else value


def _small_number(token: re.Match[str]) -> str:
    """Return a number as orjson writes it: 1e-7 for 1e-07, and without an exponent down to 1e-05."""
    digit, text = token[1], token[0]
    if digit is None:  # a string
        return text
    if digit != "5":
        return f"{text[:-2]}{digit}"
    sign, digits = "-" if text.startswith("-") else "", text.removeprefix("-")[:-4].replace(".", "")
    return f"{sign}0.0000{digits}"
