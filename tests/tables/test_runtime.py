"""The tables of run times: fixtures checked against their programs, and records of several devices."""

import json

import pytest
from log_builder import log


@pytest.fixture(scope="session")
def fixture_table(built, root):
    """Return (log, its truth) of a fixture."""

    def find(name, number=0):
        it = built(root / "fixtures" / name / "trace").logs[number]
        truth = json.loads((root / "fixtures" / name / "truth.json").read_text())["logs"]
        return it, truth[it.source]

    return find


def test_estimates(fixture_table):
    it, truth = fixture_table("regions")
    estimates, ops = it.table("runtime_estimates"), it.table("estimated_ops")
    found = {}
    for op in ops:
        found.setdefault(op["compile"], []).append(op["name"])
    assert found == truth["facts"]["runtime_ops"]
    assert [row["subgraph_name"] for row in estimates] == ["__marked_inductor_submod0", None]
    assert [sum(op["estimate_event"] == row["event"] for op in ops) for row in estimates] == [
        row["op_count"] for row in estimates
    ]
    outputs = [output for op in ops for output in op["outputs"]]
    assert outputs and all(
        output == {"shape": [4, 4], "stride": [4, 1], "dtype": "float32"} for output in outputs
    )


def test_order_of_execution(fixture_table):
    it, truth = fixture_table("regions")
    (row,) = it.table("graph_executions")
    assert row["graphs"] == truth["facts"]["graph_execution_order"]
    assert row["graph_compiles"] == row["graphs"]


@pytest.mark.parametrize("number", range(4))
def test_schedules_of_collectives(fixture_table, number):
    it, truth = fixture_table("ranks4", number)
    assert {row["compile"]: row["collectives"] for row in it.table("collective_schedules")} == truth["facts"][
        "collective_schedule"
    ]


def test_a_public_trace_of_devices(shared_traces, built):
    """Two graphs that run in turns, on a device for which torch estimates run times."""
    (it,) = built(shared_traces / "exec_order/dedicated_log_torch_trace_rank_0_a74od7a1.log").logs
    metrics = it.table("runtime_metrics")
    assert [row["graphs"] for row in it.table("graph_executions")] == [["0/1", "0/0"] * 3]
    assert all(
        row["compute_runtime_ns"] > 0 and row["collective_runtime_ns"] > 0
        for row in it.table("runtime_estimates")
    )
    assert len(metrics) == 2 and all(row["duration_us"] for row in metrics)


# From torch's sources (torch/_inductor/fx_passes); no fixture has them, because they need devices.


def test_tables_of_estimates(log_of):
    it = log_of(
        log('''
        artifact:fx_collectives_analytical_estimation 0/0
            | # World size: 8
            | Collective Key,NCCL Est(ms),Inductor Est(ms)
            | "all_gather, 2 x ""f32""",0.1250,3
        artifact:fx_compute_nodes_runtime_estimation 0/0
            | Node,Benchmarked Est(us),Analytical Est(us),Diff(ratio),Diff(us),Flops
            | mm,1.5,s0(2.0000),nan,-0.5,1024
        ''')
    )
    collectives, compute = it.table("estimate_tables")
    assert (collectives["world_size"], collectives["columns"]) == (
        8,
        ["Collective Key", "NCCL Est(ms)", "Inductor Est(ms)"],
    )
    assert collectives["rows"] == [['all_gather, 2 x "f32"', 0.125, 3]]
    assert (compute["world_size"], compute["rows"]) == (None, [["mm", 1.5, "s0(2.0000)", "nan", -0.5, 1024]])


def test_profiles_and_metrics(log_of):
    it = log_of(
        log("""
        artifact:pge_profile_vs_analytical 0/0 {"encoding": "json"}
            | {"collective_count": 1, "op_count": 2, "op_entries": [{"op": "mm", "shapes": [[2, 3]], "strides": null, "dtype": "f32", "profile_ms": 0.5}],
            | "diagnostics": [{"node": "mm_1", "op": "mm", "pge_ms": 0.5, "analytical_ms": NaN}, 7]}
        bwd_compilation_metrics_runtime 0/0 {"duration_us": 12, "runtime_triton_autotune_time_us": 11}
        artifact:inductor_tlparse_runtime 0/0 {"encoding": "json"}
            | {"ops": [{"name": null, "type": "collective", "estimated_runtime_ns": 2.5}]}
        artifact:inductor_graph_execution {"encoding": "json"}
            | {"graph": "graph_0"}
        artifact:graph_execution {"encoding": "json"}
            | {"graph_execution_order": ["0/0", {"compile_id": null}, {"compile_id": "9/9"}]}
        """)
    )
    (profile,) = it.table("collective_profiles")
    assert profile["ops"] == [
        {"op": "mm", "shapes": "[[2, 3]]", "strides": None, "dtype": "f32", "profile_ms": 0.5}
    ]
    assert profile["nodes"] == [{"node": "mm_1", "op": "mm", "pge_ms": 0.5, "analytical_ms": None}]
    (metrics,) = it.table("runtime_metrics")
    assert (metrics["direction"], metrics["duration_us"], metrics["triton_autotune_time_us"]) == (
        "backward",
        12,
        11,
    )
    assert [
        (row["compute_runtime_ns"], row["collective_runtime_ns"]) for row in it.table("runtime_estimates")
    ] == [(0, 2.5)]
    assert [row["graphs"] for row in it.table("graph_executions")] == [["graph_0"], ["0/0", None, "9/9"]]
    assert [row["graph_compiles"] for row in it.table("graph_executions")] == [[None], ["0/0", None, None]]


def test_hostile_records(log_of, found):
    deep, long = "[" * 5000, "a" * 200_000
    it = log_of(
        log(f"""
        artifact:inductor_runtime_and_tensor_meta
            | {{"ops": [1, {{"name": 7, "estimated_runtime_ns": 1e400, "outputs": [[], {{"shape": ["s0", 1.5], "dtype": {{}}}}]}}]}}
        artifact:inductor_runtime_and_tensor_meta
            | {{"ops": {{}}}}
        artifact:inductor_collective_schedule
        artifact:inductor_collective_schedule
            | ["a", null, 5]
        artifact:graph_execution
            | {{"graph_execution_order": 1}}
        artifact:pge_profile_vs_analytical
            | {deep}
        artifact:fx_collectives_x
            | {long}
        compilation_metrics_runtime 0/0 [1]
        """)
    )
    (op,) = it.table("estimated_ops")
    assert op["outputs"] == [
        {"shape": None, "stride": None, "dtype": None},
        {"shape": ["s0", "1.5"], "stride": None, "dtype": None},
    ]
    assert (op["name"], op["estimated_runtime_ns"]) == (None, None)
    assert [row["collectives"] for row in it.table("collective_schedules")] == [["a", None, None]]
    assert {code for code, *_ in found(it)} == {"table-parse"}
