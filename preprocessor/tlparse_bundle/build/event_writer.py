"""Writes the event table and the metadata of one log, chunk by chunk."""

from __future__ import annotations

from tlparse_bundle.build.batches import Batch, EventRow
from tlparse_bundle.build.buffer import BufferOfSeries
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.format.layout import log_path
from tlparse_bundle.tables.json_list import JsonColumns

EVENTS_PER_CHUNK = 8192
METADATA_CHUNK_BYTES = 1 << 20

_COLUMNS = (
    "kind_index", "compile_index", "rank", "line", "byte_offset", "size_bytes", "time_us", "origin_index", "pid_index",
    "blob_index", "blob_offset", "payload_size_bytes",
)  # fmt: skip


class EventWriter:
    """Takes the events of one log in order."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._count = 0
        # 'events' and 'metadata' of the log directory (schema: log):
        self.events: list[dict] = []
        self.metadata: list[dict] = []
        self._begin_events()
        self._begin_metadata()

    def _begin_events(self) -> None:
        self._first_event_index = self._count
        self._columns = JsonColumns(*_COLUMNS)
        self._forms: dict[str, str] = {}

    def _begin_metadata(self) -> None:
        self._first_metadata_index = self._count
        self._metadata = BufferOfSeries(b'{"first_event_index":%d,"metadata":[' % self._count)
        self._max_metadata_bytes = self._metadata.size + METADATA_CHUNK_BYTES

    def add(self, batch: Batch) -> None:
        """The next events. A chunk of metadata ends with the event that fills it."""
        rows, metadata = batch.rows, batch.metadata
        first, free = 0, EVENTS_PER_CHUNK - (self._count - self._first_event_index)
        while len(rows) - first >= free:
            self._add_rows(rows[first : first + free], metadata[first : first + free], batch.payload_forms)
            self._close_events()
            first, free = first + free, EVENTS_PER_CHUNK
        self._add_rows(rows[first:], metadata[first:], batch.payload_forms)

    def _add_rows(self, rows: list[EventRow], metadata: list[bytes], forms: dict[int, str]) -> None:
        start = self._first_event_index
        self._forms |= {str(index - start): form for index, form in forms.items() if self._count <= index < self._count + len(rows)}
        self._columns.add_rows(rows)
        self._add_metadata(metadata)

    def _add_metadata(self, texts: list[bytes]) -> None:
        whole = b",".join(texts)
        if self._metadata.size + len(whole) + 1 < self._max_metadata_bytes and texts:
            self._metadata.add(b"," + whole if self._count > self._first_metadata_index else whole)
            self._count += len(texts)
            return
        for text in texts:
            self._metadata.add(b"," + text if self._count > self._first_metadata_index else text)
            self._count += 1
            if self._metadata.size >= self._max_metadata_bytes:
                self._close_metadata()

    def close(self) -> None:
        if self._count > self._first_event_index:
            self._close_events()
        if self._count > self._first_metadata_index:
            self._close_metadata()

    def _close_events(self) -> None:
        table = {"first_event_index": self._first_event_index, **self._columns.table(), "payload_forms": self._forms}
        path = self._sink.put_table(self._log_id, f"events/{len(self.events):04d}", table)
        self.events.append({"path": path, "first_event_index": self._first_event_index, "count": self._count - self._first_event_index})
        self._begin_events()

    def _close_metadata(self) -> None:
        self._metadata.add(b"]}")
        path = log_path(self._log_id, f"metadata/{len(self.metadata):04d}.json", self._sink.codec)
        path = self._sink.put(path, self._metadata.data())
        self._metadata.close()
        self.metadata.append({"path": path, "first_event_index": self._first_metadata_index, "count": self._count - self._first_metadata_index})
        self._begin_metadata()
