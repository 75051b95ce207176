"""The tests themselves: --quick's lists name existing tests, every folder has quick ones, and none depends on
a clock.
"""

import re
from itertools import chain

from slow import (
    IN_EACH_PART,
    MOST_CASES,
    ONLY_WITH_ALL,
    PARTS,
    QUICK_PAGES,
    SLOW,
    is_slow,
    left_out,
    part_now,
    part_of,
)
from traces import ROOT

FILES = sorted((ROOT / "tests").rglob("*.py"))
TESTS = [
    f"{path.relative_to(ROOT)}::{name}"
    for path in FILES
    for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
]
FOLDERS = sorted({test.split("/")[1] for test in TESTS})

CLOCK = re.compile(
    r"\bsleep\(|wait_for_timeout\(|perf_counter|monotonic|networkidle|timeout=[\d.]|\bin"
    r" page\.url|performance\.now\(\)"
)
# Allowed uses of such words.
MAY = {
    "tests/cli/test_run.py": 1,  # a program that would run for long, and gets a signal
    "tests/cli/test_run_profile.py": 3,  # a program that waits for the recording
    "tests/follow/test_follow_parts.py": 1,  # a clock that the test sets
    "tests/fuzz/__main__.py": 4,  # for how many minutes
    "tests/fuzz/kills.py": 2,  # the duration of an undisturbed command
    "tests/fuzz/pages.py": 2,  # for how many minutes
    "tests/fuzz/runner.py": 2,  # the limit of a case
    "tests/repository/test_tests.py": None,  # the words
    "tests/web/replayed.py": 13,  # a log is replayed at its recorded pace
    "tests/waiting.py": None,  # ends tests that hang
    "tests/web/test_web_artifacts.py": 1,  # Chromium allows ten downloads per second
}


def test_each_line_of_the_slow_ones_names_a_test():
    assert [
        line
        for line in (*SLOW, *QUICK_PAGES, *IN_EACH_PART)
        if not any(test.startswith(line.partition("[")[0]) for test in TESTS)
    ] == []


def test_each_slow_test_is_in_one_part():
    slow = [test for test in TESTS if is_slow(test) and not test.startswith(IN_EACH_PART)]
    assert len(slow) > 100
    of_parts = [[test for test in slow if test not in left_out(slow, part)] for part in range(PARTS)]
    assert sorted(chain(*of_parts)) == sorted(test for test in slow if not test.startswith(ONLY_WITH_ALL))
    assert all(len(part) > len(slow) / PARTS / 2 for part in of_parts)


def test_attacks_run_with_each_part():
    attacks = [test for test in TESTS if is_slow(test) and test.startswith(IN_EACH_PART)]
    assert attacks and not any(left_out(attacks, part) for part in range(PARTS))


def test_some_cases_of_a_slow_test_are_kept():
    cases = [f"tests/web/test_x.py::test_y[{number}]" for number in range(7)]
    kept = [case for case in cases if case not in left_out(cases, part_of(cases[0]))]
    assert len(kept) == MOST_CASES and kept[0] == cases[0] and kept[-1] == cases[-1]


def test_a_part_can_be_chosen(monkeypatch):
    monkeypatch.setenv("TEST_PART", "2")
    assert part_now() == 2
    monkeypatch.delenv("TEST_PART")
    assert 0 <= part_now() < PARTS


def test_each_folder_has_quick_tests():
    assert [
        folder
        for folder in FOLDERS
        if all(map(is_slow, (test for test in TESTS if test.startswith(f"tests/{folder}/"))))
    ] == []


def test_none_depends_on_how_fast_it_is():
    found = {str(path.relative_to(ROOT)): CLOCK.findall(path.read_text()) for path in FILES}
    most = {path: MAY.get(path, 0) for path in found}
    assert {
        path: words for path, words in found.items() if most[path] is not None and len(words) > most[path]
    } == {}


def test_cases_that_are_drawn_have_no_time_limit():
    """cases() sets this, and the same cases in every run."""
    for path in FILES:
        text = path.read_text()
        assert len(re.findall(r"^@given\(", text, re.MULTILINE)) == len(
            re.findall(r"^@cases\(", text, re.MULTILINE)
        ), path
