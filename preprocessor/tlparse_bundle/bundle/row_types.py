"""Types of the rows of each table. Written by scripts/docs from schema/: do not edit."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypedDict, overload


class AliasingRow(TypedDict):
    """Input mutations and output aliases of graphs: one row per aot_forward_graph_fw_metadata and aot_forward_graph_fw_subclass_metadata, counted from their text."""

    event: int
    compile: str | None
    attempt: int | None
    subclass: bool
    input_count: int
    mutated_input_count: int
    moving_mutated_inputs: list[int]
    metadata_mutated_input_count: int
    output_count: int
    output_types: dict[str, int]
    intermediate_base_count: int | None
    saved_symint_count: int | None
    backward_token_count: int | None
    rng_state_count: int | None


class ArtifactsRow(TypedDict):
    """Artifacts, in the order torch wrote them: one row per record with a payload (chromium events excepted), per record of type 'artifact' even without a payload, per 'link', and per record of metrics."""

    event: int
    compile: str | None
    attempt: int | None
    type: str
    name: str
    language: Literal["fx", "python", "cpp", "json", "guards", "bytecode", "csv", "text", "none"]
    descriptor: str
    blob: str | None
    offset: int | None
    size_bytes: int | None
    sha256: str | None


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


class AutogradCapturesRow(TypedDict):
    """Captures of a backward graph by compiled autograd: one row per capture, in file order."""

    compile: str | None
    attempt: int | None
    graph_event: int | None
    pre_reordering_event: int | None
    reasons_event: int | None
    reasons: list[str]


class AutotuneChoicesRow(TypedDict):
    """Candidates of autotuning that torch logs: one row per candidate, grouped by autotuning, the fastest first and then those that did not compile."""

    autotuning: int
    compile: str | None
    attempt: int | None
    name: str | None
    kind: Literal["extern", "triton", "cpp", "cutlass", "ck", "cutedsl", "other"]
    description: str | None
    position: int | None
    time_us: float | None
    error_type: str | None
    error: str | None
    ratio: float | None


class AutotuningsRow(TypedDict):
    """Autotunings of an operator while compiling: one row per benchmark of its candidates ('…_template_autotuning' in the timeline), or per compile of candidates ('…_template_precompiling') without a benchmark, in order of their ends."""

    id: int
    compile: str | None
    attempt: int | None
    operator: str
    begin_event: int | None
    end_event: int | None
    duration_us: int | None
    precompile_event: int | None
    precompile_us: int | None
    shapes: str | None
    strides: str | None
    dtypes: list[str]
    choice_count: int | None
    triton_choice_count: int | None
    best: str | None
    best_kind: Literal["extern", "triton", "cpp", "cutlass", "ck", "cutedsl", "other"] | None
    best_time_us: float | None
    runner_up_ratio: float | None
    failed_count: int


class BlobsRow(TypedDict):
    """Files that hold the payloads of a log, each once."""

    blob: str
    kind: Literal["timeline", "payloads"]
    sha256: str
    size_bytes: int
    stored_size_bytes: int


class BytecodeRow(TypedDict):
    """Bytecode of resume functions, before and after Dynamo: one row per function and compile, in file order."""

    compile: str | None
    attempt: int | None
    function: str
    original_event: int | None
    modified_event: int | None
    original_instruction_count: int | None
    modified_instruction_count: int | None


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


class CallInputsRow(TypedDict):
    """What is known of the call that triggered each compile: a row for each value, from the tensors and symbols that torch described and from the guards of the compile, which hold for its own call."""

    compile: str
    source: str
    kind: Literal["tensor", "int", "float", "bool", "str", "none", "named", "other"]
    value: str | None
    shape: list[int] | None
    stride: list[int] | None
    dtype: str | None
    device: str | None
    requires_grad: bool | None
    known_from: Literal["describe_tensor", "create_symbol", "guard"]


class CapturesRow(TypedDict):
    """Compile ids that only captured something: the graph of compiled autograd ('!0'), calls of torch.export, functions inlined elsewhere."""

    compile: str
    first_event: int
    function: str | None
    file: str | None
    line: int | None


class CodeObjectsRow(TypedDict):
    """Compiled code objects with all their compiles, in order of the first compile."""

    id: int
    compiled_autograd_id: int | None
    frame_id: int
    function: str | None
    file: str | None
    first_line: int | None
    compiles: list[str]
    limit_compile: str | None
    resumes: int | None


class CollectiveBucketsRow(TypedDict):
    """Collectives that a pass grouped into buckets, each of which runs as one: one row per fx_bucketing_passes_… artifact."""

    event: int
    compile: str | None
    attempt: int | None
    name: str
    buckets: list[list[str]]


class CollectiveCallsRow(TypedDict):
    """Distinct collective calls, which tables about several ranks refer to in 'collective_call'."""

    id: int
    op: str
    reduce_op: str | None
    group: str | None
    group_size: int | None
    dtype: str | None
    shape: list[int | str] | None
    root: int | None
    output_splits: list[int | str] | None
    input_splits: list[int | str] | None


class CollectiveMismatchesUnmatched(TypedDict):
    """For an all-to-all: the first pair of ranks with different sizes; null for other operations."""

    sender: int
    receiver: int
    sent: int
    expected: int


class CollectiveMismatchesRow(TypedDict):
    """First mismatched calls of each process group: one row per group of ranks that make the same call, the largest group first."""

    group: str | None
    position: int
    effect: Literal["hang", "wrong"]
    unmatched: CollectiveMismatchesUnmatched | None
    ranks: list[list[int]]
    rank_compile: int
    collective_call: int


class CollectiveProfilesOps(TypedDict):
    op: str | None
    shapes: str | None
    strides: str | None
    dtype: str | None
    profile_ms: float | None


class CollectiveProfilesNodes(TypedDict):
    node: str | None
    op: str | None
    pge_ms: float | None
    analytical_ms: float | None


class CollectiveProfilesRow(TypedDict):
    """Profiled and estimated run times of operations: one row per pge_profile_vs_analytical."""

    event: int
    compile: str | None
    attempt: int | None
    collective_count: int | None
    op_count: int | None
    ops: list[CollectiveProfilesOps]
    nodes: list[CollectiveProfilesNodes]


class CollectiveReportsRow(TypedDict):
    """Text reports of passes over collectives, and of what ranks exchanged while they compiled (compiler_collective): one row per report, with the values in its text."""

    event: int
    compile: str | None
    attempt: int | None
    name: str
    line_count: int
    values: dict[str, str]
    changes: dict[str, list[int]]
    text: str


class CollectiveSchedulesRow(TypedDict):
    """The collectives of compiled graphs: one row per inductor_collective_schedule, that is, per graph with collectives."""

    event: int
    compile: str | None
    attempt: int | None
    collectives: list[str | None]
    cut: bool


class CollectiveSizesRow(TypedDict):
    """Sizes of collectives before bucketing: one row per collective in a pre_bucketing_collective_sizes… artifact, at most 20,000 per artifact."""

    event: int
    compile: str | None
    attempt: int | None
    name: str
    node: str | None
    type: str | None
    size_mb: float | None


class CollectiveWaitsRow(TypedDict):
    """Positions in a process group at which some ranks make no further call while others do."""

    group: str | None
    position: int
    ranks: list[list[int]]
    others: list[list[int]]
    rank_compile: int
    collective_call: int


class CompilesRow(TypedDict):
    """Compiles: one row per compile with all its attempts, in order of start."""

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


class CudaGraphsRow(TypedDict):
    """CUDA graphs: one row per compile and direction whose graph torch prepared for CUDA graphs, recorded, or could not use, in order of the first record."""

    compile: str | None
    attempt: int | None
    direction: Literal["forward", "backward"]
    prepare_count: int | None
    record_count: int
    record_events: list[int]
    record_us: int
    skip_event: int | None
    skip_reason: str | None
    file: str | None
    line: int | None
    function: str | None
    source_line: str | None


class DataDependentErrorsRow(TypedDict):
    """Conditions on unbacked symbols that torch could not decide: one row per record guard_on_data_dependent_error, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    expr: str | None
    unhinted_expr: str | None
    symbol_events: list[int]
    expression_event: int | None
    stack: int | None


