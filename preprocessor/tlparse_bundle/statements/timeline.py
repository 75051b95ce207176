"""The spans of a log, stored as columns: a log has tens of thousands, so ``Span`` is built on use."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from operator import add
from typing import Any, NamedTuple


class Span(NamedTuple):
    number: int  # row of the spans table
    name: str
    compile_index: int
    start_us: int  # since 1970
    duration_us: int | None  # None: no end
    parent: int


class Timeline:
    """Spans by name and nesting. ``number_of`` maps a row of spans to its row of ``Facts.compiles``."""

    def __init__(self, rows: Iterable[Mapping[str, Any]], number_of: Callable[[Mapping[str, Any]], int]):
        numbers: dict[str, int] = {}
        self._name_indexes, self._compiles = array("i"), array("i")
        self._starts, self._parents = array("q"), array("i")
        self._durations = array("q")  # -1 for no end
        for row in rows:
            self._name_indexes.append(numbers.setdefault(row["name"], len(numbers)))
            self._compiles.append(number_of(row))
            self._starts.append(row["start_epoch_us"])
            self._parents.append(-1 if row["parent"] is None else row["parent"])
            self._durations.append(-1 if row["duration_us"] is None else row["duration_us"])
        self._names = list(numbers)

    def __len__(self) -> int:
        return len(self._parents)

    def span(self, index: int) -> Span:
        name = self._names[self._name_indexes[index]]
        return Span(
            index,
            name,
            self._compiles[index],
            self._starts[index],
            None if self._durations[index] < 0 else self._durations[index],
            self._parents[index],
        )

    def outermost(self, names: Collection[str]) -> SpanList:
        """Return the spans of these names that have no parent."""
        numbers = self._numbers(names)
        return SpanList(
            self,
            (
                index
                for index, (number, parent) in enumerate(zip(self._name_indexes, self._parents, strict=True))
                if parent < 0 and number in numbers
            ),
        )

    def named(self, name: str) -> Iterator[Span]:
        numbers = self._numbers((name,))
        return (self.span(index) for index, number in enumerate(self._name_indexes) if number in numbers)

    def with_one_of(self, names: Collection[str]) -> set[int]:
        """Return the indexes of spans with a direct child of one of these names."""
        numbers = self._numbers(names)
        return {
            parent
            for number, parent in zip(self._name_indexes, self._parents, strict=True)
            if number in numbers
        }

    def open_in(self, index: int) -> list[Span]:
        """Return the direct children of a span that have no end."""
        return [self.span(inner) for inner in self._open if self._parents[inner] == index]

    @cached_property
    def last_us(self) -> int:
        """The latest end of a span, in microseconds since 1970; 0 without spans."""
        ends = map(add, self._starts, (max(0, duration_us) for duration_us in self._durations))
        return max(ends, default=0)

    def own_times(self, outermost: Iterable[Span]) -> tuple[dict[str, int], bytearray]:
        """Return self times by name of these spans and all nested ones, and a flag for each span counted."""
        within = array("q", [0]) * len(self)  # time of the spans directly in each
        inside = bytearray(len(self))
        for span in outermost:
            inside[span.number] = 1
        for index, parent in enumerate(self._parents):
            if parent >= 0:
                within[parent] += max(0, self._durations[index])
                if parent < index:  # a parent precedes its children
                    inside[index] = inside[parent]
        own: dict[int, int] = {}
        for number, duration_us, inner_us, counts in zip(
            self._name_indexes, self._durations, within, inside, strict=True
        ):
            if counts and duration_us >= 0:
                own[number] = own.get(number, 0) + (duration_us - inner_us if duration_us > inner_us else 0)
        return {self._names[number]: us for number, us in own.items()}, inside

    @cached_property
    def _open(self) -> list[int]:
        return [index for index, duration_us in enumerate(self._durations) if duration_us < 0]

    def _numbers(self, names: Collection[str]) -> set[int]:
        return {number for number, name in enumerate(self._names) if name in names}


class SpanList:
    """Some spans of a timeline, built on use."""

    def __init__(self, timeline: Timeline, indexes: Iterable[int]):
        self._timeline, self._indexes = timeline, array("i", indexes)

    def __len__(self) -> int:
        return len(self._indexes)

    def __iter__(self) -> Iterator[Span]:
        return map(self._timeline.span, self._indexes)
