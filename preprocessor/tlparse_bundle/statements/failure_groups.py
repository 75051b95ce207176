"""Failures of compiles, of torch.export and outside both, each grouped with all its records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlparse_bundle.statements.attempt_list import FrameCompile, FrameKey
from tlparse_bundle.statements.export_calls import (
    EXPORT,
    Frame,
    ahead_of_time,
    caller,
    captures,
    export_around,
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

    def add(self, row: Mapping[str, Any]) -> None:
        self.events.append(row["event"])
        for cell, value in row.items():
            if self.cells.get(cell) is None:
                self.cells[cell] = value
        if row["kind"] != "exception" and self.phase != EXPORT:
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
    return list(by_key.values())


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
    if not (caller(frames) == EXPORT or (row["kind"] == "make_fx" and compile["frame_id"] is not None)):
        by_key[number,] = failure = Failure(
            row["kind"], facts.number_of(row), compile["function"] or row["function"], frames=frames
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
    strict = any(frame.name == "_strict_export" for frame in frames)
    captured = row["kind"] not in _NESTED or (strict and bool(captures(facts)))
    same.export = CAPTURED if captured else CALLED
    same.frames, same.name = frames, row["function"] or same.name
    same.add(row)


def export_count(facts: Facts) -> int:
    """Return the number of torch.export calls, by their records (TORCH_DTRACE), spans and failures."""
    captured = len(set(captures(facts)) - set(facts.once(ahead_of_time)))
    return max(
        captured + sum(failure.export == CALLED for failure in facts.once(failures)),
        len(facts.table("exports")),
    )


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


def lost_us(facts: Facts, frame: FrameCompile) -> int | None:
    """Return the time of the attempts before the last one, from the metrics; None when not recorded."""
    event = frame.row["metrics_event"]
    metrics = facts.metrics_of(event)
    values = metrics["values"] if metrics is not None else {}
    lost = values.get("dynamo_compile_time_before_restart_us")
    if lost is None and values.get("dynamo_time_before_restart_s") is not None:
        lost = values["dynamo_time_before_restart_s"] * 1e6
    return round(lost) if isinstance(lost, int | float) else None
