"""What the compiler does that takes more or less time in all compiles: a pass, a step. Told by the spans of the timeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlparse_bundle.compare.change import Change
from tlparse_bundle.compare.noise import ENOUGH, LEAST_SHARE, LEAST_US, median, noise
from tlparse_bundle.compare.run import Run
from tlparse_bundle.findings.words import code, duration, plural

_LEAST_SPANS = 4  # of a name, that tell what they vary by
_FACTOR = 2  # between the upper quarter of one side and the lower quarter of the other


def span_changes(base: Sequence[Run], new: Sequence[Run]) -> Iterator[Change]:
    """Names of spans that take more or less time, by more than they vary by."""
    ours, theirs = base[0].spans, new[0].spans
    told = _by_runs(base, new) if len(base) > 1 and len(new) > 1 else _by_spans(base[0], new[0])
    for name in told:
        (before, count_before), (now, count) = ours.get(name, (0, 0)), theirs.get(name, (0, 0))
        often = f"{plural(count, 'span')}, was {count_before:,}" if count != count_before else plural(count, "span")
        slower = now > before
        yield Change(
            "time", "worse" if slower else "better", f"{code(name)} takes {duration(now)} in all, was {duration(before)}",
            f"The spans of this name, without the time of the spans within: {often}.", "warning" if slower else "info", cost_us=now - before, count=count,
            details={"base_us": before, "new_us": now, "span": name}, key=("span", name),
        )  # fmt: skip


def _by_runs(base: Sequence[Run], new: Sequence[Run]) -> list[str]:
    """Several runs of each side tell what the whole of a name varies by."""
    sides = [[{name: us for name, (us, _) in run.spans.items()} for run in side] for side in (base, new)]
    limits = noise(*sides)
    return [name for name in base[0].spans if name in new[0].spans and limits.tells(*([run.get(name, 0) for run in side] for side in sides))]


def _by_spans(base: Run, new: Run) -> list[str]:
    """Of one run, its spans do: nearly all of those of a name must take longer than nearly all of the other run."""
    ours, theirs = base.spans, new.spans
    least_us = max(LEAST_US, LEAST_SHARE * sum(us for us, _ in ours.values()))
    often = [name for name in ours.keys() & theirs.keys() if min(ours[name][1], theirs[name][1]) >= _LEAST_SPANS and min(ours[name][0], theirs[name][0]) > 0]
    if len(often) < ENOUGH:
        return []
    speed = median(theirs[name][0] / theirs[name][1] / (ours[name][0] / ours[name][1]) for name in often)
    found = []
    for name in often:
        difference = theirs[name][0] - ours[name][0]
        if abs(difference) < least_us or abs(theirs[name][0] - speed * ours[name][0]) < least_us:
            continue
        (low, high), (new_low, new_high) = (_quarters(run.durations_us(name)) for run in (base, new))
        if new_low > _FACTOR * max(speed, 1) * high or new_high * _FACTOR < min(speed, 1) * low:
            found.append(name)
    return sorted(found, key=lambda name: -abs(theirs[name][0] - ours[name][0]))


def _quarters(amounts: Sequence[int]) -> tuple[float, float]:
    from statistics import quantiles

    low, _, high = quantiles(amounts, n=4)
    return low, high
