"""Findings of fixtures/versions/programs/other_states.py, each checked against the program with what it says
applied.
"""

import pytest
from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("other_states")


def test_a_break_of_a_library_frame_is_not_one_of_its_caller(found):
    (cause,) = [
        row for row in found if row["title"].startswith("Graph break in `reported` at `program.py:108`")
    ]
    titles = [
        row["title"] for row in found if row["because_of"] == cause["id"] and row["kind"] == "graph-break"
    ]
    assert {title.partition(":")[0] for title in titles} == {
        "Graph break in `__init__` of Python, called from `program.py",
        "Graph break inside Python, called from `program.py",
    }


def test_the_time_of_a_resume_function_that_differs_in_more_is_not_saved(found, built, root):
    """The size of its input differs in the call with the other grad mode."""
    row = of(found, "`resampled` recompiled once: grad mode was turned off")
    assert "its resume function also recompiled" in row["text"]
    (log,) = built(root / "fixtures/versions/2.13.0/other_states.log.zst").logs
    (own,) = [compile for compile in log.table("compiles") if compile["compile"] == "0/1"]
    assert row["cost_us"] == own["total_us"]


def test_no_mode_changes_the_keys_below_a_dispatch(found):
    (text,) = advice(of(found, "`damped` recompiled once: the dispatch keys of `values`"))
    assert text.startswith("Tensors have no autograd dispatch keys in `__torch_dispatch__`")


def test_a_list_of_names_can_have_others_with_one_length(found):
    (text,) = advice(of(found, "`collated` recompiled once: `len(keys)`"))
    assert text.endswith("The log does not show whether this would avoid a compile.")


def test_values_of_all_calls_decide_whether_a_dynamic_integer_helps(found):
    (text,) = advice(of(found, "`forward` recompiled 3 times: `self.calls`"))
    assert "allow_unspec_int_on_nn_module" in text


def test_normalization_needs_the_size(found):
    """With an unbacked size, torch breaks the graph: "Could not guard on data-dependent expression"."""
    row = of(found, "`normalized` recompiled once: `images.size(0)` changed from `4` to `1`")
    assert not any("unbacked" in text for text in advice(row))


def test_a_number_that_becomes_a_tensor(found):
    of(found, "`boxed` recompiled once: `box` changed from `6.0` to a tensor")


def test_a_function_of_python_needs_a_number(found):
    """`math.sin` breaks the graph at a tensor; with `dynamic=True`, the program has 1 compile of 2."""
    (text,) = advice(of(found, "`turned` recompiled once: `angle`"))
    assert text.startswith("Use `torch.compile(dynamic=True)`") and "avoid 1 of 2 compiles" in text


def test_a_float_can_be_written_without_a_point(found):
    """With `dynamic=True`, the program has 1 compile of 3; with a tensor, 2."""
    tensor, dynamic = advice(of(found, "`divided` recompiled once: `eps` changed from `1e-05` to `0.001`"))
    assert "avoid at least 1 of 3 compiles" in tensor and "avoid 2 of 3 compiles" in dynamic


def test_an_attribute_that_became_a_module_is_not_missing(found):
    of(found, "`forward` recompiled once: `self.more` changed from `None` to a module")


def test_conditions_on_one_size_are_one(found):
    row = of(found, "`folded` recompiled once: `how` changed")
    assert row["text"].endswith("also failed on conditions on `values.size(0)`.")


def test_dispatch_keys_of_autocast_are_part_of_the_state(found):
    row = of(found, "`cast` recompiled once: autocast for CPU was turned on")
    assert "also failed" not in row["text"]
    assert "avoid 1 of 2 compiles" in advice(row)[0]
