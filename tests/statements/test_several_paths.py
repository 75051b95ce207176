"""Rests of functions on several paths, two breaks at one line, and what a call differs in besides its reason."""

from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture

PROGRAM = "several_paths"


def test_another_path_of_a_function_still_has_compiled_code(rows):
    of(rows(PROGRAM), "The rest of `checked` on one path runs eager: Dynamo skips it after the graph break")


def test_a_value_comes_from_the_last_break_at_its_line(rows):
    """The disabled function breaks the graph in the resume function of the break at its argument."""
    found = rows(PROGRAM)
    disabled = of(found, "Graph break in `nearest_pair`", "disable")
    item = of(found, "Graph break in `nearest_pair`", "Tensor.item()")
    assert (
        of(found, "`nearest_pair` recompiled twice", "`___stack0[0]` had different values")["because_of"]
        == disabled["id"]
    )
    assert of(found, "`nearest_pair` recompiled once", "`___stack1`")["because_of"] == item["id"]


def test_a_break_in_code_that_torch_inlined_has_its_own_cause(rows):
    found = rows(PROGRAM)
    assert of(found, "Graph break in `hits`", "itertools.groupby")["because_of"] is None


def test_another_layout_is_said_beside_a_size(rows):
    row = of(rows(PROGRAM), "`attended` recompiled once: `keys.size(2)` changed from `5` to `7`")
    assert row["text"].endswith("The nearest cache entry, `[9/0]`, also failed on the strides of `keys`.")


def test_the_nearest_entry_has_most_of_the_parts_of_another_object(rows):
    """All of `Axis.Z` differs from `Axis.Y`, of which no part counts on its own."""
    text = of(rows(PROGRAM), "`turned` recompiled twice: `axis` is a different object")["text"]
    assert "In `[10/2]`, the nearest cache entry, `[10/1]`" in text.replace("; in", " In")


def test_a_view_of_a_tensor_with_fewer_dimensions_is_named(rows):
    text = of(rows(PROGRAM), "`summed` recompiled once: a guard raised `tuple index out of range`")["text"]
    assert text.startswith(
        "The nearest cache entry, `[11/1]`, has guards on sizes of `rows._base`, the tensor of"
    )


def test_inference_mode_is_named(rows):
    text = of(rows(PROGRAM), "`forward` recompiled once: the dispatch keys of `x`")["text"]
    assert "also failed on `scale == 1` and the dispatch keys of 4 other tensors." in text
    assert text.endswith(
        "In `torch.inference_mode`, tensors lack autograd's dispatch keys; those created there lack them always."
    )


def test_a_container_that_the_code_changes_is_not_passed(rows):
    (text,) = advice(of(rows(PROGRAM), "`counted` recompiled 3 times: `len(seen)`"))
    assert text.startswith("Each length of `seen` needs a compile. Keep its length")
    assert "Using the length of the first call everywhere would avoid 3 of 4 compiles" in text
