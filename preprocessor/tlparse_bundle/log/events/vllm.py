"""vLLM (vllm/compilation): its backend compiles a model in pieces."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind(
        "artifact:vllm_compilation_config",
        "vLLM: settings",
        "inductor",
        "json",
        "The settings of a compile backend of vLLM.",
    ),
    Kind(
        "artifact:vllm_piecewise_compile_start",
        "vLLM: piece",
        "inductor",
        "json",
        "A submodule is about to be compiled for a size or a range of sizes.",
    ),
    Kind(
        "artifact:vllm_execution_code",
        "vLLM: execution code",
        "inductor",
        "python",
        "The Python that calls the compiled pieces in turn.",
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
        "The split graph, the graph of a submodule, the graph after a pass of vLLM.",
    ),
    Kind(
        "graph_dump:vllm_patterns.*",
        "vLLM: patterns",
        "inductor",
        "python",
        "What the patterns of a pass look for.",
    ),
)
