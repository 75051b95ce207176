"""Run-to-run noise: which time differences exceed it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

LEAST_US = 50_000  # smaller differences are ignored
LEAST_SHARE = 0.03  # of the compile time
TOTAL_SHARE = 0.1  # noise of the total of one run
_MEASURED_US = 5_000  # shorter times are too imprecise
ENOUGH = 3  # the least number of compiles or spans to estimate the speed of a machine
_LEAST = math.log(1.4)  # smaller changes of one compile or span are not reported
_USUAL = math.log(2)  # assumed noise of one compile or span if there are few
_DEVIATIONS = 4
_MAD = 1.4826  # standard deviation of a normal distribution / its median absolute deviation

Amounts = Mapping[Any, int]  # microseconds by compile or span


class Noise(NamedTuple):
    """Noise between two sides.

    ``speed``: median ratio of new to base times. ``factor``: its spread. ``measured``: number of ratios;
    ``is_reliable``: whether they are enough.
    """

    speed: float
    factor: float
    least_us: int
    measured: int
    is_reliable: bool = True

    def is_exceeded(self, base: Sequence[int], new: Sequence[int]) -> bool:
        """Return whether times of a compile or span, in the runs of each side, differ by more than noise."""
        one, two = median(base), median(new)
        apart = max(base) < min(new) or max(new) < min(base)
        if not apart or min(abs(two - one), abs(two - one * self.speed)) < self.least_us:
            return False
        if one <= 0 or two <= 0:
            return True
        change = math.log(two / one)
        return abs(change - math.log(self.speed)) > math.log(self.factor) and abs(change) > _LEAST


def median(numbers: Iterable[float]) -> float:
    """Return the median, without the slow import of ``statistics``."""
    ordered = sorted(numbers)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def noise(base: Sequence[Amounts], new: Sequence[Amounts]) -> Noise:
    """Return the noise of times that all runs have.

    With one run on a side, only changes relative to the median speed count, since machines differ in speed.
    Several runs on both sides also show the noise of each compile or span.
    """
    names = set.intersection(*(set(amounts) for amounts in (*base, *new)))
    amounts = {name: [[run[name] for run in side] for side in (base, new)] for name in names}
    amounts = {name: sides for name, sides in amounts.items() if min(map(min, sides)) >= _MEASURED_US}
    ratios = [math.log(median(two) / median(one)) for one, two in amounts.values()]
    least_us = max(LEAST_US, round(LEAST_SHARE * median(sum(run.values()) for run in base)))
    if len(base) > 1 and len(new) > 1:
        spread = [math.log(max(side) / min(side)) for sides in amounts.values() for side in sides]
        return Noise(1.0, math.exp(max(_LEAST, max(spread, default=_USUAL))), least_us, len(ratios))
    if len(ratios) < ENOUGH:
        return Noise(1.0, math.exp(_USUAL), least_us, len(ratios), is_reliable=False)
    middle = median(ratios)
    deviation = _MAD * median(abs(ratio - middle) for ratio in ratios)
    return Noise(
        math.exp(middle),
        math.exp(max(_LEAST if len(ratios) > 2 * ENOUGH else _USUAL, _DEVIATIONS * deviation)),
        least_us,
        len(ratios),
    )


def total_noise_us(base: Sequence[int | None], new: Sequence[int | None]) -> int:
    """Return the largest difference of total compile time that counts as noise, from the totals of all runs.

    The noise of a single run is assumed to be a tenth; several runs per side show it.
    """
    totals = [[us for us in side if us is not None] for side in (base, new)]
    first = max((side[0] for side in totals if side), default=0)
    several = min(map(len, totals)) > 1
    spread = max(max(side) - min(side) for side in totals) if several else round(TOTAL_SHARE * first)
    return max(LEAST_US, round(LEAST_SHARE * first), spread)
