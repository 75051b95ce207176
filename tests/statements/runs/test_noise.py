"""Changes beyond noise, in generated amounts."""

import random

import pytest
from tlparse_bundle.statements.runs.compare.noise import noise

SECOND = 1_000_000


def of(amounts):
    return dict(enumerate(amounts))


def test_a_slower_machine_is_not_a_change():
    base = of([SECOND * (i + 1) for i in range(10)])
    found = noise([base], [of([3 * us for us in base.values()])])
    assert found.speed == pytest.approx(3) and found.is_reliable
    assert not any(found.is_exceeded([us], [3 * us]) for us in base.values())
    assert found.is_exceeded([base[0]], [30 * base[0]])


def test_few_compiles_are_not_compared_by_machine():
    assert not noise([of([SECOND, SECOND])], [of([9 * SECOND, 9 * SECOND])]).is_reliable


def test_short_spans_are_ignored():
    found = noise([of([SECOND] * 6)], [of([SECOND] * 6)])
    assert not found.is_exceeded([1_000], [40_000]) and found.is_exceeded([SECOND], [9 * SECOND])


@pytest.mark.parametrize("spread", [0.05, 0.3, 0.8])
def test_noise_in_several_runs_is_not_reported(spread):
    draw = random.Random(7)
    for _ in range(100):
        runs = [
            of([round(SECOND * (i + 1) * draw.lognormvariate(0, spread)) for i in range(12)])
            for _ in range(6)
        ]
        base, new = runs[:3], runs[3:]
        found = noise(base, new)
        assert not [
            i for i in range(12) if found.is_exceeded([run[i] for run in base], [run[i] for run in new])
        ]


def test_several_runs_show_that_all_is_slower():
    draw = random.Random(7)
    runs = [
        of([round(SECOND * (2 if side else 1) * draw.lognormvariate(0, 0.03)) for _ in range(5)])
        for side in (0, 0, 0, 1, 1, 1)
    ]
    base, new = runs[:3], runs[3:]
    found = noise(base, new)
    assert all(found.is_exceeded([run[i] for run in base], [run[i] for run in new]) for i in range(5))


def test_a_single_run_does_not_show_noise():
    base = [of([SECOND] * 5), of([2 * SECOND] * 5)]
    assert not any(
        noise(base, [of([3 * SECOND] * 5)]).is_exceeded([run[i] for run in base], [3 * SECOND])
        for i in range(5)
    )
