"""What logs of other versions of torch lack or write otherwise, and what is said of them all the same."""

import pytest


@pytest.fixture
def log(built, root):
    return lambda name: built(root / "fixtures" / "versions" / f"{name}.log.zst").logs[0]


def test_a_stack_that_ends_at_the_caller_names_no_function(log):
    """2.3 and 2.4: the innermost function of the stack called what is compiled."""
    killed = log("2.4.1/killed")
    assert [(compile.key, compile.row["function"], compile.row["filename"]) for compile in killed.compiles if compile.status == "missing"] == [("1/0", None, None)]
    assert killed.findings()["summary"]["text"].startswith("2 compiles of 2 functions in 12.7 ms: 1 did not end.")
    assert [row["title"] for row in killed.findings()["findings"]] == ["Compile 1/0 did not end: the log stops in it"]
    assert [compile.row["function"] for compile in log("2.6.0/killed").compiles if compile.status == "missing"] == ["died"]


def test_the_time_of_a_failure_is_what_was_spent_in_vain(log):
    """2.4 has no timeline, and no compile time in the metrics of a compile that failed."""
    times = {compile.row["function"]: compile.row["compile_time_us"] for compile in log("2.4.1/fail").compiles if compile.status == "error"}
    assert times == {"a": 32_751, "b": 3_790, "d": 2_186, "e": 19_413, "low": 150_700, "s": 4_193}
    assert log("2.4.1/fail").findings()["summary"]["compile_time_us"] == sum(times.values()) + 11_171 + 5_094 + 5_227
    assert all(compile.row["compile_time_us"] for compile in log("2.4.1/breaks").compiles if compile.status == "empty")


@pytest.mark.parametrize("version", ["2.4.1", "2.6.0", "2.15.0"])
def test_an_exception_has_its_own_name(log, version):
    types = {compile.row["failure"]["type"] for compile in log(f"{version}/fail").compiles if compile.row["failure"]}
    assert {"BackendCompilerFailed", "Unsupported"} <= types and not [name for name in types if not name.isidentifier()]
    assert not [row["type"] for row in log(f"{version}/fail").table("failures")["failures"] if row["type"] and "<" in row["type"]]


@pytest.mark.parametrize(("name", "version"), [("2.4.1/fail", None), ("2.6.0/fail", "2.6.0+cu124"), ("2.8.0/fail", "2.8.0+cu128"), ("2.15.0/fail", "2.15.0+cu132")])
def test_the_version_stands_where_a_log_has_it(log, name, version):
    """Before 2.10 in programs that can be run again; 2.4 writes none."""
    assert log(name).row["torch_version"] == version
