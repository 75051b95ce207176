"""Calls of torch.export and their outcomes, compared with what each program did (its OUTCOMES)."""

import ast

import pytest
import traces
from log_builder import record

VERSIONS = ("2.13.0", "2.15.0")
PROGRAMS = (
    "export_succeeds",
    "export_branches",
    "export_strictness",
    "export_aoti",
    "export_one_fails",
    "export_draft",
)
# Calls that leave no trace without TORCH_DTRACE: those with strict=False that succeed.
SILENT = {"export_succeeds": [0], "export_strictness": [0], "export_aoti": [0, 1]}


def truth(program, name="OUTCOMES"):
    tree = ast.parse((traces.ROOT / "fixtures/versions/programs" / f"{program}.py").read_text())
    (value,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    )
    return ast.literal_eval(value)


@pytest.fixture
def log(built, root):
    return lambda version, name: built(root / f"fixtures/versions/{version}/{name}.log.zst").logs[0]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_call_with_its_records(log, version, program):
    it = log(version, f"{program}_dtrace")
    outcomes = truth(program)
    assert [row["outcome"] for row in it.table("exports")] == outcomes
    assert it.summary["export_count"] == len(outcomes)
    count = f"{len(outcomes)} export" + ("s" if len(outcomes) > 1 else "")
    assert count in it.summary["text"]
    failed = it.summary["failure_count"] + sum(
        row["count"]
        for row in it.findings()
        if row["kind"] == "export-failure"
        and row["details"]["problem"] in ("data_dependent_error", "no_program")
    )
    compiles = truth(program, "COMPILES") if program == "export_aoti" else []
    assert failed == [*outcomes, *compiles].count("failed")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("program", [name for name in PROGRAMS if name != "export_draft"])
def test_each_call_that_leaves_a_trace(log, version, program):
    it = log(version, program)
    silent = SILENT.get(program, [])
    outcomes = [outcome for number, outcome in enumerate(truth(program)) if number not in silent]
    assert [row["outcome"] for row in it.table("exports")] == outcomes
    assert it.summary["export_count"] == len(outcomes)
    # More calls can have succeeded without a record.
    count = f"at least {len(outcomes)} export"
    assert (count in it.summary["text"]) == bool(outcomes)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("program", "line"), [("export_strictness", 15), ("export_one_fails", 11)])
def test_a_failed_strict_export_has_the_line_of_the_program(log, version, program, line):
    failures = [row for row in log(version, program).findings() if row["kind"] == "failure"]
    assert [
        (row["function"], row["file"], row["line"]) for row in failures if "Unsupported" in row["title"]
    ] == [("forward", "program.py", line)]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", [f"{name}{end}" for name in PROGRAMS[:5] for end in ("", "_dtrace")])
def test_a_failed_export_is_never_called_a_compile(log, version, name):
    it = log(version, name)
    for row in it.findings():
        if row["kind"] == "failure":
            what = "AOTInductor compile" if "boom" in row["title"] else "`torch.export`"
            assert what in row["title"] and "head-of-time" not in row["title"], row["title"]
    assert "ahead-of-time" not in it.summary["text"]
    if "aoti" in name:
        assert "2 AOTInductor compiles" in it.summary["text"]


@pytest.mark.parametrize("version", VERSIONS)
def test_reasons_of_failures(log, version):
    (row,) = log(version, "export_branches_dtrace").table("exports")
    assert row["reason"].startswith("data-dependent condition: ") and row["program_event"] is None
    strict = log(version, "export_one_fails").table("exports")[0]
    assert "ValueError" in strict["reason"] or "Observed exception" in strict["reason"]
    assert strict["failure_event"] > strict["event"] or strict["failure_event"] == strict["event"]


def test_ways_to_convert_one_program_are_one_call(log):
    """torch.onnx.export tries strict=False, then strict=True."""
    it = log("2.13.0", "onnx_export")
    calls = it.table("exports")
    assert [row["outcome"] for row in calls] == truth("onnx_export")
    assert {row["function"] for row in calls} == {"torch.onnx.export"}
    assert [len(row["conversions"]) for row in calls] == [1, 1]
    assert it.summary["text"].startswith("at least 2 exports, ") and it.summary["failure_count"] == 1
    (failure,) = (row for row in it.findings() if row["kind"] == "failure")
    attempts = {row["details"]["attempt"]: row for row in it.findings() if row["kind"] == "export-attempt"}
    assert failure["title"].startswith("`torch.onnx.export`") and failure["count"] == 1
    assert attempts[2]["because_of"] == failure["id"] and attempts[1]["because_of"] is None
    assert "failed, a later one succeeded" in attempts[1]["title"]
    assert attempts[2]["title"].endswith("failed too: Data-dependent branching")


def test_conversions_of_an_exported_program_are_not_calls(log_of):
    """`run_decompositions` fails after an export: the stack of make_fx says so."""
    frames = [("/p/a.py", "<module>"), ("/venv/torch/export/exported_program.py", "run_decompositions")]
    stack = [{"line": 1, "name": name, "filename": number} for number, (_, name) in enumerate(frames)]
    data = b"".join(record(f'str ["{file}", {number}]') for number, (file, _) in enumerate(frames))
    it = log_of(
        data + record("artifact:make_fx_fail_partial", payload="def forward(self): pass", stack=stack)
    )
    assert it.table("exports") == [] and it.summary["export_count"] == 0
    (row,) = (row for row in it.findings() if row["kind"] == "failure")
    assert row["title"] == "`run_decompositions` of an exported program failed"
    assert row["details"]["phase"] == "decompositions"


def test_the_outcome_of_a_call_is_unknown_only_if_the_log_ends_in_it(log_of):
    start = record("export", payload="start!")
    compile = record('dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename": 0}]}')
    metrics = record('compilation_metrics 0/0 {"co_name": "f", "start_time_us": 1}')
    known = record('str ["/p/a.py", 0]')
    (call,) = log_of(known + start).table("exports")
    assert call["outcome"] == "unknown"
    assert log_of(known + start).summary["text"].endswith("The outcome of 1 export is not recorded.")
    it = log_of(known + start + compile + metrics)
    (call,) = it.table("exports")
    assert (call["outcome"], call["reason"], call["failure_event"]) == ("failed", None, None)
    (row,) = (row for row in it.findings() if row["kind"] == "export-failure")
    assert row["title"] == "The export failed, and the log does not record why"
    first, second = log_of(known + start + start).table("exports")
    assert (first["outcome"], second["outcome"]) == ("failed", "unknown")