class DdpSplitsRow(TypedDict):
    """Parts of graphs that DDPOptimizer split: one row per part, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    split_event: int | None
    position: int
    name: str | None


class DiagnosticsRow(TypedDict):
    """Parts of the log that were skipped, repaired, assumed or not understood: one row per occurrence, or per run of lines with the same code, in file order."""

    event: int | None
    code: str
    severity: Literal["info", "warning"]
    message: str
    line: int | None
    byte_offset: int | None
    count: int


class DuplicateBackwardsTangents(TypedDict):
    backward_input_name: str | None
    shape: str | None
    stride: str | None
    dtype: str | None
    device: str | None
    type: str | None


class DuplicateBackwardsRow(TypedDict):
    """Nested regions whose backward was compiled more than once, for different gradients: one row per invoke_subgraph_backward_duplicate."""

    event: int
    compile: str | None
    attempt: int | None
    forward_identifier: str | None
    backward_identifier: str | None
    variant_suffix: str | None
    variant_count: float | None
    new_backward_identifier: str | None
    tangents: list[DuplicateBackwardsTangents]
    explanation: str | None
    common_cause: str | None
    suggested_action: str | None


class EstimateTablesRow(TypedDict):
    """Run-time estimates that torch writes as CSV: one row per artifact (fx_compute_nodes_runtime_estimation, fx_collectives_…)."""

    event: int
    compile: str | None
    attempt: int | None
    name: str
    world_size: int | None
    columns: list[str]
    rows: list[list[float | str]]
    cut: bool


class EstimatedOpsOutputs(TypedDict):
    shape: list[int | str | None] | None
    stride: list[int | str | None] | None
    dtype: str | None


class EstimatedOpsRow(TypedDict):
    """Operations with their estimated run times and output tensors: one row per operation, in the order of the generated code."""

    estimate_event: int
    compile: str | None
    attempt: int | None
    name: str | None
    type: str | None
    estimated_runtime_ns: float | None
    outputs: list[EstimatedOpsOutputs]


class EventsRow(TypedDict):
    """Records of the log: one row per record, in file order."""

    event: int
    type: str
    name: str | None
    compile: str | None
    attempt: int | None
    record_rank: int | None
    line: int
    gap_bytes: int
    size_bytes: int
    time_us: int
    origin: str
    pid: int
    blob: str | None
    offset: int | None
    payload_size_bytes: int | None
    payload_form: Literal["lf", "crlf", "verbatim"] | None


class ExportFailuresRow(TypedDict):
    """Obstacles to an export: one row per record, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    kind: Literal["missing_fake_kernel", "mismatched_fake_kernel", "data_dependent_error", "guard_evaluated"]
    expr: str | None
    result: str | None
    op: str | None
    reason: str | None
    stack: int | None
    user_stack: int | None
    expression_event: int | None
    loc: str | None
    locals: dict[str, list[str | None]]
    symbol_sources: dict[str, str | None]


class ExportsConversions(TypedDict):
    start_event: int | None
    program_event: int | None
    failure_event: int
    reason: str | None


class ExportsRow(TypedDict):
    """Calls of torch.export, torch.export.draft_export and torch.onnx.export, with their outcomes: one row per call, in file order."""

    event: int
    start_event: int | None
    program_event: int | None
    compile: str | None
    attempt: int | None
    outcome: Literal["succeeded", "failed", "unknown"]
    reason: str | None
    failure_event: int | None
    function: Literal["torch.export", "torch.export.draft_export", "torch.onnx.export"]
    conversions: list[ExportsConversions]


class ExpressionsRow(TypedDict):
    """The nodes of symbolic expressions: one row per record expression_created or create_unbacked_symbol (a leaf), in file order."""

    event: int
    compile: str | None
    attempt: int | None
    method: str | None
    result: str | None
    arguments: list[str | None]
    argument_events: list[int | None]
    stack: int | None
    user_stack: int | None


class FailedPartitionsRow(TypedDict):
    """Partitioner state when no cut was found: one row per min_cut_failed_… artifact."""

    event: int
    compile: str | None
    attempt: int | None
    what: str
    line_count: int


class FailuresRow(TypedDict):
    """Failures and restarts: one row per record that reports one, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    kind: Literal["compile", "backward", "restart", "exception", "eager_backward", "fx_interpreter", "make_fx", "compile_worker"]
    type: str | None
    reason: str | None
    file: str | None
    line: int | None
    function: str | None
    source_line: str | None
    user_traceback: str | None
    stack: int | None


class FallbacksRow(TypedDict):
    """ATen operators that generated code calls as they are: one row per operator and record of code, in order of first appearance."""

    code_event: int
    compile: str | None
    attempt: int | None
    name: str
    operator: str
    call_count: int
    file: str | None
    line: int | None
    function: str | None
    source_line: str | None


class FindingsRemedies(TypedDict):
    text: str
    code: str | None
    source: Literal["torch", "tlparse-bundle"]


class FindingsRow(TypedDict):
    """Findings, most important first: what went wrong, where, what it cost and how to fix it."""

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


class FlightRecorderCallsRow(TypedDict):
    """Calls in Flight Recorder dumps: one row per recorded call and rank, by rank and order of calls, joined to the compile whose code made the call."""

    rank: int
    record: int
    group: str
    description: str
    backend: str | None
    operation: str
    p2p: bool
    sequence: int
    source: int | None
    destination: int | None
    input_sizes: list[list[int]]
    input_dtypes: list[str]
    output_sizes: list[list[int]]
    output_dtypes: list[str]
    state: Literal["scheduled", "started", "completed"] | None
    finished: bool
    created_epoch_us: int | None
    started_epoch_us: int | None
    completed_epoch_us: int | None
    duration_us: int | None
    timeout_ms: int | None
    stack: int | None
    origin: Literal["compiled", "eager"] | None
    compile: str | None
    rank_compile: int | None
    joined_by: Literal["generated_code", "function", "sizes", "order"] | None
    function: str | None
    file: str | None
    line: int | None


class FlightRecorderDumpsRow(TypedDict):
    """Dumps of PyTorch's Flight Recorder, one row per rank."""

    rank: int
    log: str | None
    file: str
    format: Literal["json", "pickle"]
    version: str | None
    entry_count: int
    call_count: int
    stacks: bool


class FlightRecorderGroupsRow(TypedDict):
    """Process groups in Flight Recorder dumps, and what their ranks do: one row per group, those in which ranks wait first."""

    id: int
    group: str
    description: str
    ranks: list[list[int]]
    ranks_from: Literal["recorded", "all", "callers"]
    state: Literal["differs", "missing", "waiting", "unknown", "finished"]
    sequence: int | None
    operation: str | None
    waiting: list[list[int]]
    missing: list[list[int]]
    no_dump: list[list[int]]


class FlightRecorderPositionsRow(TypedDict):
    """The call that each rank is in, for each of its process groups, from Flight Recorder dumps: the first one that has not finished, otherwise the last one."""

    group: int
    rank: int
    state: Literal["waiting", "finished", "none"]
    record: int | None
    p2p: bool
    sequence: int | None
    operation: str | None
    recorded_state: Literal["scheduled", "started", "completed"] | None
    since_epoch_us: int | None
    last_enqueued: int | None
    last_started: int | None
    last_completed: int | None
    origin: Literal["compiled", "eager"] | None
    compile: str | None
    rank_compile: int | None
    function: str | None
    file: str | None
    line: int | None


class FlightRecorderStacksFrames(TypedDict):
    function: str
    file: str
    line: int | None


class FlightRecorderStacksRow(TypedDict):
    """Distinct stacks of the calls in flight_recorder_calls."""

    id: int
    frames: list[FlightRecorderStacksFrames]


