"""Compiles without a frame: torch.export, including where it stopped, and ahead-of-time compiles."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tlparse_bundle.statements.facts import CAPTURE_SPAN, Facts
from tlparse_bundle.statements.timeline import Span

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ExportFailuresRow, FailuresRow

EXPORT, AHEAD = "export", "ahead"
AOT_SPAN = "compile_fx_aot"
_BACKEND_SPANS = frozenset(("create_aot_dispatcher_function", "inductor_compile", "vllm_backend"))
_EXPORTS = re.compile(r"(?:^|[/\\])torch[/\\]export[/\\]")
_COMPILES_AHEAD = re.compile(r"(?:^|[/\\])torch[/\\](?:_dynamo[/\\]aot_compile\.py$|_inductor[/\\])")


class Frame(NamedTuple):
    file: str
    line: int
    name: str


def stack(facts: Facts, id: int | None) -> list[Frame]:
    """Return the frames of a stack, outermost first; empty without a stack."""
    frames, stacks = [], facts.table("stacks")
    while id is not None and id >= 0:
        row = stacks[id]
        frames.append(Frame(row["file"] or "", row["line"], row["function"]))
        id = row["parent"]
    return frames[::-1]


def caller(frames: Sequence[Frame]) -> str | None:
    """Return EXPORT or AHEAD for a stack below torch.export or an ahead-of-time compile, otherwise None."""
    if any(_EXPORTS.search(frame.file) for frame in frames):
        return EXPORT
    return AHEAD if any(_COMPILES_AHEAD.search(frame.file) for frame in frames) else None


def captures(facts: Facts) -> list[Span]:
    """Return the outermost spans in which Dynamo captures a graph without a frame."""
    return [span for span in facts.compile_spans if span.name == CAPTURE_SPAN]


def ahead_of_time(facts: Facts) -> list[Span]:
    """Return the spans of ahead-of-time compiles: AOTInductor, and captures by ``aot_compile`` (as in vLLM).

    A capture counts if a backend compiled in it, or if Dynamo failed before the backend.
    """
    ahead = facts.timeline.with_one_of(_BACKEND_SPANS) | _failed_captures(facts)
    return [
        span
        for span in facts.compile_spans
        if span.name == AOT_SPAN or (span.name == CAPTURE_SPAN and span.number in ahead)
    ]


def _failed_captures(facts: Facts) -> set[int]:
    """Return the indexes of capture spans that ended in a failed ahead-of-time compile."""
    rows = [row for row in facts.table("failures") if row["kind"] == "compile" and row["compile"] is None]
    spans = captures(facts) if rows else []
    if not spans:
        return set()
    begins = {span.number: facts.span_row(span)["begin_event"] for span in spans}
    ended = set()
    for row in rows:
        if caller(stack(facts, row["stack"])) == AHEAD:
            ended.add(max((span.number for span in spans if begins[span.number] < row["event"]), default=-1))
    return ended


def export_around(facts: Facts, event_index: int) -> tuple[int, float] | None:
    """Return the export of a record, as events from its start to the next one's; None if not recorded."""
    return _around(facts.once(_windows), event_index)


def stops(facts: Facts) -> list[tuple[int, float]]:
    """Return the exports that stopped at a condition, each as events from its start to the next one's.

    make_fx logs the same stop.
    """
    stop_events = sorted(row["event"] for row in facts.lists("export_failures") if _stops(row))
    return [(begin, end) for begin, end in facts.once(_windows) if _within(stop_events, begin, end)]


def stop_around(facts: Facts, event_index: int) -> tuple[int, float] | None:
    """Return the export of ``stops`` that a record belongs to, or None."""
    return _around(facts.once(stops), event_index)


def _around(windows: list[tuple[int, float]], event_index: int) -> tuple[int, float] | None:
    position = bisect_right(windows, (event_index, math.inf)) - 1
    return windows[position] if position >= 0 and event_index < windows[position][1] else None


def graph_ends(facts: Facts) -> dict[int, FailuresRow]:
    """Return, by the event of each stop, the failures row of make_fx with the place where the graph ends."""
    stop_events = sorted(row["event"] for row in facts.lists("export_failures") if _stops(row))
    ends: dict[int, FailuresRow] = {}
    for row in facts.table("failures"):
        if row["kind"] == "make_fx" and row["file"] is not None:
            before, stop = bisect_left(stop_events, row["event"]) - 1, stop_around(facts, row["event"])
            if before >= 0 and stop is not None and stop[0] <= stop_events[before]:
                ends.setdefault(stop_events[before], row)
    return ends


def _windows(facts: Facts) -> list[tuple[int, float]]:
    """Return the first event of each export and of the next one."""
    begins = [row["start_event"] for row in facts.table("exports")]
    return sorted(
        (begin, math.inf if end is None else end)
        for begin, end in zip(begins, [*begins[1:], None], strict=False)
        if begin is not None
    )


def _stops(row: ExportFailuresRow) -> bool:
    return row["kind"] == "data_dependent_error" and row["result"] is None


def _within(events: list[int], start: int, end: float) -> bool:
    position = bisect_left(events, start)
    return position < len(events) and events[position] < end
