"""What passes between the process that reads a log and the one that makes its tables: messages, and events in them."""

from __future__ import annotations

from functools import lru_cache

from tlparse_bundle.build.helper import sent_apart
from tlparse_bundle.format.json_codec import loads
from tlparse_bundle.trace.compile_id import CompileId
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.newest import Newest

_MAX_RECENT_BYTES = 4 << 20


class RecentPayloads(Newest[str, bytes]):
    """The payloads that were sent last, by hash. Both ends hold the same, so that those that come again,
    more than half of the bytes, are not sent again.
    """

    def __init__(self) -> None:
        super().__init__(_MAX_RECENT_BYTES)


_compile_id = lru_cache(1024)(CompileId)  # plain tuples are pickled in half of the time


def row_of(event: Event, recent: RecentPayloads, *, whole: bool) -> tuple[tuple, int]:
    """An event as it is sent, and about how many bytes; of a trace event what our tables read, unless it is to be ``whole``."""
    payload, span = event.payload, event.trace_event
    if span is not None and not whole:
        arguments = span.get("args")
        compile_id = arguments.get("compile_id") if type(arguments) is dict else None
        payload, span = None, (span["name"], span["ph"], span["ts"], span.get("dur"), compile_id)
    elif event.hash is not None:
        if recent.get(event.hash) is not None:
            payload = None
        else:
            recent.add(event.hash, payload, len(payload))
    row = (
        event.index, event.type, event.name, event.compile_id and tuple(event.compile_id), event.occurrence, event.rank, event.line, event.byte_offset,
        event.size_bytes, event.time_us, event.origin_index, event.pid_index, sent_apart(payload), event.payload_size_bytes,
        event.payload_form, event.sha256, event.blob_index, event.blob_offset, event.metadata_json, span,
    )  # fmt: skip
    return row, len(event.metadata_json) + len(payload or b"")


def event_of(row: tuple, recent: RecentPayloads) -> Event:
    event = Event()
    (
        event.index, event.type, event.name, compile_id, event.occurrence, event.rank, event.line, event.byte_offset,
        event.size_bytes, event.time_us, event.origin_index, event.pid_index, event.payload, event.payload_size_bytes,
        event.payload_form, event.sha256, event.blob_index, event.blob_offset, event.metadata_json, span,
    ) = row  # fmt: skip
    event.compile_id = compile_id and _compile_id(*compile_id)
    if event.hash is not None:
        if event.payload is None:
            event.payload = recent.get(event.hash)
        else:
            recent.add(event.hash, event.payload, len(event.payload))
    if type(span) is tuple:
        name, phase, time_us, duration_us, compile_id = span
        span = {"name": name, "ph": phase, "ts": time_us, "dur": duration_us, "args": {"compile_id": compile_id}}
    event.trace_event = span
    if event.metadata_json == b"null":
        event.metadata, event.value = None, {}
    else:
        event.metadata = loads(event.metadata_json)
        event.value = event.metadata.get(event.type)
    return event