class FunctorchConfigsRow(TypedDict):
    """Configurations of AOTAutograd: one row per torch._functorch.config artifact, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    config: dict[str, Any] | None


class GeneratedCodeRow(TypedDict):
    """Code that Inductor generated: one row per record, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    role: Literal["output", "wrapper", "kernel", "header", "autotuning", "other"]
    filename: str | None
    subgraph_name: str | None
    aot_id: str | None
    direction: Literal["forward", "backward", "inference"] | None
    line_count: int
    kernel_count: int
    cut: bool


class GraphBreakRecordsRow(TypedDict):
    """The records of graph breaks (dynamo_graph_break_reason): one row per record, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    graph_break: int
    skips_frame: bool | None
    skips_rest: bool


class GraphBreaksFollowedBy(TypedDict):
    """Fields of a graph break that do not depend on the place."""

    reason: str
    situation: str | None
    higher_order_operator: str | None
    explanation: str | None
    hints: list[str]
    debug_context: str | None
    gb_id: str | None
    link: str | None


class GraphBreaksRow(TypedDict):
    """Graph breaks: one row per place and reason, in order of first occurrence."""

    id: int
    count: int
    skipped_frame_count: int
    events: list[int]
    compiles: list[str]
    reason: str
    situation: str | None
    higher_order_operator: str | None
    explanation: str | None
    hints: list[str]
    debug_context: str | None
    gb_id: str | None
    link: str | None
    followed_by: list[GraphBreaksFollowedBy]
    file: str | None
    line: int | None
    function: str | None
    source_line: str | None
    user_traceback: str | None
    text: str | None


class GraphExecutionsRow(TypedDict):
    """Execution order of compiled graphs: one row per record of it (record_and_log_graph_execution_order of torch._inductor.debug)."""

    event: int
    compile: str | None
    attempt: int | None
    graphs: list[str | None]
    graph_compiles: list[str | None]
    cut: bool


class GraphTensorsRow(TypedDict):
    """Sizes of the tensors in Dynamo graphs: one row per record dynamo_output_graph with sizes, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    input_count: int | None
    nodes: list[str]
    shapes: list[list[int | str] | None]


class GraphsRow(TypedDict):
    """FX graphs: one row per payload whose language is 'fx', in file order."""

    event: int
    compile: str | None
    attempt: int | None
    stage: Literal["dynamo", "compiled_autograd", "ddp_split", "export", "aot_joint", "aot_forward", "aot_backward", "aot_inference", "aot_quantization", "pre_grad", "joint", "post_grad", "communication", "other"]
    position: Literal["before", "after"] | None
    direction: Literal["joint", "forward", "backward", "inference"] | None
    subgraph_name: str | None
    class_name: str | None
    graph_id: str | None
    node_count: int | None
    placeholder_count: int | None
    call_count: int | None
    get_attr_count: int | None
    output_count: int | None
    ops: dict[str, int]


class GroupOrdersRow(TypedDict):
    """First place where ranks of a role call collectives of several process groups in different orders, although the calls of each group match: one row per order, the most frequent first."""

    position: int
    effect: Literal["hang", "may_hang"]
    ranks: list[list[int]]
    rank_compile: int
    collective_call: int


class GroupSplitsRow(TypedDict):
    """First call that ranks make in process groups with different numbers of callers: one row per group of ranks that make the same call, the largest group first."""

    position: int
    ranks: list[list[int]]
    rank_compile: int
    collective_call: int


class GuardFailuresRow(TypedDict):
    """All guards that the call of a recompile fails, for each cache entry that existed: the guards of the entry evaluated for 'call_inputs'."""

    event: int
    compile: str
    position: int
    entry: str
    guard: int | None
    guards: list[int]
    not_evaluated: list[int]
    is_input_known: bool
    is_nearest: bool


class GuardTreesRow(TypedDict):
    """Records with guards, in file order: number and kinds of guards and the cost of a check."""

    event: int
    compile: str | None
    attempt: int | None
    form: Literal["tree", "list"]
    guard_count: int
    latency_us: float | None
    guards: list[int]
    payload_lines: list[int]
    manager_count: int
    counts: dict[str, int]


class GuardsRow(TypedDict):
    """Guards of the log, each distinct one once, in order of first appearance: kind, source, condition and place."""

    id: int
    kind: str
    source: str | None
    text: str
    expected: str | None
    can_be_evaluated: bool
    condition: str | None
    depth: int
    file: str | None
    line: int | None
    function: str | None


class InstantsRow(TypedDict):
    """Timeline events without a duration, in log order: cache hits and misses, dimensions marked dynamic."""

    event: int
    name: str
    time_epoch_us: int
    compile: str | None
    attempt: int | None


class KernelCallsRow(TypedDict):
    """Measured times of kernels, from profiler traces: one row per trace, kernel, line that calls it, device and stream, the longest total first within a trace."""

    profile: str
    name: str
    kind: Literal["generated", "library", "copy", "eager", "other"]
    on_device: bool
    device: int | None
    stream: int | None
    count: int
    total_us: float
    median_us: float
    p90_us: float
    compile: str | None
    code_event: int | None
    kernel: str | None
    call_line: int | None
    line_unknown: Literal["order", "enclosing_call", "count"] | None
    direction: Literal["forward", "backward", "inference"] | None
    joined_by: Literal["kernel_file", "record_name", "kernel_name", "operator"] | None
    candidate_count: int
    reason: Literal["eager", "library", "copy", "ambiguous", "not_in_log", "unknown_launch"] | None
    is_replay: bool
    call_bytes: float | None
    call_flops: float | None
    work_unknown: Literal["not_joined", "operator", "dynamic", "size", "language", "several"] | None
    bandwidth_share: float | None
    flops_share: float | None


class KernelLinesRow(TypedDict):
    """Source lines of kernels: one row per kernel and line, without those that only provenance tracking records, which are in provenance_kernels."""

    code_event: int
    kernel: str
    evidence: Literal["comment", "result"]
    file: str
    line: int | None
    function: str | None
    source_line: str | None


class KernelsRow(TypedDict):
    """Kernels in generated code, and the operations that the code calls: one row per name and record, in order of first appearance."""

    code_event: int
    compile: str | None
    attempt: int | None
    name: str
    kind: Literal["triton", "cpp", "other", "extern", "fallback", "collective"]
    line: int | None
    call_lines: list[int]
    call_handles: list[int | None]
    source_nodes: list[str]
    aten_ops: list[str]
    triton_event: int | None


class KindCompilesRow(TypedDict):
    """Records and bytes by kind and attempt of a compile: one row per pair that occurs, ordered by compile, then by kind, both in order of first appearance."""

    type: str
    name: str | None
    compile: str | None
    attempt: int | None
    event_count: int
    size_bytes: int
    payload_size_bytes: int


class KindsRow(TypedDict):
    """Kinds of records in the log with their size in bytes, in order of first appearance: what makes a log large."""

    type: str
    name: str | None
    descriptor: str
    language: Literal["fx", "python", "cpp", "json", "guards", "bytecode", "csv", "text", "none"]
    event_count: int
    size_bytes: int
    payload_size_bytes: int
    distinct_payload_size_bytes: int


class LimitsRow(TypedDict):
    """Compiles that torch refused, one row each."""

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


class LineTimesRow(TypedDict):
    """Source lines by the measured time of their kernels, over all profiler traces of the log: one row per line, the longest time first."""

    file: str | None
    line: int | None
    function: str | None
    code: str | None
    total_us: float
    share: float
    shared_us: float
    count: int
    kernels: list[str]
    kernels_us: list[float]
    compiles: list[str]


