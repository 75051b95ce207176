"""vLLM (vllm/compilation), whose backend compiles a model in pieces."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind(
        "artifact:vllm_compilation_config",
        "vLLM: settings",
        "inductor",
        "json",
        "Settings of a vLLM compile backend.",
    ),
    Kind(
        "artifact:vllm_piecewise_compile_start",
        "vLLM: piece",
        "inductor",
        "json",
        "vLLM starts to compile a submodule for a size or a range of sizes.",
    ),
    Kind(
        "artifact:vllm_execution_code",
        "vLLM: execution code",
        "inductor",
        "python",
        "Python code that calls the compiled pieces in order.",
    ),
    Kind(
        "artifact:vllm_compile_event",
        "vLLM: compile event",
        "inductor",
        "json",
        "Whether a compile is fresh or came from vLLM's cache.",
    ),
    Kind(
        "graph_dump:vllm_*",
        "vLLM: graph",
        "inductor",
        "fx",
        "Split graph, graph of a submodule, or graph after a vLLM pass.",
    ),
    Kind(
        "graph_dump:vllm_patterns.*",
        "vLLM: patterns",
        "inductor",
        "python",
        "Patterns that a pass matches.",
    ),
)
