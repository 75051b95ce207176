"""The process that reads the records of a log for another one (see log_records_apart)."""

from __future__ import annotations

from contextlib import closing

from tlparse_bundle.build.helper import Batches, Link, serve
from tlparse_bundle.build.log_records import LogRecordsHere
from tlparse_bundle.build.log_records_pipe import RecordsSummary, SentPayloads, row_of


def main() -> None:
    serve(_read)


def _read(link: Link) -> RecordsSummary:
    with closing(LogRecordsHere(link.receive(), thread=True)) as records:
        sent, rows = SentPayloads(), Batches(link.send)
        for record in records:
            rows.add(*row_of(record, sent))
        rows.flush()
        return RecordsSummary(records.diagnostics, records.tail, records.sha256, records.size_bytes)
