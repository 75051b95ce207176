"""Limits on the numbers of each log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tlparse_bundle.check.amounts import Amount, untold
from tlparse_bundle.check.verdict import FAILED, PASSED, UNKNOWN, Outcome
from tlparse_bundle.findings.words import duration
from tlparse_bundle.report.choose import Section


def outcomes(sections: Sequence[Section], limits: Mapping[Amount, int]) -> Iterator[Outcome]:
    """One of each limit and log; all ranks together have no numbers of their own."""
    for section in (section for section in sections if section.log is not None):
        for amount, most in limits.items():
            yield _outcome(section, amount, most)


def _outcome(section: Section, amount: Amount, most: int) -> Outcome:
    limit = duration(most) if amount.unit == "us" else f"{most:,}"
    rule, value = f"max-{amount.name} {limit}", amount.of(section.summary)
    if value is None:
        return Outcome(rule, section.name, UNKNOWN, f"{untold(amount)}.")
    said = amount.words(value)
    if value > most:
        rows = [row for row in section.findings if row["kind"] in amount.kinds]
        return Outcome(rule, section.name, FAILED, f"{said}; at most {limit} {'is' if most == 1 or amount.unit else 'are'} allowed.", rows)
    if section.more is not None:
        return Outcome(rule, section.name, UNKNOWN, f"{said}, but {section.more}.")
    return Outcome(rule, section.name, PASSED, f"{said}.")
