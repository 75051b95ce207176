"""In which order the ranks ran their compiled graphs, and what they disagree about at each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames, recorded_steps
from tlparse_bundle.statements.ranks.rank_sets import grouped, of_compiles, ranks_in

MAX_MISMATCHES = 1000
_SAME = {"position": None, "here_rank_step": None, "others_rank_step": None}  # no first difference


class Execution:
    name = "execution"

    def digest(self, frames: Frames) -> list[list] | None:
        return recorded_steps(frames)

    def tables(
        self, comparison: Comparison, digests: Sequence[list | None], tables: Tables
    ) -> Iterator[RankTable]:
        groups = grouped(_orders(comparison, digests))
        known: dict[tuple, int] = {}
        ids: list[str | None] = []
        rows: list[dict] = []
        for keys, members in groups:
            steps = []
            for position, key in enumerate(keys):
                if key not in known:
                    known[key] = len(known)
                    ids.append(digests[members[0]][position][1])
                steps.append(known[key])
            first = rows[0]["rank_steps"] if rows else steps
            rows.append(
                {"ranks": comparison.ranks(members), "rank_steps": steps, **_first_difference(steps, first)}
            )
        unknown = (
            [n for n, digest in enumerate(digests) if digest is None and comparison.frames[n]]
            if groups
            else []
        )
        if unknown:
            rows.append({"ranks": comparison.ranks(unknown), "rank_steps": None, **_SAME})
        yield (
            "rank_steps",
            [
                {"id": number, "rank_compile": column, "compile_id": id_}
                for number, ((column, *_), id_) in enumerate(zip(known, ids))
            ],
        )
        yield "rank_executions", rows
        yield "rank_execution_mismatches", _mismatches(comparison, groups, known, tables)


def _orders(comparison: Comparison, digests: Sequence[list | None]) -> list[tuple[tuple, list[int]]]:
    """(what ran, members): each step is a column, or the compile id of what was not compiled in the log."""
    found = []
    for members in comparison.alike(digests):
        digest = digests[members[0]]
        if digest is not None:
            order = comparison.orders[comparison.kind[members[0]]]
            steps = tuple((None, id_) if frame is None else (order[frame],) for frame, id_ in digest)
            found.append((steps, members))
    return found


def _first_difference(steps: list[int], first: list[int]) -> dict:
    """The fields of a row that say where the first difference is."""
    for position, (here, there) in enumerate(zip_longest(steps, first)):
        if here != there:
            return {"position": position, "here_rank_step": here, "others_rank_step": there}
    return _SAME


def _mismatches(comparison: Comparison, groups: list, known: dict[tuple, int], tables: Tables) -> list[dict]:
    """Steps at which ranks have other collectives, or other outcomes of the caches."""
    if len(groups) == 0:
        return []
    texts = {
        "schedule": _schedule_texts(tables["rank_schedules"]),
        "cache": _cache_texts(tables["rank_caches"]),
    }
    rows: list[dict] = []
    count = 0
    for position in range(max(len(keys) for keys, _ in groups)):
        at = [(keys[position], members) for keys, members in groups if position < len(keys)]
        for kind, found in texts.items():
            alike = grouped(
                (
                    (
                        known[key],
                        found.get((key[0], comparison.members[member].rank), found.get((key[0], None), "")),
                    ),
                    (member,),
                )
                for key, members in at
                for member in members
            )
            if len({text for (_, text), _ in alike}) > 1 and count < MAX_MISMATCHES:
                count += 1
                rows += [
                    {
                        "position": position,
                        "kind": kind,
                        "ranks": comparison.ranks(members),
                        "rank_step": step,
                        "value": text,
                    }
                    for (step, text), members in alike
                ]
    return rows


def _schedule_texts(rows: Sequence[dict]) -> dict[tuple, str]:
    """(matched compile, rank) -> its collectives; of a rank whose schedule is unknown, those of most."""
    found: dict[tuple, str] = {}
    for column, groups in of_compiles(rows).items():
        for group in groups:
            schedules = group["schedules"] if group["schedules"] is not None else groups[0]["schedules"]
            for rank in ranks_in(group["ranks"]):
                found[column, rank] = ", ".join(op for schedule in schedules for op in schedule)
    return found


def _cache_texts(rows: Sequence[dict]) -> dict[tuple, str]:
    """(matched compile, rank) -> outcomes, of the compiles in which they differ."""
    return {
        (row["rank_compile"], rank): ", ".join(row["outcomes"])
        for row in rows
        for rank in ranks_in(row["ranks"])
    }
