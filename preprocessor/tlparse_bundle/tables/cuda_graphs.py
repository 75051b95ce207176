"""CUDA graphs of compiled graphs: recorded ones, and reasons why torch does not use them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from tlparse_bundle.log.event import TIMELINE, Event
from tlparse_bundle.tables.newest_attempts import NewestAttempts
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.text.record_values import Frame, cut, frames_in

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CudaGraphsRow

Direction = Literal["forward", "backward"]
_METRICS: dict[str, Direction] = {
    "compilation_metrics": "forward",
    "bwd_compilation_metrics": "backward",
}
_RECORD = "CUDAGraphNode.record"  # torch/_inductor/cudagraph_trees.py
_PREPARE = "cudagraphify.get_container"  # cudagraphify_impl calls it for each new set of integer inputs
_MAX_OPEN = 1000  # recordings without an end
_MAX_EVENTS = 1000  # of one graph
_MAX_REMEMBERED = 100_000  # graphs
FOUND_FROM = re.compile(r"\.?(?<!\s)\s*Found from\s*:?(?P<stack>.*)", re.DOTALL)  # differs for each graph
_Key = tuple[str | None, Direction]


class CudaGraphs:
    """A recording happens while the program runs, so its record has no context: only ``compile_id``."""

    name = "cuda_graphs"
    types = frozenset((TIMELINE, *_METRICS))
    timeline = frozenset((_PREPARE, _RECORD))

    def __init__(self, context: TableContext):
        self._newest = NewestAttempts()
        self._graphs: dict[_Key, CudaGraphsRow] = {}
        self._open: list[tuple[object, float]] = []

    @staticmethod
    def wants(event: Event) -> bool:
        return event.type in _METRICS or (
            event.trace_event is not None and event.trace_event["name"] in (_PREPARE, _RECORD)
        )

    def observe(self, event: Event) -> None:
        if event.type in _METRICS:
            self._observe_metrics(event, event.value if type(event.value) is dict else {})
        elif event.trace_event is not None and self.wants(event):
            self._observe_recording(event, event.trace_event)

    def _observe_metrics(self, event: Event, metrics: Mapping[str, Any]) -> None:
        self._newest.note(event)
        reason = metrics.get("cudagraph_skip_reason")
        if type(reason) is str and reason:
            graph = self._graph(event.compile, event.attempt, _METRICS[event.type])
            if graph is not None:
                frame = _found_from(reason)
                graph |= {
                    "skip_event": event.index,
                    "skip_reason": cut(reason),
                    "file": frame and frame.file,
                    "line": frame and frame.line,
                    "function": frame and frame.function,
                    "source_line": frame and frame.source_line,
                }

    def _observe_recording(self, event: Event, record: Mapping[str, Any]) -> None:
        args = record["args"] if type(record.get("args")) is dict else {}
        compile_id = args.get("compile_id")
        if record["name"] == _PREPARE:
            graph = self._graph_of(event, args) if record["ph"] == "B" else None
            if graph is not None:
                graph["prepare_count"] = (graph["prepare_count"] or 0) + 1
            return
        if record["ph"] == "B":
            self._open.append((compile_id, record["ts"]))
            del self._open[:-_MAX_OPEN]
            return
        begin = next(
            (place for place in reversed(range(len(self._open))) if self._open[place][0] == compile_id), None
        )
        if record["ph"] != "E" or begin is None:
            return
        began_us = self._open.pop(begin)[1]
        graph = self._graph_of(event, args)
        if graph is not None:
            graph["record_count"] += 1
            if len(graph["record_events"]) < _MAX_EVENTS:
                graph["record_events"].append(event.index)
            graph["record_us"] += max(0, int(record["ts"] - began_us))

    def _graph_of(self, event: Event, args: Mapping[str, Any]) -> CudaGraphsRow | None:
        """Return the row of a record that names its compile in its arguments."""
        compile, attempt = (
            (event.compile, event.attempt)
            if event.compile is not None
            else self._newest.of(args.get("compile_id"))
        )
        return self._graph(compile, attempt, "backward" if args.get("is_backward") is True else "forward")

    def _graph(self, compile: str | None, attempt: int | None, direction: Direction) -> CudaGraphsRow | None:
        key = compile, direction
        graph = self._graphs.get(key)
        if graph is None and len(self._graphs) < _MAX_REMEMBERED:
            graph = self._graphs[key] = {
                "compile": compile,
                "attempt": attempt,
                "direction": direction,
                "prepare_count": None,
                "record_count": 0,
                "record_events": [],
                "record_us": 0,
                "skip_event": None,
                "skip_reason": None,
                "file": None,
                "line": None,
                "function": None,
                "source_line": None,
            }
        return graph

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "cuda_graphs", Rows(self._graphs.values())


def _found_from(reason: str) -> Frame | None:
    """Return the innermost frame of the stack that torch adds to a reason."""
    found = FOUND_FROM.search(reason)
    frames = frames_in(found["stack"]) if found else []
    return frames[-1] if frames else None
