"""The headline is derived from the same rows as the list below it."""

import re

import every_log
import pytest
from log_builder import record
from tlparse_bundle import Bundle

SUMS = {
    "failure_count": "failure", "unfinished_count": "unfinished-compile", "restart_count": "restart", "graph_break_count": "graph-break", "export_failure_count": "export-failure",
    "export_assumption_count": "export-assumption", "cudagraph_skip_count": "cudagraph-skip",
}  # fmt: skip
OF_COMPILES = {"failure", "unfinished-compile", "recompile", "graph-break", "restart"}


def check(log):
    """Compare each number with the sum over the findings, and the findings' names with the headline."""
    summary, rows = log.summary, log.findings()
    if any(row["kind"] == "unlisted" for row in rows):
        return
    for number, kind in SUMS.items():
        assert summary[number] in (None, sum(row["count"] for row in rows if row["kind"] == kind)), (
            number,
            log.id,
        )
    assert summary["recompile_limit_count"] in (None, sum(row["kind"] == "recompile-limit" for row in rows))
    assert summary["findings"] == {
        severity: sum(row["severity"] == severity for row in rows)
        for severity in ("error", "warning", "info")
    }
    assert summary["compile_count"] == summary["frame_count"] + summary["ahead_of_time_count"]
    if summary["failure_count"]:
        assert re.search(rf"\b{summary['failure_count']:,} failures?\b", summary["text"])
    compiled = {row["compile"] for row in log.table("compiles") if row["kind"] != "ahead_of_time"}
    frames = {key for row in rows if row["kind"] in OF_COMPILES for key in row["compiles"] if key in compiled}
    assert len(frames) <= summary["frame_count"], (frames, summary["text"])
    outside = {"make_fx", "fx_interpreter"}
    failed = sum(
        row["count"]
        for row in rows
        if row["kind"] == "unfinished-compile"
        or (row["kind"] == "failure" and row["details"]["phase"] not in outside)
    )
    assert failed <= summary["compile_count"] + summary["export_count"]
    if frames or failed or summary["export_failure_count"]:
        assert summary["compile_count"] + summary["export_count"] > 0 and not summary["text"].startswith(
            "No compile"
        ), summary["text"]
    for row in rows:  # one failure is counted once
        if row["kind"] == "failure":
            assert len(row["events"]) >= row["count"]


@pytest.mark.parametrize("group", every_log.NUMBERS)
def test_of_every_log(group_bundle, group):
    for log in Bundle.open(group_bundle(group)).logs:
        check(log)


@pytest.fixture
def program(built, root):
    return lambda name: built(root / f"fixtures/versions/2.13.0/{name}.log.zst").logs[0]


def test_exports_without_their_records(program):
    """7 of the 8 calls left a trace: a non-strict one that succeeds leaves none."""
    found = program("exports")
    assert found.summary["text"].startswith("1 function, 1 compile, at least 7 exports, ") and found.summary[
        "text"
    ].endswith(". 7 failures.")
    assert all(
        row["title"].startswith("`torch.export`") and row["details"]["phase"] == "export"
        for row in found.findings()
        if row["kind"] == "failure"
    )


def test_exports_with_their_records(program):
    """Each of the 7 failed calls is counted once, the one that stopped at a condition among the export
    problems.
    """
    found = program("exports_dtrace")
    assert found.summary["export_count"] == 8
    assert (found.summary["failure_count"], found.summary["export_failure_count"]) == (6, 1)
    assert not any("did not produce a program" in row["title"] for row in found.findings())


def test_a_failed_export_is_not_an_ahead_of_time_compile(program):
    found = program("ahead_fails")
    assert found.summary["text"].startswith(
        "1 AOTInductor compile, 1 ahead-of-time compile, at least 1 export, "
    )
    titles = sorted(row["title"] for row in found.findings() if row["kind"] == "failure")
    assert titles == [
        "An AOTInductor compile failed: InductorError: LoweringException: NotImplementedError: fixture::boom has no lowering",
        "An ahead-of-time compile failed: Unsupported: Data-dependent branching", "`torch.export` of `branches` failed: Unsupported: Data-dependent branching",
    ]  # fmt: skip


def test_the_only_compile_has_an_exception_and_no_begin(log_of):
    """The log begins inside it."""
    text = 'Traceback (most recent call last):\n  File "/p/a.py", line 3, in f\n    x\nValueError: no'
    found = log_of(record("artifact:dynamo_error 0/0", payload=text))
    assert found.summary["text"].startswith("1 code object, 1 compile. ") and found.summary["text"].endswith(
        "1 failure."
    )


def test_the_only_thing_is_an_open_capture_of_compiled_autograd(log_of):
    begin = (
        '{"name": "compiled_autograd", "ts": 1740992983096390.5, "args": null, "ph": "B", "cat":'
        ' "dynamo_timed", "tid": 0, "pid": 0}'
    )
    found = log_of(record("chromium_event", payload=begin))
    assert found.summary["unfinished_count"] == 1
    assert found.summary["text"] == "No compile finished in this log. 1 compile did not end."
