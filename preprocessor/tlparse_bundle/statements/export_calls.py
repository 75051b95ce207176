"""What has no frame: torch.export, including where it stopped, and ahead-of-time compiles."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from tlparse_bundle.model.compiles import EXPORT_RECORDS
from tlparse_bundle.statements.facts import CAPTURE_SPAN, Facts
from tlparse_bundle.statements.timeline import Span

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ExportFailuresRow, FailuresRow

EXPORT, AHEAD, AOT_INDUCTOR, DECOMPOSITIONS = "export", "ahead", "aot_inductor", "decompositions"
AOT_SPAN = "compile_fx_aot"  # of AOTInductor
_BACKEND_SPANS = frozenset(("create_aot_dispatcher_function", "inductor_compile", "vllm_backend"))
_EXPORTS = re.compile(r"(?:^|[/\\])torch[/\\]export[/\\]")
_COMPILES_AHEAD = re.compile(r"(?:^|[/\\])torch[/\\]_dynamo[/\\]aot_compile\.py$")
_AOT_INDUCTOR = re.compile(r"(?:^|[/\\])torch[/\\]_inductor[/\\]")
Function = Literal["torch.export", "torch.export.draft_export", "torch.onnx.export"]
PLAIN: Final = "torch.export"
DRAFT: Final = "torch.export.draft_export"
ONNX: Final = "torch.onnx.export"
# Functions that export one program in several ways until one succeeds.
_CONVERTERS: dict[Function, re.Pattern[str]] = {
    ONNX: re.compile(r"(?:^|[/\\])torch[/\\]onnx[/\\]"),
    DRAFT: re.compile(r"(?:^|[/\\])torch[/\\]export[/\\]_draft_export\.py$"),
}


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
    """Return what a stack is below: EXPORT, DECOMPOSITIONS (of an exported program), AHEAD or AOT_INDUCTOR.

    None for anything else. The outermost call of torch decides.
    """
    for frame in frames:
        if _EXPORTS.search(frame.file):
            return DECOMPOSITIONS if frame.name == "run_decompositions" else EXPORT
        if _AOT_INDUCTOR.search(frame.file):
            return AOT_INDUCTOR
        if _COMPILES_AHEAD.search(frame.file):
            return AHEAD
    return None


class Conversion(NamedTuple):
    """A stack below a function that tries several ways: its name, its call, and the way that it tried."""

    name: Function
    call: tuple[Frame, ...]
    way: tuple[Frame, ...]


def conversion(frames: Sequence[Frame]) -> Conversion | None:
    """Return the conversion that a stack is below; None for a call of torch.export itself."""
    for number, frame in enumerate(frames):
        for name, file in _CONVERTERS.items():
            if file.search(frame.file):
                end = next(
                    (
                        place
                        for place, inner in enumerate(frames)
                        if place > number and _EXPORTS.search(inner.file) and not file.search(inner.file)
                    ),
                    len(frames),
                )
                return Conversion(name, tuple(frames[:number]), tuple(frames[number:end]))
    return None


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
        if caller(stack(facts, row["stack"])) in (AHEAD, AOT_INDUCTOR):
            ended.add(max((span.number for span in spans if begins[span.number] < row["event"]), default=-1))
    return ended


def next_begin(facts: Facts, event_index: int) -> int | None:
    """Return the begin of the first export after an event: its record, or the span of its capture."""
    ahead = {span.number for span in facts.once(ahead_of_time)}
    begins = [begin for begin, _ in facts.once(_windows)] or [
        facts.span_row(span)["begin_event"] for span in captures(facts) if span.number not in ahead
    ]
    return min((begin for begin in begins if begin > event_index), default=None)


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
    begins = [row["start_event"] for row in facts.table(EXPORT_RECORDS)]
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
