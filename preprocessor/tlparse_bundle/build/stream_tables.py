"""The tables that need something of every event: the events themselves, their metadata, counts, spans, compiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tlparse_bundle.build.event_writer import EventWriter
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.events.kinds import Kind
from tlparse_bundle.plugins import plugins
from tlparse_bundle.tables.identity import Identity
from tlparse_bundle.tables.registry import ENTRY_POINTS, STREAM_TABLES, Tables
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.tally import Tally
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.stacks import StackTable


@dataclass(slots=True)
class StreamSummary:
    """What the log directory and the manifest need to know."""

    paths: dict[str, str]  # of the tables, by name
    events: list[dict]  # 'events', 'metadata', 'kinds' and 'ranks' of the log directory (schema: log)
    metadata: list[dict]
    kinds: list[dict]
    ranks: list[dict]
    descriptors: dict[str, Kind]  # by key
    torch_version: str | None
    compiles: dict  # 'compile_count' to 'compile_time_us' of the row in the manifest


class StreamTables:
    """``feed`` all events in file order, then ``finish``. It gives events their ``kind_index`` and ``compile_index``."""

    def __init__(self, sink: FileSink, log_id: str, stacks: StackTable, diagnostics: Diagnostics):
        self._sink = sink
        self._log_id = log_id
        self._tally = Tally()
        self._identity = Identity(self._tally)
        self._writer = EventWriter(sink, log_id)
        self._tables = Tables([*STREAM_TABLES, *plugins(ENTRY_POINTS)], TableContext(stacks, diagnostics, self._tally))

    def feed(self, events: Sequence[Event]) -> None:
        self._tally.add(events)
        self._writer.add(events)
        self._identity.observe(events)
        self._tables.observe(events)

    def finish(self) -> StreamSummary:
        self._writer.close()
        # One after another, so that no two are in memory at once.
        paths = {table.name: self._sink.put_table(self._log_id, table.name, table.table()) for table in self._tables}
        compiles = self._tables["compiles"]
        return StreamSummary(
            paths=paths,
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
        )


def _kinds(tally: Tally) -> list[dict]:
    rows = []
    for (event_type, name), kind, sums in zip(tally.kind_names, tally.kinds, tally.kind_sums()):
        row = {"type": event_type, "name": name, "descriptor": kind.key, "language": kind.language}
        rows.append({**row, "event_count": sums.event_count, "size_bytes": sums.size_bytes})
    return rows
