"""What passes between the process that reads the records of a log and the one that decodes them: records, and what is known at the end."""

from __future__ import annotations

from typing import NamedTuple

from tlparse_bundle.build.helper import sent_apart
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.trace.newest import Newest
from tlparse_bundle.trace.payload_hashes import md5
from tlparse_bundle.trace.reader import Record

_MAX_BYTES = 4 << 20
_MAX_PAYLOAD_BYTES = 1 << 20  # of one that is remembered
_TIMELINE = b'{"chromium_event"'  # no payload of these is like another one


class RecordsSummary(NamedTuple):
    """See LogRecords."""

    diagnostics: Diagnostics
    tail: bytes
    sha256: str
    size_bytes: int


class SentPayloads:
    """The payloads that were sent last: they are neither hashed nor sent again."""

    def __init__(self) -> None:
        self.numbers: Newest[bytes, tuple[int, str]] = Newest(_MAX_BYTES)  # number and MD5
        self.count = 0


class KnownPayloads(Newest[int, bytes]):
    """At the other end: the same, by number. Not by MD5: anyone can make two payloads of one."""

    def __init__(self) -> None:
        super().__init__(_MAX_BYTES)


def row_of(record: Record, sent: SentPayloads) -> tuple[tuple, int]:
    """A record as it is sent, and about how many bytes."""
    payload, number = record.payload, None
    if payload is not None:
        may_come_again = len(payload) <= _MAX_PAYLOAD_BYTES and not record.envelope.startswith(_TIMELINE)
        if may_come_again and (found := sent.numbers.get(payload)) is not None:
            number, record.md5 = found
            payload = None
        else:
            record.md5 = md5(payload)
            if may_come_again:
                number = sent.count
                sent.count += 1
                sent.numbers.add(payload, (number, record.md5), len(payload))
    kept, size = record.kept, len(record.envelope)
    is_end = size > 0 and kept[-size - 1 : -1] == record.envelope  # of what is sent anyway
    row = (
        record.line, record.byte_offset, record.size_bytes, record.prefix, size if is_end else record.envelope, sent_apart(payload), number,
        record.verbatim, record.cut, record.left_out, kept, record.md5,
    )  # fmt: skip
    return row, len(kept) + len(payload or b"")


def record_of(row: tuple, known: KnownPayloads) -> Record:
    line, byte_offset, size_bytes, prefix, envelope, payload, number, verbatim, cut, left_out, kept, md5 = row
    if number is not None:
        if payload is None:
            payload = known.get(number)
        else:
            known.add(number, payload, len(payload))
    if type(envelope) is int:
        envelope = kept[-envelope - 1 : -1]
    return Record(line, byte_offset, size_bytes, prefix, envelope, payload, verbatim, cut, left_out, kept, md5)
