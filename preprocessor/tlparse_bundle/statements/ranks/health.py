"""Where each rank stands: whose log is missing, cut or silent, who is inside a compile, who never began it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_sets import gaps

KINDS = ("missing", "empty", "cut", "unfinished", "silent", "stopped", "other_logs", "equal_logs")
_CUT = (
    "record-cut",
    "payload-md5",
    "payload-missing",
)  # diagnostics; of the last record they mean that the log ends in it
_NOTHING = {
    "phase": None, "span": None, "since_epoch_us": None, "open_us": None, "finished": [], "never_began": [],
}  # fmt: skip


class Health:
    name = "health"

    def digest(self, frames: Frames) -> dict:
        """Whether the log is cut, and frames that did not end: [frame, last artifact, span, its begin]."""
        log = frames.log
        at_end = {
            row["code"]
            for row in frames.table("diagnostics")
            if row["event"] in (None, log.directory["event_count"] - 1)
        }
        cut = "record-cut" in log.row["diagnostics"] or bool(at_end.intersection(_CUT))
        return {"cut": cut, "unfinished": _open(frames)}

    def tables(self, comparison: Comparison, digests: Sequence[dict], tables: Tables) -> Iterator[RankTable]:
        present = {member.rank for member in comparison.members}
        run = comparison.runs[comparison.run]
        ends = [run.logs[member.rank].last_epoch_us for member in comparison.members]
        missing = gaps(present, max(run.world_size or 0, max(present)))
        last = max((end for end in ends if end is not None), default=None)
        rows = []

        def add(kind: str, members: Sequence[int], **cells: object) -> None:
            times = [ends[member] for member in members]
            rows.append(
                {
                    "kind": kind,
                    "rank_compile": None,
                    "compile": None,
                    "ranks": comparison.ranks(members),
                    "logs": [comparison.members[member].row["id"] for member in members],
                    "last_epoch_us": min((time for time in times if time is not None), default=None),
                    "others_last_epoch_us": last,
                    **_NOTHING,
                    **cells,
                }
            )

        if missing:
            add("missing", [], ranks=missing)
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
                add("other_logs", [number], logs=others)
        for members in _equal(comparison):
            add("equal_logs", members)
        stuck = _unfinished(comparison, digests)
        for column, places in stuck.items():
            finished = [m for m in comparison.having(column) if m not in places]
            never = [m for m in range(len(comparison.members)) if comparison.cells[m][column] < 0]
            times = {
                m: ends[m] - since for m, (_, _, since) in places.items() if None not in (since, ends[m])
            }
            longest = max(times, key=times.__getitem__, default=min(places))
            phase, span, since = places[longest]
            cells = {
                "phase": phase,
                "span": span,
                "since_epoch_us": since,
                "open_us": times.get(longest),
                "finished": comparison.ranks(finished),
                "never_began": comparison.ranks(never),
            }
            add(
                "unfinished",
                list(places),
                rank_compile=column,
                compile=comparison.key(sorted(places), column),
                **cells,
            )
        inside = {member for places in stuck.values() for member in places}
        for kind, column, members in _ended(comparison, inside):
            add(
                kind,
                members,
                rank_compile=column,
                finished=comparison.ranks(set(comparison.having(column)) - inside),
            )
        yield "rank_problems", sorted(rows, key=lambda row: (KINDS.index(row["kind"]), row["ranks"]))


def _open(frames: Frames) -> list[list]:
    """As the findings of the log have it."""
    found = []
    for row in frames.table("findings"):
        number = (
            frames.number(row["compiles"][0])
            if row["kind"] == "unfinished-compile" and row["compiles"]
            else None
        )
        if number is not None:
            names = [artifact.name for artifact in frames.artifacts(number)]
            spans = row["details"]["open_spans"]
            found.append(
                [
                    number,
                    names[-1] if names else None,
                    spans[-1]["name"] if spans else None,
                    row["details"]["started_epoch_us"],
                ]
            )
    return found


def _equal(comparison: Comparison) -> list[list[int]]:
    """Members whose logs are equal byte for byte: one of them is a copy."""
    same: dict[str, list[int]] = {}
    for number, member in enumerate(comparison.members):
        if member.row["event_count"]:
            same.setdefault(member.row["source"]["sha256"], []).append(number)
    return [numbers for numbers in same.values() if len(numbers) > 1]


def _unfinished(comparison: Comparison, digests: Sequence[dict]) -> dict[int, dict[int, list]]:
    """Column -> member that is inside of it -> [last artifact, span, begin]."""
    found: dict[int, dict[int, list]] = {}
    for member, digest in enumerate(digests):
        order = comparison.orders[comparison.kind[member]]
        for number, *where in digest["unfinished"]:
            found.setdefault(order[number], {})[member] = where
    return dict(sorted(found.items()))


def _ended(comparison: Comparison, stuck: set[int]) -> list[tuple[str, int, list[int]]]:
    """(kind, first column that is lacking, members) of those without any compile, or without the last ones of
    others that have all of theirs.
    """
    count = len(comparison.members)
    usual = [
        column for column in range(len(comparison.columns)) if 2 * len(comparison.having(column)) >= count
    ]
    found: dict[tuple, list[int]] = {}
    for members in comparison.kinds:
        own = set(comparison.orders[comparison.kind[members[0]]])
        lacking = [column for column in usual if column not in own]
        ended = [member for member in members if member not in stuck]
        if not lacking or not ended or lacking != usual[len(usual) - len(lacking) :]:
            continue
        if not own:
            found.setdefault(("silent", lacking[0]), []).extend(ended)
        elif all(
            own.issubset(comparison.orders[comparison.kind[member]])
            for member in comparison.having(lacking[0])
        ):
            found.setdefault(("stopped", lacking[0]), []).extend(ended)
    return [(kind, column, sorted(members)) for (kind, column), members in sorted(found.items())]
