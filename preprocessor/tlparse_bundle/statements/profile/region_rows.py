"""Rows of region_calls: what calls of compiled regions and graphs took, and what devices did meanwhile."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from math import fsum
from typing import TYPE_CHECKING

from tlparse_bundle.log.profiler.recording import Recording
from tlparse_bundle.statements.profile.call_tree import Call

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RegionCallsRow

MAX_ROWS = 5000  # of one trace


def region_rows(
    recording: Recording,
    calls: Sequence[Call],
    compiles_of_graph: Callable[[Call], tuple[str, ...]],
    profile: str,
) -> Iterator[RegionCallsRow]:
    """Yield a row for each region and graph, the longest time first."""
    groups: dict[tuple[bool, str, tuple[str, ...]], list[Call]] = {}
    for call in calls:
        compiles = compiles_of_graph(call) if call.is_graph else call.compiles
        groups.setdefault((call.is_graph, call.key, compiles), []).append(call)
    busy = _Busy(recording)
    ordered = sorted(groups.items(), key=lambda item: (-fsum(call.duration for call in item[1]), item[0]))
    for (is_graph, key, compiles), same in ordered[:MAX_ROWS]:
        yield _row(busy, is_graph, key, compiles, same, profile)


def _row(
    busy: _Busy, is_graph: bool, key: str, compiles: tuple[str, ...], calls: Sequence[Call], profile: str
) -> RegionCallsRow:
    durations = sorted(call.duration for call in calls)
    lookups = [call.lookup_us for call in calls if call.lookup_us is not None]
    used = [times for call in calls if (times := busy.of(call)) is not None]
    middle = len(durations) // 2
    return {
        "profile": profile,
        "kind": "graph" if is_graph else "region",
        "key": key,
        "compile": compiles[0] if len(compiles) == 1 else None,
        "candidate_count": len(compiles),
        "count": len(calls),
        "total_us": round(fsum(durations), 3),
        "self_us": round(fsum(call.duration - call.children_us for call in calls), 3),
        "median_us": round((durations[middle] + durations[-middle - 1]) / 2, 3),
        "lookup_us": round(fsum(lookups), 3) if lookups else None,
        "prologue_us": None if is_graph else round(fsum(call.prologue_us for call in calls), 3),
        "eager_us": None if is_graph else round(fsum(call.eager_us for call in calls), 3),
        "launch_count": sum(call.launch_count for call in calls),
        "launch_us": round(fsum(call.launch_us for call in calls), 3),
        "device_busy_us": round(fsum(times[0] for times in used), 3) if used else None,
        "device_idle_us": round(fsum(times[1] for times in used), 3) if used else None,
    }


class _Busy:
    """When each device worked."""

    def __init__(self, recording: Recording):
        self._events, self._queues = recording.device_events, recording.queues
        by_device: dict[int | None, list[tuple[float, float]]] = {}
        for number, start in enumerate(self._events.start):
            span = start, start + self._events.duration[number]
            by_device.setdefault(self._device(number), []).append(span)
        self._spans = {device: _union(spans) for device, spans in by_device.items()}

    def _device(self, number: int) -> int | None:
        return self._queues[self._events.queue[number]][0]

    def of(self, call: Call) -> tuple[float, float] | None:
        """Return how long the devices of a call worked and idled, from its first kernel's start to its last
        kernel's end; None for a call without kernels.
        """
        if not call.device_events:
            return None
        ends: dict[int | None, tuple[float, float]] = {}
        for number in call.device_events:
            start = self._events.start[number]
            end = start + self._events.duration[number]
            first, last = ends.get(self._device(number), (start, end))
            ends[self._device(number)] = min(first, start), max(last, end)
        busy = idle = 0.0
        for device, (first, last) in ends.items():
            worked = self._worked(device, first, last)
            busy += worked
            idle += max(0.0, last - first - worked)
        return busy, idle

    def _worked(self, device: int | None, first: float, last: float) -> float:
        return self._until(device, last) - self._until(device, first)

    def _until(self, device: int | None, time: float) -> float:
        """Return how long a device worked before a time."""
        starts, ends, before = self._spans[device]
        place = bisect_right(starts, time) - 1
        return 0.0 if place < 0 else before[place] + min(time, ends[place]) - starts[place]


def _union(spans: list[tuple[float, float]]) -> tuple[list[float], list[float], list[float]]:
    """Return the starts and ends of the union of ranges, in order, and the sum of those before each."""
    starts: list[float] = []
    ends: list[float] = []
    for start, end in sorted(spans):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    lengths = (end - start for start, end in zip(starts, ends, strict=True))
    return starts, ends, [0.0, *accumulate(lengths)]
