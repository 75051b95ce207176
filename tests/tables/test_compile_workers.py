"""Reports of compile workers, their death, and compiles of native operators (torch 2.15 and newer)."""

import json

import pytest
from log_builder import log

STATUS = '| {{"job_id": {job}, "elapsed_s": {after}, "phase": "{phase}", "phase_elapsed_s": {since}, "worker_pid": 9, "compile_id": "{id}"}}'


@pytest.fixture(scope="session")
def program(built, root):
    """Return program(name): the log of a program with torch 2.15."""

    def open_log(name):
        (it,) = built(root / "fixtures" / "versions" / "2.15.0" / f"{name}.log.zst").logs
        return it

    return open_log


def the(it, kind):
    return [row for row in it.findings() if row["kind"] == kind]


def test_a_worker_reports_one_job_several_times(program):
    rows = program("slow_worker").table("worker_reports")
    assert len(rows) >= 3 and {(row["job"], row["compile"]) for row in rows} == {(rows[0]["job"], "0/0")}
    times = [row["elapsed_us"] for row in rows]
    assert times == sorted(times) and times[0] >= 1_000_000 and times[-1] < 7_000_000
    assert {row["phase"] for row in rows} <= {"queued", "running"}
    assert all((row["worker_pid"] is None) == (row["phase"] == "queued") for row in rows)


def test_a_job_that_ended_is_worth_knowing(program):
    (finding,) = the(program("slow_worker"), "slow-worker")
    assert finding["severity"] == "info" and finding["details"]["ended"] and finding["function"] == "f"
    assert "job of `f` took at least" in finding["title"]


def test_a_job_that_does_not_end_is_why_its_compile_does_not(program):
    it = program("stuck_worker")
    (worker,) = the(it, "slow-worker")
    assert worker["severity"] == "warning" and not worker["details"]["ended"]
    assert "`f` has not ended after" in worker["title"] and "running for" in worker["title"]
    (unfinished,) = the(it, "unfinished-compile")
    assert unfinished["because_of"] == worker["id"]


def test_the_death_of_the_workers_belongs_to_the_compile_that_names_it(program):
    it = program("worker_dies")
    rows = it.table("failures")
    (death,) = (row for row in rows if row["kind"] == "compile_worker")
    (finding,) = the(it, "failure")
    assert death["event"] in finding["events"] and finding["function"] == "f"
    assert (
        "`f` failed to compile: the compile worker process died (return code -9, SIGKILL)" in finding["title"]
    )
    assert "`worker: low on memory`" in finding["text"]
    assert it.summary["failure_count"] == 1 and "1 failure" in it.summary["text"]


def test_a_death_without_a_compile_is_a_failure(log_of):
    it = log_of(
        log("""
        artifact:compile_worker_sidecar_death
            | sidecar pid=123 returncode=-11
            |
            | a line
            | Fatal Python error: Segmentation fault
    """)
    )
    (finding,) = the(it, "failure")
    assert (
        finding["title"]
        == "The compile workers failed: the compile worker process died (return code -11, SIGSEGV)"
    )
    assert "`Fatal Python error: Segmentation fault`" in finding["text"]
    assert finding["details"]["phase"] == "compile_worker" and "failure" in it.summary["text"]
    assert [remedy["code"] for remedy in finding["remedies"]] == ["export TORCHINDUCTOR_COMPILE_THREADS=1"]


def test_a_new_pool_numbers_its_jobs_again(log_of):
    report = 'artifact:compile_worker_status {"encoding": "json"}\n'
    text = "".join(
        report + STATUS.format(job=0, after=after, phase="compiling", since=1, id="0/0") + "\n"
        for after in (60, 120, 65)
    )
    it = log_of(log(text))
    (finding,) = the(it, "slow-worker")
    assert finding["count"] == 2 and finding["details"]["elapsed_us"] == 120_000_000


@pytest.mark.parametrize(
    "payload", ["[]", "noise", '{"job_id": "x", "elapsed_s": -1, "phase": 7}', '{"elapsed_s": 1e400}']
)
def test_odd_reports_do_not_stop_the_build(log_of, payload):
    for name in ("compile_worker_status", "native_dsl_compile"):
        it = log_of(log(f"artifact:{name}\n| {payload}"))
        table = "worker_reports" if name == "compile_worker_status" else "native_compiles"
        rows = it.table(table)
        if payload.startswith("{"):
            assert len(rows) == 1 and rows[0].get("elapsed_us") is None
        else:
            assert rows == [] and "table-parse" in {row["code"] for row in it.table("diagnostics")}


def test_native_operators_that_compile(program):
    it = program("native_ops")
    rows = it.table("native_compiles")
    assert [(row["op"], row["outcome"]) for row in rows] == [
        ("aten::topk", "compiled"), ("aten::topk", "compiled"), ("aten::topk", "cache_hit"),
        ("aten::sort", "compiled"), ("aten::sort", "compiled"), ("aten::sort", "error"),
    ]  # fmt: skip
    assert all(row["duration_us"] >= 150_000 for row in rows[:2]) and rows[2]["duration_us"] < 150_000
    sort, topk = sorted(the(it, "native-compile"), key=lambda row: row["details"]["op"])
    assert (
        topk["title"].startswith("`aten::topk` (CuTeDSL): 2 kernels compiled in")
        and topk["severity"] == "info"
    )
    assert topk["cost_us"] == sum(row["duration_us"] for row in rows[:2])
    assert sort["severity"] == "error" and sort["details"]["error_count"] == 1
    assert sort["details"]["repeated_key_count"] == 1 and "`(64)`, compiled twice." in sort["text"]
    assert json.dumps(sort["details"])  # plain values
