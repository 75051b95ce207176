"""Failures of compiles, of torch.export and outside both, each grouped with all its records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlparse_bundle.statements.attempt_list import FrameCompile, FrameKey
from tlparse_bundle.statements.export_calls import (
    DECOMPOSITIONS,
    EXPORT,
    ONNX,
    Frame,
    caller,
    captures,
    conversion,
    export_around,
    next_begin,
    stack,
    stop_around,
)
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.settings import settings

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FailuresRow, GraphBreaksRow

# torch/_inductor/compile_worker/subproc_pool.py: of its record, and of the exception of each pending job.
_DEATH = re.compile(r"sidecar pid=(?P<pid>\d+) returncode=\S*\s*(?P<output>.*)", re.DOTALL)
CAPTURED, CALLED = "captured", "called"  # exports with and without a span
_NESTED = ("fx_interpreter", "make_fx")


@dataclass(slots=True)
class Failure:
    """One failure: ``phase`` is the kind of its record or 'export', ``cells`` merges its failures rows."""

    phase: str
    compile_index: int
    name: str | None  # of the function
    cells: dict[str, Any] = field(default_factory=dict)
    events: list[int] = field(default_factory=list)
    export: str | None = None  # of torch.export: CAPTURED or CALLED
    # Stack of its compile, or of its last record outside any compile.
    frames: list[Frame] = field(default_factory=list)
    # Later ways to convert the same program, which failed too (see ``conversion``).
    attempts: list[Failure] = field(default_factory=list)
    recovery: int | None = None  # the first event of the way that succeeded after this one failed

    def add(self, row: Mapping[str, Any]) -> None:
        self.events.append(row["event"])
        for cell, value in row.items():
            if self.cells.get(cell) is None:
                self.cells[cell] = value
        if row["kind"] != "exception" and self.phase not in (EXPORT, DECOMPOSITIONS):
            self.phase = row["kind"]


def failures(facts: Facts) -> list[Failure]:
    """Return all failures, in the order of their first records.

    Excludes compiles that the recompile limit refused, and records that a graph break or an export finding
    covers. A record nested in a compile belongs to the failure of that compile, if it failed.
    """
    by_key: dict[tuple[Any, ...], Failure] = {}
    nested: list[tuple[FrameKey, FailuresRow]] = []
    deaths: list[tuple[int, FailuresRow]] = []
    broken = facts.once(breaks_by_frame)
    for number, row in enumerate(facts.table("failures")):
        compile = facts.compiles[facts.number_of(row)]
        if row["kind"] == "restart" or facts.number_of(row) in facts.refused:
            continue
        frame = facts.frame_key(compile)
        if row["kind"] == "compile_worker":
            deaths.append((number, row))
        elif facts.frame_of(frame) is None:
            _outside(facts, by_key, number, row)
        elif row["kind"] in _NESTED:
            nested.append((frame, row))
        elif not matches_break(broken.get(frame, ()), row["reason"]):
            key = (*frame, "backward" in row["kind"])
            if key not in by_key:
                by_key[key] = _of_compile(facts, row)
            by_key[key].add(row)
    for frame, row in nested:
        failure = by_key.get((*frame, False)) or by_key.get((*frame, True))
        if failure is not None:
            failure.add(
                {**row, "kind": "exception"}
                if row["kind"] == "fx_interpreter"
                else {"event": row["event"], "kind": "exception"}
            )
    for number, row in deaths:
        _add_death(facts, by_key, number, row)
    for failure in by_key.values():
        failure.events.sort()
    roots = _with_attempts(by_key.values())
    for failure in roots:
        failure.recovery = _recovery(facts, failure)
    return roots


def _recovery(facts: Facts, failure: Failure) -> int | None:
    """Return the begin of the second way of a conversion, if only the first one failed.

    torch.onnx.export always tries strict=True after strict=False failed.
    """
    way = conversion(failure.frames)
    if way is None or way.name != ONNX or failure.attempts or _is_strict(failure.frames):
        return None
    return next_begin(facts, failure.events[-1])


def _is_strict(frames: Iterable[Frame]) -> bool:
    return any(frame.name == "_strict_export" for frame in frames)


def _with_attempts(failures: Iterable[Failure]) -> list[Failure]:
    """Return the failures with each attempt of one conversion below the first one, which torch reports."""
    roots: list[Failure] = []
    for failure in failures:
        if roots and _is_attempt(roots[-1], failure):
            roots[-1].attempts.append(failure)
        else:
            roots.append(failure)
    return roots


def _is_attempt(root: Failure, failure: Failure) -> bool:
    own, first = conversion(failure.frames), conversion(root.frames)
    if own is None or first is None or own.call != first.call:
        return False
    before = (conversion(other.frames) for other in (root, *root.attempts))
    return own.way not in {other.way for other in before if other is not None}


def _add_death(facts: Facts, by_key: dict[tuple[Any, ...], Failure], number: int, row: FailuresRow) -> None:
    """Add the death of a worker process to the failures that name the process; without one, on its own."""
    death = _DEATH.search(row["reason"] or "")
    output = death["output"].strip().rpartition("\n")[2] if death else ""
    process = f"sidecar (pid {death['pid']})" if death else ""
    named = [failure for failure in by_key.values() if process and process in (failure.cells["reason"] or "")]
    for failure in named:
        failure.add({"event": row["event"], "kind": "exception", "worker_output": output})
    if not named:
        by_key[number,] = failure = Failure(row["kind"], facts.number_of(row), None)
        failure.add({**row, "worker_output": output})


def _of_compile(facts: Facts, row: FailuresRow) -> Failure:
    compile = facts.compiles[facts.number_of(row)]
    frames = stack(facts, compile["stack"])
    exported = caller(frames) == EXPORT
    return Failure(
        EXPORT if exported else row["kind"],
        facts.number_of(row),
        compile["function"] or row["function"],
        frames=frames,
        export=CAPTURED if exported else None,
    )


def _outside(facts: Facts, by_key: dict[tuple[Any, ...], Failure], number: int, row: FailuresRow) -> None:
    """Add a record outside any frame."""
    frames = stack(facts, row["stack"])
    compile = facts.compiles[facts.number_of(row)]
    # From torch 2.15 on, an export has a compile id but no record of the start of its compile.
    called = caller(frames)
    if not (called == EXPORT or (row["kind"] == "make_fx" and compile["frame_id"] is not None)):
        by_key[number,] = failure = Failure(
            DECOMPOSITIONS if called == DECOMPOSITIONS else row["kind"],
            facts.number_of(row),
            compile["function"] or row["function"],
            frames=frames,
        )
        failure.add(row)
        return
    if row["kind"] == "make_fx" and stop_around(facts, row["event"]) is not None:
        return
    window = export_around(facts, row["event"])
    last = next(reversed(by_key.values()), None)
    same = last if last is not None and _same_export(last, frames) else by_key.get((EXPORT, window))
    if same is None:
        same = by_key[(number,) if window is None else (EXPORT, window)] = Failure(
            EXPORT, facts.number_of(row), None
        )
    captured = row["kind"] not in _NESTED or (_is_strict(frames) and bool(captures(facts)))
    same.export = CAPTURED if captured else CALLED
    same.frames, same.name = frames, row["function"] or same.name
    same.add(row)


def _same_export(last: Failure, frames: Sequence[Frame]) -> bool:
    """Whether a record with this stack logs the last failure's exception, further up in the same export."""
    return (
        last.export is not None
        and 0 < len(frames) < len(last.frames)
        and last.frames[: len(frames) - 1] == list(frames[:-1])
    )