class LinksRow(TypedDict):
    """Links that the job attached: one row per link, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    name: str | None
    url: str | None
    safe: bool


class MeasuredMemoryRow(TypedDict):
    """Memory that generated code allocated in the calls of a profiler trace with allocations (profile_memory=True), and what table memory computes for it: one row per trace, code and device."""

    profile: str
    code_event: int
    compile: str | None
    device: str
    count: int
    peak_bytes: int
    least_bytes: int
    most_bytes: int
    computed_bytes: int | None


class MemoryRow(TypedDict):
    """Memory that generated code allocates when it runs: one row per record inductor_output_code and device, computed from the code, which is never executed."""

    code_event: int
    compile: str | None
    attempt: int | None
    device: str | None
    peak_bytes: int | None
    known_peak_bytes: int
    peak_line: int | None
    peak_step: int | None
    unknown: list[Literal["operator", "size", "dtype", "statement", "branch", "language", "limit"]]
    operators: list[str]
    is_hint: bool
    input_bytes: int | None
    output_bytes: int | None
    saved_bytes: int | None
    buffer_count: int


class MemoryBuffersRow(TypedDict):
    """Buffers of generated code: one row per input and allocation, in the order in which the code meets them."""

    code_event: int
    name: str
    aliases: list[str]
    role: Literal["input", "output", "saved", "intermediate"]
    saved: bool | None
    device: str | None
    bytes: int | None
    unknown: Literal["operator", "size", "dtype", "statement", "branch", "language", "limit"] | None
    is_hint: bool
    dtype: str | None
    shape: list[int | str] | None
    first_line: int
    last_line: int | None
    first_step: int
    last_step: int | None
    kernel: str | None
    kernel_line: int | None
    node: str | None
    file: str | None
    line: int | None
    function: str | None
    source_line: str | None


class MetadataRow(TypedDict):
    """JSON of the records: one row per record, in file order."""

    event: int
    metadata: dict[str, Any]


class MetricConfigsRow(TypedDict):
    """Distinct configurations in the metrics, in order of first appearance, at most 1000."""

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
    """Unit and meaning of the fields in the metrics of this log: known fields first, in a fixed order, then unknown ones in order of appearance."""

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


class ModulesTensors(TypedDict):
    name: str
    is_buffer: bool
    shape: list[int | str] | None
    dtype: str | None
    is_input: bool | None


class ModulesRow(TypedDict):
    """Modules that a compile uses: one row per module, each after its parent, from the sources of the inputs that Dynamo described and from guards on modules."""

    id: int
    compile: str
    attempt: int | None
    parent: int | None
    name: str
    source: str
    class_name: str | None
    tensors: list[ModulesTensors]
    tensor_count: int
    input_count: int | None
    parameter_count: int | None
    structure: int


class NativeCompilesRow(TypedDict):
    """Calls of the compile functions of torch's native operators, which are written in CuTeDSL, Triton or FlyDSL: one row per native_dsl_compile (torch 2.15 and newer), in file order."""

    event: int
    compile: str | None
    attempt: int | None
    op: str | None
    dsl: str | None
    outcome: str | None
    compiled: bool | None
    duration_us: int | None
    key: str | None
    hit_count: int | None
    miss_count: int | None


class OriginsRow(TypedDict):
    """Source lines of torch (or of a different library) that wrote records, with the bytes that each wrote, in order of first appearance."""

    level: str
    path: str
    line: int
    event_count: int
    size_bytes: int
    payload_size_bytes: int


class PartitionCandidatesRow(TypedDict):
    """Nodes that the partitioner could save for the backward or recompute: one row per node, at most 5,000 per row of partitions."""

    partition_event: int
    compile: str | None
    attempt: int | None
    node: str
    target: str | None
    memory_bytes: float | None
    runtime: float | None
    saved: bool | None
    recomputed: bool | None


class PartitionsRow(TypedDict):
    """Decisions of AOTAutograd's min-cut partitioner on what to save for the backward: one row per min_cut_information (AOT_PARTITIONER_DEBUG=1 and a memory budget below 1), that is, per joint graph."""

    event: int
    compile: str | None
    attempt: int | None
    node_count: float | None
    edge_count: float | None
    memory_budget: float | None
    expected_runtime: float | None
    min_activation_gb: float | None
    max_activation_gb: float | None
    saved_activation_gb: float | None
    more_aggressive_ratio: float | None
    aggressive_recomputation_ratio: float | None
    saved_values: list[str]


class ProcessGroupsRow(TypedDict):
    """Process groups in which compiled code calls collectives, one row each."""

    group: str | None
    size: int | None
    axis: int
    ranks: list[list[int]]
    recorded: bool
    unknown: list[list[int]]


class ProfileRemainderRow(TypedDict):
    """Measured kernels that were not joined with a kernel of the log, by reason: one row per trace and reason."""

    profile: str
    reason: Literal["eager", "library", "copy", "ambiguous", "not_in_log", "unknown_launch", "not_listed"]
    count: int
    total_us: float


class ProfilesPeaks(TypedDict):
    """A peak rate."""

    unit: Literal["GB/s", "TFLOP/s"]
    dtype: str | None
    rate: float
    source: Literal["stated", "device"]


class ProfilesRow(TypedDict):
    """Profiler traces (torch.profiler, Kineto) that were joined with the log: one row per file, in order of 'profile'."""

    profile: str
    sha256: str
    size_bytes: int
    assigned_by: Literal["rank", "process", "keys"]
    profile_rank: int | None
    pids: list[int]
    device_names: list[str]
    peaks: list[ProfilesPeaks]
    start_epoch_us: int | None
    duration_us: float
    complete: bool
    event_count: int
    skipped_count: int
    key_count: int
    known_key_count: int
    on_device: bool
    kernel_count: int
    kernel_us: float
    joined_count: int
    joined_us: float
    lookup_count: int
    lookup_us: float


class ProvenanceGroupsRow(TypedDict):
    """Compiled graphs with provenance (INDUCTOR_PROVENANCE=1): one row per graph, in file order of its first record; a forward and its backward are two rows, and one compile can have several."""

    id: int
    compile: str | None
    attempt: int | None
    subgraph_name: str | None
    number: int
    version: int | None
    direction: Literal["forward", "backward", "inference"] | None
    code_language: Literal["python", "cpp"] | None
    pre_graph_event: int | None
    post_graph_event: int | None
    code_event: int | None
    bodies_event: int | None
    mapping_event: int | None
    stacks_event: int | None
    pre_node_count: int
    pre_in_post_count: int
    post_node_count: int
    post_in_pre_count: int
    post_in_kernel_count: int
    kernel_count: int
    kernel_in_post_count: int
    kernel_from_code_count: int
    kernel_in_code_count: int
    kernel_with_source_count: int
    unknown_name_count: int


class ProvenanceKernelsRow(TypedDict):
    """Kernels of graphs with provenance: one row per kernel of a group; kernels in torch's mapping first, then those only in the code."""

    group: int
    name: str
    handle: int | None
    post_lines: list[int]
    call_lines: list[int]
    definition: list[int] | None
    body: list[int] | None
    from_code: bool
    sources: list[list[int]]


class ProvenanceLinesRow(TypedDict):
    """Lines of nodes in the pre-grad and post-grad graphs of table provenance_groups, with the source line that each node comes from."""

    graph_event: int
    line: int
    source: int | None


class ProvenanceNodesRow(TypedDict):
    """Pairs of a pre-grad node and a post-grad node that belong together: one row per pair of lines, sorted within a group."""

    group: int
    pre_line: int
    post_line: int


class ProvenanceSourcesRow(TypedDict):
    """Source lines that provenance refers to: one row per distinct line, as recorded."""

    id: int
    file: str
    line: int
    function: str | None
    code: str | None


class RankCacheTotalsRow(TypedDict):
    """Cache lookups by rank, over the whole log: one row per group of ranks with equal counts, the row with the most ranks first."""

    ranks: list[list[int]]
    counts: dict[str, int]


class RankCachesRow(TypedDict):
    """Matched compiles whose cache lookups differ between ranks: one row per compile and group of ranks with the same outcomes, the largest group first."""

    rank_compile: int
    ranks: list[list[int]]
    outcomes: list[str]
    reasons: list[str]


class RankCollectivesRow(TypedDict):
    """Ranks with equal schedules over all compiles: one row per group of ranks; the row with the most ranks first."""

    ranks: list[list[int]]
    op_count: int
    counts: dict[str, list[int]]
    position: int | None
    rank_compile: int | None
    here: str | None
    others: str | None


