"""What tables have read of payloads. About half of the payload bytes of a log are repeats: torch compiles
a function again, for other sizes, and writes the same graphs, code and settings.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Of = TypeVar("_Of")
_Result = TypeVar("_Result")


class Remembered(Generic[_Of, _Result]):
    """A function that is called once for each key, such as the hash of a payload, of the newest ``limit``
    keys.

    What it returns must follow from what the key stands for, be small or a part of the table anyway, and not
    be changed later: it is handed out again. With None as the key it is always called.
    """

    def __init__(self, function: Callable[[_Of], _Result], limit: int = 128):
        self._function = function
        self._limit = limit
        self._results: dict[Hashable, _Result] = {}

    def __call__(self, key: Hashable, of: _Of) -> _Result:
        if key is None:
            return self._function(of)
        results = self._results
        if key in results:
            return results[key]
        result = self._function(of)
        while len(results) >= self._limit:
            del results[next(iter(results))]
        results[key] = result
        return result

    def knows(self, key: Hashable) -> bool:
        return key is not None and key in self._results

    def clear(self) -> None:
        self._results.clear()
