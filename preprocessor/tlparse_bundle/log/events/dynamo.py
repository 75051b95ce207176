"""TorchDynamo (torch/_dynamo)."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind("dynamo_start", "start", "dynamo", "none", "Dynamo starts to compile a frame; its stack says who called it."),
    Kind("dynamo_output_graph", "output graph", "dynamo", "fx", "The graph that Dynamo captured, before any backend sees it."),
    Kind("dynamo_guards", "guards (list)", "dynamo", "json", "Guards as a list; recent versions of torch write only those about aliasing."),
    Kind("dynamo_cpp_guards_str", "guards", "dynamo", "guards", "The tree of guards that decide whether the compiled code may be reused."),
    Kind("artifact:dynamo_graph_break_reason", "graph break", "dynamo", "text", "Why Dynamo had to end the graph here, with an explanation and hints."),
    Kind("artifact:recompile_reasons", "recompile reasons", "dynamo", "text", "Which guard of which earlier compile failed."),
    Kind("artifact:dynamo_error", "error", "dynamo", "text", "Traceback of a failed compile."),
    Kind("artifact:*_ORIGINAL_BYTECODE", "original bytecode", "dynamo", "bytecode", "Bytecode of a function that resumes after a graph break."),
    Kind("artifact:*_MODIFIED_BYTECODE", "modified bytecode", "dynamo", "bytecode", "The bytecode that Dynamo put in its place."),
    Kind("artifact:dynamo_side_effects", "side effects", "dynamo", "text", "Mutations that the compiled code replays."),
    Kind("artifact:compiler_collective", "compiler collective", "distributed", "text", "What the ranks told each other about dynamic dimensions."),
    Kind("artifact:*_local_code_state", "PGO state (local)", "dynamo", "text", "Profile of dynamic dimensions from earlier runs, kept on this machine."),
    Kind("artifact:*_remote_code_state", "PGO state (remote)", "dynamo", "text", "Profile of dynamic dimensions from earlier runs, kept elsewhere."),
    Kind("artifact:fx_interpreter_error", "FX interpreter error", "dynamo", "text", "A node failed while a graph was interpreted."),
    Kind("artifact:make_fx_fail_partial", "partial make_fx graph", "dynamo", "python", "The graph as far as make_fx came before it failed."),
    Kind("artifact:fx_net_acc_splitter_finder_events", "splitter events", "dynamo", "json", "What the FX splitter decided about each node."),
)
