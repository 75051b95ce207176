"""JSON of bundles and logs, with orjson or the standard library.

JSON is UTF-8 and compact, with keys in the given order. Without a wheel of orjson, the standard library
is used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from tlparse_bundle.base.signals import held_back


class Dumps(Protocol):
    """Return a value as JSON. Raise TypeError for unsupported values unless ``default`` converts them."""

    def __call__(self, value: Any, /, default: Callable[[Any], Any] | None = None) -> bytes: ...


# Bound here, so that a call costs what a call of the library costs.
dumps: Dumps
loads: Callable[[bytes | bytearray | memoryview | str], Any]  # raises JSONDecodeError
JSONDecodeError: type[ValueError]
Fragment: Callable[[bytes], object]  # JSON to embed unchanged in other JSON
dumps_indented: Callable[[object], bytes]  # for people: indented by two, with a line feed at the end
dumps_sorted: Callable[[object], bytes]  # with sorted keys: equal values have equal bytes

try:
    with held_back():  # it crashes when the exception of a signal is raised while it is imported
        import orjson
except ImportError:
    from tlparse_bundle.bundle import json_standard

    dumps, loads = json_standard.dumps, json_standard.loads
    JSONDecodeError, Fragment = json_standard.JSONDecodeError, json_standard.Fragment
    dumps_indented, dumps_sorted = json_standard.dumps_indented, json_standard.dumps_sorted
else:
    dumps, loads = orjson.dumps, orjson.loads
    JSONDecodeError, Fragment = orjson.JSONDecodeError, orjson.Fragment
    dumps_indented = partial(orjson.dumps, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    dumps_sorted = partial(orjson.dumps, option=orjson.OPT_SORT_KEYS)

__all__ = ["Dumps", "Fragment", "JSONDecodeError", "dumps", "dumps_indented", "dumps_sorted", "loads"]
