"""Numbers that cannot be dynamic or tensors: an integer of a module, one that a branch is on, and a size that an
operation wants to be equal to a constant one; and an item that torch did not find.
"""

from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture

PROGRAM = "kinds_of_numbers"


def test_an_integer_of_a_module_is_not_dynamic(rows):
    """torch keeps it constant, with ``dynamic=True``, too."""
    found = rows(PROGRAM)
    (size,) = advice(of(found, "`counted` recompiled once: `x.size(0)` changed from `4` to `6`"))
    assert "dynamic=True" not in size and "together with `model.seen=0`, 2 of 3 compiles" in size
    (value,) = advice(of(found, "`counted` recompiled once: `model.seen` changed from `1` to `2`"))
    assert "`model.seen=0` in all calls would avoid at least 1 of 3 compiles" in value


def test_a_number_that_a_branch_is_on_is_no_tensor(built, root):
    """The branch would break the graph."""
    (log,) = built(root / f"fixtures/versions/2.13.0/{PROGRAM}.log.zst").logs
    fixes = log.table("recompile_fixes")
    assert fixes and not any(row["fix"] == "tensor_argument" for row in fixes)


def test_an_expanded_size_is_that_of_another_tensor(rows):
    row = of(rows(PROGRAM), "`items.size(0)` was specialized to 24 in `expanded`")
    (text,) = advice(row)
    assert (
        text
        == "Use `torch.compile(dynamic=True)`, or mark these and the matching sizes of `users` as dynamic."
    )


def test_an_item_that_torch_did_not_find_has_no_type(rows):
    row = of(rows(PROGRAM), "`routed` recompiled twice: `options['until']` changed, or the call has no")
    (text,) = advice(row)
    assert "type" not in text and "dynamic=True" in text
