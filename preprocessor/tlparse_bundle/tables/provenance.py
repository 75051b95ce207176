"""The provenance table: which source line, graph node, kernel and line of generated code belong together."""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

from tlparse_bundle.format.json_codec import Fragment
from tlparse_bundle.provenance.frames import Source
from tlparse_bundle.provenance.graph_text import GraphText
from tlparse_bundle.provenance.groups import BODIES, CODE, NODES, POST_GRAD, STACKS, WRAPPER, Group, Groups, part_of
from tlparse_bundle.provenance.maps import GroupMaps, KernelMap, maps_of
from tlparse_bundle.tables.columns import Interner
from tlparse_bundle.tables.json_list import JsonList
from tlparse_bundle.tables.remembered import Remembered
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.json_text import json_to_keep


class _Graph(NamedTuple):
    node_count: int
    line: Fragment
    sources: list[Source | None]


class _Said(NamedTuple):
    """What the texts of a group say, before anything is numbered."""

    damaged: list[str]
    has_pre_grad: bool
    pre: _Graph | None
    post: _Graph | None
    code_cells: dict
    coverage: dict[str, int]
    unknown_names: int
    pre_post: Fragment
    kernels: list[KernelMap]
    handles: frozenset[str]


class _Reading(NamedTuple):
    """What the texts of a group say: cells of its row and of the rows of its graphs. The long ones are JSON, which takes a tenth of the memory."""

    damaged: list[str]
    has_pre_grad: bool
    pre: dict | None
    post: dict | None
    code_cells: dict
    map_cells: dict
    handles: frozenset[str]


class Provenance:
    name = "provenance"
    types = frozenset(("artifact", "graph_dump", "inductor_pre_grad_graph", "inductor_post_grad_graph", "inductor_output_code"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._groups = Groups(self._close)
        self._strings, self._sources, self._stacks = Interner(), Interner(), Interner()
        self._graph_rows = JsonList()
        self._rows = JsonList()
        self._first_events = array("q")  # of each row
        self._read = Remembered(self._reading, 64)

    @staticmethod
    def wants(event: Event) -> bool:
        return part_of(event) is not None

    reads = wants

    def observe(self, event: Event) -> None:
        part = part_of(event)
        if part is not None:
            self._groups.observe(event, part)

    def _close(self, group: Group) -> frozenset[str]:
        reading = self._read(group.key, group)
        for part in reading.damaged:
            message = "another form than expected: the provenance table has nothing from it"
            line, byte_offset = group.places[part]
            self._diagnostics.add("table-parse", message, line=line, byte_offset=byte_offset, event_index=group.events[part])
        code_part = WRAPPER if group.parts.get(WRAPPER) else CODE
        pre = group.pre_grad if reading.has_pre_grad else None
        if pre is not None and pre.row is None:  # None still when its text was let go before it was needed
            pre.row = self._graph(pre.event_index, reading.pre)
        row = {
            "compile_index": group.compile_index,
            "subgraph_name": group.subgraph_name and group.subgraph_name[:2000],
            "number": group.number,
            **reading.code_cells,
            "pre_graph_index": pre and pre.row,
            "post_graph_index": self._graph(group.events[POST_GRAD], reading.post) if POST_GRAD in group.events else None,
            "code_event_index": group.events.get(code_part),
            "bodies_event_index": group.events.get(BODIES),
            "mapping_event_index": group.events.get(NODES),
            "stacks_event_index": group.events.get(STACKS),
            **reading.map_cells,
        }
        self._rows.append(row)
        self._first_events.append(min(group.events.values()))
        return reading.handles

    def settle(self) -> None:
        """See Table."""
        for group in self._groups.waiting():
            if group.said is None and not self._read.knows(group.key):
                group.said = _said(group)

    def _reading(self, group: Group) -> _Reading:
        said = group.said or _said(group)
        return _Reading(
            said.damaged,
            said.has_pre_grad,
            # In this order, in which the sources get their numbers.
            pre=self._graph_cells(said.pre) if said.has_pre_grad else None,
            post=self._graph_cells(said.post),
            code_cells=said.code_cells,
            map_cells={
                "coverage": said.coverage,
                "unknown_name_count": said.unknown_names,
                "pre_post": said.pre_post,
                "kernels": _json(self._kernels(said.kernels)),
            },
            handles=said.handles,
        )

    def _graph(self, event_index: int, cells: dict | None) -> int | None:
        """Row of a graph; None when there is no text of it."""
        if cells is None:
            return None
        self._graph_rows.append({"event_index": event_index, **cells})
        return len(self._graph_rows) - 1

    def _graph_cells(self, graph: _Graph | None) -> dict | None:
        if graph is None:
            return None
        return {"node_count": graph.node_count, "line": graph.line, "source": _json([self._source(source) for source in graph.sources])}

    def _source(self, source: Source | None) -> int:
        return self._sources(source)

    def _stack(self, frames: tuple[Source, ...]) -> int:
        return self._stacks(tuple(self._source(frame) for frame in frames))

    def _kernels(self, rows: list[KernelMap]) -> dict[str, list]:
        return {
            "name": [self._strings(row.name[:2000]) for row in rows],
            "handle": [row.handle for row in rows],
            "post_lines": [row.post_lines for row in rows],
            "call_lines": [row.call_lines for row in rows],
            "definition": [row.definition and list(row.definition) for row in rows],
            "body": [row.body and list(row.body) for row in rows],
            "from_code": [row.from_code for row in rows],
            "stacks": [[self._stack(frames) for frames in row.stacks] for row in rows],
        }

    def table(self) -> dict:
        self._groups.end()
        sources: list[Source] = self._sources.table()
        columns = {
            "file": [self._strings(source.file) for source in sources],
            "line": [source.line for source in sources],
            "function": [self._strings(source.function) for source in sources],
            "code": [self._strings(source.code) for source in sources],
        }
        return {
            "strings": self._strings.table(),
            "sources": columns,
            "stacks": [list(stack) for stack in self._stacks.table()],
            "graphs": self._graph_rows,
            "groups": self._sorted_rows(),
        }

    def _sorted_rows(self) -> JsonList:
        """By the first event. Groups that were closed out of order, for want of memory, are rare."""
        firsts = self._first_events
        order = sorted(range(len(firsts)), key=firsts.__getitem__)
        if order == list(range(len(firsts))):
            return self._rows
        rows = list(self._rows)
        return JsonList(rows[number] for number in order)


def _said(group: Group) -> _Said:
    maps = maps_of(group)
    return _Said(
        maps.damaged,
        maps.has_pre_grad,
        _graph_of(maps.pre),
        _graph_of(maps.post),
        code_cells={
            "version": maps.version,
            "direction": _direction(maps),
            "code_language": None if maps.code is None else "cpp" if maps.code.is_cpp else "python",
        },
        coverage=maps.coverage(),
        unknown_names=maps.unknown_names,
        pre_post=_json({"pre_line": [a for a, _ in maps.pairs], "post_line": [b for _, b in maps.pairs]}),
        kernels=maps.kernels,
        handles=frozenset(maps.code.handles) if maps.code else frozenset(),
    )


def _graph_of(text: GraphText | None) -> _Graph | None:
    return text and _Graph(len(text.operations), _json(list(text.sources)), list(text.sources.values()))


def _json(value: Any) -> Fragment:
    return Fragment(json_to_keep(value))


def _direction(maps: GroupMaps) -> str | None:
    """What the AOT ID of the code ends in: '0_backward'."""
    word = (maps.code.aot_id or "").rpartition("_")[2] if maps.code else ""
    return word if word in ("forward", "backward", "inference") else None
