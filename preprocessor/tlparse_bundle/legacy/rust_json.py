"""JSON as serde_json 1.0 reads and writes it, which tlparse uses: the same numbers, the same bytes.

Its floats are read by one multiplication or division of two doubles, which is off by a few units
in the last place for long numbers; they are written by ryu. Keys are sorted, texts not escaped.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from json.encoder import encode_basestring as _quoted
from typing import Any, NamedTuple

_U64_MAX = 2**64 - 1
_I64_MIN = -(2**63)
_MAX_DEPTH = 127
_SURROGATE = re.compile(rb"\\u[dD]")
_POW10 = tuple(float(f"1e{n}") for n in range(309))


class Struct(dict[str, Any]):
    """An object with keys in its own order, as serde writes a struct."""


def loads(text: bytes) -> Any:
    """Return the value of a JSON text. Raise ValueError where serde_json does."""
    value = _parsed(text.decode(), _STRICT)
    if _SURROGATE.search(text):
        dumps(value).encode()  # half of a surrogate pair is not text
    return value


def loads_leniently(text: bytes) -> Any:
    """Return the value of a JSON text from Python: NaN and infinities become strings, invalid text U+FFFD.
    Raise ValueError for other text.
    """
    value = _parsed(text.decode("utf-8", "replace"), _LENIENT)
    if _SURROGATE.search(text):
        repaired = dumps(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        value = _parsed(repaired, _LENIENT)
    return value


def dumps(value: Any) -> str:
    """Write a value on one line."""
    return "".join(_write(value, None, 0))


def pretty(value: Any, level: int = 0) -> str:
    """Write a value indented by two spaces, as if it were nested ``level`` deep."""
    return "".join(_write(value, "  ", level))


class _Dialect(NamedTuple):
    """How NaN, infinities and non-integers are represented, from their text."""

    constant: Callable[[str], Any]
    number: Callable[[str], float | str]


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _float_or_text(text: str) -> float | str:
    try:
        return _float(text)
    except ValueError:
        return text


def _parsed(text: str, dialect: _Dialect) -> Any:
    def integer(digits: str) -> Any:
        if len(digits) > 20 or digits == "-0":
            return dialect.number(digits)
        number = int(digits)
        return number if _I64_MIN <= number <= _U64_MAX else dialect.number(digits)

    try:
        value = json.loads(
            text, parse_constant=dialect.constant, parse_int=integer, parse_float=dialect.number
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if text.count("[") + text.count("{") > _MAX_DEPTH:
        _check_depth(value)
    return value


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_MAX_DEPTH + 1):
        level = [v for v in level if type(v) in (list, dict)]
        if not level:
            return
        level = [child for v in level for child in (v.values() if type(v) is dict else v)]
    raise ValueError("nested too deeply")


def _float(text: str) -> float:
    """serde_json's f64_from_parts: up to 64 bits of digits, then one or more steps by powers of ten."""
    number, _, exponent_text = text.lower().partition("e")
    integer, _, fraction = number.removeprefix("-").partition(".")
    significand, exponent = _digits(integer, fraction)
    # Beyond some thousands the result is 0 or out of range in any case.
    exponent += max(-99_999, min(99_999, int(exponent_text or 0)))
    value = float(significand)
    while abs(exponent) >= len(_POW10) and value != 0.0:
        if exponent > 0:
            raise ValueError(f"{text:.40} is out of range")
        value /= 1e308
        exponent += 308
    if value != 0.0:
        value = value * _POW10[exponent] if exponent >= 0 else value / _POW10[-exponent]
    if math.isinf(value):
        raise ValueError(f"{text:.40} is out of range")
    return -value if text.startswith("-") else value


_STRICT = _Dialect(_refuse_constant, _float)
_LENIENT = _Dialect(str, _float_or_text)


def _digits(integer: str, fraction: str) -> tuple[int, int]:
    """Return the leading digits that fit 64 bits, and the power of ten of the last one."""
    if len(integer) + len(fraction) < 20:
        return int(integer + fraction), -len(fraction)
    significand, count = 0, 0
    for digit in integer + fraction:
        if significand * 10 + int(digit) > _U64_MAX:
            break
        significand = significand * 10 + int(digit)
        count += 1
    return significand, len(integer) - count


def _float_text(value: float) -> str:
    """ryu's text: as Python's, but 0.00001 and 1e16 where Python has 1e-05 and 1e+16."""
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return mantissa
    if exponent == "-05":
        return f"{'-' if value < 0 else ''}0.0000{mantissa.lstrip('-').replace('.', '')}"
    return f"{mantissa}e{int(exponent)}"


def _write(value: Any, indent: str | None, level: int) -> list[str]:
    """Yield the text of a value in pieces."""
    out: list[str] = []
    _write_to(out, value, indent, level)
    return out


def _write_to(out: list[str], value: Any, indent: str | None, level: int) -> None:
    kind = type(value)
    if kind is str:
        out.append(_quoted(value))
    elif kind is bool:
        out.append("true" if value else "false")
    elif kind is int:
        out.append(str(value))
    elif kind is float:
        out.append(_float_text(value))
    elif value is None:
        out.append("null")
    elif not value:
        out.append("{}" if isinstance(value, dict) else "[]")
    else:
        before = "" if indent is None else "\n" + indent * (level + 1)
        colon = ":" if indent is None else ": "
        is_object = isinstance(value, dict)
        separator = "{" if is_object else "["
        for item in sorted(value) if kind is dict else value:
            out.append(separator + before)
            if is_object:
                out.append(_quoted(item) + colon)
                item = value[item]
            _write_to(out, item, indent, level + 1)
            separator = ","
        end = "" if indent is None else "\n" + indent * level
        out.append(end + ("}" if is_object else "]"))
