"""Metrics, timeline and run-time events."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind(
        "compilation_metrics",
        "compilation metrics",
        "runtime",
        "none",
        "Times, counts, configuration and outcome of a frame compile.",
    ),
    Kind(
        "bwd_compilation_metrics",
        "backward compilation metrics",
        "runtime",
        "none",
        "Times, counts, configuration and outcome of a backward that was compiled later.",
    ),
    Kind(
        "compilation_metrics_runtime",
        "run-time metrics",
        "runtime",
        "none",
        "Autotuning or CUDA graph recording when the code first ran.",
    ),
    Kind(
        "bwd_compilation_metrics_runtime",
        "backward run-time metrics",
        "runtime",
        "none",
        "Autotuning or CUDA graph recording when the backward first ran.",
    ),
    Kind(
        "aot_autograd_backward_compilation_metrics",
        "backward metrics (old)",
        "runtime",
        "none",
        "Metrics of a backward compile (older torch).",
    ),
    Kind(
        "chromium_event",
        "trace event",
        "runtime",
        "json",
        "Begin, end or instant of a span of the compiler's timeline.",
    ),
    Kind(
        "artifact:inductor_runtime_and_tensor_meta",
        "run-time estimates",
        "runtime",
        "json",
        "Estimated run time, shapes and dtypes of each operation.",
    ),
    Kind(
        "artifact:inductor_tlparse_runtime",
        "run-time estimates (old)",
        "runtime",
        "json",
        "Estimated run time of each operation (older torch).",
    ),
    Kind(
        "artifact:inductor_tlparse_tensor_meta",
        "tensor metadata (old)",
        "runtime",
        "json",
        "Shapes and dtypes of each operation (older torch).",
    ),
    Kind(
        "artifact:graph_execution",
        "execution order",
        "runtime",
        "json",
        "Execution order of the compiled graphs.",
    ),
    Kind(
        "artifact:inductor_graph_execution",
        "execution order (old)",
        "runtime",
        "json",
        "Execution order of the compiled graphs (older torch).",
    ),
)
