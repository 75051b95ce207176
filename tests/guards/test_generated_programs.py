"""Predictions for programs of random composition, compared with what torch did."""

import os

import pytest
from measure_predictions import FIXTURES, figures, measure, record

TORCH = os.environ.get("TORCH_PYTHON")
PROGRAMS = sorted(path.parent.relative_to(FIXTURES).as_posix() for path in FIXTURES.glob("*/*/calls.json"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_certain_answer_is_right(program):
    found = figures(FIXTURES / program, program)
    assert found.certain_right == found.certain
    assert found.certain >= 0.9 * found.calls
    assert 0 < found.compiled < found.calls


def test_fixtures_are_of_several_versions():
    assert len({program.partition("/")[0] for program in PROGRAMS}) >= 4
    assert len(PROGRAMS) >= 12


@pytest.mark.skipif(TORCH is None, reason="TORCH_PYTHON names no Python with torch")
def test_new_programs_are_predicted(tmp_path):
    seeds = list(range(1000, 1006))
    record(TORCH, seeds, 40, tmp_path)
    found = measure(tmp_path, seeds)
    assert found.programs == len(seeds), found.notes
    assert found.certain_right >= 0.995 * found.certain, found.notes
    assert found.certain >= 0.8 * found.calls, found.notes  # of six programs; of many it is more than 0.9
    assert 0 < found.compiled < found.calls
