"""Faults of version 0.1, each with a test on a real log that fails when the fault returns.

ELSEWHERE names the tests in other files.

 1 a cause without a majority            11 a restart listed beside its graph break
 2 backward compiles left out            12 guards on one object as two causes, a cause that others hid
 3 ahead-of-time compiles left out       13 sizes in quotes
 4 a limit that raised "run eager" 14 two counts of graph breaks
 5 failures of two functions as one      15 where a killed process was
 6 remedies against the settings         16 sentences that are not true of what is beside them
 7 a large model is a warning            17 a failure that is a break listed twice
 8 captures and attempts as compiles     18 what costs nothing above what costs most
 9 links to provenance that is not there 19 the smallest log first
10 what an export assumed                20 a derived clock in the summary of a build
"""

import json
import re
import subprocess
import sys

import pytest
import traces

WEB = "tests/web/test_web"
ELSEWHERE = {
    2: ("tests/statements/test_summaries.py::test_backward_compiles_are_part_of_the_time",),
    5: ("tests/statements/test_kinds.py::test_failures_of_two_functions_name_both",),
    9: (f"{WEB}_provenance.py::test_the_compile_page_leads_here",),
    11: (
        "tests/statements/test_kinds.py::test_a_break_explains_its_restart",
        "tests/statements/test_kinds.py::test_a_graph_break_is_not_also_a_failure",
    ),
    14: ("tests/statements/test_summaries.py::test_numbers_agree_with_the_tables",),
    16: (
        f"{WEB}_code.py::test_an_input_whose_line_ends_in_a_comment_is_defined_there",
        f"{WEB}_kernels.py::test_operators_come_from_the_provenance_if_any",
    ),
    17: ("tests/statements/test_kinds.py::test_a_graph_break_is_not_also_a_failure",),
    19: (f"{WEB}_finding_cards.py::test_a_bundle_opens_on_the_log_with_most_to_say",),
}


def test_each_fault_has_a_test():
    here = {int(name.split("_")[1]) for name in globals() if re.match(r"test_\d\d_", name)}
    assert here | set(ELSEWHERE) == set(range(1, 21))
    for test in (test for tests in ELSEWHERE.values() for test in tests):
        path, _, name = test.partition("::")
        assert f"\ndef {name}(" in (traces.ROOT / path).read_text(encoding="utf-8"), test


@pytest.fixture
def log(built, root):
    """Return log(name): a log of a fixture, or of a program with torch 2.13."""

    def of(name, number=0):
        path = root / "fixtures" / name / "trace"
        return built(
            path if path.is_dir() else root / "fixtures" / "versions" / "2.13.0" / f"{name}.log.zst"
        ).logs[number]

    return of


def text(log):
    return log.summary["text"]


def rows(log, *kinds):
    return [row for row in log.findings() if row["kind"] in kinds or not kinds]


def recompiles(log):
    """Return {what changed: count}."""
    return {(row["function"], row["details"]["change"]): row["count"] for row in rows(log, "recompile")}


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tlparse_bundle", *map(str, arguments)], capture_output=True, text=True
    )


def test_01_no_cause_without_a_majority(log):
    """A tie, and two of four."""
    assert text(log("ties")).endswith(". 2 recompiles (2 causes).")
    assert recompiles(log("ties")) == {("scaled", "size"): 1, ("scaled", "global_state"): 1}
    assert text(log("half")).endswith(". 4 recompiles (3 causes).")


def test_01_a_majority_is_reported(log):
    assert text(log("majority")).endswith(". 4 recompiles, mostly because `x.size(0)` had different values.")


def test_03_ahead_of_time_compiles_are_compiles(log):
    summary = log("aoti").summary
    assert (summary["compile_count"], summary["ahead_of_time_count"]) == (1, 1)
    assert summary["compile_us"] > 20_000_000


def test_03_an_unknown_time_is_not_zero(log):
    """draft_export's own log has no timeline."""
    summary = log("export_dtrace", 1).summary
    assert summary["compile_us"] is None and summary["text"].startswith("1 export. ")


def test_04_a_limit_that_raised_is_reported(log):
    (row,) = rows(log("limit_raises"), "recompile-limit")
    assert row["title"] == "`limited` hit the recompile limit (2): torch raised an error"
    assert "uncompiled" not in row["title"] + row["text"]
    summary = log("limit_raises").summary
    assert (summary["compile_count"], summary["recompile_count"], summary["failure_count"]) == (2, 1, 0)


def test_06_the_hint_of_torch_and_no_advice_against_the_settings(log):
    """specialize_int is off in every log here."""
    remedies = {row["function"]: row["remedies"] for row in rows(log("hints"), "recompile")}
    (of_torch,) = remedies["forward"]
    assert of_torch["source"] == "torch" and "allow_unspec_int_on_nn_module = True" in of_torch["text"]
    assert "specialize_int" not in json.dumps(remedies)
    assert [remedy["code"] for remedy in remedies["shrinks"]] == [
        "torch._dynamo.decorators.mark_unbacked(x, 0)"
    ]
    assert [remedy["code"] for remedy in remedies["grows"]] == ["torch._dynamo.maybe_mark_dynamic(x, 0)"]


