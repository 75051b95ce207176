"""Select the findings of a bundle that a report shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.statements.not_recorded import ends_early
from tlparse_bundle.statements.ranks.rank_sets import ranks_among


@dataclass(slots=True)
class Section:
    """The findings to show of one log, or of all ranks together, most important first."""

    log: Log | None  # None: all ranks
    summary: dict[str, Any]
    findings: Sequence[Mapping[str, Any]]
    left_out: int

    @property
    def name(self) -> str:
        if self.log is None:
            return "all ranks"
        return self.log.id if self.log.rank is None else f"rank {self.log.rank} ({self.log.id})"

    @property
    def more(self) -> str | None:
        """Why findings may be missing, as a clause; None when the log is complete."""
        if self.log is None:
            return None
        why = ends_early(self.summary, self.findings, self.log.bundle.manifest.get("growing", False))
        return why and f"the log {why}, so there may be more"


def choose(
    bundle: Bundle,
    *,
    log_id: str | None = None,
    ranks: Collection[int] | None = None,
    kinds: Collection[str] = (),
    limit: int | None = None,
) -> list[Section]:
    """Return a section for all ranks together, if there are several, and one per log in bundle order.

    ``limit`` applies to each section. Raises BundleError for an unknown log, rank or kind, and for a bundle
    without findings.
    """
    logs = [bundle.log(log_id)] if log_id is not None else bundle.logs
    if ranks is not None:
        logs = [log for log in logs if log.rank in ranks]
        if not logs:
            known_ranks = (
                ", ".join(sorted({str(log.rank) for log in bundle.logs if log.rank is not None})) or "none"
            )
            raise BundleError(
                "no log has one of these ranks", hint=f"Ranks of this bundle: {known_ranks}", code="not-found"
            )
    tables = [(log, log.findings()) for log in logs]
    job = bundle.job if log_id is None else None
    sections = [_section(log, log.summary, rows, kinds, limit) for log, rows in tables]
    if job is not None:
        rank_rows = bundle.rank_table("rank_findings")
        if ranks is not None:
            chosen = sorted(ranks)
            rank_rows = [row for row in rank_rows if ranks_among([*row["ranks"], *row["others"]], chosen)]
        sections.insert(0, _section(None, job, rank_rows, kinds, limit))
    return sections


def _section(
    log: Log | None,
    summary: dict[str, Any],
    findings: Sequence[Mapping[str, Any]],
    kinds: Collection[str],
    limit: int | None,
) -> Section:
    rows = [row for row in findings if not kinds or row["kind"] in kinds]
    return Section(
        log, summary, rows[:limit], max(0, len(rows) - (limit if limit is not None else len(rows)))
    )
