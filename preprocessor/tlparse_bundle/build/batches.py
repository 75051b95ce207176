"""What passes from reading a log to making its tables: some events at a time, as rows of numbers and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from tlparse_bundle.trace.compile_id import CompileId
from tlparse_bundle.trace.envelope import EventDecoder
from tlparse_bundle.trace.event import Event, Span

# Numbers of kind and compile, rank, line, byte offset, size, time, numbers of origin, pid and blob (-1 without a payload), offset in the blob, size of the payload.
EventRow = tuple[int, int, int | None, int, int, int, int, int, int, int, int, int]


class Batch(NamedTuple):
    """``kinds``, ``compiles``, ``origins``, ``pids`` and ``stacks`` are those that no batch before had, in the order of their numbers."""

    first_event_index: int
    rows: list[EventRow]
    metadata: list[bytes]  # JSON of each event
    payload_forms: dict[int, str]  # by event index, where it is not lf
    kinds: list[tuple[str, str | None, Any]]  # type, name, encoding
    compiles: list[tuple[CompileId | None, int, int]]  # id, occurrence, first event index
    origins: list[str]  # path:line in the source of torch
    pids: list[int]
    stacks: tuple[list, list]  # see StackTable.rows_since
    spans: list[Span]
    events: list[Event]  # all but those of the timeline, of which a table rarely wants more than the span


class Batches:
    """Makes batches of the events of a log, which come in file order; numbers their kinds and compiles.

    ``stacks`` and ``origins`` are those of the decoder, which grow; ``timeline`` names the events of the timeline that a table wants to see whole; None for all.
    """

    def __init__(self, decoder: EventDecoder, timeline: frozenset[str] | None):
        self._decoder = decoder
        self._known_stacks = (0, 0)
        self._known_origins = self._known_pids = 0
        self._timeline = timeline
        self._kinds: dict[tuple[str, str | None], int] = {}
        self._compiles: dict[tuple[CompileId | None, int], int] = {}

    def of(self, events: Sequence[Event]) -> Batch:
        """The batch of the next events, which get their ``kind_index`` and ``compile_index``."""
        kinds, compiles, timeline = self._kinds, self._compiles, self._timeline
        rows, spans, whole = [], [], []
        batch = Batch(events[0].index if events else 0, rows, [event.metadata_json for event in events], {}, [], [], self._new_origins(), self._new_pids(), self._new_stacks(), spans, whole)
        for event in events:
            kind = kinds.get((event.type, event.name))
            if kind is None:
                kind = self._new_kind(event, batch)
            number = compiles.get((event.compile_id, event.occurrence))
            if number is None:
                number = self._new_compile(event, batch)
            event.kind_index, event.compile_index = kind, number
            rows.append((
                kind, number, event.rank, event.line, event.byte_offset, event.size_bytes, event.time_us, event.origin_index, event.pid_index,
                event.blob_index, event.blob_offset, event.payload_size_bytes or 0,
            ))  # fmt: skip
            if event.payload_form != "lf" and event.payload_size_bytes is not None:
                batch.payload_forms[event.index] = event.payload_form
            span = event.trace_event
            if span is None:
                whole.append(event)
                continue
            arguments = span.get("args")
            compile_id = arguments.get("compile_id") if type(arguments) is dict else None
            spans.append((event.index, number, span["name"], span["ph"], span["ts"], span.get("dur"), compile_id))
            if timeline is None or span["name"] in timeline:
                whole.append(event)
        return batch

    def _new_kind(self, event: Event, batch: Batch) -> int:
        batch.kinds.append((event.type, event.name, event.value.get("encoding") if type(event.value) is dict else None))
        return self._kinds.setdefault((event.type, event.name), len(self._kinds))

    def _new_compile(self, event: Event, batch: Batch) -> int:
        batch.compiles.append((event.compile_id, event.occurrence, event.index))
        return self._compiles.setdefault((event.compile_id, event.occurrence), len(self._compiles))

    def _new_origins(self) -> list[str]:
        origins = self._decoder.origins
        first, self._known_origins = self._known_origins, len(origins)
        new = islice(origins, first, None) if first < len(origins) else ()
        return [f"{path.decode('utf-8', 'replace')}:{int(line[:15])}" for _, path, line in new]

    def _new_pids(self) -> list[int]:
        pids = self._decoder.pids
        first, self._known_pids = self._known_pids, len(pids)
        return list(islice(pids, first, None)) if first < len(pids) else []

    def _new_stacks(self) -> tuple[list, list]:
        rows, self._known_stacks = self._decoder.stacks.rows_since(self._known_stacks)
        return rows
