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
    """The outcome of a rule. ``log``: name, or "" for a rule about all logs. ``findings``: why it failed."""

    rule: str
    log: str
    outcome: str  # PASSED, FAILED or UNKNOWN
    text: str
    findings: Sequence[Mapping[str, Any]] = ()


def failing(outcomes: Sequence[Outcome], *, allow_unknown: bool) -> list[Outcome]:
    """Return the outcomes that fail the check."""
    return [
        outcome
        for outcome in outcomes
        if outcome.outcome == FAILED or (outcome.outcome == UNKNOWN and not allow_unknown)
    ]


@dataclass(frozen=True)
class Amount:
    """A limited number: the sum of ``fields`` of a summary. ``kinds``: related findings."""

    name: str  # of the option: max-<name>
    one: str
    many: str
    fields: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    unit: str = ""  # "us" for a time

    def of(self, summary: Mapping[str, Any]) -> int | None:
        """Return the number; None: not recorded."""
        if self is CACHE_MISSES:
            return sum(int(counts["miss"]) for counts in summary["cache_counts"].values())
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
CACHE_MISSES = Amount("cache-misses", "cache miss", "cache misses", (), ("cache-miss",))
COMPILE_TIME = Amount("compile-time", "compile time", "compile time", ("compile_us",), unit="us")
AMOUNTS = (BREAKS, RECOMPILES, COMPILES, FAILURES, CACHE_MISSES, COMPILE_TIME)

_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|min|h|)", re.ASCII)
_SECONDS = {"ms": 0.001, "": 1, "s": 1, "min": 60, "h": 3600}


def time_us(text: str) -> int:
    """Return "90s", "1.5min", "800ms" or "90" in microseconds. Raise ValueError if not a duration."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a duration. Write 90s, 1.5min or 800ms.")
    return round(float(match[1]) * _SECONDS[match[2]] * 1_000_000)


def why_not_recorded(amount: Amount) -> str:
    """Return why a number is not recorded."""
    if amount.unit == "us":
        return "This log does not record compile time"
    return f"{large(amount.many)} are not recorded by this version of torch"


def outcomes(sections: Sequence[Section], limits: Mapping[Amount, int]) -> Iterator[Outcome]:
    """Yield an outcome for each log and limit."""
    for section in (section for section in sections if section.log is not None):
        for amount, most in limits.items():
            yield _outcome(section, amount, most)


def _outcome(section: Section, amount: Amount, most: int) -> Outcome:
    limit = duration(most) if amount.unit == "us" else f"{most:,}"
    rule, value = f"max-{amount.name} {limit}", amount.of(section.summary)
    if value is None:
        return Outcome(rule, section.name, UNKNOWN, f"{why_not_recorded(amount)}.")
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
