"""Reports, checks and trends as JSON documents, for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.bundle.growing import live_of
from tlparse_bundle.statements.runs.check.limits import Outcome, failing

if TYPE_CHECKING:
    from tlparse_bundle.statements.selection import Section

_FINDING_FIELDS = (
    "kind",
    "fingerprint",
    "severity",
    "title",
    "function",
    "file",
    "line",
    "count",
)  # of a check


def report(
    sections: Sequence[Section], manifest: dict[str, Any], *, growing: str | None = None
) -> dict[str, Any]:
    """Summary and findings of all ranks together and of each log.

    ``growing``: what to say of a growing bundle; its logs have the compiles that are running.
    """
    ranks: dict[str, Any] | None = None
    logs: list[dict[str, Any]] = []
    for section in sections:
        content = {"summary": section.summary, "findings": section.findings}
        if section.log is None:
            ranks = content
            continue
        log = {"id": section.log.id, "rank": section.log.rank, **content}
        if growing is not None:
            log["running"] = (live_of(manifest, section.log.id) or {"running": []})["running"]
        logs.append(log)
    first = {} if growing is None else {"growing": True, "note": growing}
    return {"ok": True, **first, "ranks": ranks, "logs": logs}


def check(outcomes: Sequence[Outcome], *, allow_unknown: bool) -> dict[str, Any]:
    """Whether nothing fails, and each outcome with the findings that show why it failed."""
    return {
        "ok": not failing(outcomes, allow_unknown=allow_unknown),
        "checks": [
            {
                "rule": outcome.rule,
                "log": outcome.log or None,
                "outcome": outcome.outcome,
                "text": outcome.text,
                "findings": [{field: row[field] for field in _FINDING_FIELDS} for row in outcome.findings],
            }
            for outcome in outcomes
        ],
    }


def trend(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a trend (schema: trend), with what says that all went well."""
    return {"ok": True, **document}
