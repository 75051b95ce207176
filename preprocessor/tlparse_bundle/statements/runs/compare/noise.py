"""Which differences of time between runs are more than runs of the same program vary by."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

LEAST_US = 50_000  # less than that is of no interest, whatever it is a multiple of
LEAST_SHARE = 0.03  # of the time of compiling
TOTAL_SHARE = 0.1  # what the total of one run varies by
_MEASURED_US = 5_000  # shorter ones say more about the clock than about the machine
ENOUGH = 3  # things that tell how fast the machines are; with fewer of them nobody knows
_LEAST = math.log(1.4)  # a smaller change of one thing is not told
_USUAL = math.log(2)  # what single things vary by when few tell of it
_DEVIATIONS = 4
_MAD = 1.4826  # the median absolute deviation of a normal distribution, times this, is its standard deviation

Amounts = Mapping[Any, int]  # microseconds by what took them


class Noise(NamedTuple):
    """``speed``: how many times as long things took in the new runs, their median. ``factor``: what that
    varies by from one to the other.

    ``measured`` is how many things tell of it; ``known`` whether they are enough.
    """

    speed: float
    factor: float
    least_us: int
    measured: int
    known: bool = True

    def tells(self, base: Sequence[int], new: Sequence[int]) -> bool:
        """Whether the time of one thing changed by more than that of the others: its amounts in the runs of
        each side.
        """
        one, two = median(base), median(new)
        apart = max(base) < min(new) or max(new) < min(base)
        if not apart or min(abs(two - one), abs(two - one * self.speed)) < self.least_us:
            return False
        if one <= 0 or two <= 0:
            return True
        change = math.log(two / one)
        return abs(change - math.log(self.speed)) > math.log(self.factor) and abs(change) > _LEAST


def median(numbers: Iterable[float]) -> float:
    """As in the module statistics, which takes longer to be read than all noise to be measured."""
    ordered = sorted(numbers)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def noise(base: Sequence[Amounts], new: Sequence[Amounts]) -> Noise:
    """What the runs vary by: amounts of the same things in all of them.

    One run on a side tells only how things changed beside each other: a machine that is slower as a whole is
    no change. Several runs on both sides also tell what a thing varies by from run to run.
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
        return Noise(1.0, math.exp(_USUAL), least_us, len(ratios), known=False)
    middle = median(ratios)
    deviation = _MAD * median(abs(ratio - middle) for ratio in ratios)
    return Noise(
        math.exp(middle),
        math.exp(max(_LEAST if len(ratios) > 2 * ENOUGH else _USUAL, _DEVIATIONS * deviation)),
        least_us,
        len(ratios),
    )


def total_noise_us(base: Sequence[int | None], new: Sequence[int | None]) -> int:
    """Differences of the total compile time up to this are noise: totals of the runs of each side, the first
    of which stands for it.

    One run of a side may take a tenth longer than the next one; several runs show what they vary by.
    """
    totals = [[us for us in side if us is not None] for side in (base, new)]
    first = max((side[0] for side in totals if side), default=0)
    several = min(map(len, totals)) > 1
    spread = max(max(side) - min(side) for side in totals) if several else round(TOTAL_SHARE * first)
    return max(LEAST_US, round(LEAST_SHARE * first), spread)
