"""What changed from one run to another: one row of a comparison (schema: comparison)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tlparse_bundle.statements.statement import Stage, Statement, distinct, grouped_by_cause, ordered

KINDS = ("torch", "setting", "backend", "vllm", "finding", "graph", "compile", "cache", "code", "time")


@dataclass(slots=True, eq=False, repr=False)
class Change(Statement):
    """``change`` is new, gone, worse, better or changed; ``pairs`` are compiles that it concerns."""

    change: str = field(kw_only=True)
    pairs: Sequence[int] = field(default=(), kw_only=True)
    base_finding_index: int | None = field(default=None, kw_only=True)
    new_finding_index: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.order is None:
            self.order = -KINDS.index(self.kind)

    @property
    def stage(self) -> Stage:
        """New errors, then the rest."""
        return (not (self.severity == "error" and self.change in ("new", "worse")),)

    def row(self, because_of: int | None) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "change": self.change,
            **self.cells(),
            "count": self.count,
            "cost_us": self.cost_us,
            "pair_indexes": distinct(self.pairs),
            "base_finding_index": self.base_finding_index,
            "new_finding_index": self.new_finding_index,
            "because_of": because_of,
            "details": self.details,
        }


def rows(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return the rows: causes, the most important one first, each followed by what it led to."""
    changes = ordered(changes)
    by_key: dict[Hashable, int] = {}
    for number, change in enumerate(changes):
        if change.key is not None:
            by_key.setdefault(change.key, number)
    causes = {
        number: by_key[change.because_of]
        for number, change in enumerate(changes)
        if change.because_of in by_key and change.because_of != change.key
    }
    return [change.row(because_of) for change, because_of in grouped_by_cause(changes, causes)]
