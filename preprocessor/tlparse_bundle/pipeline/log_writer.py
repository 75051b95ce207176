"""Writes one log to its folder of the bundle: reads it once and feeds tables, blobs and chunks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.base.freed_memory import give_back_freed_memory
from tlparse_bundle.base.plugins import PLUGIN_FAILED
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.layout import log_path
from tlparse_bundle.log.envelope import EventDecoder
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.events.kind import Kind
from tlparse_bundle.log.events.registry import plugin_kinds
from tlparse_bundle.log.log_file import LogFile
from tlparse_bundle.log.payload import RECENT
from tlparse_bundle.model.compiles import ASKED, CANDIDATES, EXPORT_RECORDS
from tlparse_bundle.pipeline.batches import Batches
from tlparse_bundle.pipeline.blob_writer import BlobWriter
from tlparse_bundle.pipeline.file_writer import BufferOfSeries, FileSink
from tlparse_bundle.pipeline.log_records import LogRecords
from tlparse_bundle.pipeline.stage import LOG_TABLES, Stage, open_stage
from tlparse_bundle.pipeline.written_log import MEMORY_BYTES, RowMemory, WrittenLog
from tlparse_bundle.statements.derived_tables import compile_tables, recompile_tables
from tlparse_bundle.statements.export_table import export_table
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_replay import guard_tables
from tlparse_bundle.statements.registry import NAME as FINDINGS
from tlparse_bundle.statements.registry import findings_of
from tlparse_bundle.tables.log_identity import Identity, rank_of
from tlparse_bundle.tables.registry import plugin_tables
from tlparse_bundle.tables.rows import Rows

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FindingsRow

PASSED_ON = (CANDIDATES, ASKED, EXPORT_RECORDS)  # tables of which others are made; no reader needs them
CHUNK_BYTES = 1 << 20
FIRST_FINDINGS = 3  # of each log, for those who ask what a build has found
_BATCH_RECORDS = 256
_MAX_PID = 1 << 32
_BATCH_BYTES = 1 << 20
_COMPILE_BYTES = 250  # of numbers that findings keep for each attempt
_LARGE_BYTES = 32 << 20  # of a log that takes much memory to read


@dataclass(slots=True)
class LogSummary:
    """Data of a log for the manifest."""

    row: dict[str, Any]  # its row in 'logs' of the manifest
    kinds: dict[str, Kind] = field(default_factory=dict)  # by descriptor key
    findings: list[FindingsRow] = field(default_factory=list)  # the first rows of its table
    pids: frozenset[int] = frozenset()  # of the processes that wrote it
    plugin_faults: list[str] = field(default_factory=list)


def first_causes(findings: Sequence[FindingsRow]) -> list[FindingsRow]:
    """Return the most important findings without their consequences."""
    return [row for row in findings if row["because_of"] is None][:FIRST_FINDINGS]


def write_log(
    log: LogFile,
    root: Path,
    codec: str,
    progress: Callable[[int], None] = lambda size_bytes: None,
    *,
    cores: int = 1,
    one_of_many: bool = False,
    strings: Mapping[int, str] = {},
    memory_bytes: int = MEMORY_BYTES,
) -> LogSummary:
    """Read ``log`` and write its files below ``root``. Memory hardly grows with the log
    (docs/explanation/performance.md).

    ``progress`` gets the number of uncompressed bytes read since its last call. With two or more
    ``cores``, a large log gets a process for its tables (see stage). ``one_of_many``: earlier logs may be
    partly equal. ``strings``: strings from other logs of the process (see build.strings_from_others).
    ``memory_bytes``: see RowMemory.
    Raises BundleError when the file cannot be read or decompressed.
    """
    RECENT.begin(one_of_many=one_of_many)
    reported = 0
    with (
        open_stage(
            LOG_TABLES, root, codec, log.id, one_of_many and cores == 1, cores=cores, log_bytes=log.size_bytes
        ) as tables,
        closing(LogRecords(log)) as records,
    ):
        build = LogBuild(log, FileSink(root, CODECS[codec]), tables, records, strings, memory_bytes)
        while build.advance():
            progress(records.size_bytes - reported)
            reported = records.size_bytes
        summary = build.finish()
        progress(records.size_bytes - reported)
    return summary


class LogBuild:
    """Builds a log: call ``advance`` while there is data, then ``finish``.

    For a growing log, ``advance`` reads the available data and may be called again later.
    """

    def __init__(
        self,
        log: LogFile,
        sink: FileSink,
        tables: Stage,
        records: LogRecords,
        strings: Mapping[int, str] = {},
        memory_bytes: int = MEMORY_BYTES,
    ):
        self.log = log
        self._memory_bytes = memory_bytes
        self.decoder = EventDecoder(Diagnostics(), strings)
        self.last_event: Event | None = None
        self.facts: Facts | None = None  # what the findings were made from, once it has finished
        self._sink = sink
        self._tables = tables
        self._records = records
        self._blobs, self._verbatim = BlobWriter(sink, log.id), VerbatimWriter(sink, log.id)
        self._identity, self._batches = Identity(), Batches(self.decoder, tables.empty_tables().timeline())
        self._read = _batches(records, self.decoder)

    def advance(self) -> bool:
        """Read some records. Return False when there are no more, for now or at all."""
        batch = next(self._read, None)
        if batch is not None:
            self._take(*batch)
        return batch is not None

    def _take(self, events: list[Event], kept: list[bytes]) -> None:
        self._verbatim.add(kept)
        self._blobs.place(events)
        self._identity.observe(events)
        self._tables.feed(self._batches.of(events))
        if events:
            self.last_event = events[-1]

    def settle(self) -> None:
        """Prepare a growing log before forked copies finish it: see LogTables."""
        self._tables.settle()
        self._blobs.settle()

    def finish(self) -> LogSummary:
        """Write the rest; the data read so far is the whole log."""
        for batch in self._read:
            if batch is not None:  # None: it waited for more, before there was no more
                self._take(*batch)
        del self._read, self._batches
        self.decoder.end()
        log, sink, tables, records, decoder, blobs, verbatim = (
            self.log,
            self._sink,
            self._tables,
            self._records,
            self.decoder,
            self._blobs,
            self._verbatim,
        )
        tables.end()
        verbatim.add([records.tail])
        verbatim.close()
        blobs.close()

        diagnostics = records.diagnostics
        diagnostics.merge(decoder.diagnostics)
        rank = rank_of(decoder.ranks, log.name_rank, diagnostics)
        _note_clock(decoder, diagnostics, records.size_bytes)
        written = tables.finish(blobs.paths)
        diagnostics.merge(written.diagnostics)
        for fault in (*plugin_kinds().faults, *plugin_tables().faults):
            diagnostics.add(PLUGIN_FAILED, fault)
        for name, table in (("stacks", Rows(decoder.stacks.rows())), ("blobs", Rows(blobs.rows()))):
            if len(table):
                written.tables[name] = sink.put_rows(log.id, name, table)
        if records.size_bytes > _LARGE_BYTES:
            give_back_freed_memory()
        source = {
            "name": os.fsencode(log.path.name).decode("utf-8", "replace"),
            "size_bytes": records.size_bytes,
            "sha256": records.sha256,
            "compression": log.compression,
        }
        directory = {
            "id": log.id,
            "rank": rank,
            "ranks": written.ranks,
            "pids": list(decoder.pids),
            "source": source,
            "clock": decoder.clock.table(),
            "event_count": decoder.event_count,
            "tables": written.tables,
            "verbatim": verbatim.chunks,
            "kinds": written.kinds,
        }
        attempts = written.tables.get("attempts", {"rows": 0})
        self.facts = Facts(
            WrittenLog(
                sink,
                directory,
                decoder.clock.last_epoch_us(),
                {"diagnostics": diagnostics.rows()},
                RowMemory(self._memory_bytes - _COMPILE_BYTES * attempts["rows"]),
            )
        )
        compiles: Rows[Any] = Rows()
        for name, rows in chain(
            compile_tables(self.facts),
            export_table(self.facts),
            guard_tables(self.facts, diagnostics),
            recompile_tables(self.facts),  # from those of guards
        ):
            if name == "compiles":
                compiles = rows
            if len(rows):
                written.tables[name] = sink.put_rows(log.id, name, rows)
        numbers, findings, faults = findings_of(self.facts, compiles)
        for fault in faults:
            diagnostics.add(PLUGIN_FAILED, fault)
        if len(rows := Rows(diagnostics.rows())):
            written.tables["diagnostics"] = sink.put_rows(log.id, "diagnostics", rows)
        if findings:
            written.tables[FINDINGS] = sink.put_rows(log.id, FINDINGS, Rows(findings))
        for name in PASSED_ON:
            if name in written.tables:
                sink.remove(written.tables.pop(name))
        path = sink.put(
            log_path(log.id, "log.json", sink.codec),
            dumps({**directory, "tables": dict(sorted(written.tables.items()))}),
        )
        row = {
            "id": log.id,
            "path": path,
            "rank": rank,
            "pid": _process(list(decoder.pids)),
            "source": source,
            "torch_version": self._identity.torch_version,
            "event_count": decoder.event_count,
            "diagnostics": diagnostics.counts(),
            "summary": numbers,
        }
        first_findings: list[Any] = first_causes(findings)
        return LogSummary(
            row,
            written.descriptors,
            first_findings,
            frozenset(decoder.pids),
            diagnostics.messages(PLUGIN_FAILED),
        )


def _process(pids: Sequence[int]) -> int | None:
    """Return the process that wrote a log, if it is one. Before torch 2.5, the numbers are of threads."""
    return pids[0] if len(pids) == 1 and pids[0] <= _MAX_PID else None


def _batches(records: LogRecords, decoder: EventDecoder) -> Iterator[tuple[list[Event], list[bytes]] | None]:
    """Yield events in batches with the bytes to keep verbatim; None while there is no more data.

    Batches avoid a 10% cost of switching for each event.
    """
    events: list[Event] = []
    kept: list[bytes] = []
    size_bytes, decode = 0, decoder.decode
    for record in records:
        if record is None:
            if kept:
                yield events, kept
                events, kept, size_bytes = [], [], 0
            else:  # and nothing more had come meanwhile
                yield None
            continue
        if not record.prefix:
            kept.append(record.kept)
            size_bytes += len(record.kept)
        else:
            event, text = decode(record)
            events.append(event)
            kept.append(text)
            size_bytes += record.size_bytes
        if len(kept) >= _BATCH_RECORDS or size_bytes >= _BATCH_BYTES:
            yield events, kept
            events, kept, size_bytes = [], [], 0
    yield events, kept


def _note_clock(decoder: EventDecoder, diagnostics: Diagnostics, size_bytes: int) -> None:
    clock = decoder.clock
    if not size_bytes:
        diagnostics.add("empty-log", "the file is empty")
    elif clock.year is not None:
        offset_minutes = clock.utc_offset_minutes or 0
        sign, minutes = "-" if offset_minutes < 0 else "+", abs(offset_minutes)
        diagnostics.add(
            "clock-inferred",
            f"year {clock.year}, local time is UTC{sign}{minutes // 60:02d}:{minutes % 60:02d}",
        )
    elif decoder.event_count:
        diagnostics.add("year-unknown", "no chromium event or metrics record has the year")


class VerbatimWriter:
    """Writes verbatim bytes of a log in order. ``chunks`` is 'verbatim' of the log directory."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._data = BufferOfSeries()
        self.chunks: list[dict[str, Any]] = []

    def add(self, pieces: Sequence[bytes]) -> None:
        """Add bytes. A chunk ends with the piece that fills it."""
        joined = b"".join(pieces)
        if self._data.size + len(joined) < CHUNK_BYTES:
            self._data.add(joined)
            return
        for piece in pieces:
            self._data.add(piece)
            if self._data.size >= CHUNK_BYTES:
                self.close()

    def close(self) -> None:
        """Write the rest."""
        if self._data.size:
            path = log_path(self._log_id, f"verbatim/{len(self.chunks):04d}.log", self._sink.codec)
            path = self._sink.put(path, self._data.data())
            self._data.close()
            self.chunks.append({"path": path, "size_bytes": self._data.size})
            self._data = BufferOfSeries()
