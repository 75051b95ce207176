"""TorchInductor (torch/_inductor), provenance included."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind("inductor_output_code", "output code", "inductor", "python", "The code that Inductor generated: kernels and the function that calls them."),
    Kind("inductor_pre_grad_graph", "pre-grad graph", "inductor", "fx", "Graph before Inductor's pre-grad passes (older torch)."),
    Kind("inductor_post_grad_graph", "post-grad graph", "inductor", "fx", "Graph after Inductor's post-grad passes; written as an event when it comes from the cache."),
    Kind("artifact:inductor_post_grad_graph", "post-grad graph", "inductor", "fx", "Graph after Inductor's post-grad passes."),
    Kind("graph_dump", "generated source", "inductor", "cpp", "Source that AOTInductor generated."),
    Kind("artifact:fx_graph_runnable", "runnable graph", "inductor", "python", "A script that runs this graph alone, to reproduce a problem."),
    Kind("artifact:before_*_graph", "graph before pass", "inductor", "fx", "Graph before a group of passes."),
    Kind("artifact:after_*_graph", "graph after pass", "inductor", "fx", "Graph after a group of passes."),
    Kind("artifact:before_recompile_*", "graph before recompile", "inductor", "fx", "Graph before a pass group (older torch)."),
    Kind("artifact:after_recompile_*", "graph after recompile", "inductor", "fx", "Graph after a pass group (older torch)."),
    Kind("artifact:*_pre_grad", "pre-grad pass", "inductor", "fx", "Graph after one pre-grad pass."),
    Kind("artifact:*_post_grad", "post-grad pass", "inductor", "fx", "Graph after one post-grad pass."),
    Kind("artifact:optimus_*", "Optimus pass", "inductor", "fx", "Graph after a batch fusion."),
    Kind("artifact:cff_*", "custom fusion", "inductor", "fx", "Graph after a custom fusion."),
    Kind("artifact:inductor_autotune_at_compile_time_code", "autotuning code", "inductor", "python", "Code that autotuned kernels while compiling."),
    Kind("artifact:triton_kernel_info", "Triton kernels", "inductor", "json", "Compile time and configuration of Triton kernels."),
    Kind("artifact:*_fused", "fused scheduler nodes", "inductor", "json", "Nodes and buffers after fusion."),
    Kind("artifact:inductor_provenance_tracking_node_mappings", "provenance: nodes", "inductor", "json", "Which graph node became which kernel."),
    Kind("artifact:inductor_provenance_tracking_kernel_stack_traces", "provenance: stacks", "inductor", "json", "Which source lines became which kernel."),
    Kind("artifact:inductor_triton_kernel_to_post_grad_nodes", "provenance: kernels (old)", "inductor", "json", "Which post-grad node became which kernel (older torch)."),
    Kind("artifact:inductor_generated_kernel_to_post_grad_nodes", "provenance: kernels (old)", "inductor", "json", "Which post-grad node became which kernel (torch 2.8)."),
    Kind("artifact:inductor_post_to_pre_grad_nodes", "provenance: pre-grad (old)", "inductor", "json", "Which pre-grad node became which post-grad node (older torch)."),
)
