"""The tables of a log, made in this process as its events come."""

from __future__ import annotations

from tlparse_bundle.build.event_writer import EventWriter
from tlparse_bundle.build.log_tables import TablesSummary
from tlparse_bundle.build.payload_tables import PayloadTables
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.tables.identity import Identity
from tlparse_bundle.tables.plugins import plugin_tables
from tlparse_bundle.tables.registry import STREAM_TABLES, TableContext, Tables
from tlparse_bundle.tables.tally import Tally
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.stacks import StackTable

_BATCH_EVENTS = 256
_BATCH_BYTES = 1 << 20


class LogTablesHere:
    """See LogTables."""

    def __init__(self, sink: FileSink, log_id: str, stacks: StackTable, payload_tables: PayloadTables):
        self._sink = sink
        self._log_id = log_id
        self._diagnostics = Diagnostics()
        self._tally = Tally()
        self._identity = Identity(self._tally)
        self._writer = EventWriter(sink, log_id)
        self._tables = Tables([*STREAM_TABLES, *plugin_tables()], TableContext(stacks, self._diagnostics, self._tally))
        self._payload_tables = payload_tables
        self._batch: list[Event] = []
        self._batch_bytes = 0

    def observe(self, event: Event) -> None:
        self._batch.append(event)
        self._batch_bytes += event.size_bytes
        if len(self._batch) >= _BATCH_EVENTS or self._batch_bytes >= _BATCH_BYTES:
            self._hand_on()

    def _hand_on(self) -> None:
        """A table gets many events at once: to go from table to table with each event takes a tenth longer."""
        events, self._batch, self._batch_bytes = self._batch, [], 0
        for observe in (self._tally.add, self._writer.add, self._identity.observe):
            for event in events:
                observe(event)
        self._tables.observe(events)
        self._payload_tables.observe(events)

    def finish(self) -> TablesSummary:
        self._hand_on()
        self._payload_tables.end()
        self._writer.close()
        # One after another, so that no two are in memory at once.
        paths = {table.name: self._sink.put_table(self._log_id, table.name, table.table()) for table in self._tables}
        payload_paths, payload_diagnostics = self._payload_tables.finish()
        self._diagnostics.merge(payload_diagnostics)
        compiles = self._tables["compiles"]
        return TablesSummary(
            paths=paths | payload_paths,
            events=self._writer.events,
            metadata=self._writer.metadata,
            kinds=_kinds(self._tally),
            ranks=self._identity.ranks(),
            descriptors={kind.key: kind for kind in self._tally.kinds},
            torch_version=self._identity.torch_version,
            compiles={
                "compile_count": compiles.compile_count(),
                "statuses": compiles.statuses(),
                "compile_time_us": compiles.compile_time_us(),
            },
            diagnostics=self._diagnostics,
        )

    def close(self) -> None:
        self._payload_tables.close()


def _kinds(tally: Tally) -> list[dict]:
    rows = []
    for (event_type, name), kind, sums in zip(tally.kind_names, tally.kinds, tally.kind_sums()):
        row = {"type": event_type, "name": name, "descriptor": kind.key, "language": kind.language}
        rows.append({**row, "event_count": sums.event_count, "size_bytes": sums.size_bytes})
    return rows
