"""The stage that makes the tables of a log, with its events and their metadata."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.log.events.kind import Kind
from tlparse_bundle.log.stacks import StackTable
from tlparse_bundle.pipeline.batches import Batch
from tlparse_bundle.pipeline.event_writer import EventWriter
from tlparse_bundle.pipeline.file_writer import FileSink
from tlparse_bundle.pipeline.payload_tables import PayloadTables, RememberedPayloadTables
from tlparse_bundle.tables.registry import STREAM_TABLES, TABLES, PluginTable, Tables, plugin_tables
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import Table, TableContext
from tlparse_bundle.tables.tally import Tally


@dataclass(slots=True)
class TablesSummary:
    """What the log directory and the manifest need to know."""

    tables: dict[str, dict[str, Any]]  # by name: see FileSink.put_rows
    kinds: list[dict[str, Any]]  # 'kinds' and 'ranks' of the log directory (schema: log)
    ranks: list[dict[str, Any]]
    descriptors: dict[str, Kind]  # by key
    diagnostics: Diagnostics


class LogTables:
    """See Stage. ``one_of_many``: what the logs before had in common with this one need not be made again.

    ``sink``: where the files go, if it is not simply below ``root``.
    """

    def __init__(self, root: Path, codec: str, log_id: str, one_of_many: bool, sink: FileSink | None = None):
        self._sink = sink or FileSink(root, CODECS[codec])
        self._log_id = log_id
        self._diagnostics = Diagnostics()
        self._tally = Tally()
        self._stacks = StackTable()
        self._writer = EventWriter(self._sink, log_id)
        context = TableContext(self._stacks, self._diagnostics, self._tally)
        self._tables = Tables((*STREAM_TABLES, *_plugin_classes()), context)
        self._payload_tables = (RememberedPayloadTables if one_of_many else PayloadTables)(self._sink, log_id)

    @staticmethod
    def empty_tables() -> Tables:
        """See Stage."""
        return Tables((*TABLES, *_plugin_classes()), TableContext(StackTable(), Diagnostics(), Tally()))

    def feed(self, batch: Batch) -> None:
        self._stacks.extend(batch.stacks)
        self._tally.origins += batch.origins
        self._tally.add(batch.kinds, batch.compiles, batch.rows)
        self._writer.add(batch)
        self._tables.observe(batch.events)
        self._tables.observe_spans(batch.spans)
        self._payload_tables.observe(batch.events)

    def settle(self) -> None:
        """See Stage."""
        self._tally.settle()
        self._tables.settle()
        self._payload_tables.settle()

    def end(self) -> None:
        pass

    def finish(self, blobs: Callable[[], Sequence[str]]) -> TablesSummary:
        # One after another, so that no two are in memory at once.
        tables: dict[str, dict[str, Any]] = {}
        with_blobs: list[tuple[str, Rows[Any]]] = []
        for table in self._tables:
            for name, rows in table.tables():
                if getattr(table, "blobs", False):
                    with_blobs.append((name, rows))
                elif len(rows):
                    tables[name] = self._sink.put_rows(self._log_id, name, rows)
        payload_tables, payload_diagnostics = self._payload_tables.finish()
        self._diagnostics.merge(payload_diagnostics)
        blob_paths = blobs()
        tables |= self._writer.close(blob_paths)
        for name, rows in with_blobs:
            if len(rows):
                tables[name] = self._sink.put_rows(self._log_id, name, rows, blob_paths)
        return TablesSummary(
            tables=tables | payload_tables,
            kinds=self._kinds(),
            ranks=self._ranks(),
            descriptors={kind.key: kind for kind in self._tally.kinds},
            diagnostics=self._diagnostics,
        )

    def _kinds(self) -> list[dict[str, Any]]:
        rows = []
        for (event_type, name), kind, sums in zip(
            self._tally.kind_names, self._tally.kinds, self._tally.kind_sums(), strict=True
        ):
            row = {"type": event_type, "name": name, "descriptor": kind.key, "language": kind.language}
            rows.append({**row, "event_count": sums.event_count, "size_bytes": sums.size_bytes})
        return rows

    def _ranks(self) -> list[dict[str, Any]]:
        counts = self._tally.rank_counts()
        return [
            {"rank": rank, "event_count": counts[rank]}
            for rank in sorted(counts, key=lambda r: (r is None, r or 0))
        ]


def _plugin_classes() -> list[Callable[[TableContext], Table]]:
    return [partial(PluginTable, plugin) for plugin in plugin_tables().plugins]
