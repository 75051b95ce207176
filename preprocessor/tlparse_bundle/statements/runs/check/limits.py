"""Outcomes of a check, and limits on the numbers of a log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import duration, large, plural

if TYPE_CHECKING:
    from tlparse_bundle.statements.selection import Section

PASSED, FAILED, UNKNOWN = "passed", "failed", "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """``rule`` as the user wrote it.

    ``log``: its name; "" where the rule is about all. ``findings``: rows that show why it failed.
    """

    rule: str
    log: str
    outcome: str  # PASSED, FAILED or UNKNOWN
    text: str
    findings: Sequence[Mapping[str, Any]] = ()


def failing(outcomes: Sequence[Outcome], *, allow_unknown: bool) -> list[Outcome]:
    """Return the outcomes that make the check fail."""
    return [
        outcome
        for outcome in outcomes
        if outcome.outcome == FAILED or (outcome.outcome == UNKNOWN and not allow_unknown)
    ]


@dataclass(frozen=True)
class Amount:
    """``fields``: of the summary of a log, added up. ``kinds``: of the findings that tell of them."""

    name: str  # of the option: max-<name>
    one: str
    many: str
    fields: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    unit: str = ""  # "us": a time

    def of(self, summary: Mapping[str, Any]) -> int | None:
        """The number; None when the log does not record it."""
        values = [summary[field] for field in self.fields]
        if self.unit == "us" and not summary["compile_count"]:
            return values[0] or 0
        return None if None in values else sum(values)

    def words(self, value: int) -> str:
        return (
            f"{duration(value)} of {self.many}" if self.unit == "us" else plural(value, self.one, self.many)
        )


BREAKS = Amount("breaks", "graph break", "graph breaks", ("graph_break_count",), ("graph-break",))
RECOMPILES = Amount(
    "recompiles", "recompile", "recompiles", ("recompile_count",), ("recompile", "recompile-limit")
)
COMPILES = Amount("compiles", "compile", "compiles", ("compile_count",))
FAILURES = Amount(
    "failures",
    "failure",
    "failures",
    ("failure_count", "unfinished_count", "export_failure_count"),
    ("failure", "unfinished-compile", "export-failure"),
)
COMPILE_TIME = Amount("compile-time", "compile time", "compile time", ("compile_us",), unit="us")
AMOUNTS = (BREAKS, RECOMPILES, COMPILES, FAILURES, COMPILE_TIME)

_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|min|h|)", re.ASCII)
_SECONDS = {"ms": 0.001, "": 1, "s": 1, "min": 60, "h": 3600}


def time_us(text: str) -> int:
    """ "90s", "1.5min", "800ms" or "90", in microseconds. Raises ValueError for what is no time."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a duration. Write 90s, 1.5min or 800ms.")
    return round(float(match[1]) * _SECONDS[match[2]] * 1_000_000)


def untold(amount: Amount) -> str:
    """Return why a number is not recorded."""
    if amount.unit == "us":
        return "This log does not record compile time"
    return f"{large(amount.many)} are not recorded by this version of torch"


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
    text = amount.words(value)
    if value > most:
        rows = [row for row in section.findings if row["kind"] in amount.kinds]
        return Outcome(
            rule,
            section.name,
            FAILED,
            f"{text}; the limit is {limit}.",
            rows,
        )
    if section.more is not None:
        return Outcome(rule, section.name, UNKNOWN, f"{text}, but {section.more}.")
    return Outcome(rule, section.name, PASSED, f"{text}.")
