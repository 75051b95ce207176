"""Times of a compile: the parts add up to the total, and unrecorded parts stay unknown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_strategies import cases
from tlparse_bundle.model.compiles import PARTS, compiling_us, covered_us, forward_us, phase_times

US = st.integers(0, 10_000)
MAYBE_US = st.none() | US


def times(**known):
    return phase_times(
        **dict.fromkeys(("forward_us", "backend_us", "inductor_us", "backward_us", "restart_us"))
        | {"measured": True}
        | known
    )


def test_the_parts_of_a_compile_with_restarts_and_a_backward():
    assert times(forward_us=100, restart_us=30, backend_us=50, inductor_us=20, backward_us=7) == {
        "total_us": 107,
        "dynamo_us": 20,
        "aot_us": 30,
        "inductor_us": 20,
        "backward_us": 7,
        "restart_us": 30,
    }


def test_a_backend_without_restarts_may_take_all_of_the_time():
    assert times(forward_us=100, backend_us=100)["dynamo_us"] == 0
    assert times(forward_us=100, backend_us=100)["aot_us"] == 100


def test_a_part_is_not_longer_than_what_it_is_in():
    parts = times(forward_us=100, restart_us=400, backend_us=50, inductor_us=80)
    assert (parts["restart_us"], parts["dynamo_us"], parts["aot_us"], parts["inductor_us"]) == (100, 0, 0, 0)


@pytest.mark.parametrize(
    "known", [{}, {"measured": False, "forward_us": 100, "backend_us": 50, "inductor_us": 20}]
)
def test_parts_that_torch_did_not_measure_are_unknown(known):
    parts = times(**known)
    assert parts["total_us"] == known.get("forward_us")
    assert [parts[name] for name in PARTS] == [None] * 5


@cases(100)
@given(forward_us=US, backend_us=MAYBE_US, inductor_us=MAYBE_US, backward_us=MAYBE_US, restart_us=MAYBE_US)
def test_known_parts_add_up(**known):
    parts = times(**known)
    assert sum(parts[name] or 0 for name in PARTS) == parts["total_us"]
    assert all(parts[name] is None or parts[name] >= 0 for name in PARTS)
    assert (parts["restart_us"] is None) == (known["restart_us"] is None)
    assert (parts["aot_us"] is None) == (known["backend_us"] is None)
    assert forward_us(parts) == known["forward_us"]


def test_the_forward_of_an_unknown_total_is_unknown():
    assert forward_us({"total_us": None, "backward_us": 3}) is None
    assert forward_us({"total_us": 10, "backward_us": None}) == 10


@pytest.mark.parametrize(
    ("spans", "length"),
    [([], 0), ([(5, 9)], 4), ([(5, 9), (0, 2)], 6), ([(0, 4), (2, 6), (3, 5)], 6), ([(0, 0), (-3, -1)], 2)],
)
def test_each_moment_counts_once(spans, length):
    assert covered_us(spans) == length


def row(start, total, backward=None):
    return {"start_epoch_us": start, "total_us": total, "backward_us": backward}


@pytest.mark.parametrize(
    ("rows", "with_backward", "without"),
    [
        ([], None, None),
        ([row(None, None), row(5, None)], None, None),
        ([row(0, 10), row(5, 10)], 15, 15),  # in parallel
        ([row(0, 10, 4), row(100, 1)], 6 + 4 + 1, 6 + 1),
        ([row(0, 10, 4), row(0, 20, 5)], 15 + 9, 15),
        ([row(None, 10), row(None, 7, 2)], 10 + 7, 10 + 5),
        ([row(None, 10), row(3, 4)], 14, 14),
        ([row(0, 0)], 0, 0),
        ([row(None, 0)], 0, 0),
        ([row(None, None, 3)], 3, None),
    ],
)
def test_the_time_of_several_compiles(rows, with_backward, without):
    """Compiles that nest or run in parallel count once, backward compiles are added."""
    assert compiling_us(rows) == with_backward
    assert compiling_us(rows, with_backward=False) == without
