"""Types of the rows of each table. Written by scripts/docs from schema/: do not edit."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypedDict, overload


class AttemptsRow(TypedDict):
    """Attempts: one row per try of a compile, a refused compile or a capture, in the order of their first records."""

    compile: str
    attempt: int
    status: Literal["ok", "failed", "empty", "unfinished", "restarted"] | None
    restart_reason: str | None
    stack: int | None
    graph_break_count: int
    first_event: int
    event_count: int
    size_bytes: int
    artifact_count: int


class CachesRow(TypedDict):
    """Lookups and writes of the compile caches with their outcome, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    cache: Literal["fx_graph", "aot_autograd", "pgo", "precompile"]
    outcome: Literal["hit", "miss", "bypass", "disabled", "get", "put", "error", "key"]
    name: str
    remote: bool | None
    key: str | None
    detail: str | None
    guard: str | None
    reason: str | None
    exception_type: str | None
    field: str | None
    time_saved_us: int | None
    time_taken_us: int | None
    component_count: int | None
    closest_event: int | None
    different_count: int | None
    different: list[str]


class CapturesRow(TypedDict):
    """Compile ids under which something was captured that is not compiled under them: the graph of compiled autograd ('!0'), calls of torch.export, functions that were inlined elsewhere."""

    compile: str
    first_event: int
    function: str | None
    file: str | None
    line: int | None


class CompilesRow(TypedDict):
    """What torch compiled: one row per compile, all attempts together, in the order in which they began."""

    compile: str
    kind: Literal["frame", "compiled_autograd", "ahead_of_time"]
    compiled_autograd_id: int | None
    frame_id: int | None
    frame_compile_id: int | None
    occurrence: int
    attempt_count: int
    status: Literal["ok", "failed", "skipped", "empty", "unfinished"]
    function: str | None
    file: str | None
    line: int | None
    stack: int | None
    start_epoch_us: int | None
    total_us: int | None
    dynamo_us: int | None
    aot_us: int | None
    inductor_us: int | None
    backward_us: int | None
    restart_us: int | None
    graph_op_count: int | None
    graph_node_count: int | None
    graph_input_count: int | None
    guard_count: int | None
    graph_break_count: int
    recompile_reason: str | None
    restart_reasons: list[str]
    failure_type: str | None
    failure_reason: str | None
    failure_file: str | None
    failure_line: int | None
    metrics_event: int | None
    first_event: int
    event_count: int | None
    size_bytes: int | None
    artifact_count: int | None


class FailuresRow(TypedDict):
    """What failed or was restarted: one row per record that reports it, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    kind: Literal["compile", "backward", "restart", "exception", "eager_backward", "fx_interpreter", "make_fx"]
    type: str | None
    reason: str | None
    file: str | None
    line: int | None
    function: str | None
    source_line: str | None
    user_traceback: str | None
    stack: int | None


class FindingsRemedies(TypedDict):
    text: str
    code: str | None
    source: Literal["torch", "tlparse-bundle"]


class FindingsRow(TypedDict):
    """What the log says, one row per finding, most important first: what went wrong, where, what it cost, what helps."""

    id: int
    kind: str
    fingerprint: str
    severity: Literal["error", "warning", "info"]
    title: str
    text: str
    function: str | None
    file: str | None
    line: int | None
    compiles: list[str]
    events: list[int]
    spans: list[int]
    count: int
    cost_us: int | None
    cost_of: str | None
    remedies: list[FindingsRemedies]
    because_of: int | None
    details: dict[str, Any]


class LimitsRow(TypedDict):
    """Compiles that torch refused, one row each: the function runs eager for new inputs, or an error was raised."""

    compile: str
    first_event: int
    function: str | None
    file: str | None
    line: int | None
    stack: int | None
    recompile_reason: str | None
    failure_type: str | None
    failure_reason: str | None
    kind: Literal["recompile_limit", "error_on_recompile"]


class MetricConfigsRow(TypedDict):
    """The different configurations in the metrics, in order of first appearance, at most 1000."""

    id: int
    field: str
    event: int
    record_count: int
    base: int | None
    value: dict[str, Any] | None
    changes: dict[str, Any]
    removed: list[str]
    text: str | None


class MetricFieldsRow(TypedDict):
    """Unit and meaning of the fields in the metrics of this log: first the fields that this version of the tool knows, in a fixed order, then the others in order of appearance."""

    name: str
    unit: Literal["s", "ms", "us", "epoch_s", "epoch_us", "bytes", "count"] | None
    group: Literal["frame", "time", "counts", "cache", "failure", "config", "environment", "other"]
    meaning: str | None


class MetricsRow(TypedDict):
    """Compilation metrics with every field, one row per record, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    type: Literal["compilation_metrics", "bwd_compilation_metrics", "compilation_metrics_runtime", "bwd_compilation_metrics_runtime", "aot_autograd_backward_compilation_metrics"]
    values: dict[str, Any]
    configs: dict[str, int | None]
    cut: list[str]


