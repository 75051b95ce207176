"""A finding about several ranks (schema: rank_findings)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.statements.ranks.comparison import Comparison, Tables, typed
from tlparse_bundle.statements.ranks.rank_sets import Ranges, ranks_among
from tlparse_bundle.statements.source_places import Shortener
from tlparse_bundle.statements.statement import Place, SeverityName, Stage, Statement, fingerprint

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankFindingsRow

# Kinds by effect on the job, worst first.
_EFFECTS = (
    # It stops.
    ("collective-mismatch", "collective-order", "unmatched-transfer", "failed-everywhere", "failure",
     "unfinished-compile", "empty-log", "cut-log", "recorded-order", "recorded-mismatch", "collective-hang",
     "never-began", "missing-rank", "collective-waits", "group-differs", "equal-logs"),
    # Its results are wrong.
    ("missing-wait", "collective-parity", "mixed-versions", "settings", "rank-differs"),
    # It is slow.
    ("cached-before", "straggler", "late-start", "collective-running"),
    # The ranks differ.
    ("graph-break", "restart", "recompile", "compile-order", "extra-compile", "missing-compile", "graph",
     "execution-order", "collectives", "tensors", "guard"),
    ("other-run", "no-rank", "stages", "rank-numbers"),
)  # fmt: skip
KINDS = tuple(kind for kinds in _EFFECTS for kind in kinds)
_EFFECT = {kind: effect for effect, kinds in enumerate(_EFFECTS) for kind in kinds}
_WRONG, _DIFFERENT = 1, 3


class CallCells(TypedDict):
    """A call of a collective, as stored in details of findings."""

    op: str
    reduce_op: str | None
    group: str | None
    group_size: int | None
    dtype: str | None
    shape: list[int | str] | None
    root: int | None


@dataclass(slots=True, eq=False, repr=False)
class RankFinding(Statement):
    """A statement about ``ranks``, compared with ``others``."""

    ranks: Ranges = field(default_factory=list, kw_only=True)
    others: Ranges = field(default_factory=list, kw_only=True)
    rank_compile: int | None = field(default=None, kw_only=True)  # the matched compile, a row of that table
    compile: str | None = field(default=None, kw_only=True)  # its id on ``ranks``
    others_compile: str | None = field(default=None, kw_only=True)  # its id on ``others``
    log: str | None = field(default=None, kw_only=True)  # of the first of ``ranks``
    evidence: str = field(default="", kw_only=True)  # the table that has the numbers
    facts: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    """Values for the sentences that ``details`` lacks; not stored."""

    @property
    def column(self) -> int:
        """``rank_compile``; -1 if the finding is not about one compile."""
        return -1 if self.rank_compile is None else self.rank_compile

    @property
    def is_difference(self) -> bool:
        """Whether the finding only reports a difference between ranks."""
        return _EFFECT.get(self.kind) == _DIFFERENT

    @property
    def stage(self) -> Stage:
        """Sort key: largest effect on the job first, then by position."""
        effect: float = _EFFECT.get(self.kind, _DIFFERENT)
        if self.kind == "collective-mismatch" and self.details["effect"] == "wrong":
            effect = _WRONG
        if self.kind == "never-began" and self.severity == "info":
            effect = _DIFFERENT  # no rank waits
        if self.kind == "execution-order" and self.severity == "error":
            effect = 0.5
        order: float = KINDS.index(self.kind) if self.kind in KINDS else len(KINDS)
        # Different collectives are more specific than a different graph, unless inputs explain the graph.
        if self.kind == "graph" and not self.details["inputs"]:
            order = KINDS.index("collectives") + 0.5
        ranks = [rank for run in self.ranks for rank in run]
        first_of_all = self.kind in ("collective-mismatch", "collective-order")
        return effect, not first_of_all, order if effect < _DIFFERENT else 0, self.column, order, *ranks

    def row(self, number: int, short: Shortener, because_of: int | None) -> RankFindingsRow:
        """Return the finding as row ``number`` of the table, with shortened paths."""
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


class Finder:
    """Creates findings from the tables of the analyses; ``table(name)`` returns rows."""

    def __init__(self, comparison: Comparison, tables: Tables):
        self.comparison = comparison
        self.table = typed(tables)
        self.names = frozenset(tables)  # of tables: those of Flight Recorder dumps are optional
        self.member_of = {member.rank: number for number, member in enumerate(comparison.members)}
        self._ranks = sorted(self.member_of)

    def finding(
        self,
        kind: str,
        severity: SeverityName,
        ranks: Ranges,
        evidence: str,
        details: Mapping[str, Any],
        *,
        others: Ranges | None = None,
        column: int | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> RankFinding:
        """Create a finding without sentences.

        ``others``: None for all other ranks. ``column``: the matched compile. ``evidence``: the table with
        the numbers.
        """
        members = self._members(ranks)
        if others is None:
            others = self.comparison.ranks(set(self.member_of.values()).difference(members))
        return RankFinding(
            kind,
            severity,
            "",
            _cause(details),
            place=self._place(column, details),
            details=dict(details),
            ranks=ranks,
            others=others,
            rank_compile=column,
            compile=self._key(members, column),
            others_compile=self._key(self._members(others), column),
            log=self.comparison.members[members[0]].row["id"] if members else None,
            evidence=evidence,
            facts=facts or {},
        )

    def role_of(self, ranks: Ranges) -> int:
        """Return the role of the lowest of some ranks."""
        return self.comparison.role_of(self.member_of[ranks[0][0]])

    def call(self, number: int) -> CallCells:
        """Return a call of ``collective_calls``."""
        row = self.table("collective_calls")[number]
        return {
            "op": row["op"],
            "reduce_op": row["reduce_op"],
            "group": row["group"],
            "group_size": row["group_size"],
            "dtype": row["dtype"],
            "shape": row["shape"],
            "root": row["root"],
        }

    def _members(self, ranks: Ranges) -> list[int]:
        return [self.member_of[rank] for rank in ranks_among(ranks, self._ranks)]

    def _key(self, members: Sequence[int], column: int | None) -> str | None:
        return None if column is None else self.comparison.key(members, column)

    def _place(self, column: int | None, details: Mapping[str, Any]) -> Place:
        row = None if column is None else self.table("rank_compiles")[column]
        if details.get("file"):
            line = details.get("line")
            return row and row["function"], details["file"], line if isinstance(line, int) else None
        return (None, None, None) if row is None else (row["function"], row["file"], row["first_line"])


def _cause(details: Mapping[str, Any]) -> list[Any]:
    """Return the details that are stable between runs: no ranks, ids, sizes or group names."""
    texts = [
        normalised(details[key])
        for key in ("text", "type", "stage", "effect")
        if type(details.get(key)) is str
    ]
    calls = [
        details[key]
        for key in ("here", "others", "call")
        if type(details.get(key)) is dict and "op" in details[key]
    ]
    return [*texts, *([call["op"], call["reduce_op"]] for call in calls)]
