"""The process that reads the records of a log for another one (see log_records_apart)."""

from __future__ import annotations

from contextlib import closing

from tlparse_bundle.bundle.helper import BATCH_BYTES, BATCH_ROWS, Link, serve
from tlparse_bundle.bundle.log_records import LogRecordsHere
from tlparse_bundle.bundle.log_records_pipe import RecordsSummary, SentPayloads, row_of


def main() -> None:
    serve(_read)


def _read(link: Link) -> RecordsSummary:
    with closing(LogRecordsHere(link.receive(), thread=True)) as records:
        sent, rows, waiting_bytes = SentPayloads(), [], 0
        for record in records:
            row, size_bytes = row_of(record, sent)
            rows.append(row)
            waiting_bytes += size_bytes
            if waiting_bytes >= BATCH_BYTES or len(rows) >= BATCH_ROWS:
                link.send(rows)
                rows, waiting_bytes = [], 0
        link.send(rows)
        return RecordsSummary(records.diagnostics, records.tail, records.sha256, records.size_bytes)
