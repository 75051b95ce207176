"""The interface of tables, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypedDict, TypeVar

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.stacks import StackTable
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.tally import Tally

_Input = TypeVar("_Input")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class TableContext:
    """Stacks, diagnostics and event counts of the log.

    Stacks and counts may be some events ahead of the event that a table sees.
    """

    stacks: StackTable
    diagnostics: Diagnostics
    tally: Tally


class RecordPlace(TypedDict):
    """First fields of the row of a record."""

    event: int
    compile: str | None
    attempt: int | None


def place_of(event: Event) -> RecordPlace:
    """Return the first fields of the row of a record."""
    return {"event": event.index, "compile": event.compile, "attempt": event.attempt}


class Table(Protocol):
    """A module that builds one or several tables of a log. It sees the events in file order.

    Lists that grow with the log are Rows and JsonLists. ``name`` is the name of the table and of its schema;
    ``types`` are the event types that it needs, None for all. Optional members let a log be read with less
    work:

    - ``observe_span(span)`` is called for each Span: what most tables need of the timeline, where nearly all
      events are.
    - ``timeline``: names of the timeline's events that it needs as events, among those of its types; one that
      begins with '*' stands for all names that end with the rest. It may also be shown those that another
      table names.
    - ``wants(event)``, a static method: false for an event that it does not need.
    - ``reads(event)``: false for an event whose payload it does not need, which may then be None. It must
      depend only on type and name of an event with a payload.
    - ``settle()``: does the work that is final, before the rows of a log that still grows are written.
    - ``blobs``: true when the field 'blob' of its rows is the number of a blob (``Event.blob_index``), for
      which its path is written.
    """

    def __init__(self, context: TableContext): ...

    @property
    def name(self) -> str: ...

    @property
    def types(self) -> frozenset[str] | None: ...

    def observe(self, event: Event) -> None: ...

    def tables(self) -> Iterable[tuple[str, Rows[Any]]]:
        """Yield the name and rows of each table. A table without rows is not written."""
        ...


class ParseCache(Generic[_Input, _Result]):
    """Caches results of a function for the newest ``limit`` keys, such as payload hashes.

    Results must depend only on the key, be small, and never be modified. The key None is never cached.
    """

    def __init__(self, function: Callable[[_Input], _Result], limit: int = 128):
        self._function = function
        self._limit = limit
        self._results: dict[Hashable, _Result] = {}

    def __call__(self, key: Hashable, of: _Input) -> _Result:
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
