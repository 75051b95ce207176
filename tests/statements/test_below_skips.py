"""Findings of fixtures/versions/programs/below_skips.py."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("below_skips")


def test_a_function_below_one_that_runs_eager_compiles_because_of_the_break(found):
    row = of(found, "`forward` recompiled twice: `x.size(0)`")
    graph_break = of(found, "Graph break in `scored`")
    assert row["because_of"] == graph_break["id"]


def test_states_have_a_direction(found):
    row = of(found, "`traced` recompiled twice")
    assert row["title"].endswith("grad mode was turned off and autocast for CPU was turned on")
    assert row["because_of"] is None


def test_a_dict_that_was_empty_may_need_a_compile_of_its_own(found):
    """With `dynamic=True`, the program has 2 compiles of 3: for the empty dict, and for others."""
    for title in ("`tallied` recompiled once: `step`", "`tallied` recompiled once: `counts['seen']`"):
        (remedy,) = of(found, title)["remedies"]
        assert "This would avoid at least 1 of 3 compiles" in remedy["text"]
