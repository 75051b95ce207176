"""Writes the event table and the metadata of one log, chunk by chunk."""

from __future__ import annotations

from tlparse_bundle.bundle.layout import log_path, to_json
from tlparse_bundle.bundle.sink import FileSink
from tlparse_bundle.trace.envelope import Event

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
        self._rows: list[tuple] = []
        self._forms: dict[str, str] = {}
        self._metadata = bytearray()
        self._metadata_count = 0
        self._count = 0
        self._first_event_index = 0
        self._first_metadata_index = 0
        # 'events' and 'metadata' of the log directory (schema: log):
        self.events: list[dict] = []
        self.metadata: list[dict] = []

    def add(self, event: Event) -> None:
        if event.payload_size_bytes is not None and event.payload_form != "lf":
            self._forms[str(len(self._rows))] = event.payload_form
        self._rows.append(
            (
                event.kind_index, event.compile_index, event.rank, event.line, event.byte_offset, event.size_bytes, event.time_us,
                event.origin_index, event.pid_index, event.blob_index, event.blob_offset, event.payload_size_bytes or 0,
            )  # fmt: skip
        )
        self._count += 1
        if len(self._rows) >= EVENTS_PER_CHUNK:
            self._close_events()
        if self._metadata_count:
            self._metadata += b","
        self._metadata += event.metadata_json
        self._metadata_count += 1
        if len(self._metadata) >= METADATA_CHUNK_BYTES:
            self._close_metadata()

    def close(self) -> None:
        if self._rows:
            self._close_events()
        if self._metadata_count:
            self._close_metadata()

    def _path(self, folder: str, chunks: list) -> str:
        return log_path(self._log_id, f"{folder}/{len(chunks):04d}.json", self._sink.codec)

    def _close_events(self) -> None:
        path = self._path("events", self.events)
        table = {"first_event_index": self._first_event_index, **dict(zip(_COLUMNS, zip(*self._rows))), "payload_forms": self._forms}
        self._sink.put(path, to_json(table))
        self.events.append({"path": path, "first_event_index": self._first_event_index, "count": len(self._rows)})
        self._first_event_index = self._count
        self._rows, self._forms = [], {}

    def _close_metadata(self) -> None:
        path = self._path("metadata", self.metadata)
        head = b'{"first_event_index":%d,"metadata":[' % self._first_metadata_index
        self._sink.put(path, head + self._metadata + b"]}")
        self.metadata.append({"path": path, "first_event_index": self._first_metadata_index, "count": self._metadata_count})
        self._first_metadata_index = self._count
        self._metadata, self._metadata_count = bytearray(), 0
