"""Which operations of compiled code return other tensors on other ranks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames

MAX_SHOWN = 500  # groups of which the first difference is read
_FIELDS = ("shape", "stride", "dtype")
_SAME = {"graph": None, "position": None, "name": None, "here": None, "others": None}  # no first difference


class Tensors:
    name = "tensors"

    def digest(self, frames: Frames) -> list[list | None]:
        """For each frame what stands for its tensors and the number of its operations; None without any."""
        found: list[list | None] = [None] * len(frames)
        for number, graphs in _graphs(frames).items():
            outputs = [[[_cells(tensor) for tensor in outputs] for _, outputs in ops] for ops in graphs]
            found[number] = [hashlib.sha256(repr(outputs).encode()).hexdigest()[:16], sum(map(len, graphs))]
        return found

    def tables(self, comparison: Comparison, digests: Sequence[list], tables: Tables) -> Iterator[RankTable]:
        rows, shown = [], 0
        for column, groups in comparison.by_column(
            digests, lambda digest, frame: digest[frame] and tuple(digest[frame])
        ):
            if len(groups) > 1:
                for number, ((_, op_count), members) in enumerate(groups):
                    shown += bool(number)
                    wanted = number and shown <= MAX_SHOWN
                    difference = (
                        _difference(comparison, column, members[0], groups[0][1][0]) if wanted else _SAME
                    )
                    rows.append(
                        {
                            "rank_compile": column,
                            "ranks": comparison.ranks(members),
                            "op_count": op_count,
                            **difference,
                        }
                    )
        yield "rank_tensors", rows


def _graphs(frames: Frames) -> dict[int, list[list[tuple[str | None, list[dict]]]]]:
    """Number of the frame -> its graphs: operations as (name, tensors)."""
    of_estimate: dict[int, list[tuple[str | None, list[dict]]]] = {}
    for op in frames.table("estimated_ops"):
        of_estimate.setdefault(op["estimate_event"], []).append((op["name"], op["outputs"]))
    found: dict[int, list] = {}
    for row in frames.table("runtime_estimates"):
        number = frames.number_of(row)
        if number is not None:
            found.setdefault(number, []).append(of_estimate.get(row["event"], []))
    return found


def _cells(tensor: dict) -> list:
    return [tensor[field] for field in _FIELDS]


def _flat(graphs: list) -> Iterator[tuple[int, int, str | None, list[dict]]]:
    for graph, ops in enumerate(graphs):
        for position, (name, outputs) in enumerate(ops):
            yield graph, position, name, outputs


def _difference(comparison: Comparison, column: int, member: int, other: int) -> dict:
    """The fields of a row that say where the first difference is."""
    here, there = (
        {
            (graph, position): (name, outputs)
            for graph, position, name, outputs in _flat(
                _graphs(comparison.opened(m))[comparison.cells[m][column]]
            )
        }
        for m in (member, other)
    )
    for place in sorted({*here, *there}):
        name, mine = here.get(place, (None, None))
        other_name, others = there.get(place, (None, None))
        if mine != others:
            return {
                "graph": place[0],
                "position": place[1],
                "name": name or other_name,
                "here": mine,
                "others": others,
            }
    return _SAME
