"""Collecting diagnostics."""

import re

from tlparse_bundle.base.diagnostics import CODES, MAX_ROWS_PER_CODE, Diagnostics


def rows(diagnostics):
    return [(row["code"], row["line"], row["count"]) for row in diagnostics.rows()]


def test_lines_that_follow_each_other_are_one_row():
    it = Diagnostics()
    for line in (3, 4, 5, 9, 10):
        it.add("not-a-record", "noise", line=line, byte_offset=line * 10)
    assert rows(it) == [("not-a-record", 3, 3), ("not-a-record", 9, 2)]
    assert it.rows()[1]["byte_offset"] == 90
    assert it.counts() == {"not-a-record": 5}


def test_codes_between_do_not_split_a_row():
    it = Diagnostics()
    it.add("not-a-record", "noise", line=1)
    it.add("blank-line", "empty", line=2)
    it.add("not-a-record", "noise", line=2)
    assert rows(it) == [("not-a-record", 1, 2), ("blank-line", 2, 1)]


def test_events_have_a_row_each():
    it = Diagnostics()
    it.add("payload-md5", "a", line=1, event_index=0)
    it.add("payload-md5", "b", line=2, event_index=1)
    assert rows(it) == [("payload-md5", 1, 1), ("payload-md5", 2, 1)]


def test_rows_are_in_file_order_and_those_of_the_whole_log_come_first():
    it = Diagnostics()
    it.add("payload-md5", "late", line=9, event_index=1)
    it.add("not-a-record", "early", line=2)
    it.add("year-unknown", "whole log")
    assert rows(it) == [("year-unknown", None, 1), ("not-a-record", 2, 1), ("payload-md5", 9, 1)]


def test_beyond_the_limit_a_code_is_only_counted():
    it = Diagnostics()
    for line in range(100_000):
        it.add("payload-md5", "x", line=2 * line + 1, event_index=line)
    it.add("blank-line", "another code", line=5)
    assert len(rows(it)) == MAX_ROWS_PER_CODE + 1
    assert it.counts() == {"blank-line": 1, "payload-md5": 100_000}


def test_every_code_has_a_stable_name_a_severity_and_a_sentence():
    for name, code in CODES.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
        assert code.severity in ("info", "warning")
        assert code.meaning.endswith(".") and len(code.meaning) > 20


def test_every_code_is_used(root):
    source = "".join(
        path.read_text() for path in (root / "preprocessor").rglob("*.py") if path.name != "diagnostics.py"
    )
    assert [name for name in CODES if f'"{name}"' not in source] == []
