"""Every kind of record that torch 2.13 writes is described and parsed by a table.

SEEN was written by real programs and is in a fixture. UNSEEN needs devices, several machines or a failure
that these programs lack: its records are made here, from torch's sources.
"""

import json
import re
from collections import defaultdict

import pytest
import traces
from log_builder import log
from tlparse_bundle.log.events.registry import describe, known_kinds

# Event type, or artifact:<name> -> tables that hold its contents.
SEEN = {
    # the process
    "str": ["stacks"],
    "dump_file": ["sources"],
    "artifact:torch_version": ["log"],
    # Dynamo
    "dynamo_start": ["stacks"],
    "dynamo_output_graph": ["graphs", "graph_tensors"],
    "dynamo_guards": ["guard_trees"],
    "dynamo_cpp_guards_str": ["guard_trees"],
    "compilation_metrics": ["metrics"],
    "bwd_compilation_metrics": ["metrics"],
    "artifact:dynamo_graph_break_reason": ["graph_breaks", "graph_break_records"],
    "artifact:recompile_reasons": ["recompile_reasons"],
    "artifact:dynamo_error": ["failures"],
    "artifact:*_ORIGINAL_BYTECODE": ["bytecode"],
    "artifact:*_MODIFIED_BYTECODE": ["bytecode"],
    "artifact:dynamo_side_effects": ["side_effects"],
    "artifact:dynamo_cache_entries": ["caches"],
    "artifact:put_local_code_state": ["caches"],
    "artifact:fx_interpreter_error": ["failures"],
    "artifact:make_fx_fail_partial": ["failures", "sources"],
    # DDP and collectives
    "optimize_ddp_split_graph": ["graphs", "ddp_splits"],
    "optimize_ddp_split_child": ["graphs", "ddp_splits"],
    "artifact:pre_bucketing_fsdp_collectives": ["collective_reports"],
    "artifact:overlap_scheduling_graph_before": ["graphs"],
    "artifact:inductor_collective_schedule": ["collective_schedules"],
    # AOTAutograd
    "aot_joint_graph": ["graphs"],
    "aot_forward_graph": ["graphs"],
    "aot_backward_graph": ["graphs"],
    "aot_inference_graph": ["graphs"],
    "artifact:aot_inference_graph_after_hop_passes": ["graphs"],
    "artifact:aot_forward_graph_fw_metadata": ["aliasing"],
    "artifact:aot_forward_graph_fw_subclass_metadata": ["aliasing"],
    "artifact:torch._functorch.config": ["functorch_configs"],
    "artifact:backward_prologue": ["sources"],
    "artifact:backward_epilogue": ["sources"],
    "artifact:compiled_function_forward": ["sources"],
    "artifact:compiled_function_backward": ["sources"],
    "artifact:compiled_fn_wrapper": ["sources"],
    "artifact:runtime_wrapper_orchestration": ["sources"],
    "artifact:output_alias_wrapper": ["sources"],
    "artifact:subclass_wrapper": ["sources"],
    "artifact:backward_subclass_unwrap": ["sources"],
    "artifact:backward_subclass_wrapper": ["sources"],
    "artifact:min_cut_information": ["partitions"],
    # Inductor
    "inductor_output_code": ["generated_code"],
    "inductor_post_grad_graph": ["graphs"],
    "graph_dump": ["generated_code"],
    "artifact:fx_graph_runnable": ["sources"],
    "artifact:before_pre_grad_graph": ["graphs"],
    "artifact:after_pre_grad_graph": ["graphs"],
    "artifact:before_joint_graph": ["graphs"],
    "artifact:after_joint_graph": ["graphs"],
    "artifact:before_post_grad_graph": ["graphs"],
    "artifact:inductor_post_grad_graph": ["graphs"],
    "artifact:inductor_autotune_at_compile_time_code": ["generated_code"],
    "artifact:inductor_runtime_and_tensor_meta": ["runtime_estimates"],
    "artifact:graph_execution": ["graph_executions"],
    "artifact:inductor_provenance_tracking_node_mappings": ["provenance_groups"],
    "artifact:inductor_provenance_tracking_kernel_stack_traces": ["provenance_groups"],
    # caches
    "artifact:fx_graph_cache_miss": ["caches"],
    "artifact:fx_graph_cache_hit": ["caches"],
    "artifact:fx_graph_bundled_cache_hit": ["caches"],
    "artifact:aotautograd_cache_miss": ["caches"],
    "artifact:aotautograd_cache_hit": ["caches"],
    "artifact:aotautograd_cache_bypass": ["caches"],
    # shapes
    "create_symbol": ["symbols"],
    "create_unbacked_symbol": ["symbols", "expressions"],
    "guard_added_fast": ["symbol_guards"],
    "guard_added": ["symbol_guards", "export_failures"],
    "symbolic_shape_specialization": ["specializations"],
    "propagate_real_tensors_provenance": ["symbol_values", "export_failures"],
    "guard_on_data_dependent_error": ["data_dependent_errors", "export_failures"],
    "expression_created": ["expressions"],
    "describe_storage": ["tensor_storages"],
    "describe_tensor": ["tensors"],
    "describe_source": ["tensor sources"],
    # export
    "export": ["exports"],
    "exported_program": ["exports", "graphs"],
    "missing_fake_kernel": ["export_failures"],
    "mismatched_fake_kernel": ["export_failures"],
    # compiled autograd
    "compiled_autograd_graph": ["graphs", "autograd_captures"],
    "artifact:compiled_autograd_graph_pre_reordering": ["graphs", "autograd_captures"],
    # the timeline
    "chromium_event": ["timeline"],
}

