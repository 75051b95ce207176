"""Matching of the findings of two runs: new, gone, worse, better or the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.model.functions import function_of
from tlparse_bundle.statements.finding import UNLISTED
from tlparse_bundle.statements.kinds.run_time import KINDS as RUN_TIME
from tlparse_bundle.statements.runs.compare.moved_code import Move, Name
from tlparse_bundle.statements.runs.compare.run import Run
from tlparse_bundle.statements.statement import severity_of

Likeness = Literal["new", "gone", "worse", "better", "same"]
NEW: Likeness = "new"
GONE: Likeness = "gone"
WORSE: Likeness = "worse"
BETTER: Likeness = "better"
SAME: Likeness = "same"
Row = Mapping[str, Any]  # of findings, rank_findings or a baseline
_CONSEQUENCES = ("runs-eager",)  # their cause is the change
_Place = tuple[str, str | None, str | None, int | None]  # kind, function, file, line
# The topic that torch must log for a kind; a summary lists missing topics.
_TOPIC_OF_KIND = {
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
_STOPS = ("failure", "graph-break", "restart")  # versions of torch report the same event differently
# Kinds that depend on times, so they come and go with the machine.
TIMED = frozenset(("slow-span", "guard-cost", "autotune", *RUN_TIME))


class Matched(NamedTuple):
    """A finding of both runs, or of one: rows of the findings table, and their positions in it."""

    change: Likeness
    base: Row | None
    new: Row | None
    base_index: int | None
    new_index: int | None

    @property
    def row(self) -> Row:
        """The finding in the new run, else in the base run."""
        row = self.new or self.base
        assert row is not None  # a finding is in one of them
        return row


def matched_findings(base: Sequence[Row], new: Sequence[Row]) -> list[Matched]:
    """Return all findings of both runs once, matched by fingerprint: those of the new run, then gone ones.

    A finding of one run is omitted if the other run did not list all findings of its kind.
    """
    waiting: dict[str, list[tuple[int, Row]]] = {}
    for number, row in enumerate(base):
        if row["kind"] != UNLISTED:
            waiting.setdefault(row["fingerprint"], []).append((number, row))
    unsure = _unlisted(base)
    matched = []
    for number, row in enumerate(new):
        if row["kind"] == UNLISTED:
            continue
        before = waiting.get(row["fingerprint"])
        if before:
            at, old = before.pop(0)
            matched.append(Matched(_change(old, row), old, row, at, number))
        elif row["kind"] not in unsure:
            matched.append(Matched(NEW, None, row, None, number))
    unsure = _unlisted(new)
    left = sorted((entry for entries in waiting.values() for entry in entries), key=lambda entry: entry[0])
    matched += [Matched(GONE, row, None, number, None) for number, row in left if row["kind"] not in unsure]
    return matched


def changed_findings(
    base: Run, new: Run, same_wording: bool, moved: Sequence[Move] = ()
) -> Iterator[Matched]:
    """Yield the findings that changed, except those about times.

    ``moved``: functions with a different name or file in the new run.
    A finding that one log cannot record is neither new nor gone. Without ``same_wording`` (different torch,
    or an incomplete log), the same finding can have a different fingerprint.
    """
    matched = [
        one
        for one in _with_moved(matched_findings(base.findings, new.findings), moved)
        if one.change != SAME and one.row["kind"] not in (*TIMED, *_CONSEQUENCES)
    ]
    missing = {NEW: base.not_recorded, GONE: new.not_recorded}
    if "function_names" in missing[NEW] ^ missing[GONE]:  # fingerprints contain function names
        return iter(())
    ambiguous = set() if same_wording else _both_sides(matched)
    hidden = {
        change: {kind for kind, topic in _TOPIC_OF_KIND.items() if topic in topics}
        for change, topics in missing.items()
    }
    if (
        "graph_breaks" in missing[NEW] ^ missing[GONE]
    ):  # torch versions without graph break records log restarts instead
        hidden = {change: {*kinds, "restart"} for change, kinds in hidden.items()}
    return (
        one
        for one in matched
        if one.row["kind"] not in hidden.get(one.change, ())
        and not (ambiguous and _place(one.row) in ambiguous)
    )


def _with_moved(matched: Sequence[Matched], moved: Sequence[Move]) -> list[Matched]:
    """Match findings of functions that moved: their fingerprints contain the name and the file."""
    if not moved:
        return list(matched)
    names = {move.new: move.base for move in moved}
    files = {move.new.file: move.base.file for move in moved if move.new.file != move.base.file}
    gone: dict[tuple[Any, ...], list[Matched]] = {}
    for one in matched:
        if one.change == GONE:
            gone.setdefault((one.row["kind"], _name(one.row)), []).append(one)
    found, dropped = [], set()
    for one in matched:
        name = _name(one.row)
        name = names.get(name) or Name(name.function, files.get(name.file, name.file))
        before = gone.get((one.row["kind"], name)) if one.change == NEW else None
        if before:
            old = next((other for other in before if _reason(other) == _reason(one)), before[0])
            before.remove(old)
            dropped.add(old.base_index)
            one = Matched(_change(old.row, one.row), old.base, one.new, old.base_index, one.new_index)
        found.append(one)
    return [one for one in found if one.change != GONE or one.base_index not in dropped]


def _reason(one: Matched) -> Any:
    return one.row["details"].get("reason")


def _name(row: Row) -> Name:
    file = (row["file"] or "").replace("\\", "/").rpartition("/")[2]
    return Name(function_of(row["function"]), file)


def _both_sides(matched: Sequence[Matched]) -> set[_Place]:
    """Return places with both new and gone findings of a kind; without a function, kinds alone match."""
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
    """Return the kinds of which a table does not list all findings."""
    return {
        kind["kind"] for row in rows if row["kind"] == UNLISTED for kind in row["details"].get("kinds", [])
    }
