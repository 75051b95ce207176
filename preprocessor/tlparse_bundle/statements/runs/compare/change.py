"""What changed from one run to another: one row of a comparison (schema: comparison)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from tlparse_bundle.statements.finding import MAX_TEXT, MAX_TITLE, SEVERITIES, cut

KINDS = ("torch", "setting", "backend", "vllm", "finding", "graph", "compile", "cache", "code", "time")
MAX_PAIRS = 1000  # compiles that a change names


@dataclass(eq=False, repr=False)
class Change:
    """``change`` is new, gone, worse, better or changed; ``pairs`` are compiles that it concerns.

    ``because_of`` is the key of another one.
    """

    kind: str
    change: str
    title: str
    text: str = ""
    severity: str = "info"
    place: tuple[str | None, str | None, int | None] = (None, None, None)
    pairs: Sequence[int] = ()
    cost_us: int | None = None
    count: int = 1
    base_finding_index: int | None = None
    new_finding_index: int | None = None
    details: dict = field(default_factory=dict)
    key: Hashable = None
    because_of: Hashable = None

    def row(self, because_of: int | None) -> dict:
        function, file, line = self.place
        return {
            "kind": self.kind,
            "change": self.change,
            "severity": self.severity,
            "title": cut(self.title, MAX_TITLE),
            "text": cut(self.text, MAX_TEXT),
            "function": function,
            "file": file,
            "line": line,
            "count": self.count,
            "cost_us": self.cost_us,
            "pair_indexes": list(dict.fromkeys(self.pairs))[:MAX_PAIRS],
            "base_finding_index": self.base_finding_index,
            "new_finding_index": self.new_finding_index,
            "because_of": because_of,
            "details": self.details,
        }


def ordered(changes: Sequence[Change]) -> list[dict]:
    """Rows: causes, the most costly one first, each followed by what it led to."""
    known = {change.key for change in changes if change.key is not None}
    roots = [
        change for change in changes if change.because_of not in known or change.because_of == change.key
    ]
    led: dict[Hashable, list[Change]] = {}
    for change in changes:
        if change.because_of in known and change.because_of != change.key:
            led.setdefault(change.because_of, []).append(change)
    rows: list[dict] = []
    for root in sorted(roots, key=_order):
        at = len(rows)
        rows.append(root.row(None))
        rows += [change.row(at) for change in sorted(led.get(root.key, ()), key=_order)]
    return rows


def _order(change: Change) -> tuple:
    """New errors first, then by cost, whether more or less time; last what has no known cost, by severity."""
    return (
        not (change.severity == "error" and change.change in ("new", "worse")),
        -abs(change.cost_us or 0),
        SEVERITIES.index(change.severity),
        KINDS.index(change.kind),
    )
