"""The table ``exports``: one row per call of torch.export, with its outcome."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from tlparse_bundle.base.wording import first_line
from tlparse_bundle.model.compiles import EXPORT_RECORDS
from tlparse_bundle.statements.export_calls import (
    DRAFT,
    EXPORT,
    ONNX,
    PLAIN,
    ahead_of_time,
    caller,
    captures,
    conversion,
    export_around,
    stack,
    stop_around,
)
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.failure_groups import CAPTURED, Failure, failures
from tlparse_bundle.tables.rows import Rows

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ExportsConversions, ExportsRow

    Outcome = Literal["succeeded", "failed", "unknown"]
_Window = tuple[int, float]  # events of a call, see ``export_around``
_DRAFTED = frozenset(("missing_fake_kernel", "mismatched_fake_kernel"))


def export_table(facts: Facts) -> Iterator[tuple[str, Rows[Any]]]:
    """Yield the table ``exports``."""
    yield "exports", Rows(facts.once(export_calls))


def export_calls(facts: Facts) -> list[ExportsRow]:
    """Return the calls of torch.export, in file order.

    They come from records (TORCH_DTRACE), else from captures of Dynamo and from failures.
    """
    failed = [failure for failure in facts.once(failures) if failure.export is not None]
    by_window: dict[_Window, Failure] = {}
    others: list[Failure] = []
    recovered = {failure.recovery: failure for failure in failed if failure.recovery is not None}
    for failure in failed:
        window = export_around(facts, failure.events[0])
        if failure.recovery is not None:
            continue
        if window is None:
            others.append(failure)
        else:
            by_window.setdefault(window, failure)
    attempts = {
        window
        for failure in failed
        for attempt in (*failure.attempts, *([failure] if failure.recovery is not None else []))
        if (window := export_around(facts, attempt.events[0])) is not None
    } - by_window.keys()
    calls = [
        _recorded(facts, record, by_window)
        for record in facts.table(EXPORT_RECORDS)
        if _window(facts, record) not in attempts
    ]
    calls += [_call(facts, failure.events[0], "failed", failure) for failure in others]
    calls += _captured(facts, failed)
    for call in calls:
        first = recovered.get(call["event"])
        if first is not None:
            call["event"], call["function"] = first.events[0], ONNX
            call["conversions"] = [_conversion(facts, first), *call["conversions"]]
    return sorted(calls or _drafted(facts), key=lambda call: call["event"])


def _window(facts: Facts, record: Mapping[str, Any]) -> _Window | None:
    return None if record["start_event"] is None else export_around(facts, record["start_event"])


def _recorded(facts: Facts, record: Mapping[str, Any], by_window: Mapping[_Window, Failure]) -> ExportsRow:
    """Return the call of a record. Without a program it failed if the log goes on after it."""
    window = _window(facts, record)
    failure = None if window is None else by_window.get(window)
    stop = None if window is None else _stop(facts, window)
    event = record["program_event"] if record["start_event"] is None else record["start_event"]
    outcome: Outcome = "succeeded"
    if record["program_event"] is None:
        has_ended = failure is not None or stop is not None or (window and _is_followed(facts, window))
        outcome = "failed" if has_ended else "unknown"
    call = _call(facts, event, outcome, failure)
    call["start_event"], call["program_event"] = record["start_event"], record["program_event"]
    call["compile"], call["attempt"] = record["compile"], record["attempt"]
    if record["start_event"] is None:
        call["function"] = DRAFT
    if failure is None and stop is not None:
        call["failure_event"] = stop["event"]
        call["reason"] = f"data-dependent condition: {stop['expr'] or '?'}"
    return call


def _stop(facts: Facts, window: _Window) -> Mapping[str, Any] | None:
    """Return the record of the condition at which a call stopped, or None."""
    if stop_around(facts, window[0]) is None:
        return None
    return next(
        (
            row
            for row in facts.lists("export_failures")
            if window[0] <= row["event"] < window[1]
            and row["kind"] == "data_dependent_error"
            and row["result"] is None
        ),
        None,
    )


def _is_followed(facts: Facts, window: _Window) -> bool:
    """Return whether another call or a compile of its own comes after a call."""
    if window[1] < math.inf:
        return True
    return any(
        frame.row["first_event"] > window[0] and not _is_of_export(facts, frame.row) for frame in facts.frames
    )


def _is_of_export(facts: Facts, compile: Mapping[str, Any]) -> bool:
    return caller(stack(facts, compile["stack"])) == EXPORT


def _captured(facts: Facts, failed: list[Failure]) -> Iterator[ExportsRow]:
    """Yield the calls without a record in which Dynamo captured a graph, and that did not fail."""
    ahead = {span.number for span in facts.once(ahead_of_time)}
    spans = [
        (begin, span)
        for span in captures(facts)
        if span.number not in ahead
        and export_around(facts, begin := facts.span_row(span)["begin_event"]) is None
    ]
    ends = [
        one.events[-1] for failure in failed for one in (failure, *failure.attempts) if one.export == CAPTURED
    ]
    stopped = {max((begin for begin, _ in spans if begin < end), default=-1) for end in ends}
    for begin, span in spans:
        if begin not in stopped:
            outcome: Outcome = "unknown" if span.duration_us is None else "succeeded"
            yield _call(facts, begin, outcome, None)


def _drafted(facts: Facts) -> list[ExportsRow]:
    """Return the call of a log of draft_export without a program."""
    first = next(
        (
            row["event"]
            for row in facts.lists("export_failures")
            if row["kind"] in _DRAFTED and facts.frame_with(facts.number_of(row)) is None
        ),
        None,
    )
    if first is None:
        return []
    call = _call(facts, first, "unknown", None)
    call["function"] = DRAFT
    return [call]


def _call(
    facts: Facts,
    event: int,
    outcome: Outcome,
    failure: Failure | None,
) -> ExportsRow:
    compile = None if failure is None else facts.compiles[failure.compile_index]
    via = None if failure is None else conversion(failure.frames)
    return {
        "event": event,
        "start_event": None,
        "program_event": None,
        "compile": None if compile is None else compile["compile"],
        "attempt": None if compile is None else compile["attempt"],
        "outcome": outcome,
        "reason": None if failure is None else _reason(failure),
        "failure_event": None if failure is None else failure.events[-1],
        "function": PLAIN if via is None else via.name,
        "conversions": [_conversion(facts, attempt) for attempt in (failure.attempts if failure else ())],
    }


def _conversion(facts: Facts, attempt: Failure) -> ExportsConversions:
    window = export_around(facts, attempt.events[0])
    return {
        "start_event": None if window is None else window[0],
        "program_event": None,
        "failure_event": attempt.events[-1],
        "reason": _reason(attempt),
    }


def _reason(failure: Failure) -> str | None:
    """Return type and first line of the message; None when torch logged neither."""
    type_ = failure.cells.get("type")
    parts = [type_ and type_.rpartition(".")[2], first_line(failure.cells.get("reason"))]
    return ": ".join(filter(None, parts)) or None
