"""Findings of fixtures/versions/programs/other_words.py. Fixes with a number were applied."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("other_words")


def advice(row):
    return " ".join(remedy["text"] for remedy in row["remedies"])


@pytest.mark.parametrize(
    "cause",
    [
        "`averaged` recompiled 3 times: `momentum` had values such as `0.9`, `0.91`, `0.92` and `0.93`",
        "`sampled` recompiled twice: `n` had values such as `4`, `5` and `1`",
        "`merged` recompiled once: `features` is now `None`",
    ],
)
def test_the_title_names_what_the_program_changed(found, cause):
    assert of(found, cause)


def test_dynamic_sizes_do_not_help_a_size_of_1(found):
    row = of(found, "`n` was specialized to 1 in `sampled`")
    assert "one that has this size as a constant, perhaps `scale`." in row["text"] and not row["remedies"]


def test_a_state_that_the_function_sets_is_set_before_the_first_call(found):
    text = advice(of(found, "`forward` recompiled once: `self.state` is no longer `None`"))
    assert "To save one, set it before the first call. This would avoid 1 of 2 compiles" in text


def test_the_rest_of_a_function_runs_eager_although_the_function_recompiles(found):
    assert of(found, "The rest of `decoded` runs eager: Dynamo skips it after the graph break")


def test_conditions_of_the_path_of_another_kind_do_not_count(found):
    """With dynamic=True, three compiles are left: for two values of `smoothing`, and for the other kind."""
    text = advice(of(found, "`loss` recompiled once: `smoothing` changed from `0.0` to `0.1`"))
    assert (
        "`torch.compile(dynamic=True)` to make all sizes and numbers dynamic. This would avoid at least 2 of 5"
        in text
    )


def test_sizes_that_may_be_the_same_in_one_grad_mode_leave_a_minimum(found):
    """One mark leaves three compiles of six, both and one grad mode leave one."""
    text = advice(of(found, "`boxed` recompiled once: `second.size(0)` changed to `1`"))
    assert "If none does, this would avoid at least 2 of 6 compiles" in text
    assert (
        "with the global state of the first call and an unbacked `first.size(0)` (if no operation needs the size), 5 of 6 compiles"
        in text
    )


def test_the_integer_of_an_object_may_be_dynamic_from_the_first_call_on(built, root):
    (log,) = built(root / "fixtures/versions/2.13.0/other_words.log.zst").logs
    compiles = {row["id"]: row["compiles"] for row in log.table("code_objects")}
    (row,) = [
        row
        for row in log.table("recompile_fixes")
        if row["fix"] == "dynamic_true" and "7/0" in compiles[row["code_object"]]
    ]
    assert row["undecided"] and not row["avoided"]
