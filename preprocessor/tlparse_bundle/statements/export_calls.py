"""Calls that compile without a frame of their own: torch.export, with the conditions at which it stopped, and
compiling ahead of time.
"""

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
    """The frames of a stack, outermost first; empty without a stack."""
    frames, stacks = [], facts.table("stacks")
    while id is not None and id >= 0:
        row = stacks[id]
        frames.append(Frame(row["file"] or "", row["line"], row["function"]))
        id = row["parent"]
    return frames[::-1]


def caller(frames: Sequence[Frame]) -> str | None:
    """Whether torch.export or an ahead-of-time compile called it: EXPORT, AHEAD or None."""
    if any(_EXPORTS.search(frame.file) for frame in frames):
        return EXPORT
    return AHEAD if any(_COMPILES_AHEAD.search(frame.file) for frame in frames) else None


def captures(facts: Facts) -> list[Span]:
    """Outermost spans in which Dynamo captures a graph without a frame."""
    return [span for span in facts.compile_spans if span.name == CAPTURE_SPAN]


def ahead_of_time(facts: Facts) -> list[Span]:
    """Compiles ahead of time: by AOTInductor, and captures in which a backend compiles (``aot_compile``, as
    in vLLM) or would have, had Dynamo not failed.
    """
    ahead = facts.timeline.with_one_of(_BACKEND_SPANS) | _failed_captures(facts)
    return [
        span
        for span in facts.compile_spans
        if span.name == AOT_SPAN or (span.name == CAPTURE_SPAN and span.number in ahead)
    ]


def _failed_captures(facts: Facts) -> set[int]:
    """Capture spans, by index, that a failure of an ahead-of-time compile ended."""
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
    """The export that a record of torch.export belongs to: events from its begin to that of the next one.

    None where exports left no records.
    """
    return _around(facts.once(_windows), event_index)


def stops(facts: Facts) -> list[tuple[int, float]]:
    """Events from the begin of each export that stopped at a condition to that of the next one: make_fx tells
    of it, too.
    """
    stop_events = sorted(row["event"] for row in facts.lists("export_failures") if _stops(row))
    return [(begin, end) for begin, end in facts.once(_windows) if _within(stop_events, begin, end)]


def stop_around(facts: Facts, event_index: int) -> tuple[int, float] | None:
    """Which of these stops a record belongs to."""
    return _around(facts.once(stops), event_index)


def _around(windows: list[tuple[int, float]], event_index: int) -> tuple[int, float] | None:
    position = bisect_right(windows, (event_index, math.inf)) - 1
    return windows[position] if position >= 0 and event_index < windows[position][1] else None


def graph_ends(facts: Facts) -> dict[int, FailuresRow]:
    """For the records of such stops, by event: the row of the failure table in which make_fx says where the
    graph ends that it had made by then.
    """
    stop_events = sorted(row["event"] for row in facts.lists("export_failures") if _stops(row))
    ends: dict[int, FailuresRow] = {}
    for row in facts.table("failures"):
        if row["kind"] == "make_fx" and row["file"] is not None:
            before, stop = bisect_left(stop_events, row["event"]) - 1, stop_around(facts, row["event"])
            if before >= 0 and stop is not None and stop[0] <= stop_events[before]:
                ends.setdefault(stop_events[before], row)
    return ends


def _windows(facts: Facts) -> list[tuple[int, float]]:
    """The first event of each export, and that of the next one."""
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
