"""Metrics of a trend: their names, and the least change of each that matters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from tlparse_bundle.base.wording import duration
from tlparse_bundle.statements.runs.trend.jumps import Least

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECONDS, COUNT = "us", "count"
_LEAST = {MICROSECONDS: Least(100_000, 0.05), COUNT: Least(1)}


class Metric(NamedTuple):
    """A number of a run. ``key``: name in the document. ``worse``: 'more', 'less' or None (neutral)."""

    key: str
    title: str
    unit: str
    worse: str | None
    help: str
    one: str = ""  # the title of one, for counts

    @property
    def least(self) -> Least:
        """The least change that matters."""
        return _LEAST[self.unit]


COMPILE_TIME = "compile_us"
PHASES = {f"{phase}_time_us": phase for phase in ("dynamo", "aot", "inductor", "backward")}
CACHES = {
    f"{cache}_{outcome}_count": (cache, outcome)
    for cache in ("fx_graph", "aot_autograd")
    for outcome in ("hit", "miss")
}
FINDINGS = {f"{severity}_count": severity for severity in ("error", "warning")}
OF_THE_END = frozenset(
    ("unfinished_count", "failure_count", "error_count", "warning_count")
)  # may show why a run ended early

METRICS = (
    Metric(
        COMPILE_TIME,
        "compile time",
        MICROSECONDS,
        "more",
        "Forward and backward compile time; overlaps count once. With several logs: the slowest one.",
    ),
    Metric(
        "dynamo_time_us",
        "time in Dynamo",
        MICROSECONDS,
        "more",
        "Tracing Python code and building guards, in the same log.",
    ),
    Metric(
        "aot_time_us",
        "time in AOTAutograd",
        MICROSECONDS,
        "more",
        "Forward and backward graphs, in the same log. Includes backends other than Inductor.",
    ),
    Metric(
        "inductor_time_us",
        "time in Inductor",
        MICROSECONDS,
        "more",
        "Generating kernel code, in the same log.",
    ),
    Metric(
        "backward_time_us",
        "time of later backward compiles",
        MICROSECONDS,
        "more",
        "Backward graphs compiled on first use, all phases, in the same log.",
    ),
    Metric(
        "compile_count",
        "compiles",
        COUNT,
        None,
        "Frames and ahead-of-time compiles. With several logs: the one with the most.",
        "compile",
    ),
    Metric(
        "graph_break_count",
        "graph breaks",
        COUNT,
        "more",
        "Graph breaks. With several logs: the one with the most.",
        "graph break",
    ),
    Metric(
        "recompile_count",
        "recompiles",
        COUNT,
        "more",
        "Compiles of a code object after its first, caused by guard failures. With"
        " several logs: the one with the most.",
        "recompile",
    ),
    Metric(
        "recompile_limit_count",
        "functions at the recompile limit",
        COUNT,
        "more",
        "Functions that Dynamo stopped recompiling. With several logs: the one with the most.",
        "function at the recompile limit",
    ),
    Metric(
        "failure_count",
        "failures",
        COUNT,
        "more",
        "Failures, each counted once. With several logs: the one with the most.",
        "failure",
    ),
    Metric(
        "unfinished_count",
        "unfinished compiles",
        COUNT,
        "more",
        "Compiles that were open when the log ended. With several logs: the one with the most.",
        "unfinished compile",
    ),
    Metric(
        "fx_graph_hit_count",
        "FX graph cache hits",
        COUNT,
        "less",
        "Not recorded if the cache was not used. With several logs: the one with the most misses.",
        "FX graph cache hit",
    ),
    Metric(
        "fx_graph_miss_count",
        "FX graph cache misses",
        COUNT,
        "more",
        "Not recorded if the cache was not used. With several logs: the one with the most.",
        "FX graph cache miss",
    ),
    Metric(
        "aot_autograd_hit_count",
        "AOTAutograd cache hits",
        COUNT,
        "less",
        "Not recorded if the cache was not used. With several logs: the one with the most misses.",
        "AOTAutograd cache hit",
    ),
    Metric(
        "aot_autograd_miss_count",
        "AOTAutograd cache misses",
        COUNT,
        "more",
        "Not recorded if the cache was not used. With several logs: the one with the most.",
        "AOTAutograd cache miss",
    ),
    Metric(
        "error_count",
        "errors",
        COUNT,
        "more",
        "With several logs: the one with the most. Findings about several ranks do not count.",
        "error",
    ),
    Metric(
        "warning_count",
        "warnings",
        COUNT,
        "more",
        "With several logs: the one with the most. Findings about several ranks do not count.",
        "warning",
    ),
)
BY_KEY = {metric.key: metric for metric in METRICS}


def day(start_epoch_us: int | None) -> str:
    """Return a time in UTC as '2026-11-03 02:10'."""
    return (
        "unknown"
        if start_epoch_us is None
        else f"{_EPOCH + timedelta(microseconds=start_epoch_us):%Y-%m-%d %H:%M}"
    )


def value(key: str, number: float | None) -> str:
    """Return a number of a metric with its unit; '–' if unknown."""
    if number is None:
        return "–"
    if BY_KEY[key].unit == MICROSECONDS:
        return duration(number)
    return f"{number:,.1f}".removesuffix(".0")


def step(key: str, before: float, after: float) -> str:
    """Return '41.2 s → 63 s (+53 %)'."""
    share = (
        f" ({100 * (after - before) / before:+.0f}\u00a0%)".replace("-", "−")
        if before and BY_KEY[key].unit == MICROSECONDS
        else ""
    )
    return f"{value(key, before)} → {value(key, after)}{share}"
