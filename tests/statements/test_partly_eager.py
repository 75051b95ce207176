"""Findings of fixtures/versions/programs/partly_eager.py."""

import pytest
from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture


@pytest.fixture
def found(rows):
    return rows("partly_eager")


def test_the_last_part_runs_eager_in_some_calls_only(found):
    row = of(found, "The last part of `ranked` runs eager: Dynamo skips it after the graph break")
    assert row["text"].endswith("Calls that fit the cache entry `[0/1]` do not come to this break.")
    assert row["compiles"] == ["0/0"]


def test_a_function_that_compiled_before_is_skipped_as_its_rest_is(found):
    row = of(found, "2 functions run eager: Dynamo skips them after the graph break")
    assert row["text"].startswith("Functions: the rest of `wander` and `wander`.")
    assert row["compiles"] == ["2/0", "1/2"]


def test_a_branch_with_nothing_to_compile_does_not_stop_the_other_one(found):
    of(found, "Graph break in `repaired`")
    assert not [row for row in found if row["kind"] == "runs-eager" and "`repaired`" in row["title"]]
