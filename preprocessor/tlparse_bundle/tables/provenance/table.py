"""Provenance tables: linked source lines, graph nodes, kernels and lines of code."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from tlparse_bundle.base.wording import plural
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.json_text import json_to_keep
from tlparse_bundle.tables.provenance.groups import (
    BODIES,
    CODE,
    NODES,
    POST_GRAD,
    STACKS,
    WRAPPER,
    Group,
    Groups,
    part_of,
)
from tlparse_bundle.tables.provenance.maps import KernelMap, maps_of
from tlparse_bundle.tables.provenance.source_lines import GraphText, Source
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext
from tlparse_bundle.tables.text.generated_code import direction_of

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        ProvenanceGroupsRow,
        ProvenanceKernelsRow,
        ProvenanceLinesRow,
        ProvenanceNodesRow,
        ProvenanceSourcesRow,
    )
    from tlparse_bundle.tables.provenance.maps import Coverage
    from tlparse_bundle.tables.text.generated_code import Direction

    class _CodeFields(TypedDict):
        version: int | None
        direction: Direction | None
        code_language: Literal["python", "cpp"] | None

    class _KernelFields(TypedDict):
        name: str
        handle: int | None
        post_lines: list[int]
        call_lines: list[int]
        definition: list[int] | None
        body: list[int] | None
        from_code: bool
        sources: list[list[int]]


_MAX_NAME = 2000  # characters


class _Graph(NamedTuple):
    lines: bytes  # JSON of the lines of its nodes
    sources: list[Source | None]  # of each of them


class _GroupTexts(NamedTuple):
    """Contents of the texts of a group, before sources are numbered."""

    damaged: list[str]
    unlisted: int  # kernels, see GroupMaps
    has_pre_grad: bool
    pre: _Graph | None
    post: _Graph | None
    code_fields: _CodeFields
    coverage: Coverage
    nodes: bytes  # JSON of pairs of lines
    kernels: list[KernelMap]
    handles: frozenset[str]


class _Reading(NamedTuple):
    """Contents of the texts of a group, as fields of table rows. Long ones are JSON, which saves 90% of the
    memory.
    """

    damaged: list[str]
    unlisted: int
    has_pre_grad: bool
    pre: bytes | None
    post: bytes | None
    code_fields: _CodeFields
    coverage: Coverage
    nodes: bytes
    kernels: bytes
    handles: frozenset[str]


class Provenance:
    name = "provenance"
    types = frozenset(
        (
            "artifact",
            "graph_dump",
            "inductor_pre_grad_graph",
            "inductor_post_grad_graph",
            "inductor_output_code",
        )
    )

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._groups = Groups(self._close)
        self._source_ids: dict[Source, int] = {}
        self._rows: Rows[ProvenanceGroupsRow] = Rows()
        self._lines: Rows[ProvenanceLinesRow] = Rows()
        self._nodes: Rows[ProvenanceNodesRow] = Rows()
        self._kernels: Rows[ProvenanceKernelsRow] = Rows()
        self._first_events = array("q")  # of each group
        self._read = ParseCache(self._reading, 64)

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
            self._note("table-parse", "unknown format; the provenance table leaves it out", group, part)
        if reading.unlisted:
            message = f"the code calls {plural(reading.unlisted, 'kernel')} that its provenance does not name"
            self._note("kernel-unlisted", message, group, WRAPPER if group.parts.get(WRAPPER) else CODE)
        number = len(self._rows)
        pre = group.pre_grad if reading.has_pre_grad else None
        if (
            pre is not None and not pre.written and reading.pre is not None
        ):  # None when its text was dropped before it was needed
            self._add_lines(pre.event_index, reading.pre)
            pre.written = True
        if reading.post is not None:
            self._add_lines(group.events[POST_GRAD], reading.post)
        self._nodes.extend(
            {"group": number, "pre_line": pre_line, "post_line": post_line}
            for pre_line, post_line in loads(reading.nodes)
        )
        kernels: list[_KernelFields] = loads(reading.kernels)
        self._kernels.extend({"group": number, **kernel} for kernel in kernels)
        self._rows.append(
            {
                "id": number,
                "compile": group.compile,
                "attempt": group.attempt,
                "subgraph_name": group.subgraph_name and group.subgraph_name[:_MAX_NAME],
                "number": group.number,
                **reading.code_fields,
                "pre_graph_event": pre.event_index if pre is not None and pre.written else None,
                "post_graph_event": group.events.get(POST_GRAD),
                "code_event": group.events.get(WRAPPER if group.parts.get(WRAPPER) else CODE),
                "bodies_event": group.events.get(BODIES),
                "mapping_event": group.events.get(NODES),
                "stacks_event": group.events.get(STACKS),
                **reading.coverage,
            }
        )
        self._first_events.append(min(group.events.values()))
        return reading.handles

    def _note(self, code: str, message: str, group: Group, part: str) -> None:
        line, byte_offset = group.places[part]
        self._diagnostics.add(
            code, message, line=line, byte_offset=byte_offset, event_index=group.events[part]
        )

    def _add_lines(self, graph_event: int, lines: bytes) -> None:
        self._lines.extend(
            {"graph_event": graph_event, "line": line, "source": source} for line, source in loads(lines)
        )

    def settle(self) -> None:
        """See Table."""
        for group in self._groups.waiting():
            if group.texts is None and not self._read.knows(group.key):
                group.texts = _texts_of(group)

    def _reading(self, group: Group) -> _Reading:
        texts = group.texts if isinstance(group.texts, _GroupTexts) else _texts_of(group)
        return _Reading(
            texts.damaged,
            texts.unlisted,
            texts.has_pre_grad,
            # In this order, in which the sources get their numbers.
            pre=self._lines_of(texts.pre) if texts.has_pre_grad else None,
            post=self._lines_of(texts.post),
            code_fields=texts.code_fields,
            coverage=texts.coverage,
            nodes=texts.nodes,
            kernels=json_to_keep([self._kernel(kernel) for kernel in texts.kernels]),
            handles=texts.handles,
        )

    def _lines_of(self, graph: _Graph | None) -> bytes | None:
        """Return the JSON of pairs of a line and its source; None when there is no text of the graph."""
        if graph is None:
            return None
        sources = (None if source is None else self._source_id(source) for source in graph.sources)
        return json_to_keep(list(zip(loads(graph.lines), sources, strict=True)))

    def _source_id(self, source: Source) -> int:
        return self._source_ids.setdefault(source, len(self._source_ids))

    def _kernel(self, kernel: KernelMap) -> _KernelFields:
        return {
            "name": kernel.name[:_MAX_NAME],
            "handle": kernel.handle,
            "post_lines": kernel.post_lines,
            "call_lines": kernel.call_lines,
            "definition": kernel.definition and list(kernel.definition),
            "body": kernel.body and list(kernel.body),
            "from_code": kernel.from_code,
            "sources": [[self._source_id(frame) for frame in frames] for frames in kernel.stacks],
        }

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        self._groups.end()
        yield from self._in_log_order()
        yield "provenance_lines", self._lines
        yield "provenance_sources", Rows(self._source_rows())

    def _source_rows(self) -> Iterator[ProvenanceSourcesRow]:
        for source, number in self._source_ids.items():
            yield {
                "id": number,
                "file": source.file,
                "line": source.line,
                "function": source.function,
                "code": source.code,
            }

    def _in_log_order(self) -> Iterator[tuple[str, Rows[Any]]]:
        """Yield the tables that name groups, which are numbered by their first event.

        Groups that were closed out of order, for want of memory, are rare.
        """
        firsts = self._first_events
        order = sorted(range(len(firsts)), key=firsts.__getitem__)
        if order == list(range(len(firsts))):
            yield "provenance_groups", self._rows
            yield "provenance_nodes", self._nodes
            yield "provenance_kernels", self._kernels
            return
        number_of = {before: number for number, before in enumerate(order)}
        rows = list(self._rows)
        yield "provenance_groups", Rows({**rows[before], "id": number} for number, before in enumerate(order))
        yield "provenance_nodes", Rows({**row, "group": number_of[row["group"]]} for row in self._nodes)
        yield "provenance_kernels", Rows({**row, "group": number_of[row["group"]]} for row in self._kernels)


def _texts_of(group: Group) -> _GroupTexts:
    maps = maps_of(group)
    return _GroupTexts(
        maps.damaged,
        maps.unlisted,
        maps.has_pre_grad,
        _graph_of(maps.pre),
        _graph_of(maps.post),
        code_fields={
            "version": maps.version,
            "direction": direction_of(maps.code.aot_id) if maps.code else None,
            "code_language": None if maps.code is None else "cpp" if maps.code.is_cpp else "python",
        },
        coverage=maps.coverage(),
        nodes=json_to_keep(maps.pairs),
        kernels=maps.kernels,
        handles=frozenset(maps.code.handles) if maps.code else frozenset(),
    )


def _graph_of(text: GraphText | None) -> _Graph | None:
    if text is None:
        return None
    return _Graph(json_to_keep(list(text.sources)), list(text.sources.values()))
