"""Findings of fixtures/versions/programs/module_states.py."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("module_states")


def test_counters_of_several_modules_are_one_change(found):
    row = of(found, "`forward` recompiled once: `self.first.calls` changed from `5` to `6`")
    assert (
        row["text"].split("\n\n")[1]
        == "The nearest cache entry, `[0/1]`, also failed on `self.second.calls == 5`."
    )


def test_an_entry_of_another_function_is_not_near(found):
    row = of(found, "`gradient` recompiled once: `distance.__self__.twist` is no longer `None`")
    assert row["compiles"] == ["2/2"]


def test_a_parameter_in_the_calls_before_is_not_named_a_tensor(found):
    of(found, "`packed` recompiled once: `type(w)` is now `torch.Tensor`")


def test_a_resume_function_recompiled_in_one_of_the_calls(found):
    row = of(found, "`bounded` recompiled twice: `w.dim()` had values such as `1`, `2` and `3`")
    first = "In one of these calls, its resume function also recompiled, for `w.dim()`."
    assert row["text"].startswith(first)


def test_a_wrapper_leads_to_the_outermost_function(found):
    for change in ("`args[0].size(0)` changed from `4` to `6`", "`args[1]` is no longer `None`"):
        row = of(found, f"`inner` of torch recompiled once: {change}")
        assert row["text"].startswith("`inner` leads to `step`.")
