"""vLLM records and spans, and the backends and pieces built from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

START_SPAN = "vllm_log_compile_start_torch_trace_only"
BACKEND_SPAN = "vllm_backend"
LOAD_SPAN = "AOTAutogradCache.inductor_load"
CAPTURE_SPANS = frozenset(("fullgraph_capture", "dynamo"))
END_SPANS = frozenset(
    (START_SPAN, "vllm_print_readable", "vllm.generate_execution_code")
)  # begin when a piece is over
SPANS = frozenset(
    (BACKEND_SPAN, LOAD_SPAN, "inductor_compile", "CompiledArtifact.save", *CAPTURE_SPANS, *END_SPANS)
)
GRAPH, POST_GRAD, CODE = "aot_inference_graph", "inductor_post_grad_graph", "inductor_output_code"
LOADED = "fx_graph_bundled_cache_hit"
# Records of a load once its code is ready, in this order
# (torch/_inductor/output_code.py).
LOAD = (
    "fx_graph_runnable",
    POST_GRAD,
    CODE,
    "inductor_provenance_tracking_node_mappings",
    "inductor_provenance_tracking_kernel_stack_traces",
    LOADED,
)
LAST = "runtime_wrapper_orchestration"

Outcome = Literal["compiled", "inductor_loaded", "loaded", "reused", "failed", "unfinished"]


class Observation(NamedTuple):
    """Relevant parts of a record or timeline event."""

    event: int
    compile_index: int
    kind: str  # config, start, submodule, split, code, artifact, failure, event, or a phase of a span
    name: str
    time_us: int  # of records on their own clock, of spans since 1970
    value: Any = None  # from the payload; of a start a Start
    hash: str | None = None


class Start(NamedTuple):
    """Fields of a vllm_piecewise_compile_start."""

    submodule: str | None = None
    number: int | None = None
    total: int | None = None
    range: tuple[int, int] | None = None
    is_single_size: bool | None = None


@dataclass(slots=True)
class Backend:
    config: Observation | None
    compile_index: int
    event: str | None
    start_us: int | None = None
    end_us: int | None = None
    capture_us: tuple[int, int | None] | None = None
    save_us: int | None = None
    split: int | None = None
    code: int | None = None
    ended: bool = False
    graphs: dict[str, tuple[int, str | None]] = field(default_factory=dict)  # of submodules: event, shape
    # Submodules by the names of their arguments.
    named: dict[tuple[str, ...], set[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Piece:
    backend: int
    compile_index: int
    start: Observation | None = None
    begin_us: int | None = None
    end_us: int | None = None
    record_us: int | None = None  # from its record to the next one's
    inductor_us: int | None = None
    load_us: int | None = None
    records: list[Observation] = field(default_factory=list)
    ended: bool = False
    passed: bool = False  # what vLLM did next says that it went well
    failure: int | None = None
    # Hash of its graph when several records have it, and this piece's is unknown.
    graph: str | None = None

    @property
    def fields(self) -> Start:
        """Return the fields of its record; all None without one."""
        start: Start = self.start.value if self.start is not None else Start()
        return start

    @property
    def submodule(self) -> str | None:
        return self.fields.submodule

    def first(self, name: str) -> Observation | None:
        return next((record for record in self.records if record.name == name), None)

    @property
    def duration_us(self) -> int | None:
        if self.begin_us is None or self.end_us is None:
            return self.record_us
        return max(0, self.end_us - self.begin_us)

    def outcome(self, backend: Backend) -> Outcome | None:
        names = {record.name for record in self.records if record.kind == "artifact"}
        if CODE in names:
            if (
                self.start is None
                or "fx_graph_bundled_cache_hit" in names
                or "aotautograd_cache_hit" in names
            ):
                return "loaded"
            was_traced = (
                "aotautograd_cache_miss" in names
                or "aotautograd_cache_bypass" in names
                or "before_pre_grad_graph" in names
            )
            if "fx_graph_cache_hit" not in names:
                return "compiled"
            return "inductor_loaded" if was_traced else "loaded"
        if not self.ended:
            return "unfinished"
        if names:
            return "failed" if backend.ended and backend.code is None else None
        return "reused" if self.passed or backend.code is not None else None


class Loads:
    """Pieces loaded by several threads, whose records are interleaved.

    The records that a load writes when its code is ready are adjacent. Its earlier graph is identified by
    unique arguments; the load then starts with the next event.
    """

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.first_us: int | None = None
        self.last_us: int | None = None
        self._group: list[Observation] = []
        self._open_count = 0  # loads that have begun to write
        self._mixed = False
        self._wrapper_follows = False  # the last load ended, and nothing else was written since
        self._groups: list[list[Observation]] = []
        self._ends: dict[int, int] = {}  # moment of the end, by number of the group
        self._graphs: list[tuple[Observation, int | None]] = []  # and the begin of their loads

    def add(self, record: Observation) -> None:
        if record.name != LAST:
            self._wrapper_follows = False
        if record.name == GRAPH:
            self._graphs.append((record, None))
        elif record.name == LAST:
            if self._wrapper_follows and self._groups:
                self._groups[-1].append(record)
            self._wrapper_follows = False
        elif record.name in LOAD:
            self._of_load(record)

    def _of_load(self, record: Observation) -> None:
        if record.name == LOAD[0]:
            self._open_count += 1
            if self._open_count > 1:  # of two loads at once only the code is sure
                self._mixed = True
                self._groups += [[earlier] for earlier in self._group if earlier.name == CODE]
                self._group = []
        if self._mixed:
            if record.name == CODE:
                self._groups.append([record])
        elif not self._group or LOAD.index(record.name) > LOAD.index(self._group[-1].name):
            self._group.append(record)
        if record.name == LOADED:
            if any(record.name == CODE for record in self._group):
                self._groups.append(self._group)
            self._group = []
            self._open_count = max(0, self._open_count - 1)
            self._mixed = self._mixed and self._open_count > 0

    def begin(self, record: Observation) -> None:
        self._wrapper_follows = False
        self.first_us = record.time_us if self.first_us is None else self.first_us
        if self._graphs and self._graphs[-1][0].event == record.event - 1:
            self._graphs[-1] = self._graphs[-1][0], record.time_us

    def end(self, record: Observation) -> None:
        self.last_us = record.time_us
        if (
            self._groups
            and self._groups[-1][-1].name == LOADED
            and self._groups[-1][-1].event == record.event - 1
        ):
            self._ends[len(self._groups) - 1] = record.time_us
            self._wrapper_follows = True

    def take(self, backend: int, compile_index: int) -> list[Piece]:
        pieces = []
        by_arguments: dict[str, list[tuple[Observation, int | None]]] = {}
        for graph, begin_us in self._graphs:
            if graph.value:
                by_arguments.setdefault(graph.value, []).append((graph, begin_us))
        for number, group in enumerate(self._groups):
            piece = Piece(
                backend, compile_index, records=list(group), ended=True, end_us=self._ends.get(number)
            )
            arguments = next((record.value for record in group if record.name == POST_GRAD), None)
            fits = by_arguments.get(arguments, []) if arguments else []
            if len({graph.hash for graph, _ in fits}) == 1:
                piece.graph = fits[0][0].hash
            if len(fits) == 1:
                graph, piece.begin_us = fits[0]
                piece.records.insert(0, graph)
                if piece.begin_us is not None and piece.end_us is not None:
                    piece.load_us = max(0, piece.end_us - piece.begin_us)
            pieces.append(piece)
        self._reset()
        return pieces
