"""The records of a log, and what there is to know of its bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.trace.log_file import LogFile, open_log
from tlparse_bundle.trace.reader import Record, RecordReader


class LogRecords:
    """Iterate over it once, then ``tail``, ``sha256`` and ``diagnostics`` are whole; ``close`` in any case.

    ``raw`` gives the bytes of a log that still grows, see RecordReader; None opens the log and reads it as it is.
    Raises BundleError when the log cannot be read or decompressed.
    """

    def __init__(self, log: LogFile, raw: Any = None):
        self.diagnostics = Diagnostics()
        self._raw = open_log(log) if raw is None else raw
        self._stream = _HashingStream(self._raw)
        self._reader = RecordReader(self._stream, self.diagnostics)

    def __iter__(self) -> Iterator[Record | None]:
        return iter(self._reader)

    @property
    def tail(self) -> bytes:
        """Behind the last record."""
        return self._reader.tail

    @property
    def sha256(self) -> str:
        """Of the uncompressed log."""
        return self._stream.sha256()

    @property
    def size_bytes(self) -> int:
        """Read so far."""
        return self._stream.size_bytes

    def close(self) -> None:
        self._raw.close()


class _HashingStream:
    """Hashes a log and counts its bytes while it is read."""

    def __init__(self, stream: Any):
        self._stream = stream
        self._hash = hashlib.sha256()
        self.size_bytes = 0

    def read(self, size: int) -> bytes | None:
        data = self._stream.read(size)
        if data:
            self._hash.update(data)
            self.size_bytes += len(data)
        return data

    def sha256(self) -> str:
        return self._hash.hexdigest()
