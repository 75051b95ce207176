"""One log file to its folder of the bundle: reads it once, feeds tables, blobs and chunks."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tlparse_bundle.bundle.blobs import BlobWriter
from tlparse_bundle.bundle.layout import CODECS, log_path, to_json
from tlparse_bundle.bundle.log_tables import LogTables
from tlparse_bundle.bundle.log_tables_apart import LogTablesApart
from tlparse_bundle.bundle.sink import FileSink
from tlparse_bundle.bundle.verbatim_writer import VerbatimWriter
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.events.kinds import Kind
from tlparse_bundle.tables.identity import rank_of
from tlparse_bundle.trace.discover import LogFile, open_log
from tlparse_bundle.trace.envelope import EventDecoder
from tlparse_bundle.trace.json_text import json_to_keep
from tlparse_bundle.trace.payload_hashes import HASHES
from tlparse_bundle.trace.reader import RecordReader
from tlparse_bundle.trace.stacks import StackTable

_PROGRESS_EVENTS = 256
_APART_BYTES = 8 << 20  # below, a second process costs more time than it saves


@dataclass(slots=True)
class LogSummary:
    """What the manifest needs to know of a log."""

    row: dict  # its row in 'logs' of the manifest
    kinds: dict[str, Kind] = field(default_factory=dict)  # by descriptor key


class _HashingStream:
    """Hashes a log, in a thread or at once, and counts its bytes while it is read. Use as a context manager."""

    def __init__(self, stream: Any, *, thread: bool):
        self._stream = stream
        self._hash = hashlib.sha256()
        self._pool = ThreadPoolExecutor(1) if thread else None
        self._update: Future | None = None
        self.size_bytes = 0

    def __enter__(self) -> _HashingStream:
        return self

    def __exit__(self, *error) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._finish()
        if self._pool is None:
            self._hash.update(data)
        else:
            self._update = self._pool.submit(self._hash.update, data)
        self.size_bytes += len(data)
        return data

    def _finish(self) -> None:
        """One block at a time, so that no more than one is held."""
        if self._update is not None:
            self._update.result()

    def sha256(self) -> str:
        self._finish()
        return self._hash.hexdigest()


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
    or more ``cores`` to itself it gets threads, and if it is large a second process. ``one_of_many``
    says that the logs before may have been equal in part. Raises BundleError when the file cannot be read or decompressed.
    """
    HASHES.begin(one_of_many=one_of_many)
    diagnostics = Diagnostics()
    decoder = EventDecoder(diagnostics)
    event_count = reported = 0
    with (
        open_log(log) as raw,
        _HashingStream(raw, thread=cores > 1) as stream,
        FileSink(root, CODECS[codec], threads=cores > 1) as sink,
        closing(_log_tables(log, sink, decoder.stacks, cores, one_of_many)) as tables,
    ):
        reader = RecordReader(stream, diagnostics)
        blobs, verbatim = BlobWriter(sink, log.id), VerbatimWriter(sink, log.id)
        for record in reader:
            if record.prefix is None:
                verbatim.add(record.kept)
                continue
            event, kept = decoder.decode(record)
            verbatim.add(kept)
            event.blob_index, event.blob_offset = -1, 0
            if event.trace_event is not None:
                event.blob_index, event.blob_offset = blobs.put_trace_event(event.payload)
            elif event.payload is not None:
                event.blob_index, event.blob_offset = blobs.put(event.payload, event.hash, (event.type, event.name))
            event.metadata_json = b"null" if event.metadata is None else json_to_keep(event.metadata)
            tables.observe(event)
            event_count += 1
            if event_count % _PROGRESS_EVENTS == 0:
                progress(stream.size_bytes - reported)
                reported = stream.size_bytes
        verbatim.add(reader.tail)
        verbatim.close()
        blobs.close()
        sink.wait()
        progress(stream.size_bytes - reported)

        rank = rank_of(decoder.ranks, log.name_rank, diagnostics)
        _note_clock(decoder, diagnostics, stream.size_bytes, event_count)
        made = tables.finish()
        diagnostics.merge(made.diagnostics)
        for name, table in (("stacks", decoder.stacks.table), ("blobs", blobs.table), ("diagnostics", diagnostics.table)):
            made.paths[name] = sink.put_table(log.id, name, table())
        name = os.fsencode(log.path.name).decode("utf-8", "replace")
        source = {"name": name, "size_bytes": stream.size_bytes, "sha256": stream.sha256(), "compression": log.compression}
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
        path = sink.put(log_path(log.id, "log.json", sink.codec), to_json(directory))
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


def _log_tables(log: LogFile, sink: FileSink, stacks: StackTable, cores: int, one_of_many: bool) -> LogTables:
    if cores > 1 and log.size_bytes >= _APART_BYTES:
        return LogTablesApart(sink, log.id, stacks)
    from tlparse_bundle.bundle.log_tables_here import LogTablesHere  # the modules of all tables, which only the other process needs

    return LogTablesHere(sink, log.id, stacks, one_of_many=one_of_many)


def _note_clock(decoder: EventDecoder, diagnostics: Diagnostics, size_bytes: int, event_count: int) -> None:
    clock = decoder.clock
    if not size_bytes:
        diagnostics.add("empty-log", "the file is empty")
    elif clock.year is not None:
        sign, minutes = "-" if clock.utc_offset_minutes < 0 else "+", abs(clock.utc_offset_minutes)
        diagnostics.add("clock-inferred", f"year {clock.year}, local time is UTC{sign}{minutes // 60:02d}:{minutes % 60:02d}")
    elif event_count:
        diagnostics.add("year-unknown", "no chromium event to derive the year from")
