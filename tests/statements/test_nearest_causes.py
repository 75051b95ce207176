"""Causes and fixes of recompiles of fixtures/versions/programs/nearest.py, where torch's first reason misleads."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture
from tlparse_bundle.guards.nearest import STATES
from tlparse_bundle.statements.nearest_entries import shown

DYNAMIC = "Use `torch.compile(dynamic=True)`"


@pytest.mark.parametrize(
    ("words", "fix", "saved"),
    [
        (("`Sequential` recompiled twice",), "torch specializes sizes 0 and 1", "avoid 2 of 4 compiles"),
        (("`SCALE`",), DYNAMIC, "avoid 1 of 2 compiles"),
        (("`self.calls`",), "torch made `self.calls` dynamic. To make it dynamic from the first", ""),
        (("`pinned`",), "The program marks the dimension as static. Remove `torch._dynamo.mark_static`.", ""),
        (("`flag` changed",), "Each value of `flag` needs a compile", "avoid at least 1 of 3 compiles"),
        (("`cast` recompiled twice",), "Call it with the same global state", "avoid 2 of 3 compiles"),
        (("`split`",), "The integer was dynamic, but the program specialized it at `program.py:77`.", ""),
        (("`optional` runs eager",), "Do not call the compiled function where", ""),
        (("`jittered`", "Data-dependent"), "Evaluate the condition outside the compiled function", ""),
    ],
)
def test_a_fix_is_one_that_works(rows, words, fix, saved):
    (remedy,) = of(rows("nearest"), *words)["remedies"]
    assert remedy["text"].startswith(fix) and saved in remedy["text"]


@pytest.mark.parametrize(
    "function",
    [
        "`jagged` recompiled",
        "`filled` recompiled",
        "`optional` recompiled",
        "`mixed` recompiled once: `t.size(0)`",
    ],
)
def test_no_fix_is_offered_that_does_nothing(rows, function):
    assert of(rows("nearest"), function)["remedies"] == []


def test_a_dict_with_other_keys_is_part_of_the_cause(rows):
    """torch checks the number of keys in the manager of the dict, and does not list that."""
    row = of(rows("nearest"), "`pooled` recompiled once: `mode` changed")
    assert "The nearest cache entry, `[14/0]`, also failed on `len(features) == 2`." in row["text"]
    (remedy,) = row["remedies"]
    assert "Alone, this avoids no compile; together with one length of `features`, 1 of 2" in remedy["text"]


def test_a_wrapper_of_torch_has_the_name_of_the_module(rows):
    found = rows("nearest")
    row = of(found, "`ReLU` recompiled once: torch compiled `inner` for `Sequential` before")
    assert row["remedies"] == [] and "guard" not in row["text"].lower()
    assert "and calls `ReLU`." in row["text"]


def test_the_guard_that_the_nearest_entry_fails_is_the_cause(rows):
    """The third call has no bias, as the first one: the newest entry failed on the bias and on the window."""
    row = of(rows("nearest"), "`forward` recompiled once: `self.window` changed from `4` to `8`")
    assert "The nearest cache entry, `[6/0]`, failed only on this guard." in row["text"]


def test_the_state_of_the_process_has_words(built, root):
    """Its guards hold their values as JSON, which says nothing to a reader."""
    (log,) = built(root / "fixtures/versions/2.13.0/nearest.log.zst").logs
    words = {row["kind"]: shown(row) for row in log.table("guards") if row["kind"] in STATES}
    assert words == STATES
