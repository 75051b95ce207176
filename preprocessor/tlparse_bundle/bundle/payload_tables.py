"""The tables that read metadata and payloads of a few kinds, and nothing else of the log."""

from __future__ import annotations

from tlparse_bundle.bundle.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.tables.registry import PAYLOAD_TABLES, TableContext, Tables
from tlparse_bundle.tables.tally import Tally
from tlparse_bundle.trace.stacks import StackTable


class PayloadTablesHere:
    """Fills them as the events come. ``observe`` some events after others, in file order, then ``finish``."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._diagnostics = Diagnostics()
        self._tables = Tables(PAYLOAD_TABLES, TableContext(StackTable(), self._diagnostics, Tally()))
        self.observe = self._tables.observe

    def finish(self) -> tuple[dict[str, str], Diagnostics]:
        """Write the tables. Returns their paths by name, and what there is to say about the payloads."""
        paths = {table.name: self._sink.put_table(self._log_id, table.name, table.table()) for table in self._tables}
        return paths, self._diagnostics
