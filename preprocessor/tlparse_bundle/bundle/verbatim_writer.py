"""Writes what of one log is no payload, as it is, chunk by chunk."""

from __future__ import annotations

from tlparse_bundle.bundle.layout import log_path
from tlparse_bundle.bundle.sink import FileSink

CHUNK_BYTES = 1 << 20


class VerbatimWriter:
    """Takes the bytes of one log in order. ``chunks`` is 'verbatim' of the log directory (schema: log)."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._data = bytearray()
        self.chunks: list[dict] = []

    def add(self, data: bytes) -> None:
        self._data += data
        if len(self._data) >= CHUNK_BYTES:
            self.close()

    def close(self) -> None:
        """Write what is there."""
        if self._data:
            path = log_path(self._log_id, f"verbatim/{len(self.chunks):04d}.log", self._sink.codec)
            self._sink.put(path, self._data)
            self.chunks.append({"path": path, "size_bytes": len(self._data)})
            self._data = bytearray()