GRAPH = "class GraphModule(torch.nn.Module):\n    def forward(self, primals_1):\n        return (primals_1,)"
CODE = "def wrapper(args):\n    return args"
CACHE = '{"cache_state": "bypass", "cache_bypass_reason": "no"}'
ERROR = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nRuntimeError: no'

# (event, metadata, payload) -> table. The names stand for whole families of generated names in torch.
UNSEEN = [
    ("link", {"name": "cprofile_manifold_url", "url": "https://example.org"}, None, "links"),
    ("compilation_metrics_runtime", {"duration_us": 3}, None, "runtime_metrics"),
    ("bwd_compilation_metrics_runtime", {"duration_us": 3}, None, "runtime_metrics"),
    ("artifact:vllm_compilation_config", {}, '{"prefix": "backbone"}', "vllm_backends"),
    ("artifact:vllm_piecewise_compile_start", {}, '{"submod_name": "submod_0", "compile_range_start": 1, "compile_range_end": 1}', "vllm_pieces"),
    ("artifact:vllm_compile_event", {}, '{"type": "fresh_compile"}', "vllm_compile_events"),
    ("artifact:vllm_execution_code", {}, "def execute(): pass", "vllm_backends"),
    ("graph_dump:vllm_submod_0", {}, "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n        return (x,)", "graphs"),
    ("artifact:precompile_cache_bypass", {}, '{"_reason": "x"}', "caches"),
    ("artifact:dynamo_cache_bypass", {}, '{"entry": "e", "missing_backend": "b"}', "caches"),
    ("artifact:dynamo_cache_exception", {}, '{"key": "k", "error": "e"}', "caches"),
    ("artifact:compiler_collective", {}, "L['x']: tensor size=[?]", "collective_reports"),
    *[
        (f"artifact:{name}_code_state", {}, "hash(a)/f.py:3:f:\n  L['x']: tensor size=[?] stride=[1]", "caches")
        for name in ("get_local", "get_remote", "get_extra_remote", "put_remote", "put_extra_remote")
    ],
    ("artifact:aot_joint_graph_sync_decision_cross_ranks", {}, "picked_rank_idx=0, saved_nodes of current rank={'a': 1}", "rank_decisions"),
    ("artifact:inductor_spmd_graph_mismatch", {}, "rank 0 differs", "collective_reports"),
    ("artifact:fx_bucketing_passes_reduce_scatter_buckets", {}, "[[a, b]]", "collective_buckets"),
    ("artifact:fx_bucketing_passes_all_gather_buckets", {}, "[[a, b]]", "collective_buckets"),
    ("artifact:pre_bucketing_collective_sizes", {}, '[{"type": "AG", "size_mb": 1, "name": "a"}]', "collective_sizes"),
    ("artifact:pre_bucketing_collective_sizes_after", {}, '[{"type": "AG", "size_mb": 1, "name": "a"}]', "collective_sizes"),
    ("artifact:overlap_scheduling_graph_after", {}, GRAPH, "graphs"),
    ("artifact:inductor_fx_passes_overlap_bucketing", {}, "buckets=2", "collective_reports"),
    ("artifact:inductor_overlap_cyclic_extra_deps", {}, "a cycle", "collective_reports"),
    ("artifact:pre_decomp_comms", {}, GRAPH, "graphs"),
    ("artifact:post_decomp_comms", {}, GRAPH, "graphs"),
    ("artifact:fx_compute_nodes_runtime_estimation", {}, "Node,Flops\nmm,1", "estimate_tables"),
    ("artifact:fx_collectives_analytical_estimation", {}, "# World size: 2\nCollective Key\na", "estimate_tables"),
    ("artifact:fx_collectives_estimations_after_overlap_bucketing", {}, "# World size: 2\nCollective Key\na", "estimate_tables"),
    ("artifact:pge_profile_vs_analytical", {}, '{"collective_count": 0, "op_count": 0, "op_entries": []}', "collective_profiles"),
    ("artifact:reorder_communication_preserving_peak_memory", {}, "peak=1", "collective_reports"),
    ("artifact:sink_waits_iterative_info", {}, "peak=1", "collective_reports"),
    ("artifact:reorder_ITERATIVE_RECOMPUTE_ERROR", {}, "dump", "collective_reports"),
    ("artifact:scheduler_nodes_before_comm_overlap", {}, "op0", "collective_reports"),
    ("aot_forward_graph_pre_saved_tensors_hooks", {}, GRAPH, "graphs"),
    ("aot_backward_graph_pre_saved_tensors_hooks", {}, GRAPH, "graphs"),
    ("artifact:aot_saved_tensors_hooks_graphs", {}, f"pack:{GRAPH}", "graphs"),
    ("artifact:eager_compile_backwards_failure", {}, ERROR, "failures"),
    *[
        (f"artifact:{name}", {}, CODE, "sources")
        for name in (
            "mutation_epilogue", "functionalized_rng_wrapper", "effect_tokens_wrapper", "dedup_wrapper", "synthetic_base_wrapper", "debug_assert_wrapper",
        )
    ],
    *[
        (f"artifact:{when}_activation_quantization_{which}_aten_pass", {}, GRAPH, "graphs")
        for when in ("before", "after")
        for which in ("fwd", "bwd")
    ],
    ("artifact:min_cut_failed_fx_graph", {}, GRAPH, "failed_partitions"),
    ("artifact:min_cut_failed_edge_list", {}, "a -> b", "failed_partitions"),
    ("artifact:min_cut_failed_svg", {}, "<svg/>", "failed_partitions"),
    ("artifact:invoke_subgraph_backward_duplicate", {}, "{}", "duplicate_backwards"),
    ("artifact:NormalizationPass_pre_grad", {}, GRAPH, "graphs"),
    ("artifact:ReorderPass_post_grad", {}, GRAPH, "graphs"),
    ("artifact:optimus_BatchLinear", {}, GRAPH, "graphs"),
    ("artifact:cff_Fusion", {}, GRAPH, "graphs"),
    ("artifact:triton_kernel_info", {}, '{"triton_0": {"compile_time_us": 1}}', "triton_kernels"),
    ("artifact:fx_graph_cache_bypass", {}, CACHE, "caches"),
    ("artifact:aotautograd_cache_pickle_failure", {}, '{"error": "e", "field": "f"}', "caches"),
    ("propagate_real_tensors", {"expr": "u0 > 2", "result": "True"}, None, "symbol_values"),
    ("artifact:compiled_autograd_compile_reasons", {}, '["a"]', "autograd_captures"),
    # written by torch 2.15 and newer
    ("artifact:compile_worker_status", {}, '{"job_id": 1, "elapsed_s": 61.0, "phase": "queued", "compile_id": null}', "worker_reports"),
    ("artifact:compile_worker_sidecar_death", {}, "sidecar pid=12 returncode=-9", "failures"),
    ("artifact:native_dsl_compile", {}, '{"op": "aten::topk", "dsl": "cutedsl", "outcome": "compiled", "compiled": true}', "native_compiles"),
    # written by older releases
    ("inductor_pre_grad_graph", {}, GRAPH, "graphs"),
    ("aot_autograd_backward_compilation_metrics", {"fail_type": None}, None, "metrics"),
    ("artifact:inductor_graph_execution", {}, '{"graph": "graph_0"}', "graph_executions"),
    ("artifact:inductor_tlparse_runtime", {}, '{"ops": []}', "runtime_estimates"),
    ("artifact:inductor_tlparse_tensor_meta", {}, '{"ops": []}', "runtime_estimates"),
]  # fmt: skip

