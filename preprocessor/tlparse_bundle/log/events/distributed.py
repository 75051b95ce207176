"""DDP splitting, collectives, communication passes."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind("optimize_ddp_split_graph", "DDP split graph", "distributed", "fx", "The graph that calls the parts DDPOptimizer made."),
    Kind("optimize_ddp_split_child", "DDP split part", "distributed", "fx", "One part of the graph split for DDP."),
    Kind("artifact:aot_joint_graph_sync_decision_cross_ranks", "partition agreed across ranks", "distributed", "text", "Which rank's partition was taken."),
    Kind("artifact:inductor_spmd_graph_mismatch", "graphs differ between ranks", "distributed", "text", "Report of graphs that should be equal on all ranks."),
    Kind("artifact:fx_bucketing_passes_*", "collective buckets", "distributed", "text", "Which collectives were put together."),
    Kind("artifact:pre_bucketing_*", "collectives before bucketing", "distributed", "text", "Collectives and sizes before they were put together."),
    Kind("artifact:overlap_scheduling_graph_*", "overlap scheduling graph", "distributed", "fx", "Graph before or after collectives were overlapped with compute."),
    Kind("artifact:inductor_fx_passes_overlap_bucketing", "overlap bucketing", "distributed", "text", "Statistics of overlapped buckets."),
    Kind("artifact:inductor_overlap_cyclic_extra_deps", "cyclic extra dependencies", "distributed", "text", "Overlap scheduling found a cycle."),
    Kind("artifact:*_decomp_comms", "decomposed communication", "distributed", "fx", "Graph around the decomposition of collectives."),
    Kind("artifact:fx_compute_nodes_runtime_estimation", "compute estimates", "distributed", "csv", "Estimated run time of compute nodes."),
    Kind("artifact:fx_collectives_*", "collective estimates", "distributed", "csv", "Estimated run time of collectives."),
    Kind("artifact:pge_profile_vs_analytical", "profile against analytical", "distributed", "json", "Profiled and estimated run times."),
    Kind("artifact:reorder_communication_preserving_peak_memory", "communication reordering", "distributed", "text", "How communication was reordered within peak memory."),
    Kind("artifact:sink_waits_iterative_info", "waits moved down", "distributed", "text", "How waits were moved behind compute."),
    Kind("artifact:*_ITERATIVE_RECOMPUTE_ERROR", "reordering self-check failed", "distributed", "text", "A reordering pass contradicted itself."),
    Kind("artifact:scheduler_nodes_before_comm_overlap", "scheduler nodes", "distributed", "text", "Nodes before communication was overlapped."),
    Kind("artifact:inductor_collective_schedule", "collective schedule", "distributed", "json", "Collectives of the generated code, in order."),
)
