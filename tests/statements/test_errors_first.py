"""The order of findings: errors, the fatal one first; then functions at the recompile limit; then by cost."""

import json

import pytest
from log_builder import record
from tlparse_bundle.statements.finding import EAGER, ERROR, REST, stage


def kinds(rows):
    return [(row["kind"], row["function"]) for row in rows]


def test_the_error_that_ended_the_program_comes_first(built, root):
    """It is the cheapest one; two earlier ones were caught, and one of them suppressed.

    The recompile limit comes after all of them.
    """
    (log,) = built(root / "fixtures/versions/2.13.0/ends.log.zst").logs
    rows = log.findings()
    assert kinds(rows)[:6] == [
        ("failure", "prints"),
        ("failure", "caught"),
        ("failure", "suppressed"),
        ("runs-eager", "suppressed"),
        ("recompile", "limited"),
        ("recompile-limit", "limited"),
    ]
    assert [row["because_of"] for row in rows[:6]] == [None, None, None, 2, None, 4]
    assert rows[0]["cost_us"] < min(rows[1]["cost_us"], rows[2]["cost_us"])
    assert "`suppress_errors` hid the error" in rows[3]["title"]
    assert not [row for row in rows[1:3] if "suppress_errors" in row["text"]]


@pytest.mark.parametrize("name", ["killed", "ranks_killed"])
def test_a_compile_that_did_not_end_comes_first(built, root, name):
    found = [log.findings() for log in built(root / "fixtures" / name / "trace").logs]
    open_ones = [rows for rows in found if any(row["kind"] == "unfinished-compile" for row in rows)]
    assert open_ones and all(rows[0]["kind"] == "unfinished-compile" for rows in open_ones)


def test_the_last_export_that_failed_comes_first(built, root):
    for name in ("exports", "exports_dtrace"):
        (log,) = built(root / f"fixtures/versions/2.13.0/{name}.log.zst").logs
        assert log.findings()[0]["title"].startswith(
            "`torch.export` of `forward` failed: UncapturedHigherOrderOpError"
        )


def test_errors_come_before_higher_costs(built, root):
    (log,) = built(root / "fixtures/versions/2.15.0/fail.log.zst").logs
    rows = log.findings()
    stages = [
        stage(row["kind"], row["severity"], row["details"]) for row in rows if row["because_of"] is None
    ]
    assert stages == sorted(stages) and {ERROR, REST} == set(stages)


def test_a_raised_limit_is_an_error():
    assert stage("recompile-limit", "error", {"raised": True}) == ERROR
    assert stage("recompile-limit", "error", {"raised": False}) == EAGER


def _failed(number, cost_us, **config):
    """Return a compile that fails; its function is f0, f1, …"""
    values = {
        "co_name": f"f{number}", "co_filename": "/p/a.py", "co_firstlineno": 1, "start_time_us": number, "dynamo_cumulative_compile_time_us": cost_us, "fail_type": "E",
        "fail_reason": f"reason {number}", "dynamo_config": json.dumps(config),
    }  # fmt: skip
    start = record(
        f'dynamo_start {number}/0 {{"stack": [{{"line": 1, "name": "f{number}", "filename": 0}}]}}'
    )
    return start + record(f"compilation_metrics {number}/0 {json.dumps(values)}")


FILE = record('str ["/p/a.py", 0]')


def test_only_the_last_error_can_have_ended_the_program(log_of):
    def order(*parts):
        return [
            row["function"] for row in log_of(FILE + b"".join(parts)).findings() if row["kind"] == "failure"
        ]

    good = record('dynamo_start 7/0 {"stack": [{"line": 1, "name": "good", "filename": 0}]}') + record(
        'compilation_metrics 7/0 {"co_name": "good", "start_time_us": 9, "graph_op_count": 1}'
    )
    assert order(_failed(0, 500), _failed(1, 900), _failed(2, 100)) == ["f2", "f1", "f0"]
    assert order(_failed(0, 500), _failed(1, 900), _failed(2, 100), good) == [
        "f1",
        "f0",
        "f2",
    ]  # the program continued
    assert order(_failed(0, 500), _failed(1, 900), _failed(2, 100, suppress_errors=True)) == [
        "f1",
        "f0",
        "f2",
    ]  # torch continued


def test_an_error_without_an_exception_comes_last(built, root):
    """It is the last record of the log, so it may have ended the program, but nobody can act on it."""
    (log,) = built(root / "fixtures/failures/trace").logs
    errors = [row for row in log.findings() if row["severity"] == "error"]
    assert [bool(row["details"]["message"]) for row in errors] == [True] * 4 + [False]
    assert errors[-1]["title"] == "`make_fx` failed outside a compile"
