"""AOTAutograd (torch/_functorch)."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind("aot_joint_graph", "joint graph", "aot", "fx", "Forward and backward in one graph, before they are partitioned."),
    Kind("aot_forward_graph", "forward graph", "aot", "fx", "Forward graph after partitioning."),
    Kind("aot_backward_graph", "backward graph", "aot", "fx", "Backward graph after partitioning."),
    Kind("aot_inference_graph", "inference graph", "aot", "fx", "Graph without gradients, functionalised and decomposed."),
    Kind("aot_forward_graph_pre_saved_tensors_hooks", "forward graph before hooks", "aot", "fx", "Forward graph before saved-tensor hooks."),
    Kind("aot_backward_graph_pre_saved_tensors_hooks", "backward graph before hooks", "aot", "fx", "Backward graph before saved-tensor hooks."),
    Kind("artifact:aot_saved_tensors_hooks_graphs", "saved-tensor hook graphs", "aot", "fx", "Graphs of saved-tensor hooks."),
    Kind("artifact:aot_inference_graph_after_hop_passes", "inference graph after HOP passes", "aot", "fx", "Inference graph after higher-order operators were processed."),
    Kind("artifact:aot_forward_graph_fw_metadata", "forward metadata", "aot", "text", "Views, mutations and outputs of the graph, as AOTAutograd sees them."),
    Kind("artifact:aot_forward_graph_fw_subclass_metadata", "subclass metadata", "aot", "text", "How tensor subclasses are wrapped."),
    Kind("artifact:torch._functorch.config", "functorch config", "aot", "json", "Configuration of AOTAutograd at compile time."),
    Kind("artifact:eager_compile_backwards_failure", "backward compile failed", "aot", "text", "The backward could not be compiled eagerly."),
    Kind("artifact:backward_prologue", "backward prologue", "aot", "python", "Generated wrapper code."),
    Kind("artifact:backward_epilogue", "backward epilogue", "aot", "python", "Generated wrapper code."),
    Kind("artifact:compiled_function_*", "compiled function", "aot", "python", "Generated wrapper code of the autograd function."),
    Kind("artifact:compiled_fn_wrapper", "compiled function wrapper", "aot", "python", "Generated wrapper code."),
    Kind("artifact:runtime_wrapper_orchestration", "runtime wrapper", "aot", "python", "Generated code that calls the wrappers in order."),
    Kind("artifact:aot_autograd_runtime_wrappers", "runtime wrappers", "aot", "python", "Generated code of all wrappers around the compiled functions, in one artifact from torch 2.15 on."),
    Kind("artifact:*_wrapper", "wrapper", "aot", "python", "Generated wrapper code."),
    Kind("artifact:backward_subclass_*", "backward subclass wrapper", "aot", "python", "Generated wrapper code."),
    Kind("artifact:mutation_epilogue", "mutation epilogue", "aot", "python", "Generated code that applies mutations of inputs."),
    Kind("artifact:*_activation_quantization_*", "activation quantization", "aot", "fx", "Graph around the quantization of activations."),
    Kind("artifact:min_cut_information", "min-cut partition", "aot", "json", "How the partitioner chose what to save and what to recompute."),
    Kind("artifact:min_cut_failed_*", "failed min-cut", "aot", "text", "State of the partitioner when no cut was found."),
    Kind("artifact:invoke_subgraph_backward_duplicate", "duplicate backward of a region", "aot", "json", "A nested region was compiled again for other gradients."),
)
