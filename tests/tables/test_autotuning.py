"""Autotuning: benchmarks in real logs, and what torch logs about candidates on a GPU."""

import json

import pytest
from log_builder import record

T0 = 1_795_246_200_000_000
BEST = {
    "num_choices": 20,
    "num_triton_choices": 19,
    "best_kernel": "mm",
    "best_time": 0.04867,
    "best_triton_pos": 1,
    "best_triton_time": 0.05012,
    "best_triton_kernel": "triton_mm_18",
    "best_triton_kernel_desc": "BLOCK_K=64, BLOCK_M=128, num_stages=5, num_warps=8",
}  # as torch 2.9 and newer write it (torch/_inductor/select_algorithm.py)
NO_MEMORY = {
    "choice_type": "triton",
    "choice": "BLOCK_K=128, BLOCK_M=128",
    "exception_message": "No valid triton configs. OutOfMemoryError: out of resource: triton_mm Required: 262144 Hardware limit:232448",
    "exception": "OutOfMemoryError",
    "required_memory": "262144",
    "hardware_limit": "232448",
}


@pytest.fixture(scope="session")
def program(built, root):
    def open_log(name):
        (it,) = built(root / "fixtures" / "versions" / "2.13.0" / f"{name}.log.zst").logs
        return it

    return open_log


def timed(name, begin_ms, end_ms, compile_id="0/0", **args):
    """Return begin and end of a span, whose end has these arguments."""

    def event(phase, ms, **more):
        args = {"compile_id": compile_id, **more}
        payload = json.dumps({"name": name, "ph": phase, "ts": T0 + 1000 * ms, "args": args})
        return record(f"chromium_event {compile_id}", payload=payload)

    return event("B", begin_ms) + event("E", end_ms, **args)


def tuned(stats, begin_ms=0, op="mm", exceptions=(), compile_id="0/0"):
    failed = {"metadata": json.dumps({"exceptions": list(exceptions)})} if exceptions else {}
    return timed(f"{op}_template_precompiling", begin_ms, begin_ms + 200, compile_id, **failed) + timed(
        f"{op}_template_autotuning",
        begin_ms + 200,
        begin_ms + 300,
        compile_id,
        autotune_shape="64x128, 128x32",
        autotune_strides="[128, 1], [32, 1]",
        autotune_dtypes="torch.float16, torch.float16",
        autotune_choices_stats=json.dumps(stats),
    )


def test_a_real_benchmark_has_its_winner_and_inputs(program):
    it = program("autotune")
    (row,) = it.table("autotunings")
    assert (row["operator"], row["shapes"], row["dtypes"]) == (
        "bmm",
        "4x64x64, 4x64x64",
        ["torch.float32"] * 2,
    )
    assert (row["choice_count"], row["triton_choice_count"], row["best"], row["best_kind"]) == (
        2,
        0,
        "bmm",
        "extern",
    )
    assert row["best_time_us"] == pytest.approx(29.257) and row["runner_up_ratio"] is None
    (choice,) = it.table("autotune_choices")
    assert (choice["name"], choice["position"], choice["ratio"], choice["autotuning"]) == (
        "bmm",
        0,
        1,
        row["id"],
    )
    span = next(span for span in it.table("spans") if span["begin_event"] == row["begin_event"])
    assert span["name"] == "bmm_template_autotuning" and span["duration_us"] == pytest.approx(
        row["duration_us"], abs=1
    )


def test_every_benchmark_of_a_program_is_a_row(program):
    it = program("autotune_gemms")
    rows = it.table("autotunings")
    spans = [span for span in it.table("spans") if span["name"].endswith("_template_autotuning")]
    assert {row["begin_event"] for row in rows} == {span["begin_event"] for span in spans} and len(rows) >= 3
    assert {row["best_kind"] for row in rows} <= {"extern", "cpp"}
    assert all(row["compile"] in ("0/0", "1/0") and row["choice_count"] >= 1 for row in rows)


