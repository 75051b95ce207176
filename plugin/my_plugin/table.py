"""The table of steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.table import TableContext


class Steps:
    """Table with one row per my_step record, in file order."""

    name = "my_steps"
    types = frozenset(("my_step",))

    def __init__(self, context: TableContext):
        self._rows: list[dict[str, Any]] = []

    def observe(self, event: Event) -> None:
        value = event.value if isinstance(event.value, dict) else {}
        requests = value.get("requests")
        self._rows.append(
            {
                "event": event.index,
                "compile": event.compile,
                "requests": requests if isinstance(requests, int) else None,
            }
        )

    def tables(self) -> Iterator[tuple[str, Iterable[dict[str, Any]]]]:
        yield self.name, self._rows
