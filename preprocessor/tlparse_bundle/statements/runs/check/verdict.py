"""What a check came to: one outcome for each rule, of a log where the rule is about one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PASSED, FAILED, UNKNOWN = "passed", "failed", "unknown"


@dataclass(frozen=True)
class Outcome:
    """``rule`` as the user wrote it.

    ``log``: its name; "" where the rule is about all. ``findings``: rows that show why it failed.
    """

    rule: str
    log: str
    outcome: str
    text: str
    findings: Sequence[dict] = ()

    def row(self) -> dict:
        """As the JSON of the command has it."""
        fields = ("kind", "fingerprint", "severity", "title", "function", "file", "line", "count")
        findings = [{field: row[field] for field in fields} for row in self.findings]
        return {
            "rule": self.rule,
            "log": self.log or None,
            "outcome": self.outcome,
            "text": self.text,
            "findings": findings,
        }


def failing(outcomes: Sequence[Outcome], *, allow_unknown: bool) -> list[Outcome]:
    """Those that make the check fail."""
    return [
        outcome
        for outcome in outcomes
        if outcome.outcome == FAILED or (outcome.outcome == UNKNOWN and not allow_unknown)
    ]


def as_json(outcomes: Sequence[Outcome], *, allow_unknown: bool) -> dict:
    """The document that the command prints with ``--format json``."""
    return {
        "ok": not failing(outcomes, allow_unknown=allow_unknown),
        "checks": [outcome.row() for outcome in outcomes],
    }
