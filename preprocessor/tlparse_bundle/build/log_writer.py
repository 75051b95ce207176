"""One log file to its folder of the bundle: reads it once, feeds tables, blobs and chunks."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tlparse_bundle.build.blobs import BlobWriter
from tlparse_bundle.build.log_records import LogRecords, LogRecordsHere
from tlparse_bundle.build.log_records_apart import LogRecordsApart
from tlparse_bundle.build.log_tables import LogTables
from tlparse_bundle.build.log_tables_apart import LogTablesApart
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.build.verbatim_writer import VerbatimWriter
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.events.kinds import Kind
from tlparse_bundle.format.codecs import CODECS
from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.format.layout import log_path
from tlparse_bundle.tables.identity import rank_of
from tlparse_bundle.trace.discover import LogFile
from tlparse_bundle.trace.envelope import EventDecoder
from tlparse_bundle.trace.json_text import json_to_keep
from tlparse_bundle.trace.payload_hashes import HASHES
from tlparse_bundle.trace.stacks import StackTable

_PROGRESS_EVENTS = 256
_APART_BYTES = 8 << 20  # below, other processes cost more time than they save


@dataclass(slots=True)
class LogSummary:
    """What the manifest needs to know of a log."""

    row: dict  # its row in 'logs' of the manifest
    kinds: dict[str, Kind] = field(default_factory=dict)  # by descriptor key


def write_log(
    log: LogFile,
    root: Path,
    codec: str,
    progress: Callable[[int], None] = lambda size_bytes: None,
    *,
    cores: int = 1,
    one_of_many: bool = False,
) -> LogSummary:
    """Read ``log`` and write its files below ``root``. Memory hardly grows with the log (docs/performance.md).

    ``progress`` is told how many bytes of the uncompressed log were read since the last call. With two
    or more ``cores`` to itself it gets threads, and if it is large a process for each of up to four: for its
    tables, its records, the tables that read payloads. ``one_of_many`` says that the logs before may have been equal in part. Raises BundleError when the file cannot be read or decompressed.
    """
    HASHES.begin(one_of_many=one_of_many)
    decoder = EventDecoder(Diagnostics())
    event_count = reported = 0
    with (
        FileSink(root, CODECS[codec], threads=cores > 1) as sink,
        closing(_log_tables(log, sink, decoder.stacks, cores, one_of_many)) as tables,
        closing(_log_records(log, cores)) as records,
    ):
        blobs, verbatim = BlobWriter(sink, log.id), VerbatimWriter(sink, log.id)
        for record in records:
            if record.prefix is None:
                verbatim.add(record.kept)
                continue
            event, kept = decoder.decode(record)
            verbatim.add(kept)
            event.blob_index, event.blob_offset = -1, 0
            if event.trace_event is not None:
                event.blob_index, event.blob_offset = blobs.put_trace_event(event.payload)
            elif event.payload is not None:
                event.blob_index, event.blob_offset = blobs.put(event.payload, event.sha256, (event.type, event.name))
            event.metadata_json = b"null" if event.metadata is None else json_to_keep(event.metadata)
            tables.observe(event)
            event_count += 1
            if event_count % _PROGRESS_EVENTS == 0:
                progress(records.size_bytes - reported)
                reported = records.size_bytes
        verbatim.add(records.tail)
        verbatim.close()
        blobs.close()
        sink.wait()
        progress(records.size_bytes - reported)

        diagnostics = records.diagnostics
        diagnostics.merge(decoder.diagnostics)
        rank = rank_of(decoder.ranks, log.name_rank, diagnostics)
        _note_clock(decoder, diagnostics, records.size_bytes, event_count)
        made = tables.finish()
        diagnostics.merge(made.diagnostics)
        for name, table in (("stacks", decoder.stacks.table), ("blobs", blobs.table), ("diagnostics", diagnostics.table)):
            made.paths[name] = sink.put_table(log.id, name, table())
        name = os.fsencode(log.path.name).decode("utf-8", "replace")
        source = {"name": name, "size_bytes": records.size_bytes, "sha256": records.sha256, "compression": log.compression}
        directory = {
            "id": log.id,
            "rank": rank,
            "ranks": made.ranks,
            "pids": list(decoder.pids),
            "source": source,
            "clock": decoder.clock.table(),
            "event_count": event_count,
            "tables": made.paths,
            "events": made.events,
            "metadata": made.metadata,
            "verbatim": verbatim.chunks,
            "timeline": blobs.timeline,
            "kinds": made.kinds,
            "origins": [{"level": level.decode(), "path": path.decode("utf-8", "replace"), "line": int(line[:15])} for level, path, line in decoder.origins],
        }
        path = sink.put(log_path(log.id, "log.json", sink.codec), dumps(directory))
    row = {
        "id": log.id,
        "path": path,
        "rank": rank,
        "source": source,
        "torch_version": made.torch_version,
        "event_count": event_count,
        **made.compiles,
        "diagnostics": diagnostics.counts(),
    }
    return LogSummary(row, made.descriptors)


def _log_records(log: LogFile, cores: int) -> LogRecords:
    # What a program has told fsspec of its URLs, another process does not know.
    if cores > 2 and log.size_bytes >= _APART_BYTES and isinstance(log.path, Path):
        return LogRecordsApart(log)
    return LogRecordsHere(log, thread=cores > 1)


def _log_tables(log: LogFile, sink: FileSink, stacks: StackTable, cores: int, one_of_many: bool) -> LogTables:
    if cores > 1 and log.size_bytes >= _APART_BYTES:
        return LogTablesApart(sink, log.id, stacks, payloads_apart=cores > 3)
    # The modules of all tables, which only the other process needs.
    from tlparse_bundle.build.log_tables_here import LogTablesHere
    from tlparse_bundle.build.payload_memo import PayloadTablesRemembered
    from tlparse_bundle.build.payload_tables import PayloadTablesHere

    payload_tables = (PayloadTablesRemembered if one_of_many else PayloadTablesHere)(sink, log.id)
    return LogTablesHere(sink, log.id, stacks, payload_tables)


def _note_clock(decoder: EventDecoder, diagnostics: Diagnostics, size_bytes: int, event_count: int) -> None:
    clock = decoder.clock
    if not size_bytes:
        diagnostics.add("empty-log", "the file is empty")
    elif clock.year is not None:
        sign, minutes = "-" if clock.utc_offset_minutes < 0 else "+", abs(clock.utc_offset_minutes)
        diagnostics.add("clock-inferred", f"year {clock.year}, local time is UTC{sign}{minutes // 60:02d}:{minutes % 60:02d}")
    elif event_count:
        diagnostics.add("year-unknown", "no chromium event to derive the year from")
