"""The FX graphs of the log: their size, their operations and the graphs inside of them, counted from their
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tlparse_bundle.log.event import Event
from tlparse_bundle.log.events.registry import describe, known_kinds
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext
from tlparse_bundle.tables.text.graphs import MAX_SUBGRAPHS, read_fx
from tlparse_bundle.tables.text.record_values import payload_text, text_or_none, unexpected

# Where in the compiler a graph was written, by event type or artifact name; the first that fits.
_STAGES = (
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
_BEFORE = ("_before", "_pre_reordering", "_pre_saved_tensors_hooks", "inductor_pre_grad_graph")
_AFTER = ("_after", "_pre_grad", "_post_grad", "inductor_post_grad_graph")  # <pass>_pre_grad: after that pass
_AOT_INPUT = re.compile(r"(primals|tangents|arg)\d*_\d+\Z")


class Graphs:
    name = "graphs"

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._graphs = Rows()
        self._subgraphs = Rows()
        self._read = ParseCache(_counted)
        fx = {key.partition(":")[0] for key, kind in known_kinds().items() if kind.language == "fx"}
        self.types = frozenset(fx)

    @staticmethod
    def wants(event: Event) -> bool:
        return event.payload is not None and _is_fx(event.type, event.name)

    reads = wants

    def observe(self, event: Event) -> None:
        if not self.wants(event):
            return
        inputs, cells, subgraphs = self._read(event.hash, event)
        if cells["class_name"] is None and event.payload.strip():
            unexpected(self._diagnostics, event, "no FX graph in the payload")
        stage, position = _place(event.name if event.type == "artifact" else event.type)
        subgraph = event.metadata.get("subgraph_name") if event.metadata else None
        row = {
            "event": event.index,
            "compile": event.compile,
            "attempt": event.attempt,
            "stage": stage,
            "position": position,
            "direction": _direction(stage, inputs),
            "subgraph_name": text_or_none(subgraph),
        }
        self._graphs.append(row | cells)
        self._subgraphs.extend({"graph_event": event.index, **sub} for sub in subgraphs)

    def tables(self) -> Iterator[tuple[str, Rows]]:
        yield "graphs", self._graphs
        yield "subgraphs", self._subgraphs


@lru_cache(4096)
def _is_fx(event_type: str, name: str | None) -> bool:
    return describe(event_type, name, None).language == "fx"


@lru_cache(256)
def _place(name: str) -> tuple[str, str | None]:
    """(stage, position) of a graph with this name."""
    return next((stage for stage, pattern in _STAGES if pattern.match(name)), "other"), _position(name)


def _position(name: str) -> str | None:
    """Whether a graph was written before or after a group of passes; None when the name does not say."""
    if name.startswith(("before_", "pre_decomp_")) or name.endswith(_BEFORE):
        return "before"
    if (
        name.startswith(("after_", "post_decomp_", "optimus_", "cff_"))
        or name.endswith(_AFTER)
        or "_after_" in name
    ):
        return "after"
    return None


def _direction(stage: str, inputs: frozenset[str]) -> str | None:
    """Forward or backward; where the name does not say, by the names that AOTAutograd gives to inputs."""
    if stage in ("aot_joint", "aot_forward", "aot_backward", "aot_inference"):
        return stage.removeprefix("aot_")
    if stage == "compiled_autograd":
        return "backward"
    if stage in ("joint", "post_grad", "communication", "aot_quantization") and inputs:
        return "backward" if "tangents" in inputs else "forward" if "primals" in inputs else "inference"
    return None


def _counted(event: Event) -> tuple[frozenset[str], dict, list[dict]]:
    """Return which sorts of inputs AOTAutograd gave the graph, the fields of its row, and those of the rows
    of the graphs inside of it.
    """
    read = read_fx(payload_text(event))
    graph = read.graphs[0] if read.graphs else None
    matches = (_AOT_INPUT.match(name) for name in graph.placeholders) if graph else ()
    inputs = frozenset(match[1] for match in matches if match)
    cells = {
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
    subgraphs = [
        {
            "name": text_or_none(sub.name),
            "placeholder_count": len(sub.placeholders),
            "call_count": sub.call_count,
            "output_count": sub.output_count,
        }
        for sub in read.graphs[1 : MAX_SUBGRAPHS + 1]
    ]
    return inputs, cells, subgraphs
