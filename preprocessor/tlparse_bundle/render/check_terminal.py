"""The outcomes of a check for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import plural
from tlparse_bundle.render.terminal import finding
from tlparse_bundle.statements.runs.check.verdict import FAILED, PASSED, UNKNOWN, Outcome, failing

MAX_FINDINGS = 20  # of an outcome; ``report`` prints all
_SIGNS = {PASSED: ("✓", "green"), FAILED: ("✖", "red"), UNKNOWN: ("?", "yellow")}


def render(outcomes: Sequence[Outcome], *, allow_unknown: bool, width: int = 100) -> str:
    """One line of each outcome, with the findings that show why it failed, and how many failed."""
    count = len(failing(outcomes, allow_unknown=allow_unknown))
    last = (
        f"{count} of {plural(len(outcomes), 'check')} failed."
        if count
        else f"{plural(len(outcomes), 'check')}, none failed."
    )
    unknown = sum(outcome.outcome == UNKNOWN for outcome in outcomes)
    if unknown:
        last += f" {unknown} cannot be told, " + (
            "which is allowed." if allow_unknown else "which counts as failed: --allow-unknown lets it pass."
        )
    return "\n".join(
        [*(line for outcome in outcomes for line in lines(outcome, width)), click.style(last, bold=True)]
    )


def lines(outcome: Outcome, width: int = 100) -> Iterator[str]:
    """One outcome, with colours."""
    sign, colour = _SIGNS[outcome.outcome]
    where = click.style(f" · {shown(outcome.log)}", dim=True) if outcome.log else ""
    yield (
        f"{click.style(sign, fg=colour)} {click.style(shown(outcome.rule), bold=True)}{where}:"
        f" {shown(outcome.text)}"
    )
    for row in outcome.findings[:MAX_FINDINGS]:
        yield from (f"  {line}".rstrip() for line in finding(row, width - 2))
    if len(outcome.findings) > MAX_FINDINGS:
        yield (
            f"  {plural(len(outcome.findings) - MAX_FINDINGS, 'more finding')}; tlparse-bundle report prints"
            " them."
        )
