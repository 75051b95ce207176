"""Records of a log, with the size and hash of its bytes."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.log.json_text import has_long_integer
from tlparse_bundle.log.log_file import LogFile, open_log
from tlparse_bundle.log.payload import md5
from tlparse_bundle.log.record_reader import PREFIX, ByteStream, Record, RecordReader


class GrowingBytes(ByteStream, Protocol):
    """Bytes of a log that may still grow."""

    def close(self) -> None: ...


class LogRecords:
    """Iterates once over records; then ``tail``, ``sha256`` and ``diagnostics`` are complete. Always
    ``close`` it.

    ``raw`` yields the bytes of a growing log, see RecordReader; None opens the log. Raises BundleError
    when the log cannot be read or decompressed.
    """

    def __init__(self, log: LogFile, raw: GrowingBytes | None = None):
        self.diagnostics = Diagnostics()
        self._raw: GrowingBytes = open_log(log) if raw is None else raw
        self._stream = _HashingStream(self._raw, None if raw is None else self._certain)
        self._reader = RecordReader(self._stream, self.diagnostics)

    def _certain(self) -> int:
        return self._reader.certain

    def stop(self) -> None:
        """End the log here, while waiting, without an incomplete last record."""
        head, payload = self._reader.waiting
        end = self.size_bytes if _is_complete(head, payload) else self._reader.certain
        self._reader.stop_at(end)
        self._stream.stop_at(end)

    def __iter__(self) -> Iterator[Record | None]:
        return iter(self._reader)

    @property
    def tail(self) -> bytes:
        """Return the bytes after the last record."""
        return self._reader.tail

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the uncompressed log."""
        return self._stream.sha256()

    @property
    def size_bytes(self) -> int:
        """Return the number of bytes read so far."""
        return self._stream.size_bytes

    def close(self) -> None:
        self._raw.close()


class _HashingStream:
    """Hashes a log and counts its bytes while reading. Bytes after ``certain``, see RecordReader, are hashed
    later.
    """

    def __init__(self, stream: ByteStream, certain: Callable[[], int] | None):
        self._stream = stream
        self._certain = certain
        self._hash = hashlib.sha256()
        self._hashed_bytes = 0
        self._held: deque[bytes] = deque()
        self.size_bytes = 0

    def read(self, size: int, /) -> bytes | None:
        data = self._stream.read(size)
        if data:
            self.size_bytes += len(data)
            if self._certain is None:
                self._hash.update(data)
            else:
                self._held.append(data)
                while self._hashed_bytes + len(self._held[0]) <= self._certain():
                    self._hashed_bytes += len(self._held[0])
                    self._hash.update(self._held.popleft())
        return data

    def stop_at(self, size_bytes: int) -> None:
        """End the log at what is certain, or after everything that was read."""
        certain = b"".join(self._held)[: size_bytes - self._hashed_bytes]
        self._held = deque((certain,))
        self.size_bytes = size_bytes

    def sha256(self) -> str:
        digest = self._hash.copy()
        for data in self._held:
            digest.update(data)
        return digest.hexdigest()


def _is_complete(text: bytes, payload: bytes) -> bool:
    """Return whether a record is complete, by the MD5 that it announces; other text when its line is
    complete.

    ``text`` is everything from the start of the record; ``payload`` the part of its payload already
    removed.
    """
    if not text:
        return True
    if not text.endswith(b"\n"):
        return False
    head, _, lines = text.partition(b"\n")
    match = PREFIX.match(head)
    if match is None:
        return True
    envelope = head[match.end() :].removesuffix(b"\r")
    try:
        fields = {} if has_long_integer(envelope) else loads(envelope)
    except ValueError:
        return True
    announced = fields.get("has_payload") if type(fields) is dict else None
    if type(announced) is not str:
        return True
    data = payload + lines.rstrip(b"\n")[1:].replace(b"\n\t", b"\n")
    return md5(data) == announced.encode("utf-8", "replace")
