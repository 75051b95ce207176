"""JSON of bundles and logs: the one module that knows which library reads and writes it.

JSON is UTF-8, compact, with the keys in the order given. Where there is no wheel of orjson the standard
library does the same.
"""

from __future__ import annotations

from tlparse_bundle.base.signals import held_back

try:
    with held_back():  # it crashes when the exception of a signal is raised while it is imported
        import orjson
except ImportError:
    from tlparse_bundle.bundle.json_standard import (
        Fragment,
        JSONDecodeError,
        dumps,
        dumps_indented,
        dumps_sorted,
        loads,
    )
else:
    # Bound here, so that a call costs what a call of the library costs.
    dumps = (
        orjson.dumps
    )  # value -> bytes; raises TypeError for what JSON cannot hold, unless ``default`` makes something of it
    loads = orjson.loads  # bytes, bytearray, memoryview or str -> value; raises JSONDecodeError
    JSONDecodeError = orjson.JSONDecodeError  # a ValueError
    Fragment = orjson.Fragment  # JSON that is to stand in other JSON as it is

    def dumps_indented(value: object) -> bytes:
        """JSON for people: indented by two, with a line feed at the end."""
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)

    def dumps_sorted(value: object) -> bytes:
        """JSON with sorted keys: equal values have equal bytes."""
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


__all__ = ["Fragment", "JSONDecodeError", "dumps", "dumps_indented", "dumps_sorted", "loads"]
