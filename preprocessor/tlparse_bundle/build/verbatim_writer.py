"""Writes what of one log is no payload, as it is, chunk by chunk."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.build.buffer import BufferOfSeries
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.format.layout import log_path

CHUNK_BYTES = 1 << 20


class VerbatimWriter:
    """Takes the bytes of one log in order. ``chunks`` is 'verbatim' of the log directory (schema: log)."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._data = BufferOfSeries()
        self.chunks: list[dict] = []

    def add(self, pieces: Sequence[bytes]) -> None:
        """The next bytes. A chunk ends with the piece that fills it."""
        whole = b"".join(pieces)
        if self._data.size + len(whole) < CHUNK_BYTES:
            self._data.add(whole)
            return
        for piece in pieces:
            self._data.add(piece)
            if self._data.size >= CHUNK_BYTES:
                self.close()

    def close(self) -> None:
        """Write what is there."""
        if self._data.size:
            path = log_path(self._log_id, f"verbatim/{len(self.chunks):04d}.log", self._sink.codec)
            path = self._sink.put(path, self._data.data())
            self._data.close()
            self.chunks.append({"path": path, "size_bytes": self._data.size})
            self._data = BufferOfSeries()
