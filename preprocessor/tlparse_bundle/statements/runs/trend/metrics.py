"""Metrics of a trend, and detection of jumps between runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from tlparse_bundle.base.wording import duration

WINDOW = 10  # runs on each side
FEWEST = 5
FEWEST_CONSTANT = 3  # if neither side varies
_TIMES_NOISE = 2
_FLAT = 0.5  # the largest slope within the sides, as a part of the step; 1 for steady growth
_QUANTILE = 0.9


class Least(NamedTuple):
    """The least change that matters: absolute, and as a share of the previous level."""

    change: float
    share: float = 0.0


class Jump(NamedTuple):
    """A jump. ``at``: index of the first number of the new level; ``before``, ``after``: medians."""

    at: int
    before: float
    after: float


def jumps(numbers: Sequence[float], least: Least) -> list[Jump]:
    """Return the jumps of a series, in order."""
    noise = _noise(numbers)
    places = [0, *_places(numbers, noise, least), len(numbers)]
    confirmed = []
    for begin, at, end in zip(places, places[1:], places[2:], strict=False):
        before, after = _sides(numbers, begin, at, end)
        jump = Jump(at, median(before), median(after))
        if _matters(jump.before, jump.after, noise, least) and abs(
            _slope(before) + _slope(after)
        ) <= _FLAT * abs(jump.after - jump.before):
            confirmed.append(jump)
    return confirmed


def last_differs(numbers: Sequence[float], least: Least, begin: int = 0) -> Jump | None:
    """Return an unconfirmed jump if the last numbers exceed the range of all since ``begin``; else None."""
    noise = _noise(numbers)
    for at in range(max(begin + FEWEST, len(numbers) - FEWEST + 1), len(numbers)):
        earlier, after = numbers[begin:at], numbers[at:]
        level = median(earlier[-WINDOW:])
        beyond = min(after) > max(earlier) or max(after) < min(earlier)
        if beyond and all(_matters(level, number, noise, least) for number in after):
            return Jump(at, level, median(after))
    return None


def _places(numbers: Sequence[float], noise: float, least: Least) -> list[int]:
    """Return the indexes at which the level changes, ascending. Splits recursively at the first change."""
    places, todo = [], [(0, len(numbers))]
    while todo:
        begin, end = todo.pop()
        group = _first_group(
            at for at in range(begin + 1, end) if _is_jump(*_sides(numbers, begin, at, end), noise, least)
        )
        if group:
            first, last = max(begin, group[0] - WINDOW), min(end, group[-1] + WINDOW)
            place = min(group, key=lambda at: _deviation(numbers[first:at]) + _deviation(numbers[at:last]))
            places.append(place)
            todo += [(place, end), (begin, place)]
    return sorted(places)


def _sides(
    numbers: Sequence[float], begin: int, at: int, end: int
) -> tuple[Sequence[float], Sequence[float]]:
    return numbers[max(begin, at - WINDOW) : at], numbers[at : min(end, at + WINDOW)]


def _is_jump(before: Sequence[float], after: Sequence[float], noise: float, least: Least) -> bool:
    fewest = min(len(before), len(after))
    constant = len(set(before)) == len(set(after)) == 1
    return fewest >= (FEWEST_CONSTANT if constant else FEWEST) and _matters(
        median(before), median(after), noise, least
    )


def _matters(before: float, after: float, noise: float, least: Least) -> bool:
    change = abs(after - before)
    return change > _TIMES_NOISE * noise and change >= max(least.change, least.share * abs(before))


def _slope(numbers: Sequence[float]) -> float:
    """Return the median of the second half minus that of the first."""
    half = len(numbers) // 2
    return median(numbers[-half:]) - median(numbers[:half]) if half else 0.0


def _noise(numbers: Sequence[float]) -> float:
    """Return the 90th percentile of the differences between neighbors; of few, the largest but one."""
    steps = sorted(abs(after - before) for before, after in pairwise(numbers))
    return steps[int(_QUANTILE * (len(steps) - 1))] if len(steps) > 1 else 0.0


def _first_group(places: Iterable[int]) -> list[int]:
    """Return the first place and those that follow it without a gap."""
    group: list[int] = []
    for place in places:
        if group and place > group[-1] + 1:
            break
        group.append(place)
    return group


def _deviation(numbers: Sequence[float]) -> float:
    """Return the sum of the absolute deviations from the median."""
    middle = median(numbers)
    return sum(abs(number - middle) for number in numbers)


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
    ),
    Metric(
        "graph_break_count",
        "graph breaks",
        COUNT,
        "more",
        "Graph breaks. With several logs: the one with the most.",
    ),
    Metric(
        "recompile_count",
        "recompiles",
        COUNT,
        "more",
        "Compiles of a code object after its first, caused by guard failures. With"
        " several logs: the one with the most.",
    ),
    Metric(
        "recompile_limit_count",
        "functions at the recompile limit",
        COUNT,
        "more",
        "Functions that Dynamo stopped recompiling. With several logs: the one with the most.",
    ),
    Metric(
        "failure_count",
        "failures",
        COUNT,
        "more",
        "Failures, each counted once. With several logs: the one with the most.",
    ),
    Metric(
        "unfinished_count",
        "unfinished compiles",
        COUNT,
        "more",
        "Compiles that were open when the log ended. With several logs: the one with the most.",
    ),
    Metric(
        "fx_graph_hit_count",
        "FX graph cache hits",
        COUNT,
        "less",
        "Not recorded if the cache was not used. With several logs: the one with the most misses.",
    ),
    Metric(
        "fx_graph_miss_count",
        "FX graph cache misses",
        COUNT,
        "more",
        "Not recorded if the cache was not used. With several logs: the one with the most.",
    ),
    Metric(
        "aot_autograd_hit_count",
        "AOTAutograd cache hits",
        COUNT,
        "less",
        "Not recorded if the cache was not used. With several logs: the one with the most misses.",
    ),
    Metric(
        "aot_autograd_miss_count",
        "AOTAutograd cache misses",
        COUNT,
        "more",
        "Not recorded if the cache was not used. With several logs: the one with the most.",
    ),
    Metric(
        "error_count",
        "errors",
        COUNT,
        "more",
        "With several logs: the one with the most. Findings about several ranks do not count.",
    ),
    Metric(
        "warning_count",
        "warnings",
        COUNT,
        "more",
        "With several logs: the one with the most. Findings about several ranks do not count.",
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