def test_statistics_of_a_gpu(log_of):
    it = log_of(tuned(BEST, exceptions=[NO_MEMORY, NO_MEMORY]))
    (row,) = it.table("autotunings")
    assert (row["precompile_us"], row["duration_us"], row["failed_count"]) == (200_000, 100_000, 2)
    assert row["runner_up_ratio"] == pytest.approx(0.05012 / 0.04867, abs=1e-4)
    winner, triton, *failed = it.table("autotune_choices")
    assert (winner["kind"], winner["position"], triton["kind"], triton["position"]) == (
        "extern",
        0,
        "triton",
        1,
    )
    assert triton["description"].startswith("BLOCK_K=64") and triton["ratio"] == row["runner_up_ratio"]
    assert [(row["error_type"], row["position"], row["kind"]) for row in failed] == [
        ("OutOfMemoryError", None, "triton")
    ] * 2


def test_the_finding_says_what_the_benchmark_was_for(log_of):
    log = tuned(BEST, exceptions=[NO_MEMORY]) + tuned(
        {**BEST, "best_kernel": "triton_mm_1", "best_triton_pos": 0}, 1000, op="addmm"
    )
    it = log_of(log)
    (finding,) = (row for row in it.findings() if row["kind"] == "autotune")
    assert finding["title"] == "Autotuning took 600 ms in 1 compile"
    assert "In 1 of 2 benchmarks (300 ms) a library call won" in finding["text"]
    assert "without autotuning: `mm(64x128, 128x32)`." in finding["text"]
    assert "1 candidate did not compile: not enough shared memory on the GPU (1)" in finding["text"]
    assert [row["operator"] for row in finding["details"]["operators"]] == ["mm", "addmm"]
    assert all("ATEN" not in (remedy["code"] or "") for remedy in finding["remedies"])


def test_where_a_library_call_always_wins_candidates_can_be_left_out(log_of):
    it = log_of(tuned(BEST) + tuned(BEST, 1000, compile_id="1/0"))
    (finding,) = (row for row in it.findings() if row["kind"] == "autotune")
    assert "In 2 of 2 benchmarks (600 ms) a library call won" in finding["text"]
    assert any("ATEN" in (remedy["code"] or "") for remedy in finding["remedies"])


@pytest.mark.parametrize(
    "name, description, kind",
    [
        ("mm", None, "extern"), ("bias_addmm", None, "extern"), ("_int_mm", "", "extern"), ("convolution", None, "extern"),
        ("triton_mm_18", "BLOCK_K=64", "triton"), ("cpp_CppMicroGemm_3", None, "cpp"), ("cutlass_f6c25cf2", "x", "cutlass"),
        ("rocm_ck_gemm_1", None, "ck"), ("cutedsl_grouped_0", None, "cutedsl"), ("decompose_k_mm_4", None, "other"),
    ],
)  # fmt: skip
def test_kinds_of_candidates(log_of, name, description, kind):
    it = log_of(
        tuned({"num_choices": 1, "best_kernel": name, "best_kernel_desc": description, "best_time": 1})
    )
    assert it.table("autotunings")[0]["best_kind"] == kind


def test_older_torch_logs_only_the_time(log_of):
    it = log_of(timed("mm_template_autotuning", 0, 100))
    (row,) = it.table("autotunings")
    assert row["duration_us"] == 100_000 and row["best"] is None and row["choice_count"] is None
    assert it.table("autotune_choices") == []


def test_candidates_that_all_fail_have_no_benchmark(log_of):
    failed = {"metadata": json.dumps({"exceptions": [NO_MEMORY]})}
    it = log_of(timed("mm_template_precompiling", 0, 200, **failed))
    (row,) = it.table("autotunings")
    assert (row["begin_event"], row["duration_us"], row["failed_count"]) == (None, None, 1)
    assert it.table("autotune_choices")[0]["error"].startswith("No valid triton configs")


@pytest.mark.parametrize(
    "stats",
    [
        "noise",
        "[]",
        '{"best_kernel": 3, "best_time": "fast", "num_choices": -1}',
        '{"best_kernel": "mm", "best_time": Infinity}',
    ],
)
def test_odd_statistics_leave_cells_empty(log_of, stats):
    it = log_of(timed("mm_template_autotuning", 0, 100, autotune_choices_stats=stats, autotune_shape=3))
    (row,) = it.table("autotunings")
    assert row["best_time_us"] is None and row["choice_count"] is None and row["duration_us"] == 100_000
