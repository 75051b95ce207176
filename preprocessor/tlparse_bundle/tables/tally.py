"""The kinds and compiles of a log, numbered in order of appearance; events and bytes of each, counted once for all tables."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, NamedTuple

from tlparse_bundle.events.kinds import Kind
from tlparse_bundle.events.registry import describe
from tlparse_bundle.trace.compile_id import CompileId
from tlparse_bundle.trace.envelope import Event


class Compile(NamedTuple):
    """A row of the compile table: a compile id in one of its occurrences; no id for what belongs to no compile."""

    id: CompileId | None
    occurrence: int
    first_event_index: int


class Cell(NamedTuple):
    """What is counted together."""

    kind_index: int
    compile_index: int
    rank: int | None
    origin_index: int


class Sums:
    """Of some events; ``payload_count`` are those with a payload, be it empty."""

    __slots__ = ("event_count", "size_bytes", "payload_count", "payload_size_bytes")

    def __init__(self) -> None:
        self.event_count = self.size_bytes = self.payload_count = self.payload_size_bytes = 0

    def add(self, other: Sums) -> None:
        self.event_count += other.event_count
        self.size_bytes += other.size_bytes
        self.payload_count += other.payload_count
        self.payload_size_bytes += other.payload_size_bytes


class Tally:
    """``kinds`` and ``compiles`` by index; ``kind_names`` holds type and name of each kind."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        self.kind_names: list[tuple[str, str | None]] = []
        self.compiles: list[Compile] = []
        self._kind_indexes: dict[tuple, int] = {}
        self._compile_indexes: dict[tuple, int] = {}
        self._cells: dict[tuple, Sums] = {}

    def add(self, event: Event) -> None:
        """Count an event, and give it its ``kind_index`` and ``compile_index``."""
        kind = self._kind_indexes.get((event.type, event.name))
        if kind is None:
            kind = self._new_kind(event)
        compile_index = self._compile_indexes.get((event.compile_id, event.occurrence))
        if compile_index is None:
            compile_index = self._compile_indexes[event.compile_id, event.occurrence] = len(self.compiles)
            self.compiles.append(Compile(event.compile_id, event.occurrence, event.index))
        event.kind_index, event.compile_index = kind, compile_index
        cell = kind, compile_index, event.rank, event.origin_index
        sums = self._cells.get(cell)
        if sums is None:
            sums = self._cells[cell] = Sums()
        sums.event_count += 1
        sums.size_bytes += event.size_bytes
        if event.payload_size_bytes is not None:
            sums.payload_count += 1
            sums.payload_size_bytes += event.payload_size_bytes

    def _new_kind(self, event: Event) -> int:
        encoding = event.value.get("encoding") if type(event.value) is dict else None
        self.kinds.append(describe(event.type, event.name, encoding))
        self.kind_names.append((event.type, event.name))
        kind = self._kind_indexes[event.type, event.name] = len(self._kind_indexes)
        return kind

    def by(self, *dimensions: str) -> dict[Any, Sums]:
        """Sums of what agrees in these fields of Cell: by the value of one, by tuples of several. In order of appearance."""
        key = itemgetter(*map(Cell._fields.index, dimensions))
        groups: dict[Any, Sums] = {}
        for cell, sums in self._cells.items():
            group = groups.get(key(cell))
            if group is None:
                group = groups[key(cell)] = Sums()
            group.add(sums)
        return groups