class RankCompileCallsRow(TypedDict):
    """Collectives that most ranks call in each matched compile that has any."""

    rank_compile: int
    collective_calls: list[int]


class RankCompileKeysRow(TypedDict):
    """Key of each matched compile in the logs of the ranks: one row per group of ranks with the same keys, the row with the most ranks first."""

    ranks: list[list[int]]
    compiles: list[str | None]


class RankCompilesRow(TypedDict):
    """Compiles matched across ranks: one row per compile that any rank has, in the order of most ranks."""

    id: int
    role: int
    function: str | None
    file: str | None
    first_line: int | None
    number: int
    compile: str
    ranks: list[list[int]]


class RankDecisionsRow(TypedDict):
    """Partitions that ranks agreed on: one row per aot_joint_graph_sync_decision_cross_ranks."""

    event: int
    compile: str | None
    attempt: int | None
    picked_rank: int | None
    saved_size_bytes: dict[str, int]
    total_size_bytes: int | None


class RankDivergencesRow(TypedDict):
    """First compile at which a rank differs from most ranks."""

    rank_compile: int
    ranks: list[list[int]]
    kind: Literal["extra", "missing", "order", "graph"]
    number: int
    shifted: bool


class RankEstimateOpsRow(TypedDict):
    """Operations whose estimated run times differ most between the fastest and the slowest rank of a row of rank_estimates: at most 10 of each of the 100 graphs with the largest difference, largest difference first."""

    rank_compile: int
    graph: int
    position: int
    name: str | None
    fastest_ns: float | None
    slowest_ns: float | None


class RankEstimateTotalsRow(TypedDict):
    """Sum of all estimated run times (LOG_TLPARSE=1) by rank, for ranks that have any."""

    rank: int
    total_ns: float
    graph_count: int


class RankEstimatesRow(TypedDict):
    """Estimated run times (LOG_TLPARSE=1), compared across the ranks whose graph has the same number of operations: one row per graph of a matched compile with estimates on two or more ranks."""

    rank_compile: int
    graph: int
    ranks: list[list[int]]
    fastest_rank: int
    fastest_ns: float
    slowest_rank: int
    slowest_ns: float
    median_ns: float


class RankExecutionMismatchesRow(TypedDict):
    """Positions in the execution order at which ranks ran graphs with different collectives, or with different cache outcomes, at most 1,000: for each position and kind, one row per group of equal ranks, the largest group first."""

    position: int
    kind: Literal["schedule", "cache"]
    ranks: list[list[int]]
    rank_step: int
    value: str


class RankExecutionsRow(TypedDict):
    """Execution order of compiled graphs by rank (artifact graph_execution): one row per group of ranks with the same order, the largest group first."""

    ranks: list[list[int]]
    rank_steps: list[int] | None
    position: int | None
    here_rank_step: int | None
    others_rank_step: int | None


class RankFindingsRemedies(TypedDict):
    text: str
    code: str | None
    source: Literal["torch", "tlparse-bundle"]


class RankFindingsRow(TypedDict):
    """Findings about several ranks, most important first, at most 300."""

    id: int
    log: str | None
    rank_compile: int | None
    compile: str | None
    others_compile: str | None
    kind: str
    fingerprint: str
    severity: Literal["error", "warning", "info"]
    title: str
    text: str
    function: str | None
    file: str | None
    line: int | None
    ranks: list[list[int]]
    others: list[list[int]]
    count: int
    cost_us: int | None
    cost_of: str | None
    remedies: list[RankFindingsRemedies]
    because_of: int | None
    evidence: str
    details: dict[str, Any]


class RankGraphsInputsHere(TypedDict):
    """A tensor, or null."""

    shape: list[int | str] | None
    stride: list[int | str] | None
    dtype: str | None
    device: str | None


class RankGraphsInputsOthers(TypedDict):
    """A tensor, or null."""

    shape: list[int | str] | None
    stride: list[int | str] | None
    dtype: str | None
    device: str | None


class RankGraphsInputs(TypedDict):
    name: str
    here: RankGraphsInputsHere | None
    others: RankGraphsInputsOthers | None


class RankGraphsRow(TypedDict):
    """Graphs and code across ranks, and the first stage at which they differ: for each matched compile, one row per group of ranks with the same content in all stages, the largest group first."""

    rank_compile: int
    ranks: list[list[int]]
    contents: dict[str, int | None]
    first_stage: str | None
    differs_only_in: Literal["constants", "numbers"] | None
    inputs: list[RankGraphsInputs]
    artifact: str | None
    change: Literal["replaced", "added", "missing"] | None
    line: int | None
    here: str | None
    others: str | None


class RankOccurrencesRow(TypedDict):
    """Events that only some ranks have (graph breaks, restarts, recompiles, guards), and all failures; at most 1,000."""

    kind: Literal["failure", "graph_break", "restart", "recompile", "guard"]
    rank_compile: int | None
    compile: str | None
    ranks: list[list[int]]
    others: list[list[int]]
    text: str
    type: str | None
    file: str | None
    line: int | None


class RankParityRow(TypedDict):
    """Compiles whose generated code lacks collectives of the schedules, or does not wait for one that it calls."""

    rank_compile: int
    compile: str
    ranks: list[list[int]]
    op: str
    scheduled: int
    in_code: int
    missing_waits: int


class RankProblemsRow(TypedDict):
    """Problems with the logs of ranks: missing or cut logs, logs without compiles, and unfinished compiles."""

    kind: Literal["missing", "empty", "cut", "unfinished", "silent", "stopped", "other_logs", "equal_logs"]
    rank_compile: int | None
    compile: str | None
    ranks: list[list[int]]
    logs: list[str]
    last_epoch_us: int | None
    others_last_epoch_us: int | None
    phase: str | None
    span: str | None
    since_epoch_us: int | None
    open_us: int | None
    finished: list[list[int]]
    never_began: list[list[int]]


class RankRolesRow(TypedDict):
    """Roles: sets of ranks that should compile the same code, such as the stages of a pipeline."""

    id: int
    ranks: list[list[int]]


class RankSchedulesRow(TypedDict):
    """The collectives of compiled code, from inductor_collective_schedule: for each matched compile with a schedule on any rank, one row per group of ranks with the same schedules, the largest group first and ranks without a schedule last."""

    rank_compile: int
    ranks: list[list[int]]
    schedules: list[list[str]] | None
    schedule: int | None
    position: int | None
    here: str | None
    others: str | None


class RankSettingsRow(TypedDict):
    """Settings of torch that ranks record with different values, in their first compile: one row per value, that of most ranks first."""

    config: str
    name: str
    value: str
    ranks: list[list[int]]


class RankSkewRow(TypedDict):
    """Compile times across ranks, and the slowest rank: one row per row of rank_compiles."""

    rank_compile: int
    median_us: int | None
    slowest_rank: int | None
    slowest_us: int | None
    lost_us: int
    last_rank: int | None
    wait_us: int | None


class RankStepsRow(TypedDict):
    """Distinct compiled graphs that ran, which rank_executions refers to (artifact graph_execution)."""

    id: int
    rank_compile: int | None
    compile_id: str | None


class RankTensorsHere(TypedDict):
    shape: list[int | str | None] | None
    stride: list[int | str | None] | None
    dtype: str | None


class RankTensorsOthers(TypedDict):
    shape: list[int | str | None] | None
    stride: list[int | str | None] | None
    dtype: str | None


class RankTensorsRow(TypedDict):
    """Operations of compiled code whose output tensors differ between ranks (inductor_runtime_and_tensor_meta, recorded with LOG_TLPARSE=1): for each matched compile with differences, one row per group of ranks with the same tensors, the largest group first."""

    rank_compile: int
    ranks: list[list[int]]
    op_count: int
    graph: int | None
    position: int | None
    name: str | None
    here: list[RankTensorsHere] | None
    others: list[RankTensorsOthers] | None


class RankTimesRow(TypedDict):
    """Start and duration of each matched compile by rank: one row per rank, with lists that have one value per row of rank_compiles."""

    rank: int
    first_start_epoch_us: int | None
    start_offset_us: list[int | None]
    length_us: list[int | None]


