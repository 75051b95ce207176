"""A followed log: its stream of complete records, and the data of its last state."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import RemoteFile
from tlparse_bundle.bundle.codecs import quick
from tlparse_bundle.log.log_file import LogFile, LogStream, RawLog, open_from, open_log, reason
from tlparse_bundle.pipeline.file_writer import FileSink
from tlparse_bundle.pipeline.log_records import LogRecords
from tlparse_bundle.pipeline.log_tables import LogTables
from tlparse_bundle.pipeline.log_writer import LogBuild, LogSummary
from tlparse_bundle.pipeline.written_log import MEMORY_BYTES
from tlparse_bundle.statements.facts import STREAMED
from tlparse_bundle.statements.kinds.unfinished import running

# Bytes before the read position that identify the file.
_REMEMBERED_BYTES = 64
_BLOCK_BYTES = 1 << 20
AT_ONCE_BYTES = 8 << 20  # of a log, before anything else is looked after
_OPEN_S = 0.5


class Changed(Exception):
    """The file was ``code``: truncated or replaced."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


class GrowingStream:
    """Raw stream whose ``read`` returns None while there is no more data, and b"" once ``ended``.

    ``look`` checks whether the file has grown. The file is closed in between, since there may be many,
    also remote.
    """

    def __init__(self, log: LogFile):
        self._log = log
        self._file: RawLog | None = None
        self._identity: Hashable = None
        self._tail = b""
        self._next_open_s = 0.0
        self.position = 0
        self.left_bytes = 0  # of what may be read now
        self.ended = False
        self.trouble = ""  # why it cannot be read now

    @property
    def is_open(self) -> bool:
        """Return whether it is being read."""
        return self._file is not None

    def look(self, read_sha256: Callable[[], str]) -> bool:
        """Return whether there is data to read. Raise Changed, and OSError when the file cannot be opened.

        ``read_sha256`` returns the hash of the data read so far.
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
                # Otherwise a newer copy, as from rsync.
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
        """Return whether it need not be opened; a disk file is still opened regularly, see
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
        if self._file is None or self.left_bytes <= 0:
            return None
        try:
            data = self._file.read(min(size, self.left_bytes))
        except OSError as error:
            self.trouble = reason(error)
            data = b""
        if not data:
            self._file.close()
            self._file = None
            return None
        self.position += len(data)
        self.left_bytes -= len(data)
        self._tail = (self._tail + data[-_REMEMBERED_BYTES:])[-_REMEMBERED_BYTES:]
        return data

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class WholeStream:
    """Stream of a compressed log, which must be complete."""

    def __init__(self, stream: LogStream):
        self._stream = stream
        self._read_all = False
        self.left_bytes = 0  # of what may be read now
        self.ended = False
        self.is_open = True

    def look(self, read_sha256: Callable[[], str]) -> bool:
        return not self._read_all

    def read(self, size: int, /) -> bytes | None:
        if self.ended:
            return b""
        if self.left_bytes <= 0:
            return None
        data = self._stream.read(min(size, self.left_bytes))
        self.left_bytes -= len(data)
        self._read_all = not data
        return data

    def close(self) -> None:
        self._stream.close()


def sha256_of(log: LogFile, size_bytes: int) -> str | None:
    """Return the SHA-256 of the first bytes of a log on disk; None when it is shorter. Raise OSError."""
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


_REMOTE_S = 1.0
_SAME_CLOCK_US = 2_000_000  # clocks that differ by less are taken as equal


@dataclass(slots=True)
class Written:
    """Data of a log in a state."""

    counter: int  # the state for which its files were written
    read_bytes: int  # of the log
    summary: LogSummary
    live: dict[str, Any]  # its row in 'live' of the manifest, without 'read_epoch_us'


