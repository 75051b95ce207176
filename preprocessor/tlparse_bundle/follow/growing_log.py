"""One log that is followed: how far it was read, and what its last state was made of."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import RemoteFile
from tlparse_bundle.bundle.codecs import quick
from tlparse_bundle.follow.growing_stream import GrowingStream, WholeStream
from tlparse_bundle.log.log_file import LogFile, open_log
from tlparse_bundle.pipeline.file_writer import FileSink
from tlparse_bundle.pipeline.log_records import LogRecords
from tlparse_bundle.pipeline.log_tables import LogTables
from tlparse_bundle.pipeline.log_writer import LogBuild, LogSummary
from tlparse_bundle.statements.facts import STREAMED
from tlparse_bundle.statements.kinds.unfinished import running

_BLOCK_BYTES = 1 << 20
_REMOTE_S = 1.0
_SAME_CLOCK_US = 2_000_000  # clocks that differ by less are taken as equal


@dataclass(slots=True)
class Written:
    """What a state says of a log."""

    counter: int  # the state for which its files were written
    read_bytes: int  # of the log
    summary: LogSummary
    live: dict[str, Any]  # its row in 'live' of the manifest, without 'read_epoch_us'


class GrowingLog:
    """The build of one log, which waits where the log ends. ``sink`` is its own."""

    def __init__(self, log: LogFile, sink: FileSink, strings: Mapping[int, str] = {}):
        self.log = log
        self.sink = sink
        self.strings = strings
        self.written: Written | None = None
        self.read_epoch_us = _now()
        self._behind_us: int | None = None
        self._next_look_s = 0.0
        # A compressed log is taken when it is whole: a build would take no other.
        self._stream = GrowingStream(log) if log.compression is None else WholeStream(open_log(log))
        self._records = LogRecords(log, self._stream)
        self._build = LogBuild(
            log, sink, LogTables(sink.root, sink.codec.name, log.id, False, sink), self._records, strings
        )

    @property
    def read_bytes(self) -> int:
        """Of the uncompressed log."""
        return self._records.size_bytes

    @property
    def changed(self) -> bool:
        """Whether there is more than its last state has."""
        return self.written is None or self.written.read_bytes != self.read_bytes

    @property
    def own_strings(self) -> dict[int, str]:
        """The strings that the log defines."""
        return self._build.decoder.stack_reader.strings

    def look(self, *, at_once: bool = True) -> bool | None:
        """Whether there is something to read. Raises Changed, and OSError.

        Unless ``at_once``, a web server is not asked as often as a disk; None when it was not asked.
        """
        if isinstance(self.log.path, RemoteFile) and not self._stream.is_open:
            now = time.monotonic()
            if now < self._next_look_s and not at_once:
                return None
            self._next_look_s = now + _REMOTE_S
        return self._stream.look(lambda: self._records.sha256)

    def read(self, until_s: float) -> bool:
        """Read what is there, until this moment of the monotonic clock; whether there may be more."""
        before, more = self.read_bytes, True
        while more and time.monotonic() < until_s:
            more = self._build.advance()
        if self.read_bytes > before:
            self.read_epoch_us = _now()
            self._compare_clocks()
        return more

    @property
    def behind_us(self) -> int:
        """How far the clock of the log is behind the one here: it is another machine's, or the log was
        written long ago and is played again.
        """
        known = self._behind_us or 0
        return known if abs(known) >= _SAME_CLOCK_US else 0

    def _compare_clocks(self) -> None:
        """The last record was written when the file was changed last.

        What is read first may be old already, so that the least difference counts.
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
        """Before a copy of the process writes a state: what this one does the next one need not do again."""
        self._build.settle()

    def write(self, counter: int, below: str) -> Written:
        """End the build with what was read, as the files of a state, and tell what is open.

        Only in a copy of the process.
        """
        self.sink.below, self.sink.codec, self.sink.keep = below, quick(self.sink.codec), STREAMED
        read_bytes = self.read_bytes
        self._stream.paused = True
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
        """End the build: what was read is the whole log."""
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
    """Whether a compressed log can be decompressed to its end."""
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
