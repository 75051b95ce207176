"""Writes the events and metadata tables of one log, which have a row per record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.bundle.layout import BYTES_PER_FILE, ROWS_PER_FILE, log_path, rows_file
from tlparse_bundle.pipeline.batches import Batch
from tlparse_bundle.pipeline.file_writer import BufferOfSeries, FileSink
from tlparse_bundle.tables.compile_list import CompileList
from tlparse_bundle.tables.rows import Rows

_MAX_COMPILES = 4096  # whose JSON is at hand
_ROW = (
    b'{"event":%d,%b,%b,"record_rank":%b,"line":%d,"gap_bytes":%d,"size_bytes":%d,"time_us":%d,"origin":%b,"pid":%b,'
    b'"blob":%d,"offset":%d,"payload_size_bytes":%d,"payload_form":%b}'
)
_ROW_WITHOUT_PAYLOAD = (
    b'{"event":%d,%b,%b,"record_rank":%b,"line":%d,"gap_bytes":%d,"size_bytes":%d,"time_us":%d,"origin":%b,"pid":%b,'
    b'"blob":null,"offset":null,"payload_size_bytes":null,"payload_form":null}'
)


class EventWriter:
    """Writes the events of one log in order.

    Rows of events wait until the paths of blobs are known; rows of metadata are written directly. Rows
    are assembled from shared JSON, because a log has tens of thousands.
    """

    def __init__(self, sink: FileSink, log_id: str, compiles: CompileList):
        self._events: Rows[Any] = Rows()
        self._metadata = _Metadata(sink, log_id)
        self._sink = sink
        self._log_id = log_id
        self._end = 0  # of the last record, in bytes of the log
        self._compile_list = compiles
        # JSON by index:
        self._kinds: list[bytes] = []
        self._compiles: dict[int, bytes] = {}  # the newest
        self._origins: list[bytes] = []
        self._pids: list[bytes] = []
        self._ranks: dict[int | None, bytes] = {}

    def add(self, batch: Batch) -> None:
        """Add the next events."""
        self._kinds += [
            b'"type":%b,"name":%b' % (dumps(event_type), dumps(name)) for event_type, name, _ in batch.kinds
        ]
        self._origins += [dumps(f"{path}:{line}") for _, path, line in batch.origins]
        self._pids += map(dumps, batch.pids)
        kinds, compiles, origins, pids, ranks, forms = (
            self._kinds,
            self._compiles,
            self._origins,
            self._pids,
            self._ranks,
            batch.payload_forms,
        )
        lines, end = [], self._end
        for index, row in enumerate(batch.rows, batch.first_event_index):
            (
                kind,
                compile_index,
                rank,
                line,
                byte_offset,
                size_bytes,
                time_us,
                origin,
                pid,
                blob,
                offset,
                payload_size_bytes,
            ) = row
            gap_bytes, end = byte_offset - end, byte_offset + size_bytes
            rank_json = ranks.get(rank)
            if rank_json is None:
                rank_json = ranks[rank] = dumps(rank)
            compile_json = compiles.get(compile_index) or self._compile_json(compile_index)
            if blob < 0:
                lines.append(
                    _ROW_WITHOUT_PAYLOAD
                    % (
                        index,
                        kinds[kind],
                        compile_json,
                        rank_json,
                        line,
                        gap_bytes,
                        size_bytes,
                        time_us,
                        origins[origin],
                        pids[pid],
                    )
                )
                continue
            form = dumps(forms[index]) if index in forms else b'"lf"'
            lines.append(
                _ROW
                % (index, kinds[kind], compile_json, rank_json, line, gap_bytes, size_bytes,
                   time_us, origins[origin], pids[pid], blob, offset, payload_size_bytes, form)
            )  # fmt: skip
        self._end = end
        self._events.add_lines(lines)
        for index, metadata in enumerate(batch.metadata, batch.first_event_index):
            if metadata != b"null":
                self._metadata.add(index, metadata)

    def _compile_json(self, index: int) -> bytes:
        compile = self._compile_list[index]
        if len(self._compiles) >= _MAX_COMPILES:
            self._compiles.clear()
        json = self._compiles[index] = b'"compile":%b,"attempt":%b' % (
            dumps(compile.key),
            dumps(compile.attempt),
        )
        return json

    def close(self, blobs: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Write the rest; ``blobs`` are the paths of blobs. Return the directory entries of both tables by
        name.
        """
        tables = {}
        if len(self._events):
            entry = tables["events"] = self._sink.put_rows(self._log_id, "events", self._events, blobs)
            first = 0
            for file in entry["files"]:
                file["first_event"] = first
                first += file["rows"]
        if files := self._metadata.close():
            tables["metadata"] = {"rows": sum(file["rows"] for file in files), "files": files}
        return tables


class _Metadata:
    """Files of the metadata. Each is written when the next one starts, because a single file has a different
    name.
    """

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._files: list[dict[str, Any]] = []
        self._buffer: BufferOfSeries | None = None
        self._first_event = self._rows = 0

    def add(self, index: int, metadata: bytes) -> None:
        buffer = self._buffer
        if buffer is not None and (self._rows == ROWS_PER_FILE or buffer.size >= BYTES_PER_FILE):
            self._write(buffer, several=True)
            buffer = None
        if buffer is None:
            buffer = self._buffer = BufferOfSeries()
            self._first_event, self._rows = index, 0
        buffer.add(b'{"event":%d,"metadata":%b}\n' % (index, metadata))
        self._rows += 1

    def _write(self, buffer: BufferOfSeries, *, several: bool) -> None:
        name = rows_file("metadata", len(self._files), 2 if several else 1)
        path = self._sink.put(log_path(self._log_id, name, self._sink.codec), buffer.data())
        buffer.close()
        self._buffer = None
        self._files.append({"path": path, "rows": self._rows, "first_event": self._first_event})

    def close(self) -> list[dict[str, Any]]:
        """Write the last file; return the entries of all."""
        if self._buffer is not None:
            self._write(self._buffer, several=bool(self._files))
        return self._files
