"""The stage that builds the tables of a log, with a cache of results for equal payloads."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.bundle.json_codec import Fragment, dumps
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.events.kind import Kind
from tlparse_bundle.log.stacks import StackTable
from tlparse_bundle.pipeline.batches import Batch
from tlparse_bundle.pipeline.event_writer import EventWriter
from tlparse_bundle.pipeline.file_writer import FileSink, encoded_pieces
from tlparse_bundle.tables.registry import (
    PAYLOAD_TABLES,
    STREAM_TABLES,
    TABLES,
    PluginTable,
    Tables,
    plugin_tables,
)
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import Table, TableContext
from tlparse_bundle.tables.tally import Tally

# Memory for the events of one log; beyond it, tables are filled directly.
MAX_WAITING_BYTES = 24 << 20
_METADATA_FACTOR = 4  # parsed, metadata take several times their size
_MAX_KNOWN = 64  # tables, of some logs

EncodedTables = dict[str, list[tuple[int, list[bytes]]]]  # by name, (number of rows, pieces) of each file
_known: dict[tuple[str, str, bytes], EncodedTables] = {}  # by table, codec, and what stands for its events


class PayloadTables:
    """Tables of payloads: ``observe`` events in file order, then ``finish``."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._diagnostics = Diagnostics()
        self._tables = Tables(PAYLOAD_TABLES, TableContext(StackTable(), self._diagnostics, Tally()))

    def observe(self, events: Sequence[Event]) -> None:
        self._tables.observe(events)

    def settle(self) -> None:
        self._tables.settle()

    def finish(self) -> tuple[dict[str, dict[str, Any]], Diagnostics]:
        """Write the tables. Return them by name (see FileSink.put_rows), and the notes about payloads."""
        entries = {
            name: self._sink.put_rows(self._log_id, name, rows)
            for table in self._tables
            for name, rows in table.tables()
            if len(rows)
        }
        return entries, self._diagnostics


class _Slot:
    """One table, with the fingerprint of the events that it sees."""

    def __init__(self, cls: type[Table]):
        self.diagnostics = Diagnostics()
        self.tables = Tables([cls], TableContext(StackTable(), self.diagnostics, Tally()))
        (self.table,) = self.tables
        self.wants: Callable[[Event], bool] | None = getattr(self.table, "wants", None)
        self.events: list[Event] = []
        self.fingerprints: list[bytes] = []


class RememberedPayloadTables:
    """See PayloadTables. Tables are built at the end, or taken from an earlier log.

    Equal ranks write equal graphs and code, so most of these tables are equal, too. Only those that contain
    times differ. The events of a log wait until its end, when the new tables are known.
    """

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._slots = [_Slot(cls) for cls in PAYLOAD_TABLES]
        self._of_type: dict[str, list[_Slot]] = {}
        self._batches: list[list[Event]] = []
        self._waiting_bytes = 0
        self._here: PayloadTables | None = None

    def observe(self, events: Sequence[Event]) -> None:
        if self._here is not None:
            self._here.observe(events)
            return
        self._batches.append([event for event in events if self._note(event)])
        self._waiting_bytes += sum(
            len(event.payload or b"") + _METADATA_FACTOR * len(event.metadata_json)
            for event in self._batches[-1]
        )
        if self._waiting_bytes > MAX_WAITING_BYTES:
            self._fill()

    def settle(self) -> None:
        """Do nothing, since the tables are built at the end."""

    def _note(self, event: Event) -> bool:
        """Return whether a table wants the event."""
        slots = self._of_type.get(event.type)
        if slots is None:
            types = ((slot, slot.table.types) for slot in self._slots)
            slots = self._of_type[event.type] = [
                slot for slot, wanted in types if wanted is None or event.type in wanted
            ]
        fingerprint = None
        for slot in slots:
            if slot.wants is None or slot.wants(event):
                fingerprint = fingerprint or _fingerprint(event)
                slot.fingerprints.append(fingerprint)
                slot.events.append(event)
        return fingerprint is not None

    def _fill(self) -> PayloadTables:
        self._here = PayloadTables(self._sink, self._log_id)
        for events in self._batches:
            self._here.observe(events)
        self._batches, self._slots = [], []
        self._of_type.clear()
        return self._here

    def finish(self) -> tuple[dict[str, dict[str, Any]], Diagnostics]:
        if self._here is None:
            encoded = [self._files(slot) for slot in self._slots]
            # A diagnostic has its place in the log, which no other log shares; these tables are made
            # together.
            if not any(slot.diagnostics.counts() for slot in self._slots):
                return {
                    name: self._sink.put_row_files(self._log_id, name, files)
                    for tables in encoded
                    for name, files in tables.items()
                }, Diagnostics()
        return (self._here or self._fill()).finish()

    def _files(self, slot: _Slot) -> EncodedTables:
        """Return the encoded table files of a slot by name."""
        codec = self._sink.codec
        key = slot.table.name, codec.name, hashlib.sha256(b"".join(slot.fingerprints)).digest()
        data = _known.get(key)
        if data is None:
            slot.tables.observe(slot.events)
            data = {
                name: [(count, encoded_pieces(pieces, codec)) for count, pieces in rows.files()]
                for name, rows in slot.table.tables()
                if len(rows)
            }
            if not slot.diagnostics.counts():
                while len(_known) >= _MAX_KNOWN:
                    del _known[next(iter(_known))]
                _known[key] = data
        return data


def _fingerprint(event: Event) -> bytes:
    """Return everything of an event that a table can see, except its place in the log."""
    content = event.hash or hashlib.sha256(event.payload or b"").hexdigest()
    who = (
        event.index,
        event.compile_index,
        event.compile_id,
        event.occurrence,
        event.type,
        event.name,
        event.payload is None,
    )
    return hashlib.sha256(dumps((*who, content, Fragment(event.metadata_json)), default=list)).digest()


@dataclass(slots=True)
class TablesSummary:
    """Data for the log directory and the manifest."""

    tables: dict[str, dict[str, Any]]  # by name: see FileSink.put_rows
    kinds: list[dict[str, Any]]  # 'kinds' and 'ranks' of the log directory (schema: log)
    ranks: list[dict[str, Any]]
    descriptors: dict[str, Kind]  # by key
    diagnostics: Diagnostics


class LogTables:
    """See Stage. ``one_of_many``: reuse what earlier logs have in common with this one.

    ``sink``: where files go, if not below ``root``.
    """

    def __init__(self, root: Path, codec: str, log_id: str, one_of_many: bool, sink: FileSink | None = None):
        self._sink = sink or FileSink(root, CODECS[codec])
        self._log_id = log_id
        self._diagnostics = Diagnostics()
        self._tally = Tally()
        self._stacks = StackTable()
        self._writer = EventWriter(self._sink, log_id, self._tally.compiles)
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
        summary = TablesSummary(
            tables=tables | payload_tables,
            kinds=self._kinds(),
            ranks=self._ranks(),
            descriptors={kind.key: kind for kind in self._tally.kinds},
            diagnostics=self._diagnostics,
        )
        # The findings need the memory of a log with many compiles.
        del self._tables, self._payload_tables, self._tally, self._writer, self._stacks
        return summary

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
