"""vLLM tables: backends, pieces, and where each piece got its code."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tlparse_bundle.log.event import Event, Span
from tlparse_bundle.log.events.registry import is_artifact
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.rows import JsonList, Rows
from tlparse_bundle.tables.table import ParseCache, TableContext
from tlparse_bundle.tables.text.graphs import read_fx
from tlparse_bundle.tables.text.record_values import (
    MAX_TEXT,
    count_or_none,
    payload_text,
    text_or_none,
    unexpected,
)
from tlparse_bundle.tables.vllm.pieces import Pieces
from tlparse_bundle.tables.vllm.records import (
    CODE,
    GRAPH,
    POST_GRAD,
    SPANS,
    Backend,
    Observation,
    Piece,
    Start,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        VllmBackendsRow,
        VllmCompileEventsRow,
        VllmPassesRow,
        VllmPiecesRow,
        VllmSubmodulesRow,
    )

_MAX_TEXT = 4_000_000  # characters of a graph that is compared with others
_FORWARD = re.compile(r"def forward\(self(?:, )?([^\n]*)\)")
# An argument on each line.
_EXPANDED = re.compile(r"def forward\(\n\s*self,?\n((?:[^\n,]*+,[^\n]*+\n)*+)\s*\)")
_ARGUMENT = re.compile(r'(?:^|(?<=, )|(?<=\n))\s*(\w+)(?: *: *("[^"]*"|[\w.]+))?(?=,|$)')
_ASSIGNED = re.compile(r"^ *(\w+)(?: *: *\"[^\"]*\")? = ", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?:#.*)?\n|^ *class .*\n", re.MULTILINE)
_NAME = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
_AOT_ID = re.compile(rb"^# AOT ID: \['([\w.-]{1,100})'\]", re.MULTILINE)
_MAX_EPOCH_US = 4 * 10**15  # the year 2096
_MAX_SETTINGS = 200
_SUBMODULE = re.compile(r"vllm_(?:submod|subgraph)_")
_PASS = re.compile(r"vllm_post_grad\.(?:(\d{1,9})\.)?(.+)", re.DOTALL)
_RECORDS = {
    "vllm_compilation_config": "config",
    "vllm_piecewise_compile_start": "start",
    "vllm_compile_event": "event",
    "vllm_execution_code": "code",
}
_BASES = ("before_pre_grad_graph", "before_post_grad_graph")  # what the first passes are compared with
_READ = frozenset((*_RECORDS, GRAPH, POST_GRAD, CODE, *_BASES))


class Vllm:
    """Builds the vllm_* tables.

    Events and spans arrive separately, so a few numbers of each are kept and ordered at the end. Records
    without a compile id belong to vLLM when it compiles ahead of time; others when their compile has vLLM
    settings.
    """

    name = "vllm"
    types = None
    timeline: frozenset[str] = frozenset()

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._observations: list[Observation] = []
        self._spans: JsonList[list[Any]] = JsonList()  # observations of every log, not only of vLLM
        self._compiles: set[int] = set()  # in which a backend of vLLM works
        # Compile and attempt of records, by row of the compile table.
        self._names: dict[int, tuple[str | None, int | None]] = {}
        self._is_vllm = False
        self._read_submodule = ParseCache(_submodule)
        self._read_operations = ParseCache(_operations)
        # Of graphs around passes, by event.
        self._operations: dict[int, tuple[int | None, dict[str, int]]] = {}

    @staticmethod
    def reads(event: Event) -> bool:
        return (event.name or event.type) in _READ or (
            event.type == "graph_dump" and (event.name or "").startswith("vllm_")
        )

    def observe_span(self, span: Span) -> None:
        event_index, compile_index, name, phase, time_us, _, _ = span
        if name in SPANS and phase in ("B", "E") and 0 <= time_us < _MAX_EPOCH_US:
            self._spans.append([event_index, compile_index, phase, name, int(time_us)])

    def observe(self, event: Event) -> None:
        if event.trace_event is not None:
            return
        kind = _RECORDS.get(event.name or "") if event.type == "artifact" else None
        if kind is not None:
            self._observe_record(event, kind)
        elif event.type == "compilation_metrics":
            if type(event.value) is dict and event.value.get("fail_type") is not None:
                self._add(event, "failure", event.type)
        elif event.compile_id is not None and event.compile_index not in self._compiles:
            return
        elif event.type == "graph_dump" and event.name == "vllm_piecewise_split_graph":
            self._add(event, "split", event.name)
        elif event.type == "graph_dump" and _SUBMODULE.match(event.name or ""):
            self._add(event, "submodule", event.name, self._read_submodule(event.hash, event))
        elif is_artifact(event.type, event.payload_size_bytes is not None):
            self._observe_artifact(event)

    def _add(self, event: Event, kind: str, name: str | None, value: Any = None) -> None:
        self._names[event.compile_index] = event.compile, event.attempt
        self._observations.append(
            Observation(event.index, event.compile_index, kind, name or "", event.time_us, value, event.hash)
        )

    def _observe_record(self, event: Event, kind: str) -> None:
        self._is_vllm = True
        content: Any = None
        if kind != "code":
            with suppress(ValueError):
                content = parse_json(event.payload or b"", for_table=False)
            if type(content) is not dict:
                unexpected(self._diagnostics, event, "not a JSON object")
                content = {}
        if kind in ("config", "start"):
            self._compiles.add(event.compile_index)
        if kind == "event":
            self._add(event, kind, text_or_none(content.get("type")), content)
        elif kind == "start":
            self._add(event, kind, event.name, _start(content))
        else:
            self._add(event, kind, event.name, content)

    def _observe_artifact(self, event: Event) -> None:
        plain = event.name if event.type in ("artifact", "graph_dump") and event.name else event.type
        value: Any = None
        if event.payload is not None and plain in _READ:
            if plain == "before_pre_grad_graph":
                value = arguments(payload_text(event))
            elif plain in (GRAPH, POST_GRAD):
                value = signature(payload_text(event)) if event.compile_id is None else None
            elif plain == CODE:
                value = aot_id(event.payload)
        if self._is_vllm and event.payload is not None and (plain in _BASES or _PASS.match(plain)):
            self._operations[event.index] = self._read_operations(event.hash, event)
        self._add(event, "artifact", plain, value)

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        if not self._is_vllm:
            return
        everything = [*self._observations, *(Observation(*span) for span in self._spans)]
        pieces = Pieces(sorted(everything, key=lambda record: record.event))
        backends = enumerate(pieces.backends)
        yield (
            "vllm_backends",
            Rows(self._backend_row(number, backend, pieces) for number, backend in backends),
        )
        yield "vllm_submodules", Rows(_submodule_rows(pieces.backends))
        yield "vllm_pieces", Rows(self._piece_rows(pieces))
        passes = (row for number, piece in enumerate(pieces.pieces) for row in self._pass_rows(number, piece))
        yield "vllm_passes", Rows(passes)
        yield "vllm_compile_events", Rows(_compile_event_rows(pieces.events))

    def _backend_row(self, number: int, backend: Backend, pieces: Pieces) -> VllmBackendsRow:
        config = backend.config.value if backend.config is not None else {}
        own = [piece for piece in pieces.pieces if piece.backend == number]
        totals = (piece.fields.total for piece in own)
        begins = [piece.begin_us for piece in own if piece.start is not None and piece.begin_us is not None]
        capture_us, captured_us = backend.capture_us or (None, None)
        compile, attempt = self._names[backend.compile_index]
        return {
            "id": number,
            "event": backend.config.event if backend.config is not None else None,
            "compile": compile,
            "attempt": attempt,
            "is_loaded": backend.config is None and all(piece.start is None for piece in own),
            "compile_event_type": backend.event or None,
            "prefix": text_or_none(config.get("prefix")),
            "model": text_or_none(config.get("model")),
            "config": {
                str(key)[:1000]: _setting(value) for key, value in list(config.items())[:_MAX_SETTINGS]
            },
            "split_event": backend.split,
            "code_event": backend.code,
            "submodule_count": next((total for total in totals if total is not None), None),
            "is_ended": backend.ended or backend.code is not None,
            "start_epoch_us": backend.start_us,
            "duration_us": _length(backend.start_us, backend.end_us),
            "capture_epoch_us": capture_us,
            "capture_time_us": _length(capture_us, captured_us),
            "split_time_us": _length(backend.start_us, min(begins, default=None)),
            "save_time_us": backend.save_us,
        }

    def _piece_rows(self, pieces: Pieces) -> Iterator[VllmPiecesRow]:
        for number, (piece, equal) in enumerate(zip(pieces.pieces, pieces.equals(), strict=True)):
            fields = piece.fields
            first, last = fields.range or (None, None)
            outcome = piece.outcome(pieces.backends[piece.backend])
            graph, code = piece.first(GRAPH), piece.first(CODE)
            compile, attempt = self._names[piece.compile_index]
            yield {
                "id": number,
                "backend": piece.backend,
                "compile": compile,
                "attempt": attempt,
                "start_event": piece.start.event if piece.start is not None else None,
                "submodule": fields.submodule,
                "piecewise_number": fields.number,
                "range_start": first,
                "range_end": last,
                "is_single_size": fields.is_single_size,
                "outcome": outcome,
                "start_epoch_us": piece.begin_us,
                "duration_us": piece.duration_us,
                "inductor_time_us": piece.inductor_us,
                "load_time_us": piece.load_us,
                "graph_hash": graph.hash if graph is not None else piece.graph,
                "code_hash": code.hash if code is not None else None,
                "aot_id": code.value if code is not None else None,
                "equal_to": equal,
                "reused": equal[0] if outcome == "reused" and len(equal) == 1 else None,
                "failure_event": piece.failure,
                "events": [record.event for record in piece.records],
            }

    def _pass_rows(self, number: int, piece: Piece) -> Iterator[VllmPassesRow]:
        base: Observation | None = None
        for record in piece.records:
            match = _PASS.match(record.name)
            if match is None:
                base = record if record.name in _BASES else base
                continue
            count, calls = self._operations.get(record.event, (None, {}))
            base_count, base_calls = self._operations.get(base.event, (None, {})) if base else (None, {})
            if count is None or base_count is None:
                calls = base_calls = {}
            added, removed = difference(base_calls, calls)
            yield {
                "piece": number,
                "event": record.event,
                "base_event": None if base is None else base.event,
                "number": int(match[1]) if match[1] else None,
                "name": match[2][:MAX_TEXT],
                "is_equal": None
                if base is None or record.hash is None or base.hash is None
                else base.hash == record.hash,
                "node_count": count,
                "base_node_count": base_count,
                "added": added,
                "removed": removed,
            }
            base = record


def _submodule(event: Event) -> tuple[str | None, tuple[str, ...]]:
    """Return (hash of the shape, names of the arguments) of a graph."""
    text = payload_text(event)
    return shape_of(text), arguments(text)


def _operations(event: Event) -> tuple[int | None, dict[str, int]]:
    """Return (number of nodes, how often each operation is called) of a graph."""
    read = read_fx(payload_text(event))
    if not read.graphs:
        return None, {}
    graph = read.graphs[0]
    return len(graph.placeholders) + graph.call_count + graph.get_attr_count + 1, read.ops


def _start(content: dict[str, Any]) -> Start:
    first = count_or_none(content.get("compile_range_start"))
    last = count_or_none(content.get("compile_range_end"))
    single = content.get("is_single_size")
    return Start(
        submodule=text_or_none(content.get("submod_name")),
        number=count_or_none(content.get("piecewise_index")),
        total=count_or_none(content.get("total_piecewise_compiles")),
        range=None if first is None or last is None else (first, last),
        is_single_size=single if type(single) is bool else None,
    )


def _compile_event_rows(events: list[Observation]) -> Iterator[VllmCompileEventsRow]:
    for record in events:
        yield {"event": record.event, "type": record.name or None}


def _submodule_rows(backends: list[Backend]) -> Iterator[VllmSubmodulesRow]:
    first: dict[tuple[int, str], str] = {}
    for number, backend in enumerate(backends):
        for name, (event, shape) in backend.graphs.items():
            same = name if shape is None else first.setdefault((number, shape), name)
            yield {
                "backend": number,
                "name": name,
                "event": event,
                "shape_hash": shape,
                "same_as": None if same == name else same,
            }


def _setting(value: Any) -> str | bool | float | None:
    if isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < 2**53):
        return value
    if value is None:
        return None
    text = value if type(value) is str else json.dumps(value)
    return text_or_none(text)


def _length(begin_us: int | None, end_us: int | None) -> int | None:
    return None if begin_us is None or end_us is None else max(0, end_us - begin_us)


def _arguments(text: str) -> list[tuple[str, str]] | None:
    """Return (name, type) of the arguments of a graph; None for other text."""
    match = _FORWARD.search(text) or _EXPANDED.search(text)
    return None if match is None else _ARGUMENT.findall(match[1])


def signature(text: str) -> str | None:
    """Return the arguments of a graph with types, independent of the form of the graph."""
    listed = _arguments(text)
    return None if listed is None else ", ".join(f"{name}: {kind}" for name, kind in listed)


def arguments(text: str) -> tuple[str, ...]:
    """Return the names of a graph's arguments."""
    return tuple(name for name, _ in _arguments(text) or ())


def shape_of(text: str) -> str | None:
    """Return a hash that ignores value names, such as those of layers; None for other text."""
    if len(text) > _MAX_TEXT or _arguments(text) is None:
        return None
    body = _COMMENT.sub("", text)
    own = {*arguments(body), *_ASSIGNED.findall(body)}
    numbers: dict[str, str] = {}
    renamed = _NAME.sub(
        lambda match: numbers.setdefault(match[0], f"%{len(numbers)}") if match[0] in own else match[0], body
    )
    return hashlib.sha256(renamed.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def aot_id(code: bytes) -> str | None:
    """Return AOTAutograd's number of the graph of this code, in the process that compiled it."""
    match = _AOT_ID.search(code, 0, 100_000)
    return match[1].decode() if match else None


def difference(before: dict[str, int], after: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Return (added calls, removed calls), by operation."""
    added = {
        name: count - before.get(name, 0) for name, count in after.items() if count > before.get(name, 0)
    }
    removed = {
        name: count - after.get(name, 0) for name, count in before.items() if count > after.get(name, 0)
    }
    return added, removed
