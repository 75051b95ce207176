"""Which findings of a bundle a report shows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tlparse_bundle.errors import BundleError
from tlparse_bundle.read.reader import Bundle, Log


@dataclass(slots=True)
class Section:
    """The findings of one log that are shown: rows of its table, most important first, and how many are not shown."""

    log: Log
    summary: dict
    findings: list[dict]
    left_out: int


def choose(
    bundle: Bundle, *, log_id: str | None = None, ranks: Collection[int] | None = None, kinds: Collection[str] = (), limit: int | None = None
) -> list[Section]:
    """A section for each log, in the order of the bundle. ``limit`` is that of each log.

    Raises BundleError when there is no such log, rank or kind, and when the bundle has no findings.
    """
    logs = [bundle.log(log_id)] if log_id is not None else bundle.logs
    if ranks is not None:
        logs = [log for log in logs if log.rank in ranks]
        if not logs:
            known = ", ".join(sorted({str(log.rank) for log in bundle.logs if log.rank is not None})) or "none"
            raise BundleError("no log has one of these ranks", hint=f"Its ranks are: {known}", code="not-found")
    sections = []
    for log in logs:
        table = log.findings()
        rows = [row for row in table["findings"] if not kinds or row["kind"] in kinds]
        sections.append(Section(log, table["summary"], rows[:limit], max(0, len(rows) - (limit if limit is not None else len(rows)))))
    return sections


def where(row: dict) -> str | None:
    """The place of a finding: "model.py:12"."""
    if row["file"] is None:
        return None
    return row["file"] if row["line"] is None else f"{row['file']}:{row['line']}"


def name(log: Log) -> str:
    return log.id if log.rank is None else f"rank {log.rank} ({log.id})"
