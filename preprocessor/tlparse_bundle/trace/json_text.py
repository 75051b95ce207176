"""JSON found inside of a log, in payloads and in strings: parsed so that it can be written again."""

from __future__ import annotations

from typing import Any

import orjson

from tlparse_bundle.trace.envelope import _MAX_DEPTH, _is_deep, _lenient_json, has_long_integer
from tlparse_bundle.trace.reader import MAX_LINE_BYTES


def parse_json(data: bytes | str, *, for_table: bool = True) -> Any:
    """The value. Raises ValueError, and nothing else, when ``data`` is no JSON, nested too deeply or larger than an envelope may be.

    Python's extensions pass as in an envelope: NaN and infinities become words, and integers that
    JavaScript cannot hold too. ``for_table=False`` is faster, but such integers and deep nesting stay,
    so that the value must not be written as a whole.
    """
    data = data.encode("utf-8", "replace") if type(data) is str else data
    if len(data) > MAX_LINE_BYTES:
        raise ValueError("too large")
    value = _NOTHING
    if not for_table or not has_long_integer(data):
        try:
            value = orjson.loads(data)
        except ValueError:
            pass
    if value is _NOTHING:
        try:
            value, _ = _lenient_json(data)
        except RecursionError:
            raise ValueError("nested too deeply") from None
    if for_table and data.count(b"[") + data.count(b"{") > _MAX_DEPTH and _is_deep(value):
        raise ValueError("nested too deeply")
    return value


_NOTHING = object()
