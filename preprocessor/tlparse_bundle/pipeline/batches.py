"""Batches of events, passed from reading a log to building its tables."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from tlparse_bundle.base.key_numbers import KeyNumbers
from tlparse_bundle.base.recent_cache import Newest
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.log.compile_id import CompileId
from tlparse_bundle.log.envelope import EventDecoder
from tlparse_bundle.log.event import Event, Span
from tlparse_bundle.log.stacks import StackRows
from tlparse_bundle.pipeline.helper_process import sent_apart

_MAX_RECENT_BYTES = 4 << 20
_MAX_KNOWN_METADATA_BYTES = 400  # of one that is remembered
_MAX_KNOWN_METADATA = 1024

_MAX_COMPILES = 4096  # whose numbers are at hand

_compile_id = lru_cache(1024)(CompileId)  # plain tuples are pickled in half of the time
# Numbers of kind and compile, rank, line, byte offset, size, time, numbers of origin, pid and blob (-1
# without a payload), offset in the blob, size of the payload.
EventRow = tuple[int, int, int | None, int, int, int, int, int, int, int, int, int]


class Batch(NamedTuple):
    """Some events. ``kinds``, ``compiles``, ``origins``, ``pids`` and ``stacks`` are new in this batch, in
    the order of their numbers.
    """

    first_event_index: int
    rows: list[EventRow]
    metadata: list[bytes]  # JSON of each event
    payload_forms: dict[int, str]  # by event index, where it is not lf
    kinds: list[tuple[str, str | None, Any]]  # type, name, encoding
    compiles: list[tuple[CompileId | None, int, int, int]]  # id, occurrence, first event index, frame compile
    origins: list[tuple[str, str, int]]  # level, path and line in the source of torch
    pids: list[int]
    stacks: StackRows  # those that are new
    spans: list[Span]
    events: list[Event]  # all but those of the timeline, of which a table rarely wants more than the span


class Batches:
    """Groups the events of a log, in file order, into batches, and numbers their kinds and compiles.

    ``stacks`` and ``origins`` are the decoder's, which grow; ``timeline`` names the timeline events that
    a table needs whole, or None for all.
    """

    def __init__(self, decoder: EventDecoder, timeline: frozenset[str] | None):
        self._decoder = decoder
        self._known_stacks = (0, 0)
        self._known_origins = self._known_pids = 0
        self._timeline = timeline
        self._endings = tuple(name[1:] for name in timeline or () if name.startswith("*"))
        self._kinds: dict[tuple[str, str | None], int] = {}
        self._compiles: dict[tuple[CompileId | None, int], int] = {}  # the newest
        self._compile_count = 0
        self._frame_compiles, self._later_attempts = KeyNumbers(), KeyNumbers()  # their numbers
        self._first_attempts = array("i")  # of each frame compile, the compile with attempt 0; -1 without one

    def of(self, events: Sequence[Event]) -> Batch:
        """Return the batch of the next events, and set their ``kind_index`` and ``compile_index``."""
        kinds, compiles = self._kinds, self._compiles
        timeline, endings = self._timeline, self._endings
        rows: list[EventRow] = []
        spans: list[Span] = []
        others: list[Event] = []
        batch = Batch(
            events[0].index if events else 0,
            rows,
            [event.metadata_json for event in events],
            {},
            [],
            [],
            self._new_origins(),
            self._new_pids(),
            self._new_stacks(),
            spans,
            others,
        )
        for event in events:
            kind = kinds.get((event.type, event.name))
            if kind is None:
                kind = self._new_kind(event, batch)
            number = compiles.get((event.compile_id, event.occurrence))
            if number is None:
                number = self._compile_number(event, batch)
            event.kind_index, event.compile_index = kind, number
            rows.append((
                kind, number, event.rank, event.line, event.byte_offset, event.size_bytes, event.time_us,
                event.origin_index, event.pid_index, event.blob_index, event.blob_offset,
                event.payload_size_bytes or 0,
            ))  # fmt: skip
            if event.payload_form != "lf" and event.payload_size_bytes is not None:
                batch.payload_forms[event.index] = event.payload_form
            span = event.trace_event
            if span is None:
                others.append(event)
                continue
            arguments = span.get("args")
            compile_id = arguments.get("compile_id") if type(arguments) is dict else None
            spans.append(
                (event.index, number, span["name"], span["ph"], span["ts"], span.get("dur"), compile_id)
            )
            if timeline is None or span["name"] in timeline or span["name"].endswith(endings):
                others.append(event)
        return batch

    def _new_kind(self, event: Event, batch: Batch) -> int:
        batch.kinds.append(
            (event.type, event.name, event.value.get("encoding") if type(event.value) is dict else None)
        )
        return self._kinds.setdefault((event.type, event.name), len(self._kinds))

    def _compile_number(self, event: Event, batch: Batch) -> int:
        cid, occurrence = event.compile_id, event.occurrence
        key, attempt = ("", 0) if cid is None else (cid.key(occurrence), cid.attempt)
        frame_compile = self._frame_compiles.setdefault(key, len(self._first_attempts))
        if frame_compile == len(self._first_attempts):
            self._first_attempts.append(-1)
        new = self._compile_count
        if attempt:
            number = self._later_attempts.setdefault(f"{key}_{attempt}", new)
        else:
            number = self._first_attempts[frame_compile]
            if number < 0:
                number = self._first_attempts[frame_compile] = new
        if number == new:
            batch.compiles.append((cid, occurrence, event.index, frame_compile))
            self._compile_count += 1
        if len(self._compiles) >= _MAX_COMPILES:
            self._compiles.clear()
        self._compiles[cid, occurrence] = number
        return number

    def _new_origins(self) -> list[tuple[str, str, int]]:
        origins = self._decoder.origins
        first, self._known_origins = self._known_origins, len(origins)
        new = islice(origins, first, None) if first < len(origins) else ()
        return [
            (level.decode(), path.decode("utf-8", "replace"), int(line[:15])) for level, path, line in new
        ]

    def _new_pids(self) -> list[int]:
        pids = self._decoder.pids
        first, self._known_pids = self._known_pids, len(pids)
        return list(islice(pids, first, None)) if first < len(pids) else []

    def _new_stacks(self) -> StackRows:
        rows, self._known_stacks = self._decoder.stacks.rows_since(self._known_stacks)
        return rows


# The fields of a batch, with plain tuples for compile ids and events.
Message = tuple[Any, ...]


class BatchesSent:
    """Sending end. ``reads`` returns whether a table needs an event's payload."""

    def __init__(self, reads: Callable[[Event], bool]):
        self._reads = reads
        self._recent: Newest[str, bytes] = Newest(_MAX_RECENT_BYTES)

    def message(self, batch: Batch) -> Message:
        """Return the message for ``BatchesReceived.batch``, in order."""
        compiles = [(_plain(cid), *numbers) for cid, *numbers in batch.compiles]
        first = batch.first_event_index
        events = [
            (
                event.index - first,
                _plain(event.compile_id),
                event.occurrence,
                event.payload_form,
                event.sha256,
                event.payload_size_bytes,
                self._payload(event),
                event.trace_event,
            )
            for event in batch.events
        ]
        return (*batch[:5], compiles, *batch[6:10], events)

    def _payload(self, event: Event) -> Any:
        """Return the payload; None when it is not needed or the other end has it."""
        payload, sha256 = event.payload, event.sha256
        if payload is None or not self._reads(event):
            return None
        if sha256 is not None:
            if self._recent.get(sha256) is not None:
                return None
            self._recent.add(sha256, payload, len(payload))
        return sent_apart(payload)


