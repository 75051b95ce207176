"""What a call lacks that another one has: an item of a dict, a module; calls in transforms of ``torch.func``; a list
of a tensor of any length; and a variable that a function computes.
"""

from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture

PROGRAM = "missing_items"


def test_an_item_that_a_call_lacks_did_not_fail_besides(rows):
    text = of(rows(PROGRAM), "`merged` recompiled once: `signals` lacks the key `'eog'`")["text"]
    assert "also failed" not in text


def test_an_item_that_a_call_lacks_did_not_change(rows):
    text = of(rows(PROGRAM), "`joined` recompiled once: `list(signals)[1]` changed")["text"]
    assert text.endswith("The nearest cache entry, `[1/0]`, also failed on tensor `weight`.")


def test_a_transform_is_named(rows):
    """It changes the dispatch keys and the gradients of all tensors."""
    row = of(
        rows(PROGRAM),
        "`loss` recompiled twice",
        "comes from a different `torch.func` transform, or from none",
    )
    assert "also failed" not in row["text"]
    (text,) = advice(row)
    assert text.endswith("Compile the function that applies the transform instead.")


def test_a_list_needs_the_size_of_its_tensor(rows):
    (text,) = advice(of(rows(PROGRAM), "`windows` recompiled twice: `starts.size(0)`"))
    assert text.startswith("Use `torch.compile(dynamic=True)`")


def test_an_item_that_torch_did_not_find_did_not_fail_besides(rows):
    row = of(rows(PROGRAM), "`weighted` recompiled once: the call has no `weights['a']`")
    assert row["text"] == "Guard failure: `KeyError on weights['a']`."


def test_the_lack_of_an_item_is_a_difference(rows):
    text = of(rows(PROGRAM), "`weighted` recompiled once: `weights['a'].size(0)`")["text"]
    assert text.endswith("The nearest cache entry, `[3/2]`, also failed on the missing `weights['b']`.")


def test_an_attribute_is_none_or_a_module(rows):
    of(rows(PROGRAM), "`forward` recompiled once: `self.inner` changed from `None` to a module")


def test_a_variable_of_the_function_is_not_passed(rows):
    row = of(rows(PROGRAM), "`distance` recompiled once, in its resume function: `gap.dim()`")
    assert advice(row) == ["The function computes `gap`. Keep the number of dimensions the same, if you can."]