def test_07_a_large_model_is_healthy(log, root, tmp_path):
    """Its graph_node_shapes are longer than the part of a value that we keep."""
    assert any("graph_node_shapes" in row["cut"] for row in log("large_model").table("metrics"))
    assert text(log("large_model")).endswith(". No failures, graph breaks or recompiles.")
    done = command(
        root / "fixtures" / "versions" / "2.13.0" / "large_model.log.zst", tmp_path / "out", "--strict"
    )
    assert (done.returncode, "warning" in done.stderr) == (0, False), done.stderr


def test_08_captures_and_attempts_are_not_compiles(log):
    """`step` up to its break and after it, and the graph of the backward are three compiles; its capture and
    a second attempt are not.
    """
    it = log("compiled_autograd")
    summary = it.summary
    assert "!0" in {row["compile"] for row in it.table("captures")} and "!0" not in {
        compile.key for compile in it.compiles
    }
    assert (
        summary["compile_count"]
        == len(it.compiles)
        == len(list(it.events(type="dynamo_start")))
        < len(it.table("attempts"))
    )
    assert it.row["summary"]["compile_count"] == summary["compile_count"]


def test_10_what_an_export_assumed_and_where_it_stopped(log):
    """draft_export counts one missing and one mismatched fake kernel, and one assumed condition."""
    export, draft = log("export_dtrace", 0), log("export_dtrace", 1)
    assert [row["details"]["operator"] for row in rows(draft, "export-failure")] == [
        "fixture.no_fake.default",
        "fixture.wrong_fake.default",
    ]
    assert [
        (row["details"]["condition"], row["details"]["assumed"]) for row in rows(draft, "export-assumption")
    ] == [("u0 > 2", "True")]
    assert text(draft) == "1 export. 2 export failures, 1 export assumption."
    assert [row["title"] for row in rows(export, "export-failure")] == [
        "The export stopped at a data-dependent condition: `zuf0 > 0.0`"
    ]


def test_10_a_file_that_another_log_of_the_process_names(log):
    (row,) = rows(log("export_dtrace", 1), "export-assumption")
    assert (row["file"], row["line"]) == ("program.py", 39)


def test_12_guards_on_one_object_are_one_cause(log):
    assert recompiles(log("objects")) == {("apply", "identity"): 3}


def test_12_the_cause_is_the_guard_of_an_entry_for_the_same_global_state(log):
    """For the last compile that is the size, although the grad mode of the entries in between differs."""
    assert recompiles(log("hidden")) == {("scaled", "size"): 2, ("scaled", "global_state"): 1}
    last = [row for row in log("hidden").table("guard_failures") if row["compile"] == "0/3"]
    kinds = [{log("hidden").table("guards")[id_]["kind"] for id_ in row["guards"]} for row in last]
    assert kinds[0] == {"GLOBAL_STATE", "TENSOR_MATCH"}


@pytest.mark.parametrize("name", ["dynamic_shapes", "recompiles", "large_model"])
def test_13_sizes_have_no_quotes(log, name):
    shapes = [
        row["values"]["graph_node_shapes"]
        for row in log(name).table("metrics")
        if "graph_node_shapes" in row["values"]
    ]
    assert shapes and "'" not in json.dumps(shapes)
    if name != "large_model":
        assert any(
            type(size) is str and size.startswith("s")
            for of in shapes
            for sizes in of.values()
            for size in sizes
        )


def test_15_where_a_killed_process_was(log):
    """Two compiles ended; the third had run for three seconds when the process ended."""
    summary = log("hangs").summary
    assert (summary["compile_count"], summary["unfinished_count"]) == (3, 1)
    assert summary["compile_us"] > 3_000_000 and summary["text"].endswith(". 1 compile did not end.")
    row = log("hangs").findings()[0]
    assert (row["kind"], row["function"]) == ("unfinished-compile", "stuck")
    assert [span["name"] for span in row["details"]["open_spans"]] == [
        "dynamo",
        "entire_frame_compile",
        "compile_attempt_0",
        "backend_compile",
        "lowering",
    ]
    assert row["details"]["open_us"] > 3_000_000 and row["title"].startswith(
        "The compile of `stuck` did not end: open for 3."
    )


@pytest.mark.parametrize("name", ["failures", "graph_breaks", "export_dtrace"])
def test_16_a_known_line_is_never_called_unknown(log, name):
    found = [row for row in rows(log(name)) if row["line"] is not None]
    assert found and not any(
        words in row["text"] for row in found for words in ("not known", "does not say", "unknown")
    )


def test_18_the_highest_cost_comes_first(log):
    """310 specialized sizes without cost, and two recompiles."""
    summary, found = log("many").summary, rows(log("many"))
    assert (summary["specialization_count"], summary["recompile_count"]) == (310, 2)
    assert [row["function"] for row in found[:2]] == ["slower", "slow"]
    assert all(row["cost_us"] is None for row in found if row["kind"] == "specialization")
    assert found[-1]["kind"] == "unlisted" and len(found) == 300


def test_20_a_derived_clock_is_not_in_the_summary_of_a_build(log, root, tmp_path):
    assert log("basic_inference").row["diagnostics"] == {"clock-inferred": 1}
    done = command(root / "fixtures" / "basic_inference" / "trace", tmp_path / "out")
    assert done.returncode == 0 and "clock-inferred" not in done.stdout + done.stderr
