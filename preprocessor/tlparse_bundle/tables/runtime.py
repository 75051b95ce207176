"""Tables of estimated and measured run times, collective schedules and execution order."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext, place_of
from tlparse_bundle.tables.text.record_values import (
    as_text,
    count_or_none,
    cut,
    number_or_none,
    payload_json,
    payload_text,
    text_or_none,
    unexpected,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        CollectiveProfilesNodes,
        CollectiveProfilesOps,
        CollectiveProfilesRow,
        CollectiveSchedulesRow,
        EstimatedOpsOutputs,
        EstimatedOpsRow,
        EstimateTablesRow,
        GraphExecutionsRow,
        RuntimeEstimatesRow,
        RuntimeMetricsRow,
    )
    from tlparse_bundle.tables.table import RecordPlace

    _Form = Literal["csv", "estimates", "schedule", "execution", "profile"]

MAX_OPS = 20_000  # of one graph
MAX_ENTRIES = 20_000  # of one schedule, order of execution, list of a profile
MAX_CSV_ROWS = 5000
_MAX_CSV_COLUMNS = 50
_MAX_REMEMBERED = 16  # estimates of graphs
_MAX_DIMENSIONS = 64
_MAX_OUTPUTS = 1000  # of one operation

_METRICS = ("compilation_metrics_runtime", "bwd_compilation_metrics_runtime")
_ESTIMATES = re.compile(r"inductor_runtime_and_tensor_meta\Z|inductor_tlparse_(?:runtime|tensor_meta)\Z")
_CSV = re.compile(r"fx_compute_nodes_runtime_estimation\Z|fx_collectives_")
_FORMS: dict[str, _Form] = {
    "inductor_collective_schedule": "schedule",
    "graph_execution": "execution",
    "inductor_graph_execution": "execution",
    "pge_profile_vs_analytical": "profile",
}
_WORLD_SIZE = re.compile(r"# World size: (\d{1,9})")


class _Op(NamedTuple):
    name: str | None
    type: str | None
    runtime_ns: float | None
    outputs: list[EstimatedOpsOutputs]


class _Estimate(NamedTuple):
    ops: list[_Op]
    compute_ns: float | None
    collective_ns: float | None
    cut: bool


class Runtime:
    name = "runtime"
    types = frozenset(("artifact", *_METRICS))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._estimates: Rows[RuntimeEstimatesRow] = Rows()
        self._ops: Rows[EstimatedOpsRow] = Rows()
        self._schedules: Rows[CollectiveSchedulesRow] = Rows()
        self._executions: Rows[GraphExecutionsRow] = Rows()
        self._metrics: Rows[RuntimeMetricsRow] = Rows()
        self._tables: Rows[EstimateTablesRow] = Rows()
        self._profiles: Rows[CollectiveProfilesRow] = Rows()
        self._observers = {
            "csv": self._observe_csv,
            "estimates": self._observe_estimates,
            "schedule": self._observe_schedule,
            "execution": self._observe_execution,
            "profile": self._observe_profile,
        }
        self._read = ParseCache(_estimate, _MAX_REMEMBERED)
        self._newest: str | None = None  # compile
        self._compiles: dict[str, str | None] = {}  # id without attempt -> newest compile

    @staticmethod
    def reads(event: Event) -> bool:
        return _form(event.name or "") is not None

    def observe(self, event: Event) -> None:
        if event.type in _METRICS:
            self._observe_metrics(event)
            return
        if event.compile_id is not None and event.compile != self._newest:
            self._newest = event.compile
            self._compiles[str(event.compile_id._replace(attempt=0))] = event.compile
        form = _form(event.name or "")
        if form is not None and not self._observers[form](place_of(event), event):
            unexpected(self._diagnostics, event, "unknown format")

    def _observe_metrics(self, event: Event) -> None:
        value = event.value if type(event.value) is dict else {}
        self._metrics.append(
            {
                **place_of(event),
                "direction": "backward" if event.type.startswith("bwd_") else "forward",
                "duration_us": number_or_none(value.get("duration_us")),
                "triton_autotune_time_us": number_or_none(value.get("runtime_triton_autotune_time_us")),
                "cudagraphify_time_us": number_or_none(value.get("runtime_cudagraphify_time_us")),
            }
        )

    def _observe_estimates(self, place: RecordPlace, event: Event) -> bool:
        estimate = self._read(event.hash, event)
        if estimate is None:
            return False
        self._ops.extend(
            {
                "estimate_event": event.index,
                "compile": place["compile"],
                "attempt": place["attempt"],
                "name": op.name,
                "type": op.type,
                "estimated_runtime_ns": op.runtime_ns,
                "outputs": op.outputs,
            }
            for op in estimate.ops
        )
        subgraph = text_or_none(event.metadata.get("subgraph_name")) if event.metadata else None
        self._estimates.append(
            {
                **place,
                "subgraph_name": subgraph,
                "op_count": len(estimate.ops),
                "compute_runtime_ns": estimate.compute_ns,
                "collective_runtime_ns": estimate.collective_ns,
                "cut": estimate.cut,
            }
        )
        return True

    def _observe_schedule(self, place: RecordPlace, event: Event) -> bool:
        value = payload_json(event)
        if type(value) is not list:
            return False
        names = [text_or_none(name) for name in value[:MAX_ENTRIES]]
        self._schedules.append({**place, "collectives": names, "cut": len(value) > MAX_ENTRIES})
        return True

    def _observe_execution(self, place: RecordPlace, event: Event) -> bool:
        """Read ``{"graph_execution_order": [{"compile_id": …}]}``; older torch: text, or one record each."""
        value = payload_json(event)
        order = value.get("graph_execution_order") if type(value) is dict else None
        if order is None and type(value) is dict and "graph" in value:
            order = [value["graph"]]
        if type(order) is not list:
            return False
        ids = [
            text_or_none(graph.get("compile_id") if type(graph) is dict else graph)
            for graph in order[:MAX_ENTRIES]
        ]
        compiles = [None if graph is None else self._compiles.get(graph) for graph in ids]
        self._executions.append(
            {**place, "graphs": ids, "graph_compiles": compiles, "cut": len(order) > MAX_ENTRIES}
        )
        return True

    def _observe_profile(self, place: RecordPlace, event: Event) -> bool:
        value = payload_json(event)
        if type(value) is not dict:
            return False
        ops, nodes = value.get("op_entries"), value.get("diagnostics")
        self._profiles.append(
            {
                **place,
                "collective_count": count_or_none(value.get("collective_count")),
                "op_count": count_or_none(value.get("op_count")),
                "ops": [_profile_op(op) for op in _entries(ops)],
                "nodes": [_profile_node(node) for node in _entries(nodes)],
            }
        )
        return True

    def _observe_csv(self, place: RecordPlace, event: Event) -> bool:
        text = payload_text(event)
        world_size = _WORLD_SIZE.match(text)
        lines = (line for line in text.split("\n") if line and not line.startswith("#"))
        header: list[str] = []
        rows: list[list[float | str]] = []
        is_cut = False
        try:
            for number, cells in enumerate(csv.reader(lines)):
                if number > MAX_CSV_ROWS:
                    is_cut = True
                    break
                cells = cells[:_MAX_CSV_COLUMNS]
                if number == 0:
                    header = [cut(cell.strip()) for cell in cells]
                else:
                    rows.append([_cell(cell.strip()) for cell in cells])
        except csv.Error as error:
            unexpected(self._diagnostics, event, f"not CSV: {error}")
            is_cut = True
        self._tables.append(
            {
                **place,
                "name": cut(event.name or ""),
                "world_size": int(world_size[1]) if world_size else None,
                "columns": header,
                "rows": rows,
                "cut": is_cut,
            }
        )
        return True

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "runtime_estimates", self._estimates
        yield "estimated_ops", self._ops
        yield "collective_schedules", self._schedules
        yield "graph_executions", self._executions
        yield "runtime_metrics", self._metrics
        yield "estimate_tables", self._tables
        yield "collective_profiles", self._profiles


def _estimate(event: Event) -> _Estimate | None:
    """Return the operations of a graph, and the sums of their times; None when the payload has none."""
    value = payload_json(event)
    listed = value.get("ops") if type(value) is dict else None
    if type(listed) is not list:
        return None
    ops: list[_Op] = []
    tensors: dict[
        tuple[object, ...], EstimatedOpsOutputs
    ] = {}  # equal ones are one object, as the result is remembered
    compute_ns: float = 0
    collective_ns: float = 0
    for op in listed[:MAX_OPS]:
        if type(op) is not dict:
            continue
        runtime_ns, outputs = number_or_none(op.get("estimated_runtime_ns")), op.get("outputs")
        kind = text_or_none(op.get("type"))
        returned = (
            [_tensor(output, tensors) for output in outputs[:_MAX_OUTPUTS]] if type(outputs) is list else []
        )
        ops.append(_Op(text_or_none(op.get("name")), kind, runtime_ns, returned))
        if kind == "collective":
            collective_ns += runtime_ns or 0
        else:
            compute_ns += runtime_ns or 0
    return _Estimate(
        ops, number_or_none(compute_ns), number_or_none(collective_ns), cut=len(listed) > MAX_OPS
    )


def _entries(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, of the first MAX_ENTRIES elements."""
    return [entry for entry in value[:MAX_ENTRIES] if type(entry) is dict] if type(value) is list else []


