"""Kinds and compiles of a log, numbered in order of appearance, with event counts and bytes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from operator import add
from typing import Any

from tlparse_bundle.log.compile_id import CompileId
from tlparse_bundle.log.events.kind import Kind
from tlparse_bundle.log.events.registry import describe, is_artifact
from tlparse_bundle.tables.compile_list import CompileList
from tlparse_bundle.tables.rows import JsonList

_MAX_OPEN = 2_000  # sums of events of a kind in a compile
_MAX_PACKED = 100_000  # times that a compile was packed
_WORTH_PACKING = 200
_STILL_OPEN = 4  # compiles that a log which goes on may still be in

_Cell = tuple[int, int | None, int]  # kind, rank and origin of events
_KindSums = tuple[int, ...]  # a kind, and the numbers of Sums; a list once it was packed
# A row of the event table: see pipeline/batches.py.
_EventRow = tuple[int, int, int | None, int, int, int, int, int, int, int, int, int]


class Sums:
    """Sums over events; ``payload_count`` counts events with a payload, even an empty one."""

    __slots__ = ("event_count", "payload_count", "payload_size_bytes", "size_bytes")

    def __init__(self) -> None:
        self.event_count = self.size_bytes = self.payload_count = self.payload_size_bytes = 0

    def numbers(self) -> tuple[int, int, int, int]:
        return self.event_count, self.size_bytes, self.payload_count, self.payload_size_bytes

    def add(self, other: Sums) -> None:
        self.event_count += other.event_count
        self.size_bytes += other.size_bytes
        self.payload_count += other.payload_count
        self.payload_size_bytes += other.payload_size_bytes


class Tally:
    """``kinds``, ``compiles`` and ``origins`` by index; ``kind_names`` holds type and name of each kind."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        self.kind_names: list[tuple[str, str | None]] = []
        self.compiles = CompileList()
        self.origins: list[tuple[str, str, int]] = []  # level, path, line
        # A log has about 25 kinds of events per compile, so only the newest compiles are counted in
        # objects.
        self._open: dict[int, dict[_Cell, Sums]] = {}  # by compile
        self._open_count = 0  # of the sums in it
        self._packed: JsonList[list[_KindSums]] = JsonList()  # kinds of a compile, each with its sums
        self._packed_compiles = array("i")
        self._max_packed = _MAX_PACKED
        # By kind: whether its events with a payload are artifacts, and those without.
        self._artifacts: list[tuple[bool, bool]] = []
        self._of_compiles = array("I"), array("q"), array("I")  # see of_compiles
        self._kind_sums: dict[int, Sums] = {}
        self._origin_sums: dict[int, Sums] = {}
        self._rank_counts: dict[int | None, int] = {}

    def add(
        self,
        kinds: Iterable[tuple[str, str | None, Any]],
        compiles: Iterable[tuple[CompileId | None, int, int, int]],
        rows: Iterable[_EventRow],
    ) -> None:
        """Count events: new kinds as (type, name, encoding), new compiles as (id, occurrence, first event
        index, frame compile), and event table rows as columns, with blob -1 without a payload.
        """
        for event_type, name, encoding in kinds:
            self.kinds.append(describe(event_type, name, encoding))
            self.kind_names.append((event_type, name))
            self._artifacts.append((is_artifact(event_type, True), is_artifact(event_type, False)))
        for cid, occurrence, first_event_index, frame_compile in compiles:
            self.compiles.append(cid, occurrence, first_event_index, frame_compile)
            for column in self._of_compiles:
                column.append(0)
        opened = self._open
        for kind, compile_index, rank, _, _, size_bytes, _, origin, _, blob, _, payload_size_bytes in rows:
            cells = opened.get(compile_index)
            cell = kind, rank, origin
            sums = None if cells is None else cells.get(cell)
            if sums is None:
                sums = self._new_sums(compile_index, cell)
            sums.event_count += 1
            sums.size_bytes += size_bytes
            if blob >= 0:
                sums.payload_count += 1
                sums.payload_size_bytes += payload_size_bytes

    def _new_sums(self, compile_index: int, cell: _Cell) -> Sums:
        if self._open_count >= _MAX_OPEN:
            self._pack(next(iter(self._open)))
            if len(self._packed) > self._max_packed:
                self._merge()
        sums = self._open.setdefault(compile_index, {})[cell] = Sums()
        self._open_count += 1
        return sums

    def _pack(self, compile_index: int) -> None:
        kinds: dict[int, Sums] = {}
        cells = self._open.pop(compile_index)
        self._open_count -= len(cells)
        for (kind, rank, origin), sums in cells.items():
            for groups, key in ((kinds, kind), (self._kind_sums, kind), (self._origin_sums, origin)):
                groups.setdefault(key, Sums()).add(sums)
            self._rank_counts[rank] = self._rank_counts.get(rank, 0) + sums.event_count
        rows: list[_KindSums] = [(kind, *sums.numbers()) for kind, sums in kinds.items()]
        events, sizes, artifacts = self._of_compiles
        for kind, event_count, size_bytes, payload_count, _ in rows:
            with_payload, without = self._artifacts[kind]
            events[compile_index] += event_count
            sizes[compile_index] += size_bytes
            artifacts[compile_index] += with_payload * payload_count + without * (event_count - payload_count)
        self._packed.append(rows)
        self._packed_compiles.append(compile_index)

    def settle(self) -> None:
        """See Table: pack ended compiles once instead of for each state. Not worth it for few."""
        if self._open_count >= _WORTH_PACKING:
            for compile_index in list(self._open)[:-_STILL_OPEN]:
                self._pack(compile_index)

    def _merge(self) -> None:
        """Merge packs, since interleaved compiles are packed several times."""
        packed: JsonList[list[_KindSums]] = JsonList()
        compiles = array("i")
        for compile_index, cells in self.cells():
            packed.append(cells)
            compiles.append(compile_index)
        self._packed, self._packed_compiles = packed, compiles
        self._max_packed = max(_MAX_PACKED, 2 * len(packed))

    def _pack_all(self) -> None:
        for compile_index in list(self._open):
            self._pack(compile_index)

    def kind_sums(self) -> list[Sums]:
        """Return the sums by index."""
        self._pack_all()
        return [self._kind_sums[kind] for kind in range(len(self.kinds))]

    def origin_sums(self) -> list[Sums]:
        """Return the sums by index."""
        self._pack_all()
        return [self._origin_sums[origin] for origin in sorted(self._origin_sums)]

    def rank_counts(self) -> dict[int | None, int]:
        """Return the number of events by rank."""
        self._pack_all()
        return self._rank_counts

    def of_compiles(self) -> tuple[array[int], array[int], array[int]]:
        """Return events, bytes and artifacts, by index of the compile."""
        self._pack_all()
        return self._of_compiles

    def cells(self) -> Iterator[tuple[int, list[_KindSums]]]:
        """Yield each compile with its kinds and their Sums, in order of compile and kind."""
        self._pack_all()
        # Most were packed once and in this order, so that each pack is unpacked once.
        places = array("i", [-1]) * len(self.compiles)
        again: dict[int, dict[int, list[int]]] = {}  # of those packed more than once: sums by kind
        for place, compile_index in enumerate(self._packed_compiles):
            if places[compile_index] >= 0:
                again[compile_index] = {}
            places[compile_index] = place
        self._sum_up(again)
        for compile_index, place in enumerate(places):
            cells = again.get(compile_index)
            if cells is not None:
                yield compile_index, [(kind, *cells[kind]) for kind in sorted(cells)]
            elif place >= 0:
                yield compile_index, sorted(self._packed[place])

    def _sum_up(self, compiles: dict[int, dict[int, list[int]]]) -> None:
        """Add up the sums by kind of these compiles."""
        for place, compile_index in enumerate(self._packed_compiles if compiles else ()):
            cells = compiles.get(compile_index)
            if cells is not None:
                for kind, *sums in self._packed[place]:
                    cells[kind] = list(map(add, cells[kind], sums)) if kind in cells else sums
