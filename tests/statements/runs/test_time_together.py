"""Time of several compiles together: a nested compile adds none of its own."""

import json

import pytest
from log_builder import record
from tlparse_bundle.model.compiles import compiling_us, covered_us
from tlparse_bundle.statements.runs.compare.compile_pairs import Pairs, Side
from tlparse_bundle.statements.runs.compare.run import Run, Texts

START_US, SECOND = 1_795_000_000_000_000, 1_000_000


def compiled(compile_id, function, begin_s, took_s, **values):
    values = {
        "co_name": function,
        "co_filename": "/p/a.py",
        "co_firstlineno": 1,
        "start_time_us": START_US + begin_s * SECOND,
        "dynamo_cumulative_compile_time_us": took_s * SECOND,
        **values,
    }
    return record(f"dynamo_start {compile_id}") + record(
        f"compilation_metrics {compile_id} {json.dumps(values)}"
    )


@pytest.fixture
def costs(log_of):
    """Return costs(base, new): how much longer all compiles of two logs take together, and each by its
    function.
    """

    def of(base, new):
        texts = Texts()
        pairs = Pairs(
            *(
                Side([Run(name, log_of(b"".join(parts)), texts)])
                for name, parts in (("base", base), ("new", new))
            )
        )
        return pairs.cost_us(range(len(pairs.rows))), {
            row.pair.frame.function: row.cost_us for row in pairs.rows
        }

    return of


def test_a_compile_within_another_is_counted_once(costs):
    outer, inner, behind = (
        compiled("0/0", "outer", 0, 10),
        compiled("1/0", "inner", 2, 4),
        compiled("2/0", "behind", 20, 3),
    )
    assert costs([behind], [outer, inner, behind]) == (
        10 * SECOND,
        {"outer": 10 * SECOND, "inner": 4 * SECOND, "behind": 0},
    )
    assert (
        costs([outer, inner, behind], [compiled("0/0", "outer", 0, 6), compiled("2/0", "behind", 20, 3)])[0]
        == -4 * SECOND
    )
    assert (
        costs([behind], [outer, compiled("1/0", "inner", 10, 4)])[0] == 14 * SECOND - 3 * SECOND
    )  # one after the other


def test_a_failure_that_two_compiles_met_is_counted_once(log_of):
    """The wrapper of torch is compiled within itself: the inner compile fails, and so does the outer one that
    waits for it.
    """
    why = {"fail_type": "BackendCompilerFailed", "fail_reason": "no such kernel"}
    log = log_of(compiled("1/0", "inner", 2, 4, **why) + compiled("0/0", "inner", 0, 10, **why))
    (failure,) = (row for row in log.findings() if row["kind"] == "failure")
    assert (failure["count"], failure["cost_us"]) == (2, 10 * SECOND)
    assert log.summary["compile_us"] == 10 * SECOND


def test_a_compile_without_a_start_is_added():
    rows = [
        {"start_epoch_us": start, "total_us": took, "backward_us": later}
        for start, took, later in ((5, 10, None), (7, 5, 3), (None, 4, None), (8, None, None))
    ]
    assert compiling_us(rows) == 10 + 3 + 4 and compiling_us(rows, with_backward=False) == 14
    assert compiling_us(rows[3:]) is None and compiling_us([]) is None
    assert covered_us([]) == 0 and covered_us([(0, 5), (3, 4), (4, 9), (20, 21)]) == 10