def _profile_op(op: dict[str, Any]) -> CollectiveProfilesOps:
    return {
        "op": as_text(op.get("op")),
        "shapes": as_text(op.get("shapes")),
        "strides": as_text(op.get("strides")),
        "dtype": as_text(op.get("dtype")),
        "profile_ms": number_or_none(op.get("profile_ms")),
    }


def _profile_node(node: dict[str, Any]) -> CollectiveProfilesNodes:
    return {
        "node": as_text(node.get("node")),
        "op": as_text(node.get("op")),
        "pge_ms": number_or_none(node.get("pge_ms")),
        "analytical_ms": number_or_none(node.get("analytical_ms")),
    }


def _tensor(output: Any, tensors: dict[tuple[object, ...], EstimatedOpsOutputs]) -> EstimatedOpsOutputs:
    output = output if type(output) is dict else {}
    shape, stride = _numbers(output.get("shape")), _numbers(output.get("stride"))
    dtype = text_or_none(output.get("dtype"))
    key = (None if shape is None else tuple(shape), None if stride is None else tuple(stride), dtype)
    return tensors.setdefault(key, {"shape": shape, "stride": stride, "dtype": dtype})


@lru_cache(256)
def _form(name: str) -> _Form | None:
    """Return the kind of content of an artifact with this name; None when these tables don't need it."""
    return "csv" if _CSV.match(name) else "estimates" if _ESTIMATES.match(name) else _FORMS.get(name)


def _numbers(values: Any) -> list[int | str | None] | None:
    """Return a shape or strides as numbers, with expressions as text."""
    if type(values) is not list:
        return None
    return [value if type(value) is int else as_text(value) for value in values[:_MAX_DIMENSIONS]]


def _cell(text: str) -> float | str:
    try:
        number = float(text)
    except ValueError:
        return cut(text)
    if not abs(number) < 2**53:
        return cut(text)
    return int(number) if number.is_integer() and text.lstrip("-").isdecimal() else number
