"""Findings: statements about one log with their evidence (schema: findings)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import listed, plural
from tlparse_bundle.statements.stable_causes import stable_cause
from tlparse_bundle.statements.statement import (
    SEVERITIES,
    TORCH,
    KindReference,
    Remedy,
    Stage,
    Statement,
    distinct,
    fingerprint,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FindingsRow

__all__ = ["Finding", "KindReference", "Remedy"]  # what plug-ins import

ERROR, EAGER, REST = range(3)  # stages of the order of findings
UNLISTED = "unlisted"
REFERENCE = {
    UNLISTED: KindReference(
        "Unlisted findings",
        "A bundle lists at most 300 findings per log. This one counts the rest, by kind.",
        "Fix the listed findings first, then record and build again.",
        "`check` counts unlisted findings as unknown, so do not ignore it there.",
    )
}
MAX_FINDINGS = 300  # per log, so the table stays readable
_MAX_COSTLY = 150  # of these, kept by cost


@dataclass(slots=True, eq=False, repr=False)
class Finding(Statement):
    """A statement about one log, with the compiles, events and spans that show it."""

    compiles: Sequence[int] = ()
    events: Sequence[int] = ()
    spans: Sequence[int] = ()
    placed: bool = field(default=True, kw_only=True)  # whether the place is a part of the fingerprint
    ordinal: int = field(default=0, kw_only=True)  # among those of functions with one name, by line
    is_fatal: bool = field(default=False, kw_only=True)  # whether it ended the program
    is_explained: bool = field(default=True, kw_only=True)  # whether the log says what went wrong

    @property
    def stage(self) -> Stage:
        """Order the error that ended the program, other errors, functions that run eager, and the rest.

        Errors that the log does not explain come last of their stage, since nobody can act on them. Those
        with an unknown cost come before those with a known one, because they may cost more.
        """
        own = stage(self.kind, self.severity, self.details)
        return (
            not (self.is_fatal and self.is_explained),
            own,
            not self.is_explained,
            own == ERROR and self.cost_us is not None,
        )

    def fingerprint(self) -> str:
        place = self.place if self.placed else (None, None, None)
        nth = [self.ordinal] if self.ordinal else []
        return fingerprint(self.kind, place, [stable_cause(self.kind, self.cause), *nth])

    def row(
        self,
        number: int,
        shown: Callable[[str], str],
        key_of: Callable[[int], str | None],
        because_of: int | None,
    ) -> FindingsRow:
        """Return row ``number`` of the table. ``shown`` shortens paths, ``key_of`` returns a compile key."""
        remedies = sorted(self.remedies, key=lambda remedy: remedy.source != TORCH)
        return {
            "id": number,
            "kind": self.kind,
            "fingerprint": self.fingerprint(),
            **self.cells(shown),
            "compiles": distinct(key for key in map(key_of, self.compiles) if key is not None),
            "events": distinct(self.events),
            "spans": distinct(self.spans),
            "count": self.count,
            "cost_us": self.cost_us,
            "cost_of": self.cost_of if self.cost_us is not None else None,
            "remedies": [remedy.row() for remedy in remedies],
            "because_of": because_of,
            "details": self.details,
        }


def stage(kind: str, severity: str, details: Mapping[str, Any]) -> int:
    """Return ERROR, EAGER (a function that torch stopped compiling) or REST, which sort before cost."""
    if kind == "runs-eager" and severity == "warning":
        return EAGER
    if severity != "error":
        return REST
    return EAGER if kind == "recompile-limit" and not details["raised"] else ERROR


def weight(summary: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return the sort key of logs: errors, warnings, compile time, like ``openingLog`` of the viewers."""
    return summary["findings"]["error"], summary["findings"]["warning"], summary["compile_us"] or 0


def bounded(
    findings: Sequence[Finding], most: int = MAX_FINDINGS, costly: int = _MAX_COSTLY
) -> list[Finding]:
    """Return the costliest and the first findings, in order; the last row counts the rest."""
    if len(findings) <= most:
        return list(findings)
    by_cost = sorted(range(len(findings)), key=lambda number: -(findings[number].cost_us or 0))
    kept = {number for number in by_cost[:costly] if findings[number].cost_us}
    for number in (*_first_of_kinds(findings), *range(len(findings))):
        if len(kept) >= most - 1:
            break
        kept.add(number)
    others = [finding for number, finding in enumerate(findings) if number not in kept]
    return [*(findings[number] for number in sorted(kept)), _unlisted(others)]


def _first_of_kinds(findings: Sequence[Finding]) -> list[int]:
    """Return the first finding of each kind, so that no kind is lost."""
    first: dict[str, int] = {}
    for number, finding in enumerate(findings):
        first.setdefault(finding.kind, number)
    return list(first.values())


def _unlisted(others: Sequence[Finding]) -> Finding:
    kinds = Counter(finding.kind for finding in others).most_common()
    return Finding(
        UNLISTED,
        min((finding.severity for finding in others), key=lambda name: SEVERITIES[name].rank),
        f"{plural(len(others), 'more finding')} not listed:"
        f" {listed([f'{count:,} {kind}' for kind, count in kinds], 5)}",
        (),
        "The headline includes them in its counts, and the other tables have their data.",
        compiles=[finding.compiles[0] for finding in others if finding.compiles],
        events=[finding.events[0] for finding in others if finding.events],
        spans=[finding.spans[0] for finding in others if finding.spans],
        count=len(others),
        details={"kinds": [{"kind": kind, "count": count} for kind, count in kinds]},
    )