class GrowingLog:
    """Build of one log, which waits at its end. ``sink`` is its own."""

    def __init__(
        self,
        log: LogFile,
        sink: FileSink,
        strings: Mapping[int, str] = {},
        memory_bytes: int = MEMORY_BYTES,
    ):
        self.log = log
        self.sink = sink
        self.strings = strings
        self.written: Written | None = None
        self.read_epoch_us = _now()
        self._behind_us: int | None = None
        self._next_look_s = 0.0
        # A compressed log is read once it is complete, as in a build.
        self._stream = GrowingStream(log) if log.compression is None else WholeStream(open_log(log))
        self._records = LogRecords(log, self._stream)
        self._build = LogBuild(
            log,
            sink,
            LogTables(sink.root, sink.codec.name, log.id, False, sink),
            self._records,
            strings,
            memory_bytes,
        )

    @property
    def read_bytes(self) -> int:
        """Return the number of bytes of the uncompressed log."""
        return self._records.size_bytes

    @property
    def changed(self) -> bool:
        """Return whether there is more than in its last state."""
        return self.written is None or self.written.read_bytes != self.read_bytes

    @property
    def own_strings(self) -> dict[int, str]:
        """Return the strings that the log defines."""
        return self._build.decoder.stack_reader.strings

    def look(self, *, at_once: bool = True) -> bool | None:
        """Return whether there is data to read. Raise Changed and OSError.

        Unless ``at_once``, a web server is polled less often than a disk; None when it was not polled.
        """
        if isinstance(self.log.path, RemoteFile) and not self._stream.is_open:
            now = time.monotonic()
            if now < self._next_look_s and not at_once:
                return None
            self._next_look_s = now + _REMOTE_S
        return self._stream.look(lambda: self._records.sha256)

    def read(self, until_s: float) -> bool:
        """Read available data until this monotonic time, at most ``AT_ONCE_BYTES``; return whether there may
        be more.
        """
        before, more = self.read_bytes, True
        self._stream.left_bytes = AT_ONCE_BYTES
        while more and time.monotonic() < until_s:
            more = self._build.advance()
        more = more or self._stream.left_bytes <= 0
        if self.read_bytes > before:
            self.read_epoch_us = _now()
            self._compare_clocks()
        return more

    @property
    def behind_us(self) -> int:
        """Return how late the log's clock is: it is from a different machine, or the log is replayed."""
        known = self._behind_us or 0
        return known if abs(known) >= _SAME_CLOCK_US else 0

    def _compare_clocks(self) -> None:
        """Compare clocks: the last record was written when the file last changed. The smallest difference
        counts, since first data may be old.
        """
        last_us = self._build.decoder.clock.last_epoch_us()
        if last_us is None:
            return
        try:
            changed_us = (
                self.read_epoch_us
                if isinstance(self.log.path, RemoteFile)
                else self.log.path.stat().st_mtime_ns // 1000
            )
        except OSError:  # it has just been removed
            return
        behind_us = changed_us - last_us
        self._behind_us = behind_us if self._behind_us is None else min(self._behind_us, behind_us)

    def settle(self) -> None:
        """Do work before forking a state, so that later forks need not repeat it."""
        self._build.settle()

    def write(self, counter: int, below: str) -> Written:
        """End the build with the data read, write the files of a state, and return open compiles. Only in a
        fork.
        """
        self.sink.below, self.sink.codec, self.sink.keep = below, quick(self.sink.codec), STREAMED
        read_bytes = self.read_bytes
        self._stream.left_bytes = 0
        while self._build.advance():
            pass
        self._records.stop()
        summary = self.finish()
        live = {
            "id": self.log.id,
            "read_bytes": read_bytes,
            "last_record": self._last_record(summary),
            "running": [] if self._build.facts is None else running(self._build.facts),
        }
        return Written(counter, read_bytes, summary, live)

    def finish(self) -> LogSummary:
        """End the build; the data read so far is the whole log."""
        self._stream.ended = True
        return self._build.finish()

    def _last_record(self, summary: LogSummary) -> dict[str, Any] | None:
        event, facts = self._build.last_event, self._build.facts
        if event is None or facts is None:
            return None
        clock = self._build.decoder.clock
        kinds = facts.directory["kinds"]
        return {
            "epoch_us": clock.last_epoch_us(),
            "kind": kinds[event.kind_index]["descriptor"],
            "compile": event.compile,
            "attempt": event.attempt,
        }

    def close(self) -> None:
        self._records.close()


def is_whole(log: LogFile) -> bool:
    """Return whether a compressed log decompresses to its end."""
    try:
        with closing(open_log(log)) as stream:
            while stream.read(_BLOCK_BYTES):
                pass
    except BundleError as error:
        if error.code != "compression":
            raise
        return False
    return True


def _now() -> int:
    return time.time_ns() // 1000
