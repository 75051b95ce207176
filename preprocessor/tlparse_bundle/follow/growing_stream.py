"""The bytes of a log that is still being written: what is there, and later what has come meanwhile."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Hashable

from tlparse_bundle.base.remote import RemoteFile
from tlparse_bundle.log.log_file import LogFile, LogStream, RawLog, open_from, reason

# Before the place at which reading goes on: whether the file is still the one that was read.
_REMEMBERED_BYTES = 64
_BLOCK_BYTES = 1 << 20
_OPEN_S = 0.5


class Changed(Exception):
    """The file is no longer what was read: it is ``code``, truncated or replaced."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


class GrowingStream:
    """A raw stream: ``read`` gives None where nothing more is there yet, and nothing at all once it is
    ``ended``.

    ``look`` asks the file whether it has grown. The file is not kept open between: it may be on another
    machine, and there may be many.
    """

    def __init__(self, log: LogFile):
        self._log = log
        self._file: RawLog | None = None
        self._identity: Hashable = None
        self._tail = b""
        self._next_open_s = 0.0
        self.position = 0
        self.paused = False  # what more there is, is not for now
        self.ended = False
        self.trouble = ""  # why it cannot be read now

    @property
    def is_open(self) -> bool:
        """Whether it is being read just now."""
        return self._file is not None

    def look(self, read_sha256: Callable[[], str]) -> bool:
        """Whether there is something to read. Raises Changed, and OSError when the file cannot be opened.

        ``read_sha256`` gives the hash of what was read.
        """
        if self._file is not None:
            return True
        if self._is_as_it_was():
            return False
        before = max(0, self.position - len(self._tail))
        file, size, identity = open_from(self._log, before)
        try:
            if size < self.position:
                raise Changed("truncated")
            if identity != self._identity and self.position:
                # Else a newer copy, as rsync makes them.
                if sha256_of(self._log, self.position) != read_sha256():
                    raise Changed("replaced")
            elif file.read(len(self._tail)) != self._tail:
                raise Changed("replaced")
            self._identity = identity
            if size > self.position:
                self._file = file
                return True
            return False
        finally:
            if self._file is None:
                file.close()

    def _is_as_it_was(self) -> bool:
        """Whether it need not be opened: on a disk it is opened now and then in any case, see
        log_file.open_from.
        """
        if not self.position:
            return False
        path, now = self._log.path, time.monotonic()
        if isinstance(path, RemoteFile):
            return path.stat().st_size == self.position
        status = path.stat()
        if status.st_size != self.position:
            return False
        if now < self._next_open_s and self._identity == (status.st_dev, status.st_ino):
            return True
        self._next_open_s = now + _OPEN_S
        return False

    def read(self, size: int, /) -> bytes | None:
        if self.ended:
            return b""
        if self._file is None or self.paused:
            return None
        try:
            data = self._file.read(size)
        except OSError as error:
            self.trouble = reason(error)
            data = b""
        if not data:
            self._file.close()
            self._file = None
            return None
        self.position += len(data)
        self._tail = (self._tail + data[-_REMEMBERED_BYTES:])[-_REMEMBERED_BYTES:]
        return data

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class WholeStream:
    """The same of a compressed log, which is there as a whole."""

    def __init__(self, stream: LogStream):
        self._stream = stream
        self._read_all = False
        self.paused = self.ended = False
        self.is_open = True

    def look(self, read_sha256: Callable[[], str]) -> bool:
        return not self._read_all

    def read(self, size: int, /) -> bytes | None:
        if self.ended:
            return b""
        if self.paused:
            return None
        data = self._stream.read(size)
        self._read_all = not data
        return data

    def close(self) -> None:
        self._stream.close()


def sha256_of(log: LogFile, size_bytes: int) -> str | None:
    """Of the first bytes of a log as they are on disk; None when it has fewer. Raises OSError."""
    file, size, _ = open_from(log, 0)
    try:
        if size < size_bytes:
            return None
        digest, left = hashlib.sha256(), size_bytes
        while left and (data := file.read(min(left, _BLOCK_BYTES))):
            digest.update(data)
            left -= len(data)
        return digest.hexdigest() if not left else None
    finally:
        file.close()
