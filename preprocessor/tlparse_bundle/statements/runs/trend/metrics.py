"""What is drawn over time: each number of a run, what it is called, and when it matters that it changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from tlparse_bundle.base.wording import duration
from tlparse_bundle.statements.runs.trend.jumps import Least

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECONDS, COUNT = "us", "count"
_LEAST = {MICROSECONDS: Least(100_000, 0.05), COUNT: Least(1)}


class Metric(NamedTuple):
    """``key`` names it in the document; ``worse`` is 'more', 'less' or None where neither is."""

    key: str
    title: str
    unit: str
    worse: str | None
    help: str

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
)  # may tell why a run ended early

METRICS = (
    Metric(
        COMPILE_TIME,
        "compile time",
        MICROSECONDS,
        "more",
        "Time of compiling, forward and backward, no overlap twice. Of several logs: of the slowest one.",
    ),
    Metric(
        "dynamo_time_us",
        "time in Dynamo",
        MICROSECONDS,
        "more",
        "Of the same log: tracing Python code, and guards.",
    ),
    Metric(
        "aot_time_us",
        "time in AOTAutograd",
        MICROSECONDS,
        "more",
        "Of the same log: forward and backward graphs; another backend counts here, too.",
    ),
    Metric(
        "inductor_time_us", "time in Inductor", MICROSECONDS, "more", "Of the same log: code of the kernels."
    ),
    Metric(
        "backward_time_us",
        "time of later backward compiles",
        MICROSECONDS,
        "more",
        "Of the same log: backward graphs that were compiled when they were needed, in all phases.",
    ),
    Metric(
        "compile_count",
        "compiles",
        COUNT,
        None,
        "Frames and ahead-of-time compiles. Of several logs: of the one with most.",
    ),
    Metric(
        "graph_break_count",
        "graph breaks",
        COUNT,
        "more",
        "How often a graph broke. Of several logs: of the one with most.",
    ),
    Metric(
        "recompile_count",
        "recompiles",
        COUNT,
        "more",
        "Frames that were compiled again because guards failed. Of several logs: of the one with most.",
    ),
    Metric(
        "recompile_limit_count",
        "functions at the recompile limit",
        COUNT,
        "more",
        "Functions that torch refused to compile again. Of several logs: of the one with most.",
    ),
    Metric(
        "failure_count",
        "failures",
        COUNT,
        "more",
        "What failed, each once. Of several logs: of the one with most.",
    ),
    Metric(
        "unfinished_count",
        "compiles that did not end",
        COUNT,
        "more",
        "Compiles that were open when the log ended. Of several logs: of the one with most.",
    ),
    Metric(
        "fx_graph_hit_count",
        "hits of the FX graph cache",
        COUNT,
        "less",
        "Unknown where the cache was not asked. Of several logs: of the one with most misses.",
    ),
    Metric(
        "fx_graph_miss_count",
        "misses of the FX graph cache",
        COUNT,
        "more",
        "Unknown where the cache was not asked. Of several logs: of the one with most.",
    ),
    Metric(
        "aot_autograd_hit_count",
        "hits of the AOTAutograd cache",
        COUNT,
        "less",
        "Unknown where the cache was not asked. Of several logs: of the one with most misses.",
    ),
    Metric(
        "aot_autograd_miss_count",
        "misses of the AOTAutograd cache",
        COUNT,
        "more",
        "Unknown where the cache was not asked. Of several logs: of the one with most.",
    ),
    Metric(
        "error_count",
        "findings that are errors",
        COUNT,
        "more",
        "Of several logs: of the one with most. What the ranks of a job say together does not count.",
    ),
    Metric(
        "warning_count",
        "findings that are warnings",
        COUNT,
        "more",
        "Of several logs: of the one with most. What the ranks of a job say together does not count.",
    ),
)
BY_KEY = {metric.key: metric for metric in METRICS}


def day(start_epoch_us: int | None) -> str:
    """'2026-11-03 02:10', in UTC."""
    return (
        "unknown"
        if start_epoch_us is None
        else f"{_EPOCH + timedelta(microseconds=start_epoch_us):%Y-%m-%d %H:%M}"
    )


def value(key: str, number: float | None) -> str:
    """A number of a metric with its unit; '–' when it is unknown."""
    if number is None:
        return "–"
    if BY_KEY[key].unit == MICROSECONDS:
        return duration(number)
    return f"{number:,.1f}".removesuffix(".0")


def step(key: str, before: float, after: float) -> str:
    """'41.2 s → 63 s (+53 %)'."""
    share = (
        f" ({100 * (after - before) / before:+.0f}\u00a0%)".replace("-", "−")
        if before and BY_KEY[key].unit == MICROSECONDS
        else ""
    )
    return f"{value(key, before)} → {value(key, after)}{share}"
