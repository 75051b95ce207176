"""Findings of fixtures/versions/programs/nearest_objects.py."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("nearest_objects")


@pytest.fixture
def nearest(built, root):
    (log,) = built(root / "fixtures" / "versions" / "2.13.0" / "nearest_objects.log.zst").logs
    return {row["compile"]: row["entry"] for row in log.table("guard_failures") if row["is_nearest"]}


@pytest.mark.parametrize(
    ("call", "entry"),
    [
        ("0/2", "0/0"),  # another size of an image, not an image in place of a mask
        ("0/3", "0/1"),
        ("1/2", "1/1"),  # three values without gradients, which is one change, not two values
        ("2/2", "2/0"),
        ("2/3", "2/1"),  # the same network in another grad mode
    ],
)
def test_the_nearest_entry_is_that_for_the_same_object(nearest, call, entry):
    assert nearest[call] == entry


def test_a_number_that_is_not_the_only_change_gets_no_remedy_for_itself(found):
    """Without the other changes, `horizon` would still be specialized: three weights change their rank, too."""
    row = of(found, "`rollout` recompiled once: `horizon` changed from `2` to `3`")
    assert "also failed on tensor `weights['b']`" in row["text"] and not row["remedies"]


def test_what_differs_in_other_objects_comes_first(found):
    row = of(found, "`forward` recompiled once: grad mode was turned off")
    assert "The nearest cache entry, `[2/1]`, also failed on `detailed == False`." in row["text"]


def test_the_last_part_of_a_function_runs_eager(found):
    row = of(found, "The last part of `probe` runs eager: Dynamo skips it after the graph break")
    assert found[row["because_of"]]["title"].startswith("Graph break in `probe` at `program.py:58`")
