"""Findings of fixtures/versions/programs/nearest_states.py."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("nearest_states")


@pytest.fixture
def nearest(built, root):
    (log,) = built(root / "fixtures" / "versions" / "2.13.0" / "nearest_states.log.zst").logs
    return {row["compile"]: row["entry"] for row in log.table("guard_failures") if row["is_nearest"]}


def test_a_call_is_near_to_the_one_before_in_its_own_mode(found, nearest):
    assert (nearest["0/2"], nearest["0/3"]) == ("0/0", "0/1")
    row = of(found, "`served` recompiled twice: `context` is no longer `None`")
    assert row["compiles"] == ["0/2", "0/3"]


def test_a_guard_on_none_fails_where_the_call_passes_a_set(found):
    row = of(found, "`picked` recompiled once: `names` is no longer `None`")
    assert "also failed on `scale == 1.0`" in row["text"]


def test_larger_maps_are_near_to_those_with_the_same_keys(found, nearest):
    assert nearest["2/2"] == "2/1"
    row = of(found, "`fused` recompiled once: `maps[0.75].size(1)` changed from `3` to `6`")
    assert row["text"].endswith("also failed on tensor `maps[1.25]`.")
    first = of(found, "`fused` recompiled once: `len(maps)` is no longer `1`")
    assert "`mode == 'mean'`" in first["text"]


def test_integers_in_place_of_none_do_not_need_a_compile_each(found):
    row = of(found, "`scaled` recompiled")
    assert not any("Each value" in remedy["text"] for remedy in row["remedies"])


def test_a_state_of_the_process_is_the_cause_where_the_nearest_entry_failed_on_it(found):
    row = of(found, "`ranked` recompiled twice: grad mode was turned off")
    assert row["compiles"][-1] == "4/4"
