"""The outcomes of a check as annotations of a GitHub workflow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tlparse_bundle.render.github import annotation, said
from tlparse_bundle.statements.runs.check.verdict import PASSED, UNKNOWN, Outcome


def render(outcomes: Sequence[Outcome], *, allow_unknown: bool, places: Mapping[str, str] = {}) -> str:
    """A line for each finding that lets the check fail, and for each outcome that has none.

    ``places``: see report.checkout.
    """
    return "\n".join(line for outcome in outcomes for line in _lines(outcome, allow_unknown, places))


def _lines(outcome: Outcome, allow_unknown: bool, places: Mapping[str, str]) -> Iterator[str]:
    title = f"{outcome.rule} · {outcome.log}" if outcome.log else outcome.rule
    if outcome.outcome == PASSED:
        yield annotation("notice", title, outcome.text)
        return
    command = "warning" if outcome.outcome == UNKNOWN and allow_unknown else "error"
    if not outcome.findings:
        yield annotation(command, title, outcome.text)
    for row in outcome.findings:
        yield annotation(command, title, said(row), places.get(row["file"], row["file"]), row["line"])
