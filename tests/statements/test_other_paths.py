"""Findings of fixtures/versions/programs/other_paths.py, whose docstring has the number of compiles with each fix."""

import pytest
from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("other_paths")


@pytest.mark.parametrize(
    "cause",
    [
        "`gated` recompiled once: `limit`",  # another graph break
        "`dropped` recompiled twice, in its resume function: `rate`",  # a number that torch kept
        "`filled` recompiled once: `value`",  # not logged without automatic dynamic shapes
        "`attend` recompiled once: `x.size(2)`",  # Dynamo skips the function where the size is dynamic
        "`inner` recompiled once: guard `2 <= x.size()[0] <= 7` failed",
    ],
)
def test_no_fix_is_offered_for_a_value_that_decides_the_path(found, cause):
    assert advice(of(found, cause)) == []


@pytest.mark.parametrize(
    ("cause", "fixes"),
    [
        (
            "`boosted` recompiled once: `batch` now has the key `'boost'`",
            [
                "Pass containers with the same length and keys. Using the keys of the first call everywhere would avoid at"
                " least 1 of 3 compiles and"
            ],
        ),
        (
            "`boosted` recompiled once: `batch['boost']` changed from `2` to `3`",
            [
                "Use `torch.compile(dynamic=True)` to make all sizes and integers dynamic. This would avoid at least 1 of 3"
            ],
        ),
        (
            "`penalised` recompiled twice: `x.size(0)` changed from `16` to `9`",
            [
                "Mark the dimension as dynamic before the call. This would avoid 1 of 4 compiles",
                "Use `torch.compile(dynamic=True)` to make all sizes and integers dynamic. This would avoid at least 2 of 4",
            ],
        ),
        ("`summed` recompiled once: `x.size(0)` changed to `1`", ["torch specializes sizes 0 and 1 even"]),
        (
            "`forward` recompiled once: `x.size(0)` changed from `4` to `5`",
            ["Mark the dimension as dynamic before the call. Alone, this avoids no compile; together"],
        ),
        (
            "`pooled` recompiled once, in its resume function: `lengths.size(0)`",
            ["The dimension was dynamic, but the program specialized it at `program.py:33`."],
        ),
        (
            "`pooled` recompiled once: `x.size(0)`",
            ["Use `torch.compile(dynamic=True)` to make all sizes and integers dynamic."],
        ),
    ],
)
def test_what_a_fix_saves_is_what_it_saved(found, cause, fixes):
    offered = advice(of(found, cause))
    assert len(offered) == len(fixes)
    assert all(text.startswith(fix) for text, fix in zip(offered, fixes, strict=True))


def test_fixes_together_name_what_each_needs(found):
    (keys,) = advice(of(found, "`batch` now has the key"))
    assert "together with `dynamic=True`, 2 of 3 compiles" in keys
    (value,) = advice(of(found, "`batch['boost']` changed"))
    assert "together with the same keys of `batch`, 2 of 3 compiles" in value
    (size,) = advice(of(found, "`forward` recompiled once"))
    assert "together with one function as `self.function`, 1 of 2 compiles" in size


def test_a_key_that_is_no_guard_is_the_cause(found):
    """The newest entry failed on the size, too: its call had as few keys as the others."""
    row = of(found, "`summed` recompiled once: `len(values)` is no longer `2`")
    assert "The nearest cache entry, `[15/1]`, failed only on this guard." in row["text"]


def test_a_call_that_has_no_limit_recompiles_for_its_size(found):
    row = of(found, "`penalised` recompiled twice: `x.size(0)`")
    assert "; in `[19/3]`, the nearest cache entry, `[19/0]`, failed only on this guard." in row["text"]
    of(found, "`penalised` recompiled once: `limit` changed from `None` to `0.3`")


def test_methods_of_one_name_have_lines_of_their_own(found):
    rows = [row for row in found if row["title"].startswith("`__call__` recompiled once: `x.size(0)`")]
    assert sorted(row["line"] for row in rows) == [37, 44]


def test_a_recompile_of_a_later_call_does_not_follow(found):
    row = of(found, "`outer` recompiled once: `x.size(0)`")
    assert "In the same call, functions that it calls also recompiled." in row["text"]
    assert row["details"]["follower_count"] == 2


def test_an_operator_that_fails_with_a_dynamic_size_is_explained(found):
    row = of(found, "Graph break in `attend`")
    assert (
        "argument 'is_causal' must be bool, not SymBool: it depends on a size that is dynamic." in row["text"]
    )
    (text,) = advice(row)
    assert text.startswith("Write the argument as `True if … else False`.")
