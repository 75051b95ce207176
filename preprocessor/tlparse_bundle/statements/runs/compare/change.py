"""Rows of a comparison of two runs (schema: comparison), and the changes to print."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, TypeGuard

from tlparse_bundle.base.wording import duration, plural
from tlparse_bundle.statements.statement import (
    SeverityName,
    Stage,
    Statement,
    distinct,
    grouped_by_cause,
    ordered,
)

Direction = Literal["new", "gone", "worse", "better", "changed"]
Likeness = Literal["same", "other", "unknown"]
Side = Literal["base", "new"]
SIDES: tuple[Side, Side] = ("base", "new")
OTHER_SIDE: dict[Side, Side] = {"base": "new", "new": "base"}
AnyLog: TypeAlias = "ComparedLog | LoneLog"


class BundleRow(TypedDict):
    """A bundle of a side. ``state``: records read so far while it grows; else None."""

    name: str
    state: int | None


class LogRow(TypedDict):
    """A log of one side."""

    id: str
    source: str
    torch_version: str | None
    text: str
    not_recorded: list[str]
    ends_early: str | None


class NoiseRow(TypedDict):
    speed: float
    factor: float
    least_us: int
    measured: int
    total_us: int


class Sides(TypedDict):
    """A number of each side; None: not recorded."""

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
    """A part of a cache key that differs."""

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


RunTimeChange = Literal["slower", "faster", "new", "gone", "same"]


class KernelTimeRow(TypedDict):
    """A kernel of both runs, or of one. Base times are scaled to the number of calls in the new run."""

    pair_index: int | None
    base_name: str | None
    new_name: str | None
    matched_by: Literal["code", "lines", "name"] | None
    base_us: float | None
    new_us: float | None
    base_count: int
    new_count: int
    change: RunTimeChange


class LineTimeRow(TypedDict):
    file: str
    line: int
    function: str | None
    code: str | None
    base_us: float | None
    new_us: float | None
    change: RunTimeChange


class RunTimeRow(TypedDict):
    """Measured times. ``missing``: the side without a profiler trace."""

    missing: Side | None
    on_device: bool
    base_us: float
    new_us: float
    speed: float
    kernels: list[KernelTimeRow]
    lines: list[LineTimeRow]


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
    run_time: RunTimeRow | None


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
    run_time: None


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


KINDS = (
    *("torch", "setting", "backend", "vllm", "finding", "graph", "compile", "cache", "code", "memory"),
    *("run_time", "time"),
)
IMPROVEMENTS = frozenset(("gone", "better"))  # values of ``change``
MAX_PRINTED = 40  # changes of a log


@dataclass(slots=True, eq=False, repr=False)
class Change(Statement):
    """A change. ``pairs``: numbers of the affected compiles."""

    change: Direction = field(kw_only=True)
    pairs: Sequence[int] = field(default=(), kw_only=True)
    base_finding_index: int | None = field(default=None, kw_only=True)
    new_finding_index: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.order is None:
            self.order = -KINDS.index(self.kind)

    @property
    def stage(self) -> Stage:
        """Sort key: new errors first."""
        return (not (self.severity == "error" and self.change in ("new", "worse")),)

    def row(self, because_of: int | None) -> ChangeRow:
        return {
            "kind": self.kind,
            "change": self.change,
            **self.cells(),
            "count": self.count,
            "cost_us": self.cost_us,
            "pair_indexes": distinct(self.pairs),
            "base_finding_index": self.base_finding_index,
            "new_finding_index": self.new_finding_index,
            "because_of": because_of,
            "details": self.details,
        }


def rows(changes: Sequence[Change]) -> list[ChangeRow]:
    """Return the rows: causes, most important first, each followed by its effects."""
    changes = ordered(changes)
    by_key: dict[Hashable, int] = {}
    for number, change in enumerate(changes):
        if change.key is not None:
            by_key.setdefault(change.key, number)
    causes = {
        number: by_key[change.because_of]
        for number, change in enumerate(changes)
        if change.because_of in by_key and change.because_of != change.key
    }
    return [change.row(because_of) for change, because_of in grouped_by_cause(changes, causes)]


def identity(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a key that is equal for the same change on different ranks."""
    about = (
        row["details"].get(name) for name in ("fingerprint", "config", "name", "cache", "base", "new", "span")
    )
    return row["kind"], row["change"], row["function"], row["file"], *about


class PrintedLog(NamedTuple):
    """Changes to print for a log, or for several logs with equal changes."""

    name: str
    changes: Sequence[Mapping[str, Any]]
    left_out: int


def printed_logs(document: Mapping[str, Any]) -> Iterator[PrintedLog]:
    """Yield the changes to print. Logs with equal changes are one: that with the highest cost."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for log in document["logs"]:
        if log["changes"]:
            groups.setdefault(tuple(sorted(map(repr, map(identity, log["changes"])))), []).append(log)
    for logs in groups.values():
        worst = max(logs, key=lambda log: log["changes"][0]["cost_us"] or 0)
        side = worst["new"] or worst["base"]
        name = side["id"] if worst["rank"] is None else f"rank {worst['rank']} ({side['id']})"
        also = f", and the same of {plural(len(logs) - 1, 'other log')}" if len(logs) > 1 else ""
        changes = worst["changes"]
        yield PrintedLog(name + also, changes[:MAX_PRINTED], max(0, len(changes) - MAX_PRINTED))


def more_changes(count: int) -> str:
    """Return a sentence about the changes that are not printed."""
    return f"{plural(count, 'more change')}; --json has them all"


def cost_text(cost_us: int) -> str:
    """Return a cost or, below 0, a saving: "+1.2 s"."""
    return f"{'+' if cost_us > 0 else '−'}{duration(abs(cost_us))}"
