"""How the spans of the timeline nest: the parent, the lane and the own time of each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import accumulate
from operator import sub

from tlparse_bundle.tables.json_list import JsonList

_MAX_LANES = 64
_SORTED_TOGETHER = 1024  # spans

# Codes of the column 'repair'.
_MISNESTED, _UNENDED, _BACKWARDS = 1, 2, 3


class NestedSpans:
    """The columns of spans, which are added in the order of their rows, some at a time: only where all that went before had ended."""

    def __init__(self) -> None:
        self.columns = {name: JsonList() for name in ("name_index", "start_us", "duration_us", "compile_index", "parent_index", "lane", "repair", "begin_event_index", "end_event_index")}
        self.row_count = self.lane_count = self.misnested_count = 0
        self._counts, self._totals, self._selves = [], [], []  # by name

    def add(self, names: array, start: array, end: array, until: array, compiles: array, begin_event: array, end_event: array, backwards: Iterable[int]) -> None:
        """``end`` is -1 of spans that have none, ``until`` when they are taken to end; ``backwards`` are those of all rows that ended before they began."""
        first = self.row_count
        durations = array("q", map(sub, end, start))  # negative for those that did not end
        parent, lane, outer, crossing = _nest(start, end, until, begin_event, end_event)
        repair = bytearray(len(start))
        unended = [row for row, time_us in enumerate(end) if time_us < 0]
        for rows, code in ((unended, _UNENDED), (crossing, _MISNESTED), ([row - first for row in backwards if row >= first], _BACKWARDS)):
            for row in rows:
                repair[row] = code
        parents = (row + first if row >= 0 else -1 for row in parent)
        known = (None if duration_us < 0 else duration_us for duration_us in durations)
        for column, cells in zip(self.columns.values(), (names, start, known, compiles, parents, lane, repair, begin_event, end_event)):
            column.extend(cells)
        self.row_count += len(start)
        self.lane_count = max(self.lane_count, max(lane, default=-1) + 1)
        self.misnested_count += len(crossing)
        self._sum(names, durations, outer)

    def _sum(self, names: array, durations: array, outer: array) -> None:
        inside = array("q", [0]) * len(outer)
        for duration, around in zip(durations, outer):
            if around >= 0 and duration > 0:
                inside[around] += duration
        counts, totals, selves = self._reach(max(names, default=-1) + 1)
        for name, duration, inner in zip(names, durations, inside):
            counts[name] += 1
            if duration > 0:
                totals[name] += duration
                if duration > inner:
                    selves[name] += duration - inner

    def _reach(self, size: int) -> tuple[list[int], list[int], list[int]]:
        for sums in (found := (self._counts, self._totals, self._selves)):
            sums += [0] * (size - len(sums))
        return found

    def by_name(self, name_count: int) -> dict:
        """Sums per name; self time is that in no span inside of it, on the same lane."""
        counts, totals, selves = self._reach(name_count)
        return {"count": counts, "total_us": totals, "self_us": selves}


def _nest(start: array, end: array, until: array, begin_event: array, end_event: array) -> tuple[array, bytearray, array, set[int]]:
    """Parent and lane of every span, the smallest ended span around it, and the spans that no lane below theirs could take.

    An unended span ends, for this, at ``until``, with the last event of its compile, or with the span that encloses it.
    """
    count = len(start)
    parent, outer, lane, crossing = array("i", [-1]) * count, array("i", [-1]) * count, bytearray(count), set()
    # Per lane the spans that are open: end, row, and row of the smallest ended span there, itself or around it.
    lanes: list[list[tuple[int, int, int]]] = [[]]
    for row in _by_start(start, until):
        from_us, to_us, ended = start[row], until[row], end[row] >= 0
        if to_us < from_us:
            to_us = from_us
        for number, stack in enumerate(lanes):
            while stack:
                top_us, above, around = stack[-1]
                if top_us >= to_us:
                    if top_us > from_us or not 0 <= end_event[above] < begin_event[row]:
                        break  # it is around this span
                elif top_us > from_us and not (ended and end[above] < 0):  # else its end was a guess, and too early
                    break  # it ends within this span
                stack.pop()
            else:
                above = around = -1
                break
            if to_us <= top_us:
                break
            if not ended:
                to_us = top_us
                break
        else:
            if len(lanes) < _MAX_LANES:
                number, stack, above, around = len(lanes), [], -1, -1
                lanes.append(stack)
            else:
                to_us = top_us
        parent[row], outer[row], lane[row] = above, around, number
        if number and above < 0:
            crossing.add(row)
        stack.append((to_us, row, row if ended else around))
    return parent, lane, outer, crossing


def _by_start(start: array, until: array) -> Iterator[int]:
    """Rows by start, the longest first, else in the order of the log; sorted piece by piece, as nearly all begin in that order."""
    earliest = array("q", accumulate(reversed(start), min))  # from each row on, the last row first
    latest, first = -1, 0
    for row, start_us in enumerate(start):
        if row - first >= _SORTED_TOGETHER and latest < earliest[-1 - row]:
            yield from _sorted(range(first, row), start, until)
            first = row
        if latest < start_us:
            latest = start_us
    yield from _sorted(range(first, len(start)), start, until)


def _sorted(rows: range, start: array, until: array) -> list[int]:
    return sorted(sorted(rows, key=until.__getitem__, reverse=True), key=start.__getitem__)