class RanksRow(TypedDict):
    """Compared ranks, one row each."""

    rank: int
    log: str
    first_start_epoch_us: int | None
    last_end_epoch_us: int | None
    compile_time_us: int
    held_up_us: int
    late_us: int | None


class RecompileCausesRow(TypedDict):
    """Causes of recompiles: the recompiles that follow no other, grouped by code object, source, change and dimension of a reason ('recompile_reasons': that of the nearest entry in 'guard_failures'; where that is not known, position 0, or, where that is the global state, the first one for the same state), in order of first appearance."""

    id: int
    code_object: int | None
    source: str | None
    change: Literal["size", "stride", "rank", "dtype", "device", "requires_grad", "dispatch_keys", "shape", "value", "flag", "type", "identity", "length", "keys", "attribute", "aliasing", "global_state", "backend", "other"]
    dimension: int | None
    guard: str | None
    values: list[int | str]
    count: int
    follower_count: int
    compiles: list[str | None]
    remedy: Literal["mark_dynamic", "same_layout", "same_rank", "same_dtype", "same_device", "same_grad_mode", "dynamic_int", "tensor_argument", "few_values", "same_type", "same_object", "same_structure", "no_aliasing", "same_global_state", "same_backend", "force_parameter_static_shapes", "use_duck_shape", "mark_unbacked"] | None


class RecompileFixesRow(TypedDict):
    """What a fix would save: the calls that compiled, replayed with the guards relaxed that the fix removes."""

    id: int
    code_object: int
    fix: Literal["mark_dynamic", "mark_unbacked", "dynamic_true", "tensor_argument", "few_values", "same_layout", "same_dtype", "same_device", "same_requires_grad", "same_type", "same_object", "same_structure", "same_global_state"] | None
    source: str | None
    dimension: int | None
    combines: list[int]
    compile_count: int
    remaining_count: int
    avoided: list[str]
    undecided: list[str]
    is_minimum: bool
    total_us: int | None
    saved_us: int | None


class RecompileReasonsRow(TypedDict):
    """Guard failures: one row per cache entry that was checked before a recompile ('recompiles') or a refusal ('limits'), newest entry first."""

    event: int
    compile: str | None
    attempt: int | None
    position: int
    entry: str | None
    guard: str
    source: str | None
    change: Literal["size", "stride", "rank", "dtype", "device", "requires_grad", "dispatch_keys", "shape", "value", "flag", "type", "identity", "length", "keys", "attribute", "aliasing", "global_state", "backend", "other"]
    dimension: int | None
    expected: int | str | None
    actual: int | str | None
    comment: str | None
    file: str | None
    line: int | None
    function: str | None
    source_line: str | None
    user_traceback: str | None


class RecompilesRow(TypedDict):
    """Recompiles because the guards of all cache entries failed: one row per recompile, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    code_object: int | None
    follows: str | None
    cause: int
    text: str | None


class RegionCallsRow(TypedDict):
    """Calls of compiled regions (Torch-Compiled Region) and of compiled graphs (CompiledFxGraph) in profiler traces: one row per trace, kind, key and compile, the longest total first within a trace."""

    profile: str
    kind: Literal["region", "graph"]
    key: str
    compile: str | None
    candidate_count: int
    count: int
    total_us: float
    self_us: float
    median_us: float
    lookup_us: float | None
    prologue_us: float | None
    eager_us: float | None
    launch_count: int
    launch_us: float
    device_busy_us: float | None
    device_idle_us: float | None


class RuntimeEstimatesRow(TypedDict):
    """Estimated run time of the graphs that Inductor compiled: one row per inductor_runtime_and_tensor_meta (LOG_TLPARSE=1), that is, per graph."""

    event: int
    compile: str | None
    attempt: int | None
    subgraph_name: str | None
    op_count: int
    compute_runtime_ns: float | None
    collective_runtime_ns: float | None
    cut: bool


class RuntimeMetricsRow(TypedDict):
    """Metrics of running compiled code, such as autotuning and CUDA graph recording: one row per record."""

    event: int
    compile: str | None
    attempt: int | None
    direction: Literal["forward", "backward"]
    duration_us: float | None
    triton_autotune_time_us: float | None
    cudagraphify_time_us: float | None


class SideEffectsRow(TypedDict):
    """Side effects of compiled code: one row per dynamo_side_effects, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    messages: list[str]


class SourcesRow(TypedDict):
    """Source code in the log: dumped files, and Python artifacts (AOTAutograd wrappers, scripts that reproduce a graph, partial graphs)."""

    event: int
    compile: str | None
    attempt: int | None
    kind: Literal["dump_file", "code"]
    name: str | None
    line_count: int
    functions: list[str]


class SpanTotalsRow(TypedDict):
    """Total and self time of spans by name, in order of first appearance."""

    name: str
    count: int
    total_us: int
    self_us: int


class SpansRow(TypedDict):
    """Nested spans of the timeline: one row per span, in the order of their begin events."""

    id: int
    name: str
    start_epoch_us: int
    duration_us: int | None
    compile: str | None
    attempt: int | None
    parent: int | None
    lane: int
    repair: Literal["misnested", "unended", "backwards"] | None
    begin_event: int
    end_event: int | None


class SpecializationsRow(TypedDict):
    """Symbols that were specialized to a constant: one row per record symbolic_shape_specialization, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    name: str | None
    symbol_event: int | None
    value: str | None
    reason: str | None
    sources: list[str]
    stack: int | None
    user_stack: int | None


class StacksRow(TypedDict):
    """Stacks of one log, as a trie: each row adds one innermost frame to its parent stack."""

    id: int
    parent: int | None
    file: str | None
    line: int
    function: str
    code: str | None


class StepTreeRow(TypedDict):
    """What ran in one step of each profiler trace: the ProfilerStep with the median duration, or without steps the longest range on the host."""

    profile: str
    id: int
    parent: int | None
    kind: Literal["step", "thread", "device", "range", "kernel"]
    name: str
    count: int
    start_us: float
    total_us: float
    self_us: float


class SubgraphsRow(TypedDict):
    """Graphs nested in FX graphs: one row per graph, in the order of the text; at most 200 of one graph."""

    graph_event: int
    name: str
    placeholder_count: int
    call_count: int
    output_count: int


class SymbolContextsRow(TypedDict):
    """Distinct places in user code where a condition was evaluated; logged only with TORCH_DTRACE."""

    id: int
    loc: str | None
    locals: dict[str, list[str | None]]
    symbol_sources: dict[str, str | None]


class SymbolGuardsRow(TypedDict):
    """Guards on symbols, in file order."""

    event: int
    pair_event: int | None
    compile: str | None
    attempt: int | None
    expr: str | None
    prefix: str | None
    symbol_events: list[int]
    expression_event: int | None
    context: int | None
    stack: int | None
    user_stack: int | None


class SymbolValuesRow(TypedDict):
    """Conditions on unbacked symbols decided by the real value of an example input, in file order."""

    event: int
    pair_event: int | None
    compile: str | None
    attempt: int | None
    expr: str | None
    result: str | None
    symbol_events: list[int]
    expression_event: int | None
    context: int | None
    stack: int | None
    user_stack: int | None


class SymbolsRow(TypedDict):
    """Symbols of dynamic shapes: one row per record create_symbol or create_unbacked_symbol, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    name: str | None
    unbacked: bool
    value: str | None
    range: str | None
    source: str | None
    stack: int | None
    user_stack: int | None


class TensorStoragesRow(TypedDict):
    """Storages of tensors as torch described them: one row per record describe_storage, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    size_bytes: int | str | None


class TensorsRow(TypedDict):
    """Inputs of compiles as torch described them: one row per record describe_tensor, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    describer_id: int
    tensor_id: int
    shape: list[int | str] | None
    stride: list[int | str] | None
    dynamic_dims: list[int | str] | None
    dtype: str | None
    device: str | None
    storage_event: int | None
    other: dict[str, Any] | None
    requires_grad: bool
    is_parameter: bool
    is_leaf: bool
    is_view: bool
    sources: list[str]


