"""What passes between the process that reads a log and the one that makes its tables: messages, and events in them."""

from __future__ import annotations

import struct
from typing import BinaryIO

import orjson

from tlparse_bundle.trace.envelope import Event

_LENGTH = struct.Struct("<Q")
_MAX_RECENT_BYTES = 4 << 20


def write_message(stream: BinaryIO, message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def read_message(stream: BinaryIO) -> bytes | None:
    """A message; None at the end, or when it was cut."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    size = _LENGTH.unpack(head)[0]
    message = stream.read(size)
    return message if len(message) == size else None


class RecentPayloads:
    """The payloads that were sent last, by hash. Both ends hold the same, so that those that come again,
    more than half of the bytes, are not sent again.
    """

    def __init__(self) -> None:
        self._payloads: dict[str, bytes] = {}
        self._bytes = 0

    def add(self, content: str, payload: bytes) -> None:
        self._payloads[content] = payload
        self._bytes += len(payload)
        while self._bytes > _MAX_RECENT_BYTES:
            self._bytes -= len(self._payloads.pop(next(iter(self._payloads))))

    def __contains__(self, content: str) -> bool:
        return content in self._payloads

    def __getitem__(self, content: str) -> bytes:
        return self._payloads[content]


def row_of(event: Event, recent: RecentPayloads, *, whole: bool) -> tuple[tuple, int]:
    """An event as it is sent, and about how many bytes; of a trace event what our tables read, unless it is to be ``whole``."""
    payload, span = event.payload, event.trace_event
    if span is not None and not whole:
        arguments = span.get("args")
        compile_id = arguments.get("compile_id") if type(arguments) is dict else None
        payload, span = None, (span["name"], span["ph"], span["ts"], span.get("dur"), compile_id)
    elif event.hash is not None:
        if event.hash in recent:
            payload = None
        else:
            recent.add(event.hash, payload)
    row = (
        event.index, event.type, event.name, event.compile_id, event.occurrence, event.rank, event.line, event.byte_offset,
        event.size_bytes, event.time_us, event.origin_index, event.pid_index, payload, event.payload_size_bytes,
        event.payload_form, event.hash, event.blob_index, event.blob_offset, event.metadata_json, span,
    )  # fmt: skip
    return row, len(event.metadata_json) + len(payload or b"")


def event_of(row: tuple, recent: RecentPayloads) -> Event:
    event = Event()
    (
        event.index, event.type, event.name, event.compile_id, event.occurrence, event.rank, event.line, event.byte_offset,
        event.size_bytes, event.time_us, event.origin_index, event.pid_index, event.payload, event.payload_size_bytes,
        event.payload_form, event.hash, event.blob_index, event.blob_offset, event.metadata_json, span,
    ) = row  # fmt: skip
    if event.hash is not None:
        if event.payload is None:
            event.payload = recent[event.hash]
        else:
            recent.add(event.hash, event.payload)
    if type(span) is tuple:
        name, phase, time_us, duration_us, compile_id = span
        span = {"name": name, "ph": phase, "ts": time_us, "dur": duration_us, "args": {"compile_id": compile_id}}
    event.trace_event = span
    if event.metadata_json == b"null":
        event.metadata, event.value = None, {}
    else:
        event.metadata = orjson.loads(event.metadata_json)
        event.value = event.metadata.get(event.type)
    return event
