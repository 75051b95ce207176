"""Which differences of time between runs are more than runs of the same program vary by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

_LEAST_US = 50_000  # less than that is of no interest, whatever it is a multiple of
_LEAST_SHARE = 0.03  # of the time of compiling
_MEASURED_US = 5_000  # shorter ones say more about the clock than about the machine
_ENOUGH = 5  # amounts that tell what runs vary by; with fewer of them, they are taken to vary by _USUAL
_USUAL = math.log(2)
_LEAST = math.log(1.4)
_DEVIATIONS = 4
_MAD = 1.4826  # the median absolute deviation of a normal distribution, times this, is its standard deviation

Amounts = Mapping[object, int]  # microseconds by what took them


@dataclass(frozen=True)
class Noise:
    """``speed``: how many times as long things took in the new runs, their median. ``factor``: what that varies by from one to the other.

    ``measured`` is how many things tell of it.
    """

    speed: float
    factor: float
    least_us: int
    measured: int

    def tells(self, base: Sequence[int], new: Sequence[int]) -> bool:
        """Whether the time of one thing changed: its amounts in the runs of each side."""
        one, two = median(base), median(new)
        apart = max(base) < min(new) or max(new) < min(base)
        if not apart or abs(two - one * self.speed) < self.least_us or abs(two - one) < self.least_us:
            return False
        if one <= 0 or two <= 0:
            return True
        change = math.log(two / one)
        return abs(change - math.log(self.speed)) > math.log(self.factor) and abs(change) > _LEAST


def noise(base: Sequence[Amounts], new: Sequence[Amounts]) -> Noise:
    """What the runs vary by: amounts of the same things in all of them."""
    names = set.intersection(*(set(amounts) for amounts in (*base, *new)))
    ratios = []
    for name in names:
        one, two = (median(amounts[name] for amounts in side) for side in (base, new))
        if min(one, two) >= _MEASURED_US:
            ratios.append(math.log(two / one))
    least_us = max(_LEAST_US, round(_LEAST_SHARE * median(sum(amounts.values()) for amounts in base)))
    if len(ratios) < _ENOUGH:
        return Noise(1.0, math.exp(_USUAL), least_us, len(ratios))
    middle = median(ratios)
    deviation = _MAD * median(abs(ratio - middle) for ratio in ratios)
    return Noise(math.exp(middle), math.exp(max(_LEAST, _DEVIATIONS * deviation)), least_us, len(ratios))
