"""Operators that Inductor calls as they are, each with the line of the program in Dynamo's graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.recent_cache import Newest
from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import RecordPlace
from tlparse_bundle.tables.text.record_values import Frame, cut

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FallbacksRow

_MAX_GRAPH_BYTES = 32 << 20  # of the newest graphs of Dynamo; a backward can be compiled long after its graph
_MAX_LINE = 4000
_OPERATOR = re.compile(
    r"(?:torch\.ops\.)?aten\.(?P<op>\w+)(?:\.\w+)?|aoti_torch_(?:cpu|cuda|xpu|mps|mtia)_(?P<shim>\w+)"
)
# torch/fx/graph.py: the comment above the nodes of a line.
_PLACE = re.compile(
    rb"[ \t]*# File: (?P<file>[^\n]+):(?P<line>\d{1,9}) in (?P<function>[^\n]+?), code: (?P<code>[^\n]*)"
)
_NODE = rb"\n[ \t]+%b(?: *:[^\n]*?)? = [^\n]*"  # its definition in a graph
_NODE_OF = rb"\n[ \t]+\w+(?: *:[^\n]*?)? = [\w.]*\b%b\([^\n]*"  # of an operator
_COMMENT = re.compile(rb"\n[ \t]*#[^\n]*")


class Fallbacks:
    """Rows of the fallbacks, from the kernels of each code and the newest Dynamo graph of its compile."""

    def __init__(self) -> None:
        self._rows: Rows[FallbacksRow] = Rows()
        self._graphs: Newest[str, bytes] = Newest(_MAX_GRAPH_BYTES)

    def observe_graph(self, event: Event) -> None:
        if event.compile is not None and event.payload is not None:
            self._graphs.add(event.compile, event.payload, len(event.payload))

    def graph_of(self, compile_key: str | None) -> bytes | None:
        """Return the newest Dynamo graph of a compile; None when it was not logged, or let go."""
        return self._graphs.get(compile_key or "")

    def observe_code(self, place: RecordPlace, kernels: Iterable[Mapping[str, Any]]) -> None:
        for kernel in kernels:
            operator = operator_of(kernel["name"]) if kernel["kind"] in ("fallback", "extern") else None
            if operator is None or not kernel["call_lines"]:
                continue
            graph = self.graph_of(place["compile"])
            frame = _place_in(graph, kernel["source_nodes"], operator) if graph is not None else None
            self._rows.append(
                {
                    "code_event": place["event"],
                    "compile": place["compile"],
                    "attempt": place["attempt"],
                    "name": kernel["name"],
                    "operator": operator,
                    "call_count": len(kernel["call_lines"]),
                    "file": frame and frame.file,
                    "line": frame and frame.line,
                    "function": frame and frame.function,
                    "source_line": frame and frame.source_line,
                }
            )

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "fallbacks", self._rows


def operator_of(name: str) -> str | None:
    """Return the ATen operator that a call in generated code runs, such as 'aten.topk', or None."""
    match = _OPERATOR.fullmatch(name)
    if match is None:
        return None
    return "aten." + (match["op"] or match["shim"].removesuffix("_out"))


def _place_in(graph: bytes, nodes: Sequence[str], operator: str) -> Frame | None:
    """Return the place above the node of an operator in the text of a graph; None without one.

    The nodes are those of the operator and of what was computed for it, in this order of the program. In a
    backward they are not the operator, of which the graph can have one call.
    """
    name = re.escape(operator.removeprefix("aten.").encode())
    definitions = [
        definition for node in nodes for definition in re.finditer(_NODE % re.escape(node.encode()), graph)
    ]
    calls = [one for one in definitions if re.search(name, one[0])]
    others = list(re.finditer(_NODE_OF % name, graph)) if definitions and not calls else []
    calls = others if len(others) == 1 else calls
    found = max(calls or definitions, key=lambda one: one.start(), default=None)
    return None if found is None else place_above(graph, found.start())


def place_above(graph: bytes, position: int) -> Frame | None:
    """Return the place in the last comment before a position in the text of a graph."""
    begin = graph.rfind(b"\n", 0, graph.rfind(b"#", 0, position))
    comment = _COMMENT.match(graph, max(begin, 0))
    return _place_of(comment[0][1:]) if comment and len(comment[0]) <= _MAX_LINE else None


@lru_cache(1024)  # nodes of a line share a comment, and recompiles have most of them in common
def _place_of(comment: bytes) -> Frame | None:
    place = _PLACE.fullmatch(comment)
    if not place:
        return None
    file, function, code = (
        cut(place[name].decode("utf-8", "replace")) for name in ("file", "function", "code")
    )
    return Frame(file, int(place["line"]), function, code)
