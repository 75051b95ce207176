"""FX graphs of the log: size, operations and subgraphs, counted from their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from tlparse_bundle.log.event import Event
from tlparse_bundle.log.events.registry import describe, known_kinds
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext, place_of
from tlparse_bundle.tables.text.graphs import MAX_SUBGRAPHS, read_fx
from tlparse_bundle.tables.text.record_values import cut, payload_text, text_or_none, unexpected

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphsRow, SubgraphsRow

    _Stage = Literal[
        "dynamo",
        "compiled_autograd",
        "ddp_split",
        "export",
        "aot_joint",
        "aot_forward",
        "aot_backward",
        "aot_inference",
        "aot_quantization",
        "pre_grad",
        "joint",
        "post_grad",
        "communication",
        "other",
    ]
    _Position = Literal["before", "after"]
    _Direction = Literal["joint", "forward", "backward", "inference"]

    class _GraphFields(TypedDict):
        class_name: str | None
        graph_id: str | None
        node_count: int | None
        placeholder_count: int | None
        call_count: int | None
        get_attr_count: int | None
        output_count: int | None
        ops: dict[str, int]

    class _SubgraphFields(TypedDict):
        name: str
        placeholder_count: int
        call_count: int
        output_count: int


# Where in the compiler a graph was written, by event type or artifact name; the first that fits.
_STAGES: tuple[tuple[_Stage, re.Pattern[str]], ...] = (
    ("dynamo", re.compile(r"dynamo_output_graph\Z")),
    ("compiled_autograd", re.compile(r"compiled_autograd_graph")),
    ("ddp_split", re.compile(r"optimize_ddp_split_")),
    ("export", re.compile(r"exported_program\Z")),
    ("aot_joint", re.compile(r"aot_joint_graph")),
    ("aot_forward", re.compile(r"aot_forward_graph")),
    ("aot_backward", re.compile(r"aot_backward_graph")),
    ("aot_inference", re.compile(r"aot_inference_graph")),
    ("communication", re.compile(r"overlap_scheduling_graph_|.*_decomp_comms\Z")),
    ("pre_grad", re.compile(r".*pre_grad")),
    ("joint", re.compile(r".*joint_graph")),
    ("post_grad", re.compile(r".*post_grad")),
    ("aot_quantization", re.compile(r".*_activation_quantization_")),
)
_DIRECTIONS: dict[str, _Direction] = {
    "aot_joint": "joint",
    "aot_forward": "forward",
    "aot_backward": "backward",
    "aot_inference": "inference",
    "compiled_autograd": "backward",
}
_BEFORE = ("_before", "_pre_reordering", "_pre_saved_tensors_hooks", "inductor_pre_grad_graph")
_AFTER = ("_after", "_pre_grad", "_post_grad", "inductor_post_grad_graph")  # <pass>_pre_grad: after that pass
_AOT_INPUT = re.compile(r"(primals|tangents|arg)\d*_\d+\Z")


class Graphs:
    name = "graphs"

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._graphs: Rows[GraphsRow] = Rows()
        self._subgraphs: Rows[SubgraphsRow] = Rows()
        self._read = ParseCache(_count)
        fx = {key.partition(":")[0] for key, kind in known_kinds().items() if kind.language == "fx"}
        self.types = frozenset(fx)

    @staticmethod
    def wants(event: Event) -> bool:
        return event.payload is not None and _is_fx(event.type, event.name)

    reads = wants

    def observe(self, event: Event) -> None:
        if not self.wants(event):
            return
        inputs, fields, subgraphs = self._read(event.hash, event)
        if fields["class_name"] is None and event.payload and event.payload.strip():
            unexpected(self._diagnostics, event, "no FX graph in the payload")
        stage, position = _place((event.name or "") if event.type == "artifact" else event.type)
        subgraph = event.metadata.get("subgraph_name") if event.metadata else None
        self._graphs.append(
            {
                **place_of(event),
                "stage": stage,
                "position": position,
                "direction": _direction(stage, inputs),
                "subgraph_name": text_or_none(subgraph),
                **fields,
            }
        )
        self._subgraphs.extend({"graph_event": event.index, **sub} for sub in subgraphs)

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "graphs", self._graphs
        yield "subgraphs", self._subgraphs


@lru_cache(4096)
def _is_fx(event_type: str, name: str | None) -> bool:
    return describe(event_type, name, None).language == "fx"


@lru_cache(256)
def _place(name: str) -> tuple[_Stage, _Position | None]:
    """Return (stage, position) of a graph with this name."""
    for stage, pattern in _STAGES:
        if pattern.match(name):
            return stage, _position(name)
    return "other", _position(name)


def _position(name: str) -> _Position | None:
    """Return 'before' or 'after' a group of passes; None when the name does not state it."""
    if name.startswith(("before_", "pre_decomp_")) or name.endswith(_BEFORE):
        return "before"
    if (
        name.startswith(("after_", "post_decomp_", "optimus_", "cff_"))
        or name.endswith(_AFTER)
        or "_after_" in name
    ):
        return "after"
    return None


def _direction(stage: _Stage, inputs: frozenset[str]) -> _Direction | None:
    """Return the direction from the name, otherwise from AOTAutograd's input names."""
    if stage in _DIRECTIONS:
        return _DIRECTIONS[stage]
    if stage in ("joint", "post_grad", "communication", "aot_quantization") and inputs:
        return "backward" if "tangents" in inputs else "forward" if "primals" in inputs else "inference"
    return None


def _count(event: Event) -> tuple[frozenset[str], _GraphFields, list[_SubgraphFields]]:
    """Return the kinds of AOTAutograd inputs, the fields of the row, and the rows of subgraphs."""
    read = read_fx(payload_text(event))
    graph = read.graphs[0] if read.graphs else None
    matches = (_AOT_INPUT.match(name) for name in graph.placeholders) if graph else ()
    inputs = frozenset(match[1] for match in matches if match)
    fields: _GraphFields = {
        "class_name": text_or_none(graph.name) if graph else None,
        "graph_id": None if read.graph_id is None else str(read.graph_id),
        "node_count": len(graph.placeholders) + graph.call_count + graph.get_attr_count + 1
        if graph
        else None,
        "placeholder_count": len(graph.placeholders) if graph else None,
        "call_count": graph.call_count if graph else None,
        "get_attr_count": graph.get_attr_count if graph else None,
        "output_count": graph.output_count if graph else None,
        "ops": read.ops,
    }
    subgraphs: list[_SubgraphFields] = [
        {
            "name": cut(sub.name),
            "placeholder_count": len(sub.placeholders),
            "call_count": sub.call_count,
            "output_count": sub.output_count,
        }
        for sub in read.graphs[1 : MAX_SUBGRAPHS + 1]
    ]
    return inputs, fields, subgraphs
