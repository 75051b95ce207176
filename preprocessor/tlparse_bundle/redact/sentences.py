"""Our sentences about redacted tables. None is copied: each is written from what redaction left.

The original findings decide how many there are, of which kinds, and where. A finding whose sentences cannot
be made from the redacted tables gets the title of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.wording import code, plural
from tlparse_bundle.redact.fields import Fields
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import REFERENCE as OTHER_REFERENCE
from tlparse_bundle.statements.finding import UNLISTED, Finding, bounded
from tlparse_bundle.statements.ranks.registry import REFERENCE as RANK_REFERENCE
from tlparse_bundle.statements.registry import MODULES
from tlparse_bundle.statements.statement import ordered
from tlparse_bundle.statements.summary import headline

# What a statement raises when a table lacks what it needs.
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, StopIteration, BundleError)
REFERENCE = {
    **{kind: entry for module in MODULES for kind, entry in module.REFERENCE.items()},
    **OTHER_REFERENCE,
    **RANK_REFERENCE,
}
_OF_STATEMENT = ("title", "text", "cost_of", "remedies")
Key = tuple[Any, ...]
T = TypeVar("T")
U = TypeVar("U")


def findings_of_log(
    original: Sequence[Mapping[str, Any]], fields: Fields, facts: Facts
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Return the redacted rows of the original findings, and the findings that the redacted tables give."""
    statements = ordered(finding for module in MODULES for finding in _findings(module.findings, facts))
    short = attempt(lambda: facts.short, None)
    made: dict[Key, list[dict[str, Any]]] = {}
    for number, finding in enumerate(bounded(statements)):
        statement = attempt(partial(_row, finding, number, facts), None)
        if statement is not None:
            made.setdefault(_key(statement), []).append(statement)
    rows = []
    for row in original:
        new = fields.row("findings", row)
        new["details"] = fields.details(row["kind"], row["details"])
        if short is not None:
            _shorten(new, short)
        rows.append(with_sentences(new, made.get(_key(new))))
    return rows, statements


def with_sentences(row: dict[str, Any], made: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Return a redacted row with the sentences of the first of ``made``, which it takes, or of its kind."""
    if made:
        sentences = made.pop(0)
        return row | {key: sentences[key] for key in _OF_STATEMENT}
    reference = REFERENCE.get(row["kind"])
    title = reference.title if reference else "Finding of a plug-in"
    where = f" in {code(row['function'])}" if row["function"] else ""
    return row | {"title": f"{title}{where}", "text": "", "cost_of": None, "remedies": []}


def headline_of(facts: Facts, numbers: dict[str, Any], statements: Sequence[Finding]) -> str:
    """Return the headline of a log with the numbers of the original."""
    return attempt(lambda: headline(facts, numbers, statements), plural(numbers["compile_count"], "compile"))


def attempt(make: Callable[[], T], otherwise: U) -> T | U:
    """Return what ``make`` returns, or ``otherwise`` when the redacted tables lack what it needs."""
    try:
        return make()
    except UNREADABLE:
        return otherwise


def _findings(make: Callable[[Facts], Any], facts: Facts) -> list[Finding]:
    return attempt(lambda: [*make(facts)], [])


def _row(finding: Finding, number: int, facts: Facts) -> dict[str, Any]:
    return {**finding.row(number, facts.short.text, facts.key_of, None)}


def _key(row: Mapping[str, Any]) -> Key:
    """Return what identifies a finding: kind, place in the log, and count."""
    if row["kind"] == UNLISTED:
        return (UNLISTED, row["count"])
    return row["kind"], tuple(row["compiles"]), tuple(row["events"]), row["count"]


def _shorten(value: Any, short: Callable[[str], str]) -> None:
    """Shorten the paths of files, as in all findings."""
    if type(value) is dict:
        for key, one in value.items():
            if key == "file" and type(one) is str:
                value[key] = short(one)
            else:
                _shorten(one, short)
    elif type(value) is list:
        for one in value:
            _shorten(one, short)
