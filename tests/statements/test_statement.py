"""Statements: their order, their effects, and their severity in each output."""

from itertools import chain

from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.runs.compare.change import Change, rows
from tlparse_bundle.statements.statement import (
    MAX_EVIDENCE,
    MAX_TITLE,
    SEVERITIES,
    Statement,
    cut,
    distinct,
    grouped_by_cause,
    ordered,
    severity_of,
)


def titles(statements):
    return [statement.title for statement in statements]


def change(title, **more):
    return Change("compile", "info", title, change="new", **more)


def test_statements_of_one_stage_are_ordered_by_cost_then_severity_then_count():
    statements = [
        Statement("a", "info", "cheap", cost_us=1),
        Statement("a", "info", "few"),
        Statement("a", "info", "many", count=3),
        Statement("a", "warning", "bad"),
        Statement("a", "info", "saved", cost_us=-2),
    ]
    assert titles(ordered(statements)) == ["saved", "cheap", "bad", "many", "few"]


def test_errors_come_first_and_of_these_the_fatal_one_and_those_of_unknown_cost():
    findings = [
        Finding("recompile", "warning", "dear", cost_us=99),
        Finding("recompile-limit", "error", "eager", details={"raised": False}, cost_us=9),
        Finding("failure", "error", "timed", cost_us=5),
        Finding("failure", "error", "untimed"),
        Finding("failure", "error", "fatal", cost_us=1, is_fatal=True),
    ]
    assert titles(ordered(findings)) == ["fatal", "untimed", "timed", "eager", "dear"]


def test_new_errors_come_first_in_a_comparison():
    changes = [
        change("dear", cost_us=99),
        Change("finding", "error", "gone", change="gone"),
        Change("finding", "error", "new", change="new"),
    ]
    assert [row["title"] for row in rows(changes)] == ["new", "dear", "gone"]


def test_indirect_effects_are_below_the_first_cause():
    changes = [
        change("third", key=3, because_of=2),
        change("second", key=2, because_of=1),
        change("first", key=1, cost_us=1),
        change("other", cost_us=5),
    ]
    assert [(row["title"], row["because_of"]) for row in rows(changes)] == [
        ("other", None),
        ("first", None),
        ("third", 1),
        ("second", 1),
    ]


def test_causes_in_a_circle_do_not_hang():
    assert grouped_by_cause([change("a"), change("b"), change("c")], {0: 1, 1: 0})[0][0].title == "c"


def test_a_severity_of_a_later_version_looks_like_information():
    assert [severity.rank for severity in SEVERITIES.values()] == [0, 1, 2]
    assert severity_of({"severity": "catastrophe"}) is SEVERITIES["info"]


def test_a_cut_text_closes_its_code():
    text = "see `" + "x" * 2 * MAX_TITLE + "`"
    assert cut(text, MAX_TITLE).endswith("…`") and len(cut(text, MAX_TITLE)) <= MAX_TITLE
    assert cut("short", MAX_TITLE) == "short"


def test_no_more_evidence_is_read_than_shown():
    """A finding can have a million compiles."""
    rows = iter(range(2 * MAX_EVIDENCE))
    assert distinct(chain([0, 0], rows)) == list(range(MAX_EVIDENCE))
    assert next(rows) == MAX_EVIDENCE