class TritonKernelsRow(TypedDict):
    """Triton kernels that torch reports in triton_kernel_info: one row per kernel and record, in file order."""

    event: int
    compile: str | None
    attempt: int | None
    name: str
    compile_time_us: float | None
    config_count: int | None
    autotune_cache_state: str | None


class UnmatchedTransfersRow(TypedDict):
    """Sends and receives in compiled code without a counterpart in the compiled code of the other rank: one row per rank, operation, peer and tag, in the first compile of each function."""

    rank: int
    op: Literal["isend", "irecv"]
    peer: int
    tag: int
    count: int
    rank_compile: int


class VllmBackendsRow(TypedDict):
    """vLLM compile backends, in file order: one for the model, one for a draft model."""

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
    """vllm_compile_event records, in file order: whether a compile is fresh or cached."""

    event: int
    type: str | None


class VllmPassesRow(TypedDict):
    """Graph after each vLLM pass, compared with the graph before it, when the log has both."""

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
    """Pieces that vLLM compiles or loads, with the origin of their code: one row per submodule and size or range of sizes, in file order."""

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
    """Model submodules that vLLM compiles, each with its graph."""

    backend: int
    name: str
    event: int
    shape_hash: str | None
    same_as: str | None


class WorkerReportsRow(TypedDict):
    """Reports about jobs of Inductor's compile workers that take long: one row per compile_worker_status (torch 2.15 and newer), in file order."""

    event: int
    compile: str | None
    attempt: int | None
    job: int | None
    elapsed_us: int | None
    phase: str | None
    phase_elapsed_us: int | None
    worker_pid: int | None


