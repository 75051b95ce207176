"""In which order the ranks ran their compiled graphs, and what they disagree about at each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from tlparse_bundle.ranks.comparison import Comparison
from tlparse_bundle.ranks.frames import Frames
from tlparse_bundle.ranks.sets import grouped, ranks_in
from tlparse_bundle.ranks.steps import recorded_steps

MAX_MISMATCHES = 1000


class Execution:
    name = "execution"

    def digest(self, frames: Frames) -> list[list] | None:
        return recorded_steps(frames)

    def table(self, comparison: Comparison, digests: Sequence[list | None], tables: Mapping[str, dict]) -> dict:
        orders = _orders(comparison, digests)
        groups = grouped(orders)
        known: dict[tuple, int] = {}
        ids: list[str | None] = []
        rows = []
        for keys, members in groups:
            steps = []
            for position, key in enumerate(keys):
                if key not in known:
                    known[key] = len(known)
                    ids.append(digests[members[0]][position][1])
                steps.append(known[key])
            first = rows[0]["steps"] if rows else steps
            rows.append(
                {"ranks": comparison.ranks(members), "steps": steps, "first_difference": _first_difference(steps, first) if rows else None}
            )
        lacking = [n for n, digest in enumerate(digests) if digest is None and comparison.frames[n]] if groups else []
        return {
            "steps": [{"column_index": column, "compile_id": id_} for (column, *_), id_ in zip(known, ids)],
            "groups": rows,
            "mismatches": _mismatches(comparison, groups, known, tables)[:MAX_MISMATCHES],
            "without": comparison.ranks(lacking),
        }


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


def _first_difference(steps: list[int], first: list[int]) -> dict | None:
    for position, (here, there) in enumerate(zip_longest(steps, first)):
        if here != there:
            return {"position": position, "here": here, "others": there}
    return None


def _mismatches(comparison: Comparison, groups: list, known: dict[tuple, int], tables: Mapping[str, dict]) -> list[dict]:
    """Steps at which ranks have other collectives, or other outcomes of the caches."""
    if len(groups) == 0:
        return []
    texts = {"schedule": _schedule_texts(tables["collectives"]), "cache": _cache_texts(tables["caches"])}
    rows = []
    for position in range(max(len(keys) for keys, _ in groups)):
        at = [(keys[position], members) for keys, members in groups if position < len(keys)]
        for kind, found in texts.items():
            alike = grouped(
                ((known[key], found.get((key[0], comparison.members[member].rank), found.get((key[0], None), ""))), (member,))
                for key, members in at
                for member in members
            )
            if len({text for (_, text), _ in alike}) > 1:
                cells = [{"ranks": comparison.ranks(members), "step": step, "value": text} for (step, text), members in alike]
                rows.append({"position": position, "kind": kind, "groups": cells})
    return rows


def _schedule_texts(table: dict) -> dict[tuple, str]:
    """(column, rank) -> its collectives; of a rank that does not tell, those of most."""
    found: dict[tuple, str] = {}
    for row in table["columns"]:
        for number, group in enumerate(row["groups"]):
            text = ", ".join(table["ops"][op] for sequence in group["sequences"] for op in table["sequences"][sequence])
            for rank in [*ranks_in(group["ranks"]), *(ranks_in(row["without"]) if number == 0 else ())]:
                found[row["column_index"], rank] = text
    return found


def _cache_texts(table: dict) -> dict[tuple, str]:
    """(column, rank) -> outcomes, of the columns in which they differ."""
    return {
        (row["column_index"], rank): ", ".join(group["outcomes"])
        for row in table["columns"]
        for group in row["groups"]
        for rank in ranks_in(group["ranks"])
    }
