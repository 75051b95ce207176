"""What changed from one run to another: rows of a comparison (schema: comparison), and which are printed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tlparse_bundle.base.wording import duration, plural
from tlparse_bundle.statements.runs.compare.rows import ChangeRow, Direction
from tlparse_bundle.statements.statement import Stage, Statement, distinct, grouped_by_cause, ordered

KINDS = ("torch", "setting", "backend", "vllm", "finding", "graph", "compile", "cache", "code", "time")
IMPROVEMENTS = frozenset(("gone", "better"))  # values of ``change``
MAX_PRINTED = 40  # changes of a log


@dataclass(slots=True, eq=False, repr=False)
class Change(Statement):
    """``change`` is new, gone, worse, better or changed; ``pairs`` are compiles that it concerns."""

    change: Direction = field(kw_only=True)
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

    def row(self, because_of: int | None) -> ChangeRow:
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


def rows(changes: Sequence[Change]) -> list[ChangeRow]:
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


def identity(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what is equal for the same change of another rank, however long it takes there."""
    about = (
        row["details"].get(name) for name in ("fingerprint", "config", "name", "cache", "base", "new", "span")
    )
    return row["kind"], row["change"], row["function"], row["file"], *about


class PrintedLog(NamedTuple):
    """Changes of a log, or of several logs with the same changes, that are printed."""

    name: str
    changes: Sequence[Mapping[str, Any]]
    left_out: int


def printed_logs(document: Mapping[str, Any]) -> Iterator[PrintedLog]:
    """Yield what of a comparison is printed.

    Ranks with the same changes are one: that where they cost most.
    """
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for log in document["logs"]:
        if log["changes"]:
            groups.setdefault(tuple(sorted(map(repr, map(identity, log["changes"])))), []).append(log)
    for logs in groups.values():
        worst = max(logs, key=lambda log: log["changes"][0]["cost_us"] or 0)
        side = worst["new"] or worst["base"]
        name = side["id"] if worst["rank"] is None else f"rank {worst['rank']} ({side['id']})"
        also = f", and the same of {plural(len(logs) - 1, 'other log')}" if len(logs) > 1 else ""
        changes = worst["changes"]
        yield PrintedLog(name + also, changes[:MAX_PRINTED], max(0, len(changes) - MAX_PRINTED))


def more_changes(count: int) -> str:
    """Return a sentence about the changes that are not printed."""
    return f"{plural(count, 'more change')}; --json has them all"


def cost_text(cost_us: int) -> str:
    """Return a cost or, below 0, a saving: "+1.2 s"."""
    return f"{'+' if cost_us > 0 else '−'}{duration(abs(cost_us))}"