class BatchesReceived:
    """Receiving end, which holds the same payloads as the sending end."""

    def __init__(self) -> None:
        self._recent: Newest[str, bytes] = Newest(_MAX_RECENT_BYTES)
        self._known: dict[bytes, Any] = {}
        self._kinds: list[tuple[str, str | None]] = []

    def batch(self, message: Message) -> Batch:
        batch, event_rows = Batch(*message), message[10]
        self._kinds += [(event_type, name) for event_type, name, _ in batch.kinds]
        compiles = [
            (cid and _compile_id(*cid), occurrence, first_event_index, frame_compile)
            for cid, occurrence, first_event_index, frame_compile in batch.compiles
        ]
        return batch._replace(compiles=compiles, events=[self._event(row, batch) for row in event_rows])

    def _event(self, row: tuple[Any, ...], batch: Batch) -> Event:
        event = Event()
        (
            position,
            cid,
            event.occurrence,
            event.payload_form,
            sha256,
            event.payload_size_bytes,
            payload,
            event.trace_event,
        ) = row
        (
            event.kind_index, event.compile_index, event.rank, event.line, event.byte_offset,
            event.size_bytes, event.time_us, event.origin_index, event.pid_index, event.blob_index,
            event.blob_offset, _,
        ) = batch.rows[position]  # fmt: skip
        event.index = batch.first_event_index + position
        event.type, event.name = self._kinds[event.kind_index]
        event.compile_id = cid and _compile_id(*cid)
        event.sha256, event.content = sha256, None
        if sha256 is not None:
            if payload is None:
                payload = self._recent.get(sha256)
            else:
                self._recent.add(sha256, payload, len(payload))
        event.payload = payload
        event.metadata_json = batch.metadata[position]
        event.metadata = self._metadata(event.metadata_json)
        event.value = {} if event.metadata is None else event.metadata.get(event.type)
        return event

    def _metadata(self, text: bytes) -> Any:
        metadata = self._known.get(text)
        if metadata is None:
            metadata = loads(text)
            if metadata is not None and len(text) <= _MAX_KNOWN_METADATA_BYTES:
                if len(self._known) >= _MAX_KNOWN_METADATA:
                    self._known.clear()
                self._known[text] = metadata
        return metadata


def _plain(cid: CompileId | None) -> tuple[int | None, ...] | None:
    return None if cid is None else tuple(cid)
