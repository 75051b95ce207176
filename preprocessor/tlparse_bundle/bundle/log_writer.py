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
from tlparse_bundle.bundle.event_writer import EventWriter
from tlparse_bundle.bundle.layout import CODECS, log_path, to_json
from tlparse_bundle.bundle.payload_memo import PayloadTablesRemembered
from tlparse_bundle.bundle.payload_tables import PayloadTablesApart, PayloadTablesHere
from tlparse_bundle.bundle.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.events.kinds import Kind
from tlparse_bundle.tables.identity import Identity
from tlparse_bundle.tables.registry import STREAM_TABLES, TableContext, Tables, plugin_tables
from tlparse_bundle.tables.tally import Tally
from tlparse_bundle.trace.discover import LogFile, open_log
from tlparse_bundle.trace.envelope import EventDecoder
from tlparse_bundle.trace.reader import RecordReader

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
    """Read ``log`` and write its files below ``root``. Memory does not grow with the log's size.

    ``progress`` is told how many bytes of the uncompressed log were read since the last call. With two
    or more ``cores`` to itself it gets threads, and if it is large a second process. ``one_of_many``
    says that the logs before may have been equal in part. Raises BundleError when the file cannot be read or decompressed.
    """
    diagnostics = Diagnostics()
    decoder = EventDecoder(diagnostics)
    tally = Tally()
    identity, tables = Identity(tally), Tables([*STREAM_TABLES, *plugin_tables()], TableContext(decoder.stacks, diagnostics, tally))
    payload_tables = PayloadTablesRemembered if one_of_many else PayloadTablesHere
    if cores > 1 and log.size_bytes >= _APART_BYTES:
        payload_tables = PayloadTablesApart
    event_count = reported = 0

    with (
        open_log(log) as raw,
        _HashingStream(raw, thread=cores > 1) as stream,
        FileSink(root, CODECS[codec], threads=cores > 1) as sink,
        closing(payload_tables(sink, log.id)) as payloads,
    ):
        reader = RecordReader(stream, diagnostics)
        blobs, writer = BlobWriter(sink, log.id), EventWriter(sink, log.id)
        for record in reader:
            if record.prefix is None:
                writer.keep(record.kept)
                continue
            event, kept = decoder.decode(record)
            writer.keep(kept)
            tally.add(event)
            event.blob_index, event.blob_offset = -1, 0
            if event.trace_event is not None:
                event.blob_index, event.blob_offset = blobs.put_trace_event(event.payload)
            elif event.payload is not None:
                event.blob_index, event.blob_offset = blobs.put(event.payload, event.hash, event.kind_index)
            event.metadata_json = b"null" if event.metadata is None else to_json(event.metadata)
            writer.add(event)
            identity.observe(event)
            tables.observe(event)
            payloads.observe(event)
            event_count += 1
            if event_count % _PROGRESS_EVENTS == 0:
                progress(stream.size_bytes - reported)
                reported = stream.size_bytes
        writer.keep(reader.tail)
        writer.close()
        blobs.close()
        sink.wait()
        progress(stream.size_bytes - reported)

        rank = identity.rank(log.name_rank, diagnostics)
        _note_clock(decoder, diagnostics, stream.size_bytes, event_count)
        # One after another, so that no two are in memory at once; the last three after the others, which may add to them.
        paths = {table.name: sink.put_table(log.id, table.name, table.table()) for table in tables}
        payload_paths, payload_diagnostics = payloads.finish()
        paths |= payload_paths
        diagnostics.merge(payload_diagnostics)
        for name, table in (("stacks", decoder.stacks.table), ("blobs", blobs.table), ("diagnostics", diagnostics.table)):
            paths[name] = sink.put_table(log.id, name, table())
        name = os.fsencode(log.path.name).decode("utf-8", "replace")
        source = {"name": name, "size_bytes": stream.size_bytes, "sha256": stream.sha256(), "compression": log.compression}
        directory = {
            "id": log.id,
            "rank": rank,
            "ranks": identity.ranks(),
            "pids": list(decoder.pids),
            "source": source,
            "clock": decoder.clock.table(),
            "event_count": event_count,
            "tables": paths,
            "events": writer.events,
            "metadata": writer.metadata,
            "verbatim": writer.verbatim,
            "timeline": blobs.timeline,
            "kinds": _kinds(tally),
            "origins": [{"level": level.decode(), "path": path.decode("utf-8", "replace"), "line": int(line[:15])} for level, path, line in decoder.origins],
        }
        path = sink.put(log_path(log.id, "log.json", sink.codec), to_json(directory))
    compiles = tables["compiles"]
    row = {
        "id": log.id,
        "path": path,
        "rank": rank,
        "source": source,
        "torch_version": identity.torch_version,
        "event_count": event_count,
        "compile_count": compiles.compile_count(),
        "statuses": compiles.statuses(),
        "compile_time_us": compiles.compile_time_us(),
        "diagnostics": diagnostics.counts(),
    }
    return LogSummary(row, {kind.key: kind for kind in tally.kinds})


def _kinds(tally: Tally) -> list[dict]:
    """'kinds' of the log directory (schema: log)."""
    rows = []
    for index, sums in tally.by("kind_index").items():
        (event_type, name), kind = tally.kind_names[index], tally.kinds[index]
        row = {"type": event_type, "name": name, "descriptor": kind.key, "language": kind.language}
        rows.append({**row, "event_count": sums.event_count, "size_bytes": sums.size_bytes})
    return rows


def _note_clock(decoder: EventDecoder, diagnostics: Diagnostics, size_bytes: int, event_count: int) -> None:
    clock = decoder.clock
    if not size_bytes:
        diagnostics.add("empty-log", "the file is empty")
    elif clock.year is not None:
        sign, minutes = "-" if clock.utc_offset_minutes < 0 else "+", abs(clock.utc_offset_minutes)
        diagnostics.add("clock-inferred", f"year {clock.year}, local time is UTC{sign}{minutes // 60:02d}:{minutes % 60:02d}")
    elif event_count:
        diagnostics.add("year-unknown", "no chromium event to derive the year from")
