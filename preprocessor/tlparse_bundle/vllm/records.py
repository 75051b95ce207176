"""What is kept of vLLM's records and spans, and the backends and pieces that are made of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

START_SPAN = "vllm_log_compile_start_torch_trace_only"
BACKEND_SPAN = "vllm_backend"
LOAD_SPAN = "AOTAutogradCache.inductor_load"
CAPTURE_SPANS = frozenset(("fullgraph_capture", "dynamo"))
END_SPANS = frozenset((START_SPAN, "vllm_print_readable", "vllm.generate_execution_code"))  # begin when a piece is over
SPANS = frozenset((BACKEND_SPAN, LOAD_SPAN, "inductor_compile", "CompiledArtifact.save", *CAPTURE_SPANS, *END_SPANS))
GRAPH, POST_GRAD, CODE = "aot_inference_graph", "inductor_post_grad_graph", "inductor_output_code"
LOADED = "fx_graph_bundled_cache_hit"
# What the load of a compiled piece writes when its code is there, in this order (torch/_inductor/output_code.py).
LOAD = ("fx_graph_runnable", POST_GRAD, CODE, "inductor_provenance_tracking_node_mappings", "inductor_provenance_tracking_kernel_stack_traces", LOADED)
LAST = "runtime_wrapper_orchestration"


class Seen(NamedTuple):
    """A record, or an event of the timeline, as far as it matters here."""

    index: int
    compile_index: int
    kind: str  # config, start, submodule, split, code, artifact, failure, event, or a phase of a span
    name: str
    time_us: int  # of records on their own clock, of spans since 1970
    value: Any = None  # what the payload says
    hash: str | None = None


@dataclass(slots=True)
class Backend:
    config: Seen | None
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
    named: dict[tuple[str, ...], set[str]] = field(default_factory=dict)  # submodules by the names of their arguments


@dataclass(slots=True)
class Piece:
    backend: int
    compile_index: int
    start: Seen | None = None
    begin_us: int | None = None
    end_us: int | None = None
    record_us: int | None = None  # from its record to the next one's
    inductor_us: int | None = None
    load_us: int | None = None
    seen: list[Seen] = field(default_factory=list)
    ended: bool = False
    passed: bool = False  # what vLLM did next says that it went well
    failure: int | None = None
    graph: str | None = None  # hash, where several records hold this graph and it is not known which is this piece's

    @property
    def submodule(self) -> str | None:
        return self.start.value["submod_name"] if self.start else None

    def first(self, name: str) -> Seen | None:
        return next((seen for seen in self.seen if seen.name == name), None)

    @property
    def duration_us(self) -> int | None:
        known = self.begin_us is not None and self.end_us is not None
        return max(0, self.end_us - self.begin_us) if known else self.record_us

    def outcome(self, backend: Backend) -> str | None:
        names = {seen.name for seen in self.seen if seen.kind == "artifact"}
        if CODE in names:
            if self.start is None or "fx_graph_bundled_cache_hit" in names or "aotautograd_cache_hit" in names:
                return "loaded"
            asked = "aotautograd_cache_miss" in names or "aotautograd_cache_bypass" in names or "before_pre_grad_graph" in names
            return "compiled" if "fx_graph_cache_hit" not in names else "inductor_loaded" if asked else "loaded"
        if not self.ended:
            return "unfinished"
        if names:
            return "failed" if backend.ended and backend.code is None else None
        return "reused" if self.passed or backend.code is not None else None
