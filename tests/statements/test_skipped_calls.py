"""Functions of which torch skips calls, and what to do about attributes."""

import pytest
from made_compiles import FILE, compiled, of
from tlparse_bundle.statements.value_remedies import optional


@pytest.mark.parametrize(("operations", "count"), [([1, 0], 1), ([1, 0, 1], 0), ([1, 0, 1, 0], 0)])
def test_a_function_that_compiles_after_an_empty_call_is_not_skipped(log_of, operations, count):
    parts = (
        compiled(f"0/{number}", *(["0/0: L['x'] == 1"] if number else []), graph_op_count=operations[number])
        for number in range(len(operations))
    )
    assert len(of(log_of(FILE + b"".join(parts)), "runs-eager")) == count


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("mask", "pass it always or never."),
        ("batch['mask']", "pass it always or never."),
        ("self.mean", "set it always or never."),
    ],
)
def test_nobody_passes_an_attribute(name, end):
    assert optional(name).text.endswith(end)


@pytest.mark.parametrize(("operations", "count"), [([1, 0], 1), ([0], 0), ([1, 0, 1], 0)])
def test_the_rest_of_a_function_is_skipped_after_an_empty_call(log_of, operations, count):
    """One that is empty in its first call can have nothing to compile in any."""
    rest = (
        compiled(
            f"1/{number}",
            *(["1/0: L['x'] == 1"] if number else []),
            graph_op_count=operations[number],
            function="torch_dynamo_resume_in_f_at_3",
        )
        for number in range(len(operations))
    )
    found = of(log_of(FILE + compiled("0/0") + b"".join(rest)), "runs-eager")
    assert [row["title"].partition(":")[0] for row in found] == ["The rest of `f` runs eager"] * count
