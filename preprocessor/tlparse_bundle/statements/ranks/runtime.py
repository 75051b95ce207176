"""Estimated run times, compared across ranks: the spread of each graph, and the operations behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames

MAX_OPS = 10
MAX_GRAPHS = 100  # of which operations are compared


class Runtime:
    name = "runtime"

    def digest(self, frames: Frames) -> list[list[list]]:
        """For each frame, for each of its graphs: number of operations, sum of their estimates in
        nanoseconds.
        """
        found: list[list[list]] = [[] for _ in range(len(frames))]
        for row in frames.table("runtime_estimates"):
            number = frames.number_of(row)
            if number is not None:
                found[number].append(
                    [row["op_count"], (row["compute_runtime_ns"] or 0) + (row["collective_runtime_ns"] or 0)]
                )
        return found

    def tables(self, comparison: Comparison, digests: Sequence[list], tables: Tables) -> Iterator[RankTable]:
        rows = []
        for column in range(len(comparison.columns)):
            of_member = {
                m: digests[m][cell]
                for m, cell in enumerate(cells[column] for cells in comparison.cells)
                if cell >= 0
            }
            for graph in range(max(map(len, of_member.values()), default=0)):
                row = _graph(
                    comparison,
                    column,
                    graph,
                    {m: graphs[graph] for m, graphs in of_member.items() if graph < len(graphs)},
                )
                if row is not None:
                    rows.append(row)
        yield "rank_estimates", rows
        differing = [row for row in rows if row["fastest_ns"] < row["slowest_ns"]]
        explained = sorted(differing, key=lambda row: row["fastest_ns"] - row["slowest_ns"])[:MAX_GRAPHS]
        yield (
            "rank_estimate_ops",
            [
                op
                for row in sorted(explained, key=lambda row: (row["rank_compile"], row["graph"]))
                for op in _ops(comparison, row)
            ],
        )
        yield (
            "rank_estimate_totals",
            [
                {
                    "rank": member.rank,
                    "total_ns": sum(ns for graphs in digest for _, ns in graphs),
                    "graph_count": sum(map(len, digest)),
                }
                for member, digest in zip(comparison.members, digests)
                if any(digest)
            ],
        )


def _graph(comparison: Comparison, column: int, graph: int, found: dict[int, list]) -> dict | None:
    """The row of one graph: of the members with the most usual number of operations; None for less than two."""
    usual = Counter(count for count, _ in found.values()).most_common(1)[0][0]
    sums = {member: ns for member, (count, ns) in found.items() if count == usual}
    if len(sums) < 2:
        return None
    fastest, slowest = min(sums, key=sums.__getitem__), max(sums, key=sums.__getitem__)
    return {
        "rank_compile": column,
        "graph": graph,
        "ranks": comparison.ranks(sums),
        "fastest_rank": comparison.members[fastest].rank,
        "fastest_ns": sums[fastest],
        "slowest_rank": comparison.members[slowest].rank,
        "slowest_ns": sums[slowest],
        "median_ns": median(sums.values()),
    }


def _ops(comparison: Comparison, row: dict) -> list[dict]:
    place = {member.rank: number for number, member in enumerate(comparison.members)}
    fast, slow = (_estimates(comparison, place[row[key]], row) for key in ("fastest_rank", "slowest_rank"))
    ops = [
        {
            "rank_compile": row["rank_compile"],
            "graph": row["graph"],
            "position": position,
            "name": name,
            "fastest_ns": here,
            "slowest_ns": there,
        }
        for position, ((_, here), (name, there)) in enumerate(zip(fast, slow))
        if here != there
    ]
    return sorted(ops, key=lambda op: -abs((op["slowest_ns"] or 0) - (op["fastest_ns"] or 0)))[:MAX_OPS]


def _estimates(comparison: Comparison, member: int, row: dict) -> list[tuple[str | None, float | None]]:
    """(name, nanoseconds) of the operations of a graph."""
    frames = comparison.opened(member)
    cell = comparison.cells[member][row["rank_compile"]]
    mine = [
        estimate["event"]
        for estimate in frames.table("runtime_estimates")
        if frames.number_of(estimate) == cell
    ]
    return [
        (op["name"], op["estimated_runtime_ns"])
        for op in frames.table("estimated_ops")
        if op["estimate_event"] == mine[row["graph"]]
    ]
