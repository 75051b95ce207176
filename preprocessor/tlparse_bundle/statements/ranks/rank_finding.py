"""What a finding of a job is: one thing that the ranks say together (schema: rank_findings)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tlparse_bundle.statements.statement import Statement, fingerprint

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankFindingsRow
    from tlparse_bundle.statements.source_places import Shortener

Runs = list[list[int]]  # ranks as pairs of the first and the last one


@dataclass(slots=True, eq=False, repr=False)
class RankFinding(Statement):
    """A statement about ``ranks``, which ``others`` are compared with."""

    ranks: Runs = field(default_factory=list, kw_only=True)
    others: Runs = field(default_factory=list, kw_only=True)
    rank_compile: int | None = field(default=None, kw_only=True)  # the matched compile, a row of that table
    compile: str | None = field(default=None, kw_only=True)  # its id on ``ranks``
    others_compile: str | None = field(default=None, kw_only=True)  # its id on ``others``
    log: str | None = field(default=None, kw_only=True)  # of the first of ``ranks``
    number: int | None = field(default=None, kw_only=True)  # which compile of ``ranks`` it is, from 1
    evidence: str = field(default="", kw_only=True)  # the table that has the numbers

    def row(self, number: int, short: Shortener, because_of: int | None) -> RankFindingsRow:
        """The finding as row ``number`` of the table. ``place`` has the whole path of the file."""
        cells = self.cells(short.text)
        cells["file"] = cells["file"] and short(cells["file"])
        return {
            "id": number,
            "log": self.log,
            "rank_compile": self.rank_compile,
            "compile": self.compile,
            "others_compile": self.others_compile,
            "kind": self.kind,
            "fingerprint": fingerprint(self.kind, self.place, self.cause),
            **cells,
            "ranks": self.ranks,
            "others": self.others,
            "count": self.count,
            "cost_us": self.cost_us,
            "cost_of": self.cost_of,
            "remedies": [remedy.row() for remedy in self.remedies],
            "because_of": because_of,
            "evidence": self.evidence,
            "details": self.details,
        }


def flat(runs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Ranks as a part of a ``stage``: flat ones are ordered as the runs are."""
    return tuple(rank for run in runs for rank in run)