def is_suppressed(facts: Facts, compile_index: int) -> bool:
    """Whether Dynamo runs the function eager instead of raising the error."""
    at = facts.once(settings).value_at(compile_index, "dynamo_config", "suppress_errors")
    return (facts.once(settings).value("dynamo_config.suppress_errors") if at is None else at) is True


def breaks_by_frame(facts: Facts) -> dict[FrameKey, list[GraphBreaksRow]]:
    """Return the graph breaks of each frame compile: a row of `graph_breaks` for each record."""
    breaks: dict[FrameKey, list[GraphBreaksRow]] = {}
    for row in facts.table("graph_breaks"):
        for number in facts.once(break_attempts)[row["id"]]:
            breaks.setdefault(facts.frame_key(facts.compiles[number]), []).append(row)
    return breaks


def break_attempts(facts: Facts) -> list[list[int]]:
    """Return, for each graph break, the attempt of each of its records."""
    attempts: list[list[int]] = [[] for _ in facts.table("graph_breaks")]
    for record in facts.table("graph_break_records"):
        attempts[record["graph_break"]].append(facts.number_of(record))
    return attempts


def matches_break(breaks: Sequence[GraphBreaksRow], message: str | None) -> bool:
    """Whether a message contains the reason of one of these graph breaks."""
    return any(row["reason"] in (message or "") for row in breaks)


def is_named(reason: str) -> bool:
    """Whether the reason of a restart is the name of a class of torch, not a graph break."""
    return reason.startswith("<class 'torch.")


def lost_us(facts: Facts, frame: FrameCompile) -> int | None:
    """Return the time of the attempts before the last one, from the metrics; None when not recorded."""
    event = frame.row["metrics_event"]
    metrics = facts.metrics_of(event)
    values = metrics["values"] if metrics is not None else {}
    lost = values.get("dynamo_compile_time_before_restart_us")
    if lost is None and values.get("dynamo_time_before_restart_s") is not None:
        lost = values["dynamo_time_before_restart_s"] * 1e6
    return round(lost) if isinstance(lost, int | float) else None
