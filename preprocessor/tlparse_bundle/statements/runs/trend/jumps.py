"""Where the level of a series of numbers changes for good, and where it does not: outliers and noise are no
jumps.

A jump stands before a run when the median of the runs behind it, up to ten, differs from that of the ten
before by more than twice what neighbouring runs differ by otherwise (the 90th percentile), and by enough to
matter. Where nothing varies, three runs on each side are enough, else it takes five. Among neighbouring
places it is the one that leaves least to explain. What grows from run to run all the time is no jump: both
sides must be flat, compared with the step between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

WINDOW = 10  # runs on each side
FEWEST = 5
FEWEST_CONSTANT = 3  # where both sides do not vary
_TIMES_NOISE = 2
_FLAT = (
    0.5  # of the step between two sides, what they may change in themselves; where all grows evenly it is 1
)
_QUANTILE = 0.9


class Least(NamedTuple):
    """How much a level must change to matter: by so much, and by this share of what it was."""

    change: float
    share: float = 0.0


class Jump(NamedTuple):
    """``at``: the first number of the new level; ``before`` and ``after`` are medians."""

    at: int
    before: float
    after: float


def jumps(numbers: Sequence[float], least: Least) -> list[Jump]:
    """The jumps of a series, in its order."""
    noise = _noise(numbers)
    places = [0, *_places(numbers, noise, least), len(numbers)]
    found = []
    for begin, at, end in zip(places, places[1:], places[2:], strict=False):
        before, after = _sides(numbers, begin, at, end)
        jump = Jump(at, median(before), median(after))
        if _matters(jump.before, jump.after, noise, least) and abs(
            _slope(before) + _slope(after)
        ) <= _FLAT * abs(jump.after - jump.before):
            found.append(jump)
    return found


def last_differs(numbers: Sequence[float], least: Least, begin: int = 0) -> Jump | None:
    """Where the last numbers, not enough for a jump, are beyond all from ``begin`` on, the last jump; None
    when they are not.
    """
    noise = _noise(numbers)
    for at in range(max(begin + FEWEST, len(numbers) - FEWEST + 1), len(numbers)):
        earlier, after = numbers[begin:at], numbers[at:]
        level = median(earlier[-WINDOW:])
        beyond = min(after) > max(earlier) or max(after) < min(earlier)
        if beyond and all(_matters(level, number, noise, least) for number in after):
            return Jump(at, level, median(after))
    return None


def _places(numbers: Sequence[float], noise: float, least: Least) -> list[int]:
    """Where levels change: the first place, then what there is on both sides of it."""
    places, todo = [], [(0, len(numbers))]
    while todo:
        begin, end = todo.pop()
        group = _first_group(
            at for at in range(begin + 1, end) if _is_jump(*_sides(numbers, begin, at, end), noise, least)
        )
        if group:
            first, last = max(begin, group[0] - WINDOW), min(end, group[-1] + WINDOW)
            place = min(group, key=lambda at: _left(numbers[first:at]) + _left(numbers[at:last]))
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
    """How much higher the second half is than the first."""
    half = len(numbers) // 2
    return median(numbers[-half:]) - median(numbers[:half]) if half else 0.0


def _noise(numbers: Sequence[float]) -> float:
    """What neighbours differ by, but for the tenth that differ most; where these are few, not counting the
    largest.
    """
    steps = sorted(abs(after - before) for before, after in pairwise(numbers))
    return steps[int(_QUANTILE * (len(steps) - 1))] if len(steps) > 1 else 0.0


def _first_group(places: Iterable[int]) -> list[int]:
    """The first place, with those that follow it without a gap."""
    group: list[int] = []
    for place in places:
        if group and place > group[-1] + 1:
            break
        group.append(place)
    return group


def _left(numbers: Sequence[float]) -> float:
    """What is left to explain when all of them are said to be the median."""
    middle = median(numbers)
    return sum(abs(number - middle) for number in numbers)
