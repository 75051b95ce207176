"""Findings of fixtures/versions/programs/several_changes.py, each checked against the program. Fixes with a number
were applied.
"""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("several_changes")


def advice(row):
    return [(remedy["text"], remedy["code"]) for remedy in row["remedies"]]


@pytest.mark.parametrize(
    "cause",
    [
        "`smoothed` recompiled once: guard `lag <= most` failed",
        "`lion` recompiled twice: `rate` changed from `0.1` to `0.2`",
        "`lion` recompiled once: `weight.size(0)` changed from `4` to `6`",
        "`scored` recompiled twice: `score` is a different function",
        "`noted` recompiled twice: `report` and `len(report)` changed",
        "`drained` recompiled twice: `gain` and `type(gain)` changed",
        "`parsed` recompiled once: `x.dtype` changed from `Float` to `Long`",  # failed to compile
        "`cropped` recompiled once: a guard raised `tuple index out of range`",
    ],
)
def test_the_cause_is_what_differs_from_the_entry_that_differs_least(found, cause):
    assert of(found, cause)


def test_the_length_of_a_batch_changes_with_its_sizes(found):
    """The last call differs in this from the one before, and in the weight of the loss from the first one."""
    rows = [row for row in found if row["function"] == "loss" and row["kind"] == "recompile"]
    assert sorted(key for row in rows for key in row["compiles"]) == ["2/1", "2/2"]
    smaller = of(found, "`loss` recompiled once: `boxes.size(0)` changed from `2` to `1`")
    assert "also failed on `scale == 0.1` and `len(targets) == 2`" in smaller["text"]


def test_all_that_differs_of_a_tensor_is_named(found):
    row = of(found, "`resized` recompiled once: `x.dtype` changed from `Float` to `Double`")
    assert "also failed on `x.size(0)` and `x.size(1)`" in row["text"]


def test_the_type_of_a_module_comes_before_its_parameters(found):
    text = of(found, "`adapted` recompiled once")["text"]
    assert "also failed on the type of `model.first`, the type of `model.second` and tensor" in text


def test_a_python_function_is_not_the_builtin_that_an_entry_wants(found):
    """With one function, one compile is left for the first size and one for all others."""
    row = of(found, "`expert` recompiled twice: `x.size(0)` changed from `4` to `5`")
    assert (
        "In `[4/1]`, the nearest cache entry, `[4/0]`, also failed on the identity of `module.act`"
        in row["text"]
    )
    rows = [of(found, "`expert` recompiled twice: `module.act`"), row]
    assert (
        "Using the `module.act` of the first call everywhere would avoid at least 3 of 5 compiles"
        in advice(rows[0])[0][0]
    )
    assert "together with the `module.act` of the first call, 4 of 5 compiles" in advice(rows[1])[0][0]


@pytest.mark.parametrize("function", ["entropy", "picked"])
def test_lists_of_one_length_can_have_different_items(found, function):
    """As many compiles with lists of three items, filled up with zeros or with an item that they have."""
    ((text, _),) = advice(of(found, f"`{function}` recompiled twice: `len(history)`"))
    assert text.endswith("The log does not show whether this would avoid a compile.")


def test_no_mark_is_offered_in_code_that_dynamo_traces(found):
    """Dynamo skips `Mixture.forward` after a break, before which it calls `Gate` and after which it calls `Leaf`."""
    lines = {"Gate": 98, "Leaf": 103}
    rows = {row["line"]: row for row in found if row["title"] == _FORWARD}
    gate, leaf = (advice(rows[lines[name]]) for name in ("Gate", "Leaf"))
    assert "mark" not in gate[0][0] and gate[0][1] is None
    assert "This would avoid 1 of 2 compiles" in leaf[0][0]
    assert leaf[0][1] == "torch._dynamo.maybe_mark_dynamic(x, 1)"


_FORWARD = "`forward` recompiled once: `x.size(1)` changed from `3` to `4`"


def test_a_refused_call_fails_on_what_all_entries_want(found):
    row = of(found, "`limited` hit the recompile limit")
    assert "the failing guards were `flag == True` and `tensor 'x' size mismatch" in row["text"]
    assert row["because_of"] == of(found, "`limited` recompiled twice: `x.size(0)`")["id"]


def test_an_integer_in_place_of_a_float(found):
    ((text, _),) = advice(of(found, "`drained` recompiled twice"))
    assert text.startswith("Pass `gain` with one type: an `int` and a `float` need a compile each.")


def test_no_tensor_where_an_operator_needs_a_number(found):
    assert not any("tensor" in text for text, _ in advice(of(found, "`moved` recompiled once: `rate`")))


def test_one_function_is_compiled_with_different_arguments(found):
    row = of(found, "`served` recompiled once: `torch.compile` has `dynamic=False`, not `dynamic=True`")
    assert advice(row)[0][0].startswith("Compile the function once.")


def test_a_function_that_torch_compiles_follows_the_limit_of_its_caller(found):
    row = of(found, "`_flex_attention_hop_wrapper` recompiled once")
    assert row["because_of"] == of(found, "`attended` hit the recompile limit (1)")["id"]
    assert advice(row) == []


@pytest.mark.parametrize(("fixture", "is_cached"), [("train_step", True), ("aoti", False)])
def test_a_cache_is_kept_for_what_it_holds(built, root, fixture, is_cached):
    """AOTInductor compiles its library in each run."""
    (log,) = built(root / "fixtures" / fixture / "trace").logs
    row = of(log.findings(), "`compile_file` took")
    assert any("Keep the compile cache" in text for text, _ in advice(row)) == is_cached


def test_one_mark_is_not_offered_where_other_tensors_change_too(built, root):
    (log,) = built(root / "fixtures/versions/2.13.0/several_changes.log.zst").logs
    row = of(log.findings(), "`lion` recompiled once: `weight.size(0)`")
    assert "also failed on tensor `gradient`" in row["text"]
    assert not any("mark" in text for text, _ in advice(row))
