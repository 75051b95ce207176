"""Findings of fixtures/versions/programs/hidden_reasons.py, whose docstring has the number of compiles with each fix."""

import pytest
from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("hidden_reasons")


def test_a_guard_that_only_code_with_dynamic_sizes_has_is_the_cause(found):
    """torch's first reason. The entry for another size lacks the guard, and would have it with a dynamic size."""
    of(found, "`forward` recompiled once: `self.seen` is no longer `set()`")


def test_a_size_is_not_the_cause_where_torch_names_it_among_others(found):
    row = of(found, "`priced` recompiled twice: `option.barrier` had values such as `None`, `9.0` and `2.0`")
    assert "; in `[1/4]`, the nearest cache entry, `[1/2]`, failed only on this guard." in row["text"]


def test_ranges_are_compared(found):
    (row,) = [row for row in found if row["title"].startswith("`solved` recompiled")]
    assert row["title"].endswith(": a loop's range had different values")
    assert row["details"]["values"][:2] == ["(1, 6, 1)", "(2, 6, 1)"]


@pytest.mark.parametrize(
    ("cause", "fix"),
    [
        (
            "`scored` recompiled once",
            "Use `torch.compile(dynamic=True)` to make all sizes and integers dynamic. This would avoid 1 of 2",
        ),
        ("`labelled` recompiled once: `x.size(0)`", "This would avoid 1 of 2 compiles"),
        ("`priced` recompiled once: `x.size(0)`", "This would avoid at least 1 of 5 compiles"),
        (
            "`priced` recompiled once: `option.kind`",
            "together with `dynamic=True` and calls without `option.barrier`, at least 3 of 5 compiles",
        ),
        (
            "`masked` recompiled once",
            "Calls with and without `mask` need a compile each. To save one, always pass it. This would avoid 1 of 2",
        ),
        (
            "`apply` recompiled 3 times: `function` is a different object",
            "Using the `function` of the first call everywhere would avoid 4 of 5 compiles",
        ),
        (
            "`forward` recompiled twice: `self.mode`",
            "Each different object in `self.mode` needs its own compile. Keep the same one, if you can. Using the `self.mode` of the first call everywhere would avoid 2 of 3",
        ),
        (
            "`forward` recompiled once: `mask` is no longer `None`",
            "This would avoid at least 2 of 4 compiles",
        ),
    ],
)
def test_what_a_fix_saves_is_what_it_saved(found, cause, fix):
    (text,) = [text for text in advice(of(found, cause)) if "avoid" in text]
    assert fix in text


def test_calls_beyond_the_recompile_limit_take_the_places_of_others(found):
    (fix,) = advice(of(found, "`mask` is no longer `None`"))
    assert fix.endswith("; calls that now run eager can then compile instead.")


def test_dynamic_values_are_not_advised_where_they_make_a_compile_fail(found):
    assert of(found, "`raised` failed to compile")
    assert advice(of(found, "`raised` recompiled once: `power`")) == []


def test_a_size_is_not_specialized_that_the_last_attempt_has_dynamic(found):
    assert not [row for row in found if row["kind"] == "specialization" and "labelled" in row["title"]]


def test_a_setting_that_can_move_a_break_has_a_caution(found):
    row = of(found, "Graph break in `labelled`")
    assert "The setting can be too little" in row["text"]
    assert any("capture_scalar_outputs" in text for text in advice(row))