class LogTable(Protocol):
    """What ``Log.table`` gives by the name of a table."""

    @overload
    def __call__(self, name: Literal["aliasing"]) -> list[AliasingRow]: ...
    @overload
    def __call__(self, name: Literal["artifacts"]) -> list[ArtifactsRow]: ...
    @overload
    def __call__(self, name: Literal["attempts"]) -> list[AttemptsRow]: ...
    @overload
    def __call__(self, name: Literal["autograd_captures"]) -> list[AutogradCapturesRow]: ...
    @overload
    def __call__(self, name: Literal["autotune_choices"]) -> list[AutotuneChoicesRow]: ...
    @overload
    def __call__(self, name: Literal["autotunings"]) -> list[AutotuningsRow]: ...
    @overload
    def __call__(self, name: Literal["blobs"]) -> list[BlobsRow]: ...
    @overload
    def __call__(self, name: Literal["bytecode"]) -> list[BytecodeRow]: ...
    @overload
    def __call__(self, name: Literal["caches"]) -> list[CachesRow]: ...
    @overload
    def __call__(self, name: Literal["call_inputs"]) -> list[CallInputsRow]: ...
    @overload
    def __call__(self, name: Literal["captures"]) -> list[CapturesRow]: ...
    @overload
    def __call__(self, name: Literal["code_objects"]) -> list[CodeObjectsRow]: ...
    @overload
    def __call__(self, name: Literal["collective_buckets"]) -> list[CollectiveBucketsRow]: ...
    @overload
    def __call__(self, name: Literal["collective_profiles"]) -> list[CollectiveProfilesRow]: ...
    @overload
    def __call__(self, name: Literal["collective_reports"]) -> list[CollectiveReportsRow]: ...
    @overload
    def __call__(self, name: Literal["collective_schedules"]) -> list[CollectiveSchedulesRow]: ...
    @overload
    def __call__(self, name: Literal["collective_sizes"]) -> list[CollectiveSizesRow]: ...
    @overload
    def __call__(self, name: Literal["compiles"]) -> list[CompilesRow]: ...
    @overload
    def __call__(self, name: Literal["cuda_graphs"]) -> list[CudaGraphsRow]: ...
    @overload
    def __call__(self, name: Literal["data_dependent_errors"]) -> list[DataDependentErrorsRow]: ...
    @overload
    def __call__(self, name: Literal["ddp_splits"]) -> list[DdpSplitsRow]: ...
    @overload
    def __call__(self, name: Literal["diagnostics"]) -> list[DiagnosticsRow]: ...
    @overload
    def __call__(self, name: Literal["duplicate_backwards"]) -> list[DuplicateBackwardsRow]: ...
    @overload
    def __call__(self, name: Literal["estimate_tables"]) -> list[EstimateTablesRow]: ...
    @overload
    def __call__(self, name: Literal["estimated_ops"]) -> list[EstimatedOpsRow]: ...
    @overload
    def __call__(self, name: Literal["events"]) -> list[EventsRow]: ...
    @overload
    def __call__(self, name: Literal["export_failures"]) -> list[ExportFailuresRow]: ...
    @overload
    def __call__(self, name: Literal["exports"]) -> list[ExportsRow]: ...
    @overload
    def __call__(self, name: Literal["expressions"]) -> list[ExpressionsRow]: ...
    @overload
    def __call__(self, name: Literal["failed_partitions"]) -> list[FailedPartitionsRow]: ...
    @overload
    def __call__(self, name: Literal["failures"]) -> list[FailuresRow]: ...
    @overload
    def __call__(self, name: Literal["fallbacks"]) -> list[FallbacksRow]: ...
    @overload
    def __call__(self, name: Literal["findings"]) -> list[FindingsRow]: ...
    @overload
    def __call__(self, name: Literal["functorch_configs"]) -> list[FunctorchConfigsRow]: ...
    @overload
    def __call__(self, name: Literal["generated_code"]) -> list[GeneratedCodeRow]: ...
    @overload
    def __call__(self, name: Literal["graph_break_records"]) -> list[GraphBreakRecordsRow]: ...
    @overload
    def __call__(self, name: Literal["graph_breaks"]) -> list[GraphBreaksRow]: ...
    @overload
    def __call__(self, name: Literal["graph_executions"]) -> list[GraphExecutionsRow]: ...
    @overload
    def __call__(self, name: Literal["graph_tensors"]) -> list[GraphTensorsRow]: ...
    @overload
    def __call__(self, name: Literal["graphs"]) -> list[GraphsRow]: ...
    @overload
    def __call__(self, name: Literal["guard_failures"]) -> list[GuardFailuresRow]: ...
    @overload
    def __call__(self, name: Literal["guard_trees"]) -> list[GuardTreesRow]: ...
    @overload
    def __call__(self, name: Literal["guards"]) -> list[GuardsRow]: ...
    @overload
    def __call__(self, name: Literal["instants"]) -> list[InstantsRow]: ...
    @overload
    def __call__(self, name: Literal["kernel_calls"]) -> list[KernelCallsRow]: ...
    @overload
    def __call__(self, name: Literal["kernel_lines"]) -> list[KernelLinesRow]: ...
    @overload
    def __call__(self, name: Literal["kernels"]) -> list[KernelsRow]: ...
    @overload
    def __call__(self, name: Literal["kind_compiles"]) -> list[KindCompilesRow]: ...
    @overload
    def __call__(self, name: Literal["kinds"]) -> list[KindsRow]: ...
    @overload
    def __call__(self, name: Literal["limits"]) -> list[LimitsRow]: ...
    @overload
    def __call__(self, name: Literal["line_times"]) -> list[LineTimesRow]: ...
    @overload
    def __call__(self, name: Literal["links"]) -> list[LinksRow]: ...
    @overload
    def __call__(self, name: Literal["measured_memory"]) -> list[MeasuredMemoryRow]: ...
    @overload
    def __call__(self, name: Literal["memory"]) -> list[MemoryRow]: ...
    @overload
    def __call__(self, name: Literal["memory_buffers"]) -> list[MemoryBuffersRow]: ...
    @overload
    def __call__(self, name: Literal["metadata"]) -> list[MetadataRow]: ...
    @overload
    def __call__(self, name: Literal["metric_configs"]) -> list[MetricConfigsRow]: ...
    @overload
    def __call__(self, name: Literal["metric_fields"]) -> list[MetricFieldsRow]: ...
    @overload
    def __call__(self, name: Literal["metrics"]) -> list[MetricsRow]: ...
    @overload
    def __call__(self, name: Literal["modules"]) -> list[ModulesRow]: ...
    @overload
    def __call__(self, name: Literal["native_compiles"]) -> list[NativeCompilesRow]: ...
    @overload
    def __call__(self, name: Literal["origins"]) -> list[OriginsRow]: ...
    @overload
    def __call__(self, name: Literal["partition_candidates"]) -> list[PartitionCandidatesRow]: ...
    @overload
    def __call__(self, name: Literal["partitions"]) -> list[PartitionsRow]: ...
    @overload
    def __call__(self, name: Literal["profile_remainder"]) -> list[ProfileRemainderRow]: ...
    @overload
    def __call__(self, name: Literal["profiles"]) -> list[ProfilesRow]: ...
    @overload
    def __call__(self, name: Literal["provenance_groups"]) -> list[ProvenanceGroupsRow]: ...
    @overload
    def __call__(self, name: Literal["provenance_kernels"]) -> list[ProvenanceKernelsRow]: ...
    @overload
    def __call__(self, name: Literal["provenance_lines"]) -> list[ProvenanceLinesRow]: ...
    @overload
    def __call__(self, name: Literal["provenance_nodes"]) -> list[ProvenanceNodesRow]: ...
    @overload
    def __call__(self, name: Literal["provenance_sources"]) -> list[ProvenanceSourcesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_decisions"]) -> list[RankDecisionsRow]: ...
    @overload
    def __call__(self, name: Literal["recompile_causes"]) -> list[RecompileCausesRow]: ...
    @overload
    def __call__(self, name: Literal["recompile_fixes"]) -> list[RecompileFixesRow]: ...
    @overload
    def __call__(self, name: Literal["recompile_reasons"]) -> list[RecompileReasonsRow]: ...
    @overload
    def __call__(self, name: Literal["recompiles"]) -> list[RecompilesRow]: ...
    @overload
    def __call__(self, name: Literal["region_calls"]) -> list[RegionCallsRow]: ...
    @overload
    def __call__(self, name: Literal["runtime_estimates"]) -> list[RuntimeEstimatesRow]: ...
    @overload
    def __call__(self, name: Literal["runtime_metrics"]) -> list[RuntimeMetricsRow]: ...
    @overload
    def __call__(self, name: Literal["side_effects"]) -> list[SideEffectsRow]: ...
    @overload
    def __call__(self, name: Literal["sources"]) -> list[SourcesRow]: ...
    @overload
    def __call__(self, name: Literal["span_totals"]) -> list[SpanTotalsRow]: ...
    @overload
    def __call__(self, name: Literal["spans"]) -> list[SpansRow]: ...
    @overload
    def __call__(self, name: Literal["specializations"]) -> list[SpecializationsRow]: ...
    @overload
    def __call__(self, name: Literal["stacks"]) -> list[StacksRow]: ...
    @overload
    def __call__(self, name: Literal["step_tree"]) -> list[StepTreeRow]: ...
    @overload
    def __call__(self, name: Literal["subgraphs"]) -> list[SubgraphsRow]: ...
    @overload
    def __call__(self, name: Literal["symbol_contexts"]) -> list[SymbolContextsRow]: ...
    @overload
    def __call__(self, name: Literal["symbol_guards"]) -> list[SymbolGuardsRow]: ...
    @overload
    def __call__(self, name: Literal["symbol_values"]) -> list[SymbolValuesRow]: ...
    @overload
    def __call__(self, name: Literal["symbols"]) -> list[SymbolsRow]: ...
    @overload
    def __call__(self, name: Literal["tensor_storages"]) -> list[TensorStoragesRow]: ...
    @overload
    def __call__(self, name: Literal["tensors"]) -> list[TensorsRow]: ...
    @overload
    def __call__(self, name: Literal["triton_kernels"]) -> list[TritonKernelsRow]: ...
    @overload
    def __call__(self, name: Literal["vllm_backends"]) -> list[VllmBackendsRow]: ...
    @overload
    def __call__(self, name: Literal["vllm_compile_events"]) -> list[VllmCompileEventsRow]: ...
    @overload
    def __call__(self, name: Literal["vllm_passes"]) -> list[VllmPassesRow]: ...
    @overload
    def __call__(self, name: Literal["vllm_pieces"]) -> list[VllmPiecesRow]: ...
    @overload
    def __call__(self, name: Literal["vllm_submodules"]) -> list[VllmSubmodulesRow]: ...
    @overload
    def __call__(self, name: Literal["worker_reports"]) -> list[WorkerReportsRow]: ...
    @overload
    def __call__(self, name: str) -> list[Any]: ...
    def __call__(self, name: str) -> Any: ...

class RankTable(Protocol):
    """What ``Bundle.rank_table`` gives by the name of a table."""

    @overload
    def __call__(self, name: Literal["collective_calls"]) -> list[CollectiveCallsRow]: ...
    @overload
    def __call__(self, name: Literal["collective_mismatches"]) -> list[CollectiveMismatchesRow]: ...
    @overload
    def __call__(self, name: Literal["collective_waits"]) -> list[CollectiveWaitsRow]: ...
    @overload
    def __call__(self, name: Literal["flight_recorder_calls"]) -> list[FlightRecorderCallsRow]: ...
    @overload
    def __call__(self, name: Literal["flight_recorder_dumps"]) -> list[FlightRecorderDumpsRow]: ...
    @overload
    def __call__(self, name: Literal["flight_recorder_groups"]) -> list[FlightRecorderGroupsRow]: ...
    @overload
    def __call__(self, name: Literal["flight_recorder_positions"]) -> list[FlightRecorderPositionsRow]: ...
    @overload
    def __call__(self, name: Literal["flight_recorder_stacks"]) -> list[FlightRecorderStacksRow]: ...
    @overload
    def __call__(self, name: Literal["group_orders"]) -> list[GroupOrdersRow]: ...
    @overload
    def __call__(self, name: Literal["group_splits"]) -> list[GroupSplitsRow]: ...
    @overload
    def __call__(self, name: Literal["process_groups"]) -> list[ProcessGroupsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_cache_totals"]) -> list[RankCacheTotalsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_caches"]) -> list[RankCachesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_collectives"]) -> list[RankCollectivesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_compile_calls"]) -> list[RankCompileCallsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_compile_keys"]) -> list[RankCompileKeysRow]: ...
    @overload
    def __call__(self, name: Literal["rank_compiles"]) -> list[RankCompilesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_divergences"]) -> list[RankDivergencesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_estimate_ops"]) -> list[RankEstimateOpsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_estimate_totals"]) -> list[RankEstimateTotalsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_estimates"]) -> list[RankEstimatesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_execution_mismatches"]) -> list[RankExecutionMismatchesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_executions"]) -> list[RankExecutionsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_findings"]) -> list[RankFindingsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_graphs"]) -> list[RankGraphsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_occurrences"]) -> list[RankOccurrencesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_parity"]) -> list[RankParityRow]: ...
    @overload
    def __call__(self, name: Literal["rank_problems"]) -> list[RankProblemsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_roles"]) -> list[RankRolesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_schedules"]) -> list[RankSchedulesRow]: ...
    @overload
    def __call__(self, name: Literal["rank_settings"]) -> list[RankSettingsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_skew"]) -> list[RankSkewRow]: ...
    @overload
    def __call__(self, name: Literal["rank_steps"]) -> list[RankStepsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_tensors"]) -> list[RankTensorsRow]: ...
    @overload
    def __call__(self, name: Literal["rank_times"]) -> list[RankTimesRow]: ...
    @overload
    def __call__(self, name: Literal["ranks"]) -> list[RanksRow]: ...
    @overload
    def __call__(self, name: Literal["unmatched_transfers"]) -> list[UnmatchedTransfersRow]: ...
    @overload
    def __call__(self, name: str) -> list[Any]: ...
    def __call__(self, name: str) -> Any: ...
