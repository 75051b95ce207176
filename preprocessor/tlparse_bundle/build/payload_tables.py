"""The tables that read metadata and payloads of a few kinds, and nothing else of the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.tables.registry import PAYLOAD_TABLES, TableContext, Tables
from tlparse_bundle.tables.tally import Tally
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.stacks import StackTable


class PayloadTables(Protocol):
    """``observe`` some events after others, in file order, ``end`` when there are no more, then ``finish``; ``close`` in any case."""

    def observe(self, events: Sequence[Event]) -> None: ...

    def end(self) -> None:
        """What is made elsewhere can be written while this process writes its own."""

    def finish(self) -> tuple[dict[str, str], Diagnostics]:
        """Write the tables. Returns their paths by name, and what there is to say about the payloads."""

    def close(self) -> None:
        """Needed by what is made elsewhere."""


class PayloadTablesHere(PayloadTables):
    """Fills them as the events come."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._diagnostics = Diagnostics()
        self._tables = Tables(PAYLOAD_TABLES, TableContext(StackTable(), self._diagnostics, Tally()))

    def observe(self, events: Sequence[Event]) -> None:
        self._tables.observe(events)

    def finish(self) -> tuple[dict[str, str], Diagnostics]:
        paths = {table.name: self._sink.put_table(self._log_id, table.name, table.table()) for table in self._tables}
        return paths, self._diagnostics
