"""Find jumps: runs at which the level of a series of numbers changes permanently.

A jump is before a run if the median of it and up to nine later runs differs from that of the ten runs before
by more than twice the usual difference of neighboring runs (the 90th percentile), and by enough to matter.
Three runs per side suffice if neither side varies, otherwise five are needed. Among neighboring places, the
jump is where the deviation that remains is smallest. Steady growth is not a jump: both sides must be flat
compared with the step between them. Neither are outliers and noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

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
