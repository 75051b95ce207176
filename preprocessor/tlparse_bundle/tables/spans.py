"""Timeline tables: nested spans from begin and end events, instants, and sums by name."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import sub
from typing import TYPE_CHECKING, Any, Literal

from tlparse_bundle.base.wording import plural
from tlparse_bundle.log.event import Event, Span
from tlparse_bundle.tables.compile_list import CompileList
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.spill import NumberRows
from tlparse_bundle.tables.table import TableContext

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import InstantsRow, SpansRow, SpanTotalsRow

_MAX_EPOCH_US = 4 * 10**15  # the year 2096; larger numbers are not times
_MAX_LANES = 64
_MAX_NAME = 1000  # characters
_SORTED_TOGETHER = 1024  # spans
_MAX_PLACES = 4096  # compiles whose keys are at hand
_MAX_SEARCH = 64  # open spans of one name that an end is compared with

# The field 'repair', by its code here.
_REPAIRS: tuple[Literal["misnested", "unended", "backwards"] | None, ...] = (
    None,
    "misnested",
    "unended",
    "backwards",
)
_MISNESTED, _UNENDED, _BACKWARDS = 1, 2, 3


class Spans:
    """Spans as numbers, about 12 bytes each.

    torch writes all spans with one tid and pid, though several threads emit them (torch/_dynamo/utils.py,
    ChromiumEventLogger; torch/_inductor/async_compile.py), so ends are matched by name, not by nesting.
    """

    name = "spans"
    types: frozenset[str] = frozenset()

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._names: dict[str, int] = {}
        # By name: row, start, and compile id in its arguments.
        self._open: dict[int, list[tuple[int, float, Any]]] = {}
        # Whole microseconds keep the nesting: rounding down never changes an order.
        self._begins = NumberRows("iiqi")  # name, compile, start, event
        self._ends = NumberRows("iqi")  # row of the begin, end, event; as the ends come
        self._instants = NumberRows("iqii")  # name, time, compile, event
        self._compiles = context.tally.compiles
        # Per frame compile, the time of its last begin or end: all attempts share its spans, the outer begin
        # in the first, and end in the last.
        self._last_us = array("d")
        self._counts = {"unbegun": 0, "invalid_time": 0, "other_phase": 0}
        self._backwards: set[int] = set()
        self._end_us = -1  # the latest end
        # When no span was open last: the number of rows, and of ends, and the latest end. Spans that begin
        # later do not change how those before nest.
        self._quiet = 0
        self._quiet_us = -1
        self._settled: _Nested | None = _Nested()  # None when that was not so: they are nested at the end

    def observe(self, event: Event) -> None:
        """Do nothing: only spans matter."""

    def observe_span(self, span: Span) -> None:
        event_index, compile_index, name, phase, time_us, duration_us, compile_id = span
        if not 0 <= time_us < _MAX_EPOCH_US:
            self._counts["invalid_time"] += 1
            return
        number = self._names.get(name)
        if number is None:
            number = self._names.setdefault(name[:_MAX_NAME], len(self._names))
        if phase == "B":
            waiting = self._open.get(number)
            if waiting is None:
                waiting = self._open[number] = []
            waiting.append((self._begin(number, compile_index, event_index, time_us), time_us, compile_id))
        elif phase == "E":
            self._finish(number, compile_index, event_index, time_us, compile_id)
        elif phase == "X":
            row = self._begin(number, compile_index, event_index, time_us)
            if type(duration_us) in (int, float) and 0 <= duration_us < _MAX_EPOCH_US:
                self._end(row, int(time_us + duration_us), event_index)
        elif phase in ("i", "I"):
            self._instants.add(number, int(time_us), compile_index, event_index)
        else:
            self._counts["other_phase"] += 1

    def _begin(self, number: int, compile_index: int, event_index: int, time_us: float) -> int:
        self._note_time(compile_index, time_us)
        start_us = int(time_us)
        if start_us <= self._quiet_us:
            self._quiet, self._quiet_us = 0, -1
            if self._settled is not None and start_us <= self._settled.end_us:
                self._settled = None
        return self._begins.add(number, compile_index, start_us, event_index)

    def _finish(
        self, number: int, compile_index: int, event_index: int, time_us: float, compile_id: Any
    ) -> None:
        self._note_time(compile_index, time_us)
        waiting = self._open.get(number)
        if not waiting:
            self._counts["unbegun"] += 1
            return
        place = len(waiting) - 1
        if waiting[place][2] != compile_id:
            # A span that an exception left open must not get the end of a different compile's span.
            earlier = range(place - 1, max(-1, place - _MAX_SEARCH), -1)
            place = next((number for number in earlier if waiting[number][2] == compile_id), place)
        row, start_us, _ = waiting.pop(place)
        if time_us < start_us:
            self._backwards.add(row)
            time_us = start_us
        self._end(row, int(time_us), event_index)

    def _end(self, row: int, end_us: int, event_index: int) -> None:
        if end_us > self._end_us:
            self._end_us = end_us
        end_count = self._ends.add(row, end_us, event_index) + 1
        if end_count == len(self._begins):
            self._quiet, self._quiet_us = end_count, self._end_us

    def _note_time(self, compile_index: int, time_us: float) -> None:
        frame_compile = self._compiles.frame_compiles[compile_index]
        while frame_compile >= len(self._last_us):
            self._last_us.append(0)
        if self._last_us[frame_compile] < time_us:
            self._last_us[frame_compile] = time_us

    def settle(self) -> None:
        """See Table: nest the spans before the last moment without an open span."""
        if self._settled is not None and self._quiet:
            self._settled = self._nested(self._quiet)
            self._settled.end_us = self._quiet_us

    def _nested(self, row_count: int) -> _Nested:
        """Return the first rows; already nested ones are unchanged."""
        rows, ends = self._begins.whole(), self._ends.whole()
        nested = self._settled or _Nested()
        first = nested.row_count
        names, compile_indexes, start, begin_event = (column[first:row_count] for column in rows)
        end, end_event = array("q", [-1]) * len(start), array("i", [-1]) * len(start)
        # There are as many ends as rows where no span was open.
        for row, time_us, event_index in zip(*(column[first:row_count] for column in ends), strict=True):
            end[row - first], end_event[row - first] = time_us, event_index
        until = end[:]
        for row, time_us in enumerate(end):
            if time_us < 0:
                until[row] = int(self._last_us[self._compiles.frame_compiles[compile_indexes[row]]])
        nested.add(
            list(self._names),
            self._compiles,
            names,
            start,
            end,
            until,
            compile_indexes,
            begin_event,
            end_event,
            self._backwards,
        )
        return nested

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        row_count = len(self._begins)
        nested = self._nested(row_count)
        odd = (
            nested.misnested_count,
            row_count - len(self._ends),
            len(self._backwards),
            *self._counts.values(),
        )
        for (code, (noun, problem)), number in zip(_ODD.items(), odd, strict=True):
            if number:
                self._diagnostics.add(code, f"{plural(number, noun)} {problem}", count=number)
        names = list(self._names)
        yield "spans", nested.rows
        yield "instants", Rows(self._instant_rows(names))
        yield "span_totals", Rows(nested.totals(names))

    def _instant_rows(self, names: Sequence[str]) -> Iterator[InstantsRow]:
        for name, time_us, compile_index, event_index in zip(*self._instants.whole(), strict=True):
            compile = self._compiles[compile_index]
            yield {
                "event": event_index,
                "name": names[name],
                "time_epoch_us": time_us,
                "compile": compile.key,
                "attempt": compile.attempt,
            }


# Problems of a timeline: diagnostic code, what it counts, and the problem.
_ODD = {
    "timeline-misnested": ("span", "overlapping without being nested"),
    "timeline-unended": ("span", "without an end"),
    "timeline-backwards": ("span", "ending before the begin"),
    "timeline-unbegun": ("end", "without a begin"),
    "timeline-invalid-time": ("event", "at an impossible time"),
    "timeline-other-phase": ("event", "of a phase that torch does not write"),
}


class _Nested:
    """Rows of spans, added in order whenever no span is open."""

    def __init__(self) -> None:
        self.end_us = -1  # the latest end
        self.rows: Rows[SpansRow] = Rows()
        self.misnested_count = 0
        # By name:
        self._counts: list[int] = []
        self._totals: list[int] = []
        self._selves: list[int] = []

    @property
    def row_count(self) -> int:
        return len(self.rows)

    def add(
        self,
        name_of: Sequence[str],
        compile_of: CompileList,
        names: array[int],
        start: array[int],
        end: array[int],
        until: array[int],
        compiles: array[int],
        begin_event: array[int],
        end_event: array[int],
        backwards: Iterable[int],
    ) -> None:
        """Nest the next spans.

        ``end`` is -1 for an unended span, ``until`` its assumed end; ``backwards`` are the ids of all
        spans that end before they begin.
        """
        first = self.row_count
        durations = array("q", map(sub, end, start))  # negative for those that did not end
        parent, lane, outer, crossing = _nest(start, end, until, begin_event, end_event)
        repair = bytearray(len(start))
        unended = [row for row, time_us in enumerate(end) if time_us < 0]
        for rows, code in (
            (unended, _UNENDED),
            (crossing, _MISNESTED),
            ([row - first for row in backwards if row >= first], _BACKWARDS),
        ):
            for row in rows:
                repair[row] = code
        place_of = lru_cache(_MAX_PLACES)(lambda index: (compile_of[index].key, compile_of[index].attempt))
        self.rows.extend(
            {
                "id": id_,
                "name": name_of[name],
                "start_epoch_us": start_us,
                "duration_us": None if duration_us < 0 else duration_us,
                "compile": place_of(compile_index)[0],
                "attempt": place_of(compile_index)[1],
                "parent": above + first if above >= 0 else None,
                "lane": lane_,
                "repair": _REPAIRS[repaired],
                "begin_event": begin,
                "end_event": end_ if end_ >= 0 else None,
            }
            for id_, name, start_us, duration_us, compile_index, above, lane_, repaired, begin, end_ in zip(
                range(first, first + len(start)),
                names,
                start,
                durations,
                compiles,
                parent,
                lane,
                repair,
                begin_event,
                end_event,
                strict=True,
            )
        )
        self.misnested_count += len(crossing)
        self._sum(names, durations, outer)

    def _sum(self, names: array[int], durations: array[int], outer: array[int]) -> None:
        inside = array("q", [0]) * len(outer)
        for duration, around in zip(durations, outer, strict=True):
            if around >= 0 and duration > 0:
                inside[around] += duration
        size = max(names, default=-1) + 1
        for sums in (self._counts, self._totals, self._selves):
            sums += [0] * (size - len(sums))
        for name, duration, inner in zip(names, durations, inside, strict=True):
            self._counts[name] += 1
            if duration > 0:
                self._totals[name] += duration
                if duration > inner:
                    self._selves[name] += duration - inner

    def totals(self, names: Iterable[str]) -> Iterator[SpanTotalsRow]:
        """Yield the sums of each span name. Self time excludes nested spans on the same lane."""
        # The last names may be those of instants, which have no sums.
        sums = zip(names, self._counts, self._totals, self._selves, strict=False)
        for name, span_count, total_us, self_us in sums:
            if span_count:
                yield {"name": name, "count": span_count, "total_us": total_us, "self_us": self_us}


def _nest(
    start: array[int], end: array[int], until: array[int], begin_event: array[int], end_event: array[int]
) -> tuple[array[int], bytearray, array[int], set[int]]:
    """Return parent and lane of every span, the smallest ended span around it, and misnested spans.

    An unended span ends at ``until``, with the last event of its compile, or with its enclosing span.
    """
    size = len(start)
    parent, outer, lane, crossing = array("i", [-1]) * size, array("i", [-1]) * size, bytearray(size), set()
    # Per lane the spans that are open: end, row, and row of the smallest ended span there, itself or around
    # it.
    lanes: list[list[tuple[int, int, int]]] = [[]]
    for row in _by_start(start, until):
        from_us, to_us, ended = start[row], until[row], end[row] >= 0
        if to_us < from_us:
            to_us = from_us
        for number, stack in enumerate(lanes):  # noqa: B007 (the lane is used after the loop)
            while stack:
                top_us, above, around = stack[-1]
                if top_us >= to_us:
                    if top_us > from_us or not 0 <= end_event[above] < begin_event[row]:
                        break  # it is around this span
                elif top_us > from_us and not (
                    ended and end[above] < 0
                ):  # else its end was a guess, and too early
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


def _by_start(start: array[int], until: array[int]) -> Iterator[int]:
    """Return rows by start, longest first, then in log order. Sorted in chunks, since nearly all begin in
    order.
    """
    earliest = array("q", accumulate(reversed(start), min))  # from each row on, the last row first
    latest, first = -1, 0
    for row, start_us in enumerate(start):
        if row - first >= _SORTED_TOGETHER and latest < earliest[-1 - row]:
            yield from _sorted(range(first, row), start, until)
            first = row
        if latest < start_us:
            latest = start_us
    yield from _sorted(range(first, len(start)), start, until)


def _sorted(rows: range, start: array[int], until: array[int]) -> list[int]:
    return sorted(sorted(rows, key=until.__getitem__, reverse=True), key=start.__getitem__)
