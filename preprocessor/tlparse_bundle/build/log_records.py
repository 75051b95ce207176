"""The records of a log, and what there is to know of its bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.trace.discover import LogFile, open_log
from tlparse_bundle.trace.reader import Record, RecordReader


class LogRecords:
    """Iterate over it once, then ``tail``, ``sha256`` and ``diagnostics`` are whole; ``close`` in any case.

    The log is hashed in a thread, or at once. Raises BundleError when it cannot be read or decompressed.
    """

    def __init__(self, log: LogFile, *, thread: bool):
        self.diagnostics = Diagnostics()
        self._raw = open_log(log)
        self._stream = _HashingStream(self._raw, thread=thread)
        self._reader = RecordReader(self._stream, self.diagnostics)

    def __iter__(self) -> Iterator[Record]:
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
        self._stream.close()
        self._raw.close()


class _HashingStream:
    """Hashes a log and counts its bytes while it is read."""

    def __init__(self, stream: Any, *, thread: bool):
        self._stream = stream
        self._hash = hashlib.sha256()
        self._pool = ThreadPoolExecutor(1) if thread else None
        self._update: Future | None = None
        self.size_bytes = 0

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

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
