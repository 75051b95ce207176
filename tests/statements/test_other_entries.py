"""Cache entries that are near although they look at other parts of a value, and fixes that hold in some calls only."""

import pytest
from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture

PROGRAM = "other_entries"


def test_code_without_an_operation_is_compiled(rows):
    """The last calls of the rest of `corrected` have guards, so torch did not skip it."""
    assert not [row for row in rows(PROGRAM) if row["kind"] == "runs-eager" and "corrected" in row["title"]]


def test_items_that_a_call_lacks_leave_a_length_undecided(rows):
    (text,) = advice(of(rows(PROGRAM), "`processed` recompiled once: `len(processors)` is no longer `0`"))
    assert text.endswith("The log does not show whether this would avoid a compile.")


def test_an_optional_list_of_several_lengths_is_not_always_passed(rows):
    (text,) = advice(of(rows(PROGRAM), "`logged` recompiled twice: `log`"))
    assert "To save one, never pass it. `log=None` in all calls would avoid 2 of 3" in text


def test_einsum_ties_the_size_of_one_tensor_to_that_of_another(rows):
    row = of(rows(PROGRAM), "`x.size(1)` was specialized to 5 in `combined`")
    assert "perhaps `weight`" in row["text"]
    (text,) = advice(row)
    assert text.startswith("Use `torch.compile(dynamic=True)`, or mark these and the matching sizes of")


@pytest.fixture
def nearest(built, root):
    (log,) = built(root / f"fixtures/versions/2.13.0/{PROGRAM}.log.zst").logs
    return {row["compile"]: row["entry"] for row in log.table("guard_failures") if row["is_nearest"]}


def test_a_global_that_never_changed_is_no_difference(nearest):
    """The longest `ids` fail one condition of `[2/2]`; `[2/0]` is for an empty list."""
    assert nearest["2/3"] == "2/2"