class VllmBackendsRow(TypedDict):
    """Compile backends of vLLM, in file order: one for the model, one for a draft model."""

    id: int
    event: int | None
    compile: str | None
    attempt: int | None
    is_loaded: bool
    compile_event_type: str | None
    prefix: str | None
    model: str | None
    config: dict[str, str | float | bool | None]
    split_event: int | None
    code_event: int | None
    submodule_count: int | None
    is_ended: bool
    start_epoch_us: int | None
    duration_us: int | None
    capture_epoch_us: int | None
    capture_time_us: int | None
    split_time_us: int | None
    save_time_us: int | None


class VllmCompileEventsRow(TypedDict):
    """vLLM's records about whole compiles, vllm_compile_event, in file order."""

    event: int
    type: str | None


class VllmPassesRow(TypedDict):
    """The graph after each of vLLM's passes, compared with the graph before it, where the log has these graphs."""

    piece: int
    event: int
    base_event: int | None
    number: int | None
    name: str
    is_equal: bool | None
    node_count: int | None
    base_node_count: int | None
    added: dict[str, int]
    removed: dict[str, int]


class VllmPiecesRow(TypedDict):
    """What vLLM compiles or loads: one row per submodule and size or range of sizes, in file order, with the origin of its code."""

    id: int
    backend: int
    compile: str | None
    attempt: int | None
    start_event: int | None
    submodule: str | None
    piecewise_number: int | None
    range_start: int | None
    range_end: int | None
    is_single_size: bool | None
    outcome: Literal["compiled", "inductor_loaded", "loaded", "reused", "failed", "unfinished"] | None
    start_epoch_us: int | None
    duration_us: int | None
    inductor_time_us: int | None
    load_time_us: int | None
    graph_hash: str | None
    code_hash: str | None
    aot_id: str | None
    equal_to: list[int]
    reused: int | None
    failure_event: int | None
    events: list[int]


class VllmSubmodulesRow(TypedDict):
    """Submodules of the model that vLLM compiles, each with its graph."""

    backend: int
    name: str
    event: int
    shape_hash: str | None
    same_as: str | None


class LogTables(Protocol):
    """What ``table`` gives by the name of a table."""

    @overload
    def table(self, name: Literal["attempts"]) -> list[AttemptsRow]: ...
    @overload
    def table(self, name: Literal["caches"]) -> list[CachesRow]: ...
    @overload
    def table(self, name: Literal["captures"]) -> list[CapturesRow]: ...
    @overload
    def table(self, name: Literal["compiles"]) -> list[CompilesRow]: ...
    @overload
    def table(self, name: Literal["failures"]) -> list[FailuresRow]: ...
    @overload
    def table(self, name: Literal["findings"]) -> list[FindingsRow]: ...
    @overload
    def table(self, name: Literal["limits"]) -> list[LimitsRow]: ...
    @overload
    def table(self, name: Literal["metric_configs"]) -> list[MetricConfigsRow]: ...
    @overload
    def table(self, name: Literal["metric_fields"]) -> list[MetricFieldsRow]: ...
    @overload
    def table(self, name: Literal["metrics"]) -> list[MetricsRow]: ...
    @overload
    def table(self, name: Literal["vllm_backends"]) -> list[VllmBackendsRow]: ...
    @overload
    def table(self, name: Literal["vllm_compile_events"]) -> list[VllmCompileEventsRow]: ...
    @overload
    def table(self, name: Literal["vllm_passes"]) -> list[VllmPassesRow]: ...
    @overload
    def table(self, name: Literal["vllm_pieces"]) -> list[VllmPiecesRow]: ...
    @overload
    def table(self, name: Literal["vllm_submodules"]) -> list[VllmSubmodulesRow]: ...
    @overload
    def table(self, name: str) -> list[Any]: ...
    def table(self, name: str) -> Any: ...

class RankTables(Protocol):
    """What ``rank_table`` gives by the name of a table."""

    @overload
    def rank_table(self, name: str) -> list[Any]: ...
    def rank_table(self, name: str) -> Any: ...
