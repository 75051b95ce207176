"""Findings of fixtures/versions/programs/same_mode.py."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("same_mode")


@pytest.fixture
def nearest(built, root):
    (log,) = built(root / "fixtures/versions/2.13.0/same_mode.log.zst").logs
    return {row["compile"]: row["entry"] for row in log.table("guard_failures") if row["is_nearest"]}


def test_a_module_is_near_to_itself(found, nearest):
    """A module with another body takes the batch, but the entry of this one asks for its type, too."""
    assert (nearest["0/3"], nearest["0/4"], nearest["0/5"]) == ("0/0", "0/1", "0/2")
    of(found, "`forward` recompiled 3 times: `x.size(0)` changed from `4` to `1`")


def test_a_call_is_near_to_one_of_its_mode(found, nearest):
    assert nearest["1/2"] == "1/1"
    of(found, "`served` recompiled once: `temperature` changed from `None` to `0.5`")


def test_a_dict_is_near_to_a_dict_with_other_keys(found, nearest):
    assert nearest["2/2"] == "2/1"
    of(found, "`tweaked` recompiled twice: `tweak` and `len(tweak)` changed")


def test_dispatch_keys_follow_from_autocast(found):
    row = of(found, "`cast` recompiled once: autocast for CPU was turned on")
    assert row["text"] == "The nearest cache entry, `[3/0]`, also failed on `scale == 1.0`."


def test_a_method_below_a_wrapper_is_named_by_its_object(found):
    of(found, "`Average` recompiled")


def test_a_branch_needs_a_number(found):
    row = of(found, "`weighted` recompiled once: `weight`")
    assert not any("as a tensor" in remedy["text"] for remedy in row["remedies"])


def test_a_loop_needs_an_integer(found):
    """torch's advice for an integer of a module does not help where `range` needs its value."""
    row = of(found, "`forward` recompiled twice: `self.steps`")
    assert [remedy["source"] for remedy in row["remedies"]] == ["tlparse-bundle"]


def test_a_dict_that_was_empty_may_need_a_compile_of_its_own(found):
    """With `dynamic=True`, the program has 2 compiles of 3: for the empty dict, and for others."""
    for title in ("`tallied` recompiled once: `step`", "`tallied` recompiled once: `counts['seen']`"):
        (remedy,) = of(found, title)["remedies"]
        assert "This would avoid at least 1 of 3 compiles" in remedy["text"]
