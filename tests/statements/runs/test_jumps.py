"""Jumps are found where they are; noise, outliers, drift and weekly patterns are not jumps."""

import math
import random

import pytest
from tlparse_bundle.statements.runs.trend.jumps import Jump, Least, jumps, last_differs

TIME, COUNT = Least(100_000, 0.05), Least(1)
SERIES = 300


def times(sample):
    """Return a shape of noise around 40 s."""
    return lambda draw, n: [40e6 * sample(draw, index, n) for index in range(n)]


NOISE = {
    "normal": times(lambda draw, i, n: 1 + draw.gauss(0, 0.03)),
    "uniform": times(lambda draw, i, n: 1 + draw.uniform(-0.2, 0.2)),
    "lognormal": times(lambda draw, i, n: math.exp(draw.gauss(0, 0.3))),
    "outliers": times(
        lambda draw, i, n: (1 + draw.gauss(0, 0.02)) * (draw.uniform(1.5, 4) if draw.random() < 0.06 else 1)
    ),
    "two machines": times(lambda draw, i, n: (1 if draw.random() < 0.7 else 1.4) * (1 + draw.gauss(0, 0.02))),
    "a rare machine": times(
        lambda draw, i, n: (1 if draw.random() < 0.9 else 1.4) * (1 + draw.gauss(0, 0.02))
    ),
    "week-ends": times(lambda draw, i, n: (1.3 if i % 7 > 4 else 1) * (1 + draw.gauss(0, 0.03))),
    "heavy tails": times(lambda draw, i, n: abs(1 + 0.03 * math.tan(math.pi * (draw.random() - 0.5)))),
    "counts": lambda draw, n: [sum(draw.random() < 0.3 for _ in range(5)) for _ in range(n)],
    "rare counts": lambda draw, n: [int(draw.random() < 0.05) for _ in range(n)],
    "now and then": lambda draw, n: [int(draw.random() < 0.1) for _ in range(n)],
    "constant": lambda draw, n: [7] * n,
}


@pytest.mark.parametrize("shape", NOISE)
def test_noise_has_no_jumps(shape):
    for seed in range(SERIES):
        draw = random.Random(seed)
        numbers = NOISE[shape](draw, draw.choice([5, 20, 50, 200]))
        assert jumps(numbers, TIME if numbers[0] > 1000 else COUNT) == [], seed


def test_constant_growth_is_not_a_jump():
    for seed in range(100):
        draw = random.Random(seed)
        assert jumps([40e6 * (1 + 0.5 * i / 150 + draw.gauss(0, 0.03)) for i in range(150)], TIME) == [], seed


@pytest.mark.parametrize("ratio", [1.3, 1.55, 0.75, 3])
def test_the_place_of_a_jump_is_exact(ratio):
    for seed in range(100):
        draw = random.Random(seed)
        at = draw.randint(5, 195)
        numbers = [40e6 * (1 + draw.gauss(0, 0.03)) * (ratio if i >= at else 1) for i in range(200)]
        (found,) = jumps(numbers, TIME)
        assert found.at == at, seed
        assert found.before == pytest.approx(40e6, rel=0.06) and found.after == pytest.approx(
            40e6 * ratio, rel=0.06
        )


def test_up_and_down_again():
    draw = random.Random(1)
    level = [1.0] * 40 + [1.6] * 15 + [1.0] * 30 + [1.3] * 20
    assert [
        found.at for found in jumps([40e6 * each * (1 + draw.gauss(0, 0.02)) for each in level], TIME)
    ] == [40, 55, 85]


def test_jumps_that_are_near_each_other_have_their_own_levels():
    assert jumps([2] * 20 + [4] * 7 + [9] * 20, COUNT) == [Jump(20, 2, 4), Jump(27, 4, 9)]
    for length in (5, 6):
        assert jumps([2] * 20 + [9] * length + [2] * 20, COUNT) == [Jump(20, 2, 9), Jump(20 + length, 9, 2)]
    assert jumps([2] * 20 + [9] * 4 + [2] * 20, COUNT) == []  # too short to be a level


def test_one_or_two_outliers_are_not_a_jump():
    assert jumps([6] * 20 + [9] + [6] * 20, COUNT) == []
    assert jumps([6] * 20 + [9, 9] + [6] * 20, COUNT) == []
    assert jumps([41e6] * 12 + [400e6, 410e6] + [41e6] * 12, TIME) == []


def test_counts_that_never_vary_need_three_runs():
    assert jumps([6] * 5 + [7] * 3, COUNT) == [Jump(5, 6, 7)]
    assert jumps([6] * 3 + [7] * 3, COUNT) == [Jump(3, 6, 7)]
    assert jumps([6] * 5 + [7] * 2, COUNT) == []
    assert jumps([], COUNT) == jumps([6], COUNT) == jumps([6, 7], COUNT) == []


def test_small_differences_are_ignored():
    assert jumps([50_000] * 10 + [90_000] * 10, TIME) == []  # below a tenth of a second
    assert jumps([40_000_000] * 10 + [41_000_000] * 10, TIME) == []  # below five percent
    assert [found.at for found in jumps([40_000_000] * 10 + [43_000_000] * 10, TIME)] == [10]


def test_the_last_runs_differ():
    assert last_differs([6] * 20 + [7], COUNT) == Jump(20, 6, 7)
    assert last_differs([6] * 20 + [7, 8], COUNT) == Jump(20, 6, 7.5)
    assert last_differs([6] * 20 + [7, 6], COUNT) is None  # it is over
    assert last_differs([6] * 20 + [7] * 5, COUNT) is None  # that is a jump
    assert last_differs([6] * 5 + [9] + [6] * 14 + [9], COUNT) is None  # as it was before
    assert last_differs([6] * 3 + [7], COUNT) is None  # too few to know what is usual
    again = [2] * 10 + [6] * 10 + [2]  # as it was before the jump, but not since
    assert last_differs(again, COUNT) is None and last_differs(
        again, COUNT, jumps(again, COUNT)[-1].at
    ) == Jump(20, 6, 2)


def test_the_last_run_of_noise_seldom_differs():
    reported = 0
    for seed in range(SERIES):
        draw = random.Random(seed)
        reported += last_differs(NOISE["normal"](draw, 60), TIME) is not None
    assert reported == 0
