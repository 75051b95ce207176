"""Which findings of two runs are the same one, and which are new, gone, worse or better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.statements.finding import UNLISTED
from tlparse_bundle.statements.runs.compare.run import Run
from tlparse_bundle.statements.statement import severity_of

Likeness = Literal["new", "gone", "worse", "better", "same"]
NEW: Likeness = "new"
GONE: Likeness = "gone"
WORSE: Likeness = "worse"
BETTER: Likeness = "better"
SAME: Likeness = "same"
Row = Mapping[str, Any]  # of findings, rank_findings or a baseline
_Place = tuple[str, str | None, str | None, int | None]  # kind, function, file, line
# Kinds that a log cannot have whose torch does not write what they are made of (summary.untold).
TOLD_BY = {
    "failure": "failures",
    "graph-break": "graph_breaks",
    "recompile": "recompile_reasons",
    "recompile-limit": "recompile_reasons",
    "cache-miss": "caches",
    "cache-bypass": "caches",
    "cache-error": "caches",
    "specialization": "symbols",
    "slow-span": "timeline",
    "autotune": "timeline",
}
_STOPS = ("failure", "graph-break", "restart")  # what one torch calls a failure, another one calls a break
# Found by how long something took: they come and go with the machine.
TIMED = frozenset(("slow-span", "guard-cost", "autotune"))


class Matched(NamedTuple):
    """A finding of both runs, or of one: rows of the findings table, and their positions in it."""

    change: Likeness
    base: Row | None
    new: Row | None
    base_index: int | None
    new_index: int | None

    @property
    def row(self) -> Row:
        """That of the new run, where it has one."""
        row = self.new or self.base
        assert row is not None  # a finding is in one of them
        return row


def matched_findings(base: Sequence[Row], new: Sequence[Row]) -> list[Matched]:
    """All findings of both runs, each once: those of the new run in its order, then those that are gone.

    The same one is told by its fingerprint. A finding of one run only is left out where the other run had too
    many of its kind to list them all: nobody knows whether it was among those.
    """
    waiting: dict[str, list[tuple[int, Row]]] = {}
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


def changed_findings(base: Run, new: Run, same_words: bool) -> Iterator[Matched]:
    """Of the findings of two runs those that are not the same any more, without those that come and go with
    the machine.

    What one log cannot tell is neither new nor gone. Not ``same_words``: another torch, or a log that lacks a
    part, says the same in other words.
    """
    matched = [
        one
        for one in matched_findings(base.findings, new.findings)
        if one.change != SAME and one.row["kind"] not in TIMED
    ]
    untold = {NEW: base.untold, GONE: new.untold}
    if "function_names" in untold[NEW] ^ untold[GONE]:  # what the same finding is called by
        return iter(())
    reworded = set() if same_words else _both_sides(matched)
    hidden = {
        change: {kind for kind, topic in TOLD_BY.items() if topic in topics}
        for change, topics in untold.items()
    }
    if (
        "graph_breaks" in untold[NEW] ^ untold[GONE]
    ):  # a torch that writes no breaks writes that it traced again instead
        hidden = {change: {*kinds, "restart"} for change, kinds in hidden.items()}
    return (
        one
        for one in matched
        if one.row["kind"] not in hidden.get(one.change, ())
        and not (reworded and _place(one.row) in reworded)
    )


def _both_sides(matched: Sequence[Matched]) -> set[_Place]:
    """Places where something is gone and something like it is new; of one that has no function on one side,
    its kind tells.
    """
    sides = [{_place(one.row) for one in matched if one.change == change} for change in (NEW, GONE)]
    places: set[_Place] = set()
    for own, theirs in (sides, sides[::-1]):
        kinds = {kind for kind, *_ in theirs}
        nameless = {kind for kind, function, *_ in theirs if function is None}
        places |= {
            place
            for place in own
            if place in theirs or place[0] in nameless or (place[1] is None and place[0] in kinds)
        }
    return places


def _place(row: Row) -> _Place:
    kind = "failure" if row["kind"] in _STOPS else row["kind"]
    return kind, row["function"], row["file"] and tail(row["file"]), row["line"]


def _change(old: Row, row: Row) -> Likeness:
    before, now = ((-severity_of(one).rank, one["count"]) for one in (old, row))
    return SAME if before == now else WORSE if now > before else BETTER


def _unlisted(rows: Sequence[Row]) -> set[str]:
    """Kinds of which a table does not list all findings."""
    return {
        kind["kind"] for row in rows if row["kind"] == UNLISTED for kind in row["details"].get("kinds", [])
    }
