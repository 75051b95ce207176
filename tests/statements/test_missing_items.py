"""Items that a dict of a call lacks, calls in transforms of ``torch.func``, and a list of a tensor of any length."""

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
    row = of(rows(PROGRAM), "`loss` recompiled twice", "is in another transform of `torch.func`, or in none")
    assert "also failed" not in row["text"]
    (text,) = advice(row)
    assert text.endswith("Compile the function that applies the transform, instead.")


def test_a_list_needs_the_size_of_its_tensor(rows):
    (text,) = advice(of(rows(PROGRAM), "`windows` recompiled twice: `starts.size(0)`"))
    assert text.startswith("Use `torch.compile(dynamic=True)`")
