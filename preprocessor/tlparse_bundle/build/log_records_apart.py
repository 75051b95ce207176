"""The records of a log, read in a process of its own ahead of this one, which hashes payloads too."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.build.helper import Helper
from tlparse_bundle.build.log_records_pipe import KnownPayloads, RecordsSummary, record_of
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.trace.discover import LogFile
from tlparse_bundle.trace.reader import Record


class LogRecordsApart:
    """See LogRecords."""

    def __init__(self, log: LogFile):
        self.diagnostics = Diagnostics()
        self.tail, self.sha256, self.size_bytes = b"", "", 0
        self._helper = Helper("tlparse_bundle.build.log_records_process:main", log)

    def __iter__(self) -> Iterator[Record]:
        known = KnownPayloads()
        while type(message := self._helper.receive()) is not RecordsSummary:
            for row in message:
                record = record_of(row, known)
                self.size_bytes = record.byte_offset + record.size_bytes
                yield record
        self.diagnostics, self.tail, self.sha256, self.size_bytes = message

    def close(self) -> None:
        self._helper.close()
