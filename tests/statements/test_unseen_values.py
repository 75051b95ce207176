"""Entries whose code does not look at a value in which a call differs, and numbers that become tensors."""

from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture


def test_an_entry_that_looks_at_the_value_is_nearer_than_one_that_does_not(rows):
    """Both fail on one guard, but the entry of the last step says nothing about `strength`."""
    row = of(rows("unseen_values"), "`step` recompiled once: `strength` changed from `1.0` to `0.5`")
    assert "The nearest cache entry, `[0/1]`, failed only on this guard." in row["text"]


def test_a_number_in_some_calls_becomes_a_tensor_in_all(rows):
    row = of(rows("unseen_values"), "`step` recompiled once: `self.best` changed from `inf` to a tensor")
    (text,) = advice(row)
    assert text.startswith(
        "Calls with a number and with a tensor as `self.best` need a compile each. To save one, always set it to"
        " a tensor. This would avoid 1 of 2 compiles"
    )
