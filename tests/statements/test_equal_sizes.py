"""Findings of fixtures/versions/programs/equal_sizes.py and optional_objects.py."""

import pytest
from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("equal_sizes")


@pytest.fixture
def older(built, root):
    (log,) = built(root / "fixtures/versions/2.6.0/optional_objects.log.zst").logs
    return log


def test_equal_sizes_of_one_call_can_need_another_compile_with_dynamic_true(found):
    """The third call of `pooled` has two equal sizes again, and the ones after it don't."""
    (fix,) = advice(of(found, "`pooled` recompiled once: `x.size(0)` changed from `6` to `4`"))
    assert "dynamic. This would avoid at least 1 of 3 compiles; the log does not show whether it" in fix
    assert fix.endswith("alone would avoid this recompile.")


def test_an_offset_of_0_is_the_cause(found):
    row = of(found, "`scored` recompiled once: `x.storage_offset()` is now `0` or `1`")
    assert row["compiles"] == ["1/2"] and row["remedies"] == []


def test_limits_of_a_function_and_of_its_rest_have_no_cause_in_common(found):
    limit = of(found, "`clipped` hit the recompile limit (4)")
    assert limit["because_of"] is None and limit["count"] == 2


def test_functions_of_one_name_have_their_places(found):
    row = of(found, "2 functions run eager: Dynamo skips them after the graph break")
    assert row["text"].startswith("Functions: `forward` (`program.py:37`) and `forward` (`program.py:45`).")
    assert row["details"]["functions"] == ["forward", "forward"]


def test_a_tensor_in_place_of_none_may_have_no_gradients(found):
    (fix,) = advice(of(found, "`mixed` recompiled once: `context` is no longer `None`"))
    assert "always pass it" not in fix


def test_another_kind_of_value_is_no_other_object(older):
    found = older.findings()
    (fix,) = advice(of(found, "`judged` recompiled once: `ignore` is now `255`"))
    assert fix.startswith("`ignore` is `255` in some calls and one object, such as `None`, in others,")
    assert "That object in all calls would avoid 1 of 2 compiles" in fix
    of(found, "`combined` recompiled once: `weights` is now a container")
    of(found, "`adapted` recompiled once: `domain` is now a tensor")


def test_none_is_no_tensor_and_one_dict_is_near_to_another(older):
    nearest = {row["compile"]: row["entry"] for row in older.table("guard_failures") if row["is_nearest"]}
    assert (nearest["0/2"], nearest["2/2"]) == ("0/1", "2/0")
    row = of(older.findings(), "`adapted` recompiled once: `grad_mode` changed")
    assert row["text"] == "The nearest cache entry, `[2/0]`, failed only on this guard."


def test_a_float_is_a_constant_before_torch_2_8(older):
    """... also with ``dynamic=True``."""
    row = of(older.findings(), "`weighed` recompiled once: `margin` changed from `0.5` to `0.3`")
    assert not any("dynamic=True" in fix for fix in advice(row))
