"""Which findings of two runs are the same one, and which are new, gone, worse or better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tlparse_bundle.findings.bounds import KIND as UNLISTED
from tlparse_bundle.findings.finding import SEVERITIES

NEW, GONE, WORSE, BETTER, SAME = "new", "gone", "worse", "better", "same"
# Found by how long something took: they come and go with the machine.
TIMED = frozenset(("slow-span", "guard-cost", "autotune"))


class Matched(NamedTuple):
    """A finding of both runs, or of one: rows of the findings table, and their positions in it."""

    change: str
    base: dict | None
    new: dict | None
    base_index: int | None
    new_index: int | None

    @property
    def row(self) -> dict:
        """That of the new run, where it has one."""
        return self.new or self.base


def matched_findings(base: Sequence[dict], new: Sequence[dict]) -> list[Matched]:
    """All findings of both runs, each once: those of the new run in its order, then those that are gone.

    The same one is told by its fingerprint. A finding of one run only is left out where the other run had too many of its
    kind to list them all: nobody knows whether it was among those.
    """
    waiting: dict[str, list[tuple[int, dict]]] = {}
    for number, row in enumerate(base):
        if row["kind"] != UNLISTED:
            waiting.setdefault(row["fingerprint"], []).append((number, row))
    unsure = _unlisted(base)
    found = []
    for number, row in enumerate(new):
        if row["kind"] == UNLISTED:
            continue
        before = waiting.get(row["fingerprint"])
        if before:
            at, old = before.pop(0)
            found.append(Matched(_change(old, row), old, row, at, number))
        elif row["kind"] not in unsure:
            found.append(Matched(NEW, None, row, None, number))
    unsure = _unlisted(new)
    left = sorted((entry for entries in waiting.values() for entry in entries), key=lambda entry: entry[0])
    found += [Matched(GONE, row, None, number, None) for number, row in left if row["kind"] not in unsure]
    return found


def changed_findings(base: Sequence[dict], new: Sequence[dict]) -> Iterator[Matched]:
    """Those that are not the same any more, without those that come and go with the machine."""
    return (found for found in matched_findings(base, new) if found.change != SAME and found.row["kind"] not in TIMED)


def _change(old: dict, row: dict) -> str:
    before, now = ((-SEVERITIES.index(one["severity"]), one["count"]) for one in (old, row))
    return SAME if before == now else WORSE if now > before else BETTER


def _unlisted(rows: Sequence[dict]) -> set[str]:
    """Kinds of which a table does not list all findings."""
    return {kind["kind"] for row in rows if row["kind"] == UNLISTED for kind in row["details"].get("kinds", [])}