# Described, but not parsed into a table on their own.
NOT_PARSED = {
    "artifact:*_fused": "a debug dump of scheduler nodes; only with reorder_for_peak_memory_debug",
    "artifact:flex_gemm_*": "a report for people about one phase of lowering, without a fixed form",
    "artifact:fx_net_acc_splitter_finder_events": "of a splitter that torch.compile does not use",
    "graph_dump:vllm_patterns.*": (
        "what the patterns of a pass look for; one of the artifacts of its piece in vllm_pieces"
    ),
    "artifact:inductor_triton_kernel_to_post_grad_nodes": (
        "older torch; the provenance table reads it where it has the code too"
    ),
    "artifact:inductor_post_to_pre_grad_nodes": (
        "older torch; the provenance table reads it where it has the code too"
    ),
}


REFERS_TO_EVENT = re.compile(r"(^|_)events?$")


def event_indexes(value, key=""):
    """Yield every event that a table refers to."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield from event_indexes(child, name)
    elif isinstance(value, list):
        for child in value:
            yield from event_indexes(child, key)
    elif isinstance(value, int) and REFERS_TO_EVENT.search(key):
        yield value


def key_of(event):
    if event.type != "artifact":
        return event.type
    for end in ("_ORIGINAL_BYTECODE", "_MODIFIED_BYTECODE"):
        if event.name.endswith(end):
            return f"artifact:*{end}"
    return f"artifact:{event.name}"


def holders(it):
    """Return {event: names of the tables that refer to it}."""
    found = defaultdict(set)
    for name in it.directory["tables"]:
        if name not in ("artifacts", "diagnostics", "blobs", "events", "metadata", "stacks"):
            for index in event_indexes(it.table(name)):
                found[index].add(name)
    return found


@pytest.fixture(scope="session")
def seen(built, root):
    """{kind: [(log, event, tables)]} of all fixtures."""
    found = defaultdict(list)
    for fixture in traces.FIXTURES:
        for it in built(root / "fixtures" / fixture / "trace").logs:
            tables = holders(it)
            for event in it.events():
                found[key_of(event)].append((it, event, tables.get(event.index, set())))
    return found


def has_no_content(event):
    """torch writes some artifacts without a payload, such as the provenance on a cache hit."""
    return event.type == "artifact" and not event.bytes()


@pytest.mark.parametrize("key", SEEN)
def test_a_fixture_has_it_and_tables_hold_it(seen, key):
    assert seen[key], "no fixture has it"
    for it, event, tables in seen[key]:
        for table in SEEN[key]:
            if table == "stacks":
                check_stacks(it, event)
            elif table == "log":
                assert it.row["torch_version"] == json.loads(event.bytes())["pytorch_version"]
            elif table == "tensor sources":
                assert event.metadata[event.type]["source"] in json.dumps(
                    it.table("tensors"), ensure_ascii=False
                ).replace('\\"', '"')
            elif table == "timeline":
                assert not tables.isdisjoint(("spans", "instants"))
            else:
                assert table in tables or has_no_content(event), (
                    f"{table} has no row for event {event.index} of {it.source}"
                )


def check_stacks(it, event):
    """Check that frames are in the stack table, with the file names that 'str' records define."""
    value = event.metadata[event.type]
    if event.type == "str":
        used = {row["file"] for row in it.stacks if row["file"] is not None}
        assert (
            value[0] in used or "/torch/" in value[0]
        )  # torch also defines names of its own frames, which it cuts off later
    else:
        assert it.stack(value["stack_index"])


@pytest.mark.parametrize("key", SEEN)
def test_it_is_described(key):
    event_type, _, name = key.partition(":")
    check_described(event_type, name.replace("*", "torch_dynamo_resume_in_f_at_1"))


def check_described(event_type, name):
    kind = describe(event_type, name or None, "string")
    assert kind.key in known_kinds() and kind.help and kind.phase != "other"


@pytest.mark.parametrize(("key", "metadata", "payload", "table"), UNSEEN, ids=[row[0] for row in UNSEEN])
def test_a_made_record_is_described_and_parsed(log_of, found, key, metadata, payload, table):
    event_type, _, name = key.partition(":")
    check_described(event_type, name)
    lines = "".join(f"\n| {line}" for line in (payload or "").split("\n")) if payload is not None else ""
    it = log_of(log(f"{key} 0/0 {json.dumps(metadata)}{lines}"))
    assert table in holders(it)[0]
    assert found(it) == []


def test_the_lists_are_complete():
    """Every kind in the registry is in one of the lists above."""
    made = {key for key, *_ in UNSEEN}
    listed = {*SEEN, *made, *NOT_PARSED, "damaged_record", "untyped_record"}
    described = {describe(*listed_key(key), "string").key for key in {*SEEN, *made}}
    assert {key for key in known_kinds() if key not in listed | described} - OLDER == set()


def listed_key(key):
    event_type, _, name = key.partition(":")
    return event_type, name.replace("*", "x") or None


# Names that 2.13 no longer writes, or not yet, and that are kept as they are.
OLDER = {"artifact:fx_graph_cache_hash", "artifact:aotautograd_cache_hash", "artifact:before_recompile_*", "artifact:after_recompile_*",
         "artifact:inductor_generated_kernel_to_post_grad_nodes", "artifact:aot_autograd_runtime_wrappers"}  # fmt: skip
