"""Rows of a comparison (schema: documents/comparison)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypedDict, TypeGuard

from tlparse_bundle.statements.statement import SeverityName

Direction = Literal["new", "gone", "worse", "better", "changed"]
Likeness = Literal["same", "other", "unknown"]
Side = Literal["base", "new"]
SIDES: tuple[Side, Side] = ("base", "new")
OTHER_SIDE: dict[Side, Side] = {"base": "new", "new": "base"}
AnyLog: TypeAlias = "ComparedLog | LoneLog"


class BundleRow(TypedDict):
    """A bundle of a side. ``state`` counts what a growing one had read."""

    name: str
    state: int | None


class LogRow(TypedDict):
    """A log of one side."""

    id: str
    source: str
    torch_version: str | None
    text: str
    untold: list[str]
    ends_early: str | None


class NoiseRow(TypedDict):
    speed: float
    factor: float
    least_us: int
    measured: int
    total_us: int


class Sides(TypedDict):
    """A number of each side; None where the log does not record it."""

    base: int | None
    new: int | None


class KnownSides(TypedDict):
    base: int
    new: int


class CountRow(TypedDict):
    name: str
    base: int | None
    new: int | None


class PhaseRow(TypedDict):
    phase: str
    base_us: int | None
    new_us: int | None


class SpanRow(TypedDict):
    name: str
    base_us: int
    new_us: int
    base_count: int
    new_count: int


class FrameRow(TypedDict):
    compile: str
    file: str | None
    line: int | None


class PartRow(TypedDict):
    """A part of the key of a cache that differs."""

    part: str
    base: str | None
    new: str | None


class LookupRow(TypedDict):
    cache: str
    base: str
    new: str
    different: list[PartRow] | None


class CompileRow(TypedDict):
    """A compile of both runs, or of one."""

    base: FrameRow | None
    new: FrameRow | None
    function: str | None
    base_us: int | None
    new_us: int | None
    graph: Likeness
    code: Likeness
    lookups: list[LookupRow]


class ChangeRow(TypedDict):
    kind: str
    change: Direction
    severity: SeverityName
    title: str
    text: str
    function: str | None
    file: str | None
    line: int | None
    count: int
    cost_us: int | None
    pair_indexes: list[int]
    base_finding_index: int | None
    new_finding_index: int | None
    because_of: int | None
    details: dict[str, Any]


class ComparedLog(TypedDict):
    """A log of both runs."""

    base: LogRow
    new: LogRow
    rank: int | None
    noise: NoiseRow
    compile_us: Sides
    unchanged_us: KnownSides
    counts: list[CountRow]
    phases: list[PhaseRow]
    spans: list[SpanRow]
    compiles: list[CompileRow]
    changes: list[ChangeRow]


class LoneLog(TypedDict):
    """A log without a counterpart: ``base`` or ``new`` is None."""

    base: LogRow | None
    new: LogRow | None
    rank: int | None
    noise: None
    compile_us: None
    unchanged_us: None
    counts: list[CountRow]
    phases: list[PhaseRow]
    spans: list[SpanRow]
    compiles: list[CompileRow]
    changes: list[ChangeRow]


class Summary(TypedDict):
    text: str
    verdict: str
    net_us: int | None
    compile_us: KnownSides | None
    reason: str | None
    notes: list[str]
    change_count: int
    root_count: int


class Comparison(TypedDict):
    format: dict[str, Any]
    made_by: str
    base: list[BundleRow]
    new: list[BundleRow]
    summary: Summary
    logs: list[AnyLog]


def compared(logs: Sequence[AnyLog]) -> list[ComparedLog]:
    """Return the logs of both runs."""
    return [log for log in logs if _is_compared(log)]


def _is_compared(log: AnyLog) -> TypeGuard[ComparedLog]:
    return log["base"] is not None and log["new"] is not None
