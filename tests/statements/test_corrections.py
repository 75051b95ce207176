"""Statements that were once false, each with the log that shows what is true."""

import pytest


@pytest.fixture
def log(built, root):
    """Return log(name): the log of a fixture, or of a program of fixtures/versions."""

    def open_log(name):
        path = root / "fixtures" / name / "trace"
        (one,) = built(path if path.is_dir() else root / f"fixtures/versions/{name}.log.zst").logs
        return one

    return open_log


def of(log, *words):
    """Return the one finding whose title has all these words."""
    (row,) = [row for row in log.findings() if all(word in row["title"] for word in words)]
    return row


def texts(row):
    return " ".join(remedy["text"] for remedy in row["remedies"])


def test_a_size_is_not_the_whole_cause_where_the_nearest_entry_lacks_more(log):
    """torch names the size for the newest entry, which has another ``how``, too."""
    row = of(log("2.13.0/reach"), "`stacked`", "`how` had values")
    assert "together with a dynamic `x.size(0)`, 2 of 3 compiles" in texts(row)


def test_a_fix_saves_no_more_than_it_avoids(log):
    """The code object recompiled four times, of which the fix of one argument avoids one."""
    reach = log("2.13.0/reach")
    row = of(reach, "`stacked`", "`how` had")
    (fix,) = [fix for fix in reach.table("recompile_fixes") if fix["source"] == "L['how']" and fix["avoided"]]
    compiles = {compile["compile"]: compile["total_us"] for compile in reach.table("compiles")}
    assert row["cost_us"] == fix["saved_us"] == sum(compiles[one] for one in fix["avoided"])
    assert row["cost_us"] < sum(compiles[one] for one in compiles if one.startswith(fix["avoided"][0][:2]))


def test_integers_in_globals_are_never_dynamic(log):
    text = texts(of(log("2.13.0/arguments"), "`scale['k']` had values"))
    assert "Integers in global variables are always specialized." in text and "0 and 1" not in text


def test_requires_grad_is_not_a_grad_mode(log):
    text = texts(of(log("2.13.0/reach"), "`leaf`", "`x.requires_grad` changed from `False` to `True`"))
    assert "Pass `x` with the same `requires_grad` in each call." in text and "mode" not in text


def test_a_size_that_the_code_specializes_is_not_marked(log, root):
    source = (root / "fixtures/versions/programs/reach.py").read_text().split("\n")
    line = next(number for number, text in enumerate(source, 1) if "range(x.shape[0])" in text)
    row = of(log("2.13.0/reach"), "`summed` recompiled once: `x.size(0)`")
    assert f"the program specialized it at `program.py:{line}`. Change that code" in texts(row)
    assert "mark_dynamic" not in str(row["remedies"])


def test_a_failed_export_is_not_an_ahead_of_time_compile(log):
    exports = log("2.13.0/exports_dtrace")
    titles = [row["title"] for row in exports.findings() if row["severity"] == "error"]
    assert titles and not any("head-of-time" in title for title in titles)
    assert exports.summary["export_count"] == len(list(exports.table("exports")))


def test_nested_records_of_a_failure_count_once(log):
    nested = log("2.13.0/nested")
    records = len(list(nested.table("failures")))
    assert nested.summary["failure_count"] == nested.summary["compile_count"] == 4 < records


def test_a_compile_with_a_break_is_not_empty_and_one_without_has_none(log):
    """In program.py, each function but one breaks once after an operation, and only what is left of
    ``prints_last`` has no operation.
    """
    rows = list(log("graph_breaks").table("compiles"))
    broken = {row["function"] for row in rows if row["graph_break_count"]}
    assert broken == {
        "prints_once",
        "prints_last",
        "scales_by_item",
        "branches_on_tensor",
        "calls_inner",
        "inner_prints",
    }
    statuses = {row["function"]: row["status"] for row in rows}
    assert {name for name, status in statuses.items() if status != "ok"} == {
        "torch_dynamo_resume_in_prints_last_at_24"
    }
    assert statuses["torch_dynamo_resume_in_prints_last_at_24"] == "empty"


def test_a_break_inside_torch_is_at_the_line_of_the_program(log, root):
    """The scheduler wraps `step`; torch reports a second break in its own file."""
    source = (root / "fixtures/versions/programs/scheduler.py").read_text().split("\n")
    lines = [number for number, text in enumerate(source, 1) if text == "    opt.step()"]
    row = of(log("2.13.0/scheduler"), "Call to `torch._dynamo.graph_break()`")
    assert [row["line"]] == lines and row["because_of"] is not None


def test_an_operator_without_a_fake_kernel_is_not_called_an_error_of_the_program(log):
    rows = [row for row in log("2.13.0/no_fake_kernel").findings() if "has no fake kernel" in row["title"]]
    assert rows
    for row in rows:
        assert "may result in an error" not in texts(row)
        assert row["remedies"][0]["code"].startswith("@torch.library.register_fake(")


def test_a_restart_has_no_name_of_a_class(log):
    row = of(log("2.13.0/reach"), "Dynamo restarted `step` once")
    assert "Tensorify" not in row["title"] + row["text"]
