"""How far each rank came: missing, cut and empty logs, ranks inside a compile, ranks that never began it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypedDict

from tlparse_bundle.bundle.row_types import RankProblemsRow
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_sets import gaps

Kind = Literal["missing", "empty", "cut", "unfinished", "silent", "stopped", "other_logs", "equal_logs"]
KINDS: tuple[Kind, ...] = (
    "missing", "empty", "cut", "unfinished", "silent", "stopped", "other_logs", "equal_logs",
)  # fmt: skip
# Diagnostics; for the last record they mean that the log ends in it.
_CUT = ("record-cut", "payload-md5", "payload-missing")


class _Unfinished(NamedTuple):
    """A compile that did not end: its frame, the last artifact, the open span and its start."""

    frame: int
    phase: str | None
    span: str | None
    since_epoch_us: int | None


class HealthDigest(TypedDict):
    cut: bool
    unfinished: list[list[Any]]  # the cells of each _Unfinished


class Health:
    name = "health"

    def digest(self, frames: Frames) -> HealthDigest:
        log = frames.log
        at_end = {
            row["code"]
            for row in frames.table("diagnostics")
            if row["event"] in (None, log.directory["event_count"] - 1)
        }
        cut = "record-cut" in log.row["diagnostics"] or bool(at_end.intersection(_CUT))
        return {"cut": cut, "unfinished": [list(place) for place in _open(frames)]}

    def tables(
        self, comparison: Comparison, digests: Sequence[HealthDigest], tables: Tables
    ) -> Iterator[RankTable]:
        present = {member.rank for member in comparison.members}
        run = comparison.runs[comparison.run]
        ends = [run.logs[member.rank].last_epoch_us for member in comparison.members]
        missing = gaps(present, max(run.world_size or 0, max(present)))
        last = max((end for end in ends if end is not None), default=None)
        rows: list[RankProblemsRow] = []

        def add(kind: Kind, members: Sequence[int], column: int | None = None) -> RankProblemsRow:
            times = [ends[member] for member in members]
            row: RankProblemsRow = {
                "kind": kind,
                "rank_compile": column,
                "compile": None,
                "ranks": comparison.ranks(members),
                "logs": [comparison.members[member].row["id"] for member in members],
                "last_epoch_us": min((time for time in times if time is not None), default=None),
                "others_last_epoch_us": last,
                "phase": None,
                "span": None,
                "since_epoch_us": None,
                "open_us": None,
                "finished": [],
                "never_began": [],
            }
            rows.append(row)
            return row

        if missing:
            add("missing", [])["ranks"] = missing
        for number, member in enumerate(comparison.members):
            row = member.row
            if not row["event_count"]:
                add("empty", [number])
            elif digests[number]["cut"]:
                add("cut", [number])
            if others := [
                other["id"]
                for other in comparison.logs
                if other["rank"] == member.rank and other["id"] != row["id"]
            ]:
                add("other_logs", [number])["logs"] = others
        for members in _equal(comparison):
            add("equal_logs", members)
        stuck = _unfinished(comparison, digests)
        for column, places in stuck.items():
            never = [m for m in range(len(comparison.members)) if comparison.cells[m][column] < 0]
            times = {
                member: end - place.since_epoch_us
                for member, place in places.items()
                if place.since_epoch_us is not None and (end := ends[member]) is not None
            }
            longest = max(times, key=times.__getitem__, default=min(places))
            problem = add("unfinished", list(places), column)
            problem["compile"] = comparison.key(sorted(places), column)
            problem["phase"] = places[longest].phase
            problem["span"] = places[longest].span
            problem["since_epoch_us"] = places[longest].since_epoch_us
            problem["open_us"] = times.get(longest)
            problem["finished"] = comparison.ranks(m for m in comparison.having(column) if m not in places)
            problem["never_began"] = comparison.ranks(never)
        inside = {member for places in stuck.values() for member in places}
        for kind, column, members in _ended(comparison, inside):
            problem = add(kind, members, column)
            problem["finished"] = comparison.ranks(set(comparison.having(column)) - inside)
        yield "rank_problems", sorted(rows, key=lambda row: (KINDS.index(row["kind"]), row["ranks"]))


def _open(frames: Frames) -> list[_Unfinished]:
    """Return the compiles that did not end, from the findings of the log."""
    unfinished = []
    for row in frames.table("findings"):
        number = (
            frames.number(row["compiles"][0])
            if row["kind"] == "unfinished-compile" and row["compiles"]
            else None
        )
        if number is not None:
            artifacts = frames.artifacts(number)
            spans = row["details"]["open_spans"]
            unfinished.append(
                _Unfinished(
                    number,
                    artifacts[-1].name if artifacts else None,
                    spans[-1]["name"] if spans else None,
                    row["details"]["started_epoch_us"],
                )
            )
    return unfinished


def _equal(comparison: Comparison) -> list[list[int]]:
    """Return members whose logs are equal byte for byte: all but one are copies."""
    same: dict[str, list[int]] = {}
    for number, member in enumerate(comparison.members):
        if member.row["event_count"]:
            same.setdefault(member.row["source"]["sha256"], []).append(number)
    return [numbers for numbers in same.values() if len(numbers) > 1]


def _unfinished(comparison: Comparison, digests: Sequence[HealthDigest]) -> dict[int, dict[int, _Unfinished]]:
    """Return the members that are inside a compile, by column."""
    inside: dict[int, dict[int, _Unfinished]] = {}
    for member, digest in enumerate(digests):
        order = comparison.orders[comparison.kind[member]]
        for place in map(_Unfinished._make, digest["unfinished"]):
            inside.setdefault(order[place.frame], {})[member] = place
    return dict(sorted(inside.items()))


def _ended(
    comparison: Comparison, stuck: set[int]
) -> list[tuple[Literal["silent", "stopped"], int, list[int]]]:
    """Return (kind, first missing column, members) of those without any compile, or without the last ones of
    others that have all of theirs.
    """
    count = len(comparison.members)
    usual = [
        column for column in range(len(comparison.columns)) if 2 * len(comparison.having(column)) >= count
    ]
    members_of: dict[tuple[Literal["silent", "stopped"], int], list[int]] = {}
    for members in comparison.kinds:
        own = set(comparison.orders[comparison.kind[members[0]]])
        missing = [column for column in usual if column not in own]
        ended = [member for member in members if member not in stuck]
        if not missing or not ended or missing != usual[len(usual) - len(missing) :]:
            continue
        if not own:
            members_of.setdefault(("silent", missing[0]), []).extend(ended)
        elif all(
            own.issubset(comparison.orders[comparison.kind[member]])
            for member in comparison.having(missing[0])
        ):
            members_of.setdefault(("stopped", missing[0]), []).extend(ended)
    return [(kind, column, sorted(members)) for (kind, column), members in sorted(members_of.items())]
