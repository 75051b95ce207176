"""The tables of run time: estimated and measured run times, schedules of collectives, order of execution."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from tlparse_bundle.log.event import Event
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext
from tlparse_bundle.tables.text.record_text import cut, payload_text, text_or_none, unexpected

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
_FORMS = {
    "inductor_collective_schedule": "schedule",
    "graph_execution": "execution",
    "inductor_graph_execution": "execution",
    "pge_profile_vs_analytical": "profile",
}
_WORLD_SIZE = re.compile(r"# World size: (\d{1,9})")


class Runtime:
    name = "runtime"
    types = frozenset(("artifact", *_METRICS))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._estimates = Rows()
        self._ops = Rows()
        self._schedules = Rows()
        self._executions = Rows()
        self._metrics = Rows()
        self._tables = Rows()
        self._profiles = Rows()
        self._observers = {
            "estimates": self._observe_estimates,
            "schedule": self._observe_schedule,
            "execution": self._observe_execution,
            "profile": self._observe_profile,
        }
        self._read = ParseCache(self._estimate, _MAX_REMEMBERED)
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
        if form == "csv":
            self._observe_csv(event, event.name)
        elif form is not None and not self._observers[form](_place(event), event):
            unexpected(self._diagnostics, event, "another form than expected")

    def _observe_metrics(self, event: Event) -> None:
        value = event.value if type(event.value) is dict else {}
        self._metrics.append(
            {
                **_place(event),
                "direction": "backward" if event.type.startswith("bwd_") else "forward",
                "duration_us": _number(value.get("duration_us")),
                "triton_autotune_time_us": _number(value.get("runtime_triton_autotune_time_us")),
                "cudagraphify_time_us": _number(value.get("runtime_cudagraphify_time_us")),
            }
        )

    def _observe_estimates(self, place: dict, event: Event) -> bool:
        reading = self._read(event.hash, event)
        if reading is None:
            return False
        ops, times = reading
        self._ops.extend(
            {
                "estimate_event": event.index,
                "compile": place["compile"],
                "attempt": place["attempt"],
                "name": name,
                "type": type_,
                "estimated_runtime_ns": runtime_ns,
                "outputs": outputs,
            }
            for name, type_, runtime_ns, outputs in ops
        )
        subgraph = text_or_none(event.metadata.get("subgraph_name")) if event.metadata else None
        self._estimates.append({**place, "subgraph_name": subgraph, "op_count": len(ops), **times})
        return True

    @staticmethod
    def _estimate(
        event: Event,
    ) -> tuple[list[tuple[str | None, str | None, int | float | None, list[dict]]], dict] | None:
        """Return (operations as name, type, nanoseconds and outputs; fields of the row of their graph)."""
        value = _json(event)
        ops = value.get("ops") if type(value) is dict else None
        if type(ops) is not list:
            return None
        found = []
        tensors: dict[tuple, dict] = {}  # equal ones are one object, as the result is remembered
        total = {"compute": 0, "collective": 0}
        for op in ops[:MAX_OPS]:
            if type(op) is not dict:
                continue
            runtime_ns, outputs = _number(op.get("estimated_runtime_ns")), op.get("outputs")
            kind = text_or_none(op.get("type"))
            returned = (
                [_tensor(output, tensors) for output in outputs[:_MAX_OUTPUTS]]
                if type(outputs) is list
                else []
            )
            found.append((text_or_none(op.get("name")), kind, runtime_ns, returned))
            total["collective" if kind == "collective" else "compute"] += runtime_ns or 0
        times = {f"{kind}_runtime_ns": _number(time) for kind, time in total.items()}
        return found, {**times, "cut": len(ops) > MAX_OPS}

    def _observe_schedule(self, place: dict, event: Event) -> bool:
        value = _json(event)
        if type(value) is not list:
            return False
        names = [text_or_none(name) for name in value[:MAX_ENTRIES]]
        self._schedules.append({**place, "collectives": names, "cut": len(value) > MAX_ENTRIES})
        return True

    def _observe_execution(self, place: dict, event: Event) -> bool:
        """``{"graph_execution_order": [{"compile_id": …}]}``; older torch: texts, or a record for each graph."""
        value = _json(event)
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

    def _observe_profile(self, place: dict, event: Event) -> bool:
        value = _json(event)
        if type(value) is not dict:
            return False
        entries, nodes = (
            value.get(key) if type(value.get(key)) is list else [] for key in ("op_entries", "diagnostics")
        )
        ops = [
            {
                "op": _words(entry.get("op")),
                "shapes": _words(entry.get("shapes")),
                "strides": _words(entry.get("strides")),
            }
            | {"dtype": _words(entry.get("dtype")), "profile_ms": _number(entry.get("profile_ms"))}
            for entry in entries[:MAX_ENTRIES]
            if type(entry) is dict
        ]
        estimates = [
            {"node": _words(entry.get("node")), "op": _words(entry.get("op"))}
            | {key: _number(entry.get(key)) for key in ("pge_ms", "analytical_ms")}
            for entry in nodes[:MAX_ENTRIES]
            if type(entry) is dict
        ]
        counts = {
            key: value[key] if _is_count(value.get(key)) else None for key in ("collective_count", "op_count")
        }
        self._profiles.append({**place, **counts, "ops": ops, "nodes": estimates})
        return True

    def _observe_csv(self, event: Event, name: str) -> None:
        text = payload_text(event)
        world_size = _WORLD_SIZE.match(text)
        lines = (line for line in text.split("\n") if line and not line.startswith("#"))
        header: list[str] = []
        rows: list[list] = []
        more = False
        try:
            for number, cells in enumerate(csv.reader(lines)):
                if number > MAX_CSV_ROWS:
                    more = True
                    break
                cells = cells[:_MAX_CSV_COLUMNS]
                if number == 0:
                    header = [cut(cell.strip()) for cell in cells]
                else:
                    rows.append([_cell(cell.strip()) for cell in cells])
        except csv.Error as error:
            unexpected(self._diagnostics, event, f"no CSV: {error}")
            more = True
        row = {**_place(event), "name": cut(name)}
        self._tables.append(
            {
                **row,
                "world_size": int(world_size[1]) if world_size else None,
                "columns": header,
                "rows": rows,
                "cut": more,
            }
        )

    def tables(self) -> Iterator[tuple[str, Rows]]:
        yield "runtime_estimates", self._estimates
        yield "estimated_ops", self._ops
        yield "collective_schedules", self._schedules
        yield "graph_executions", self._executions
        yield "runtime_metrics", self._metrics
        yield "estimate_tables", self._tables
        yield "collective_profiles", self._profiles


def _place(event: Event) -> dict[str, Any]:
    return {"event": event.index, "compile": event.compile, "attempt": event.attempt}


def _tensor(output: Any, known: dict[tuple, dict]) -> dict:
    output = output if type(output) is dict else {}
    shape, stride = _numbers(output.get("shape")), _numbers(output.get("stride"))
    dtype = text_or_none(output.get("dtype"))
    key = (None if shape is None else tuple(shape), None if stride is None else tuple(stride), dtype)
    return known.setdefault(key, {"shape": shape, "stride": stride, "dtype": dtype})


@lru_cache(256)
def _form(name: str) -> str | None:
    """What an artifact with this name holds; None for what is no concern of this table."""
    return "csv" if _CSV.match(name) else "estimates" if _ESTIMATES.match(name) else _FORMS.get(name)


def _json(event: Event) -> Any:
    try:
        return parse_json(event.payload or b"")
    except ValueError:
        return None


def _number(value: Any) -> int | float | None:
    return value if type(value) in (int, float) and abs(value) < 2**53 else None


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**53


def _numbers(values: Any) -> list | None:
    """A shape or strides: numbers, or expressions as text."""
    if type(values) is not list:
        return None
    return [value if type(value) is int else _words(value) for value in values[:_MAX_DIMENSIONS]]


def _words(value: Any) -> str | None:
    """Any value as text, as Python writes it."""
    return None if value is None else cut(value if type(value) is str else str(value))


def _cell(text: str) -> int | float | str:
    try:
        number = float(text)
    except ValueError:
        return cut(text)
    if not abs(number) < 2**53:
        return cut(text)
    return int(number) if number.is_integer() and text.lstrip("-").isdecimal() else number
