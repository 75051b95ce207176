"""Estimates of compiled graphs across ranks: runtimes and output tensors of operations."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, TypedDict

from tlparse_bundle.base.wording import code
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import odd_groups, of_compiles, ranks_in
from tlparse_bundle.statements.ranks.wording import Templates, Words
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        EstimatedOpsOutputs,
        RankEstimateOpsRow,
        RankEstimatesRow,
        RankTensorsHere,
        RankTensorsOthers,
        RankTensorsRow,
    )

    Op = tuple[str | None, list[EstimatedOpsOutputs]]  # name, tensors

MAX_OPS = 10
MAX_GRAPHS = 100  # whose operations are compared
MAX_SHOWN = 500  # groups whose first different tensor is read

Estimate = tuple[int, float]  # number of operations of a graph, sum of their estimates in nanoseconds


class _Difference(TypedDict):
    """Where the tensors of a group first differ."""

    graph: int | None
    position: int | None
    name: str | None
    here: list[RankTensorsHere] | None
    others: list[RankTensorsOthers] | None


_SAME: _Difference = {"graph": None, "position": None, "name": None, "here": None, "others": None}


class Runtime:
    name = "runtime"

    def digest(self, frames: Frames) -> list[list[Estimate]]:
        """Return the estimates of the graphs of each frame."""
        estimates: list[list[Estimate]] = [[] for _ in range(len(frames))]
        for row in frames.table("runtime_estimates"):
            number = frames.number_of(row)
            if number is not None:
                total_ns = (row["compute_runtime_ns"] or 0) + (row["collective_runtime_ns"] or 0)
                estimates[number].append((row["op_count"], total_ns))
        return estimates

    def tables(
        self, comparison: Comparison, digests: Sequence[list[list[Estimate]]], tables: Tables
    ) -> Iterator[RankTable]:
        rows: list[RankEstimatesRow] = []
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
                for member, digest in zip(comparison.members, digests, strict=True)
                if any(digest)
            ],
        )


def _graph(
    comparison: Comparison, column: int, graph: int, estimates: dict[int, Estimate]
) -> RankEstimatesRow | None:
    """Return the row of a graph for members with the usual number of operations; None for fewer than 2."""
    usual = Counter(count for count, _ in estimates.values()).most_common(1)[0][0]
    sums = {member: ns for member, (count, ns) in estimates.items() if count == usual}
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


def _ops(comparison: Comparison, row: RankEstimatesRow) -> list[RankEstimateOpsRow]:
    place = {member.rank: number for number, member in enumerate(comparison.members)}
    fast, slow = (
        _estimates(comparison, place[rank], row) for rank in (row["fastest_rank"], row["slowest_rank"])
    )
    ops: list[RankEstimateOpsRow] = [
        {
            "rank_compile": row["rank_compile"],
            "graph": row["graph"],
            "position": position,
            "name": name,
            "fastest_ns": here,
            "slowest_ns": there,
        }
        for position, ((_, here), (name, there)) in enumerate(zip(fast, slow, strict=False))
        if here != there
    ]
    return sorted(ops, key=lambda op: -abs((op["slowest_ns"] or 0) - (op["fastest_ns"] or 0)))[:MAX_OPS]


def _estimates(
    comparison: Comparison, member: int, row: RankEstimatesRow
) -> list[tuple[str | None, float | None]]:
    """Return (name, nanoseconds) of the operations of a graph."""
    frames = comparison.opened(member)
    cell = comparison.cells[member][row["rank_compile"]]
    events = [
        estimate["event"]
        for estimate in frames.table("runtime_estimates")
        if frames.number_of(estimate) == cell
    ]
    return [
        (op["name"], op["estimated_runtime_ns"])
        for op in frames.table("estimated_ops")
        if op["estimate_event"] == events[row["graph"]]
    ]


class Tensors:
    name = "tensors"

    def digest(self, frames: Frames) -> list[tuple[str, int] | None]:
        """Return (hash of the tensors, number of operations) of each frame; None: no estimates."""
        digests: list[tuple[str, int] | None] = [None] * len(frames)
        for number, graphs in _graphs(frames).items():
            outputs = [[[_cells(tensor) for tensor in outputs] for _, outputs in ops] for ops in graphs]
            tensors_hash = hashlib.sha256(repr(outputs).encode()).hexdigest()[:16]
            digests[number] = (tensors_hash, sum(map(len, graphs)))
        return digests

    def tables(
        self, comparison: Comparison, digests: Sequence[list[tuple[str, int] | None]], tables: Tables
    ) -> Iterator[RankTable]:
        rows: list[RankTensorsRow] = []
        shown = 0
        for column, groups in comparison.by_column(digests, _hash_and_count):
            if len(groups) > 1:
                for number, ((_, op_count), members) in enumerate(groups):
                    shown += bool(number)
                    difference = (
                        _difference(comparison, column, members[0], groups[0][1][0])
                        if number and shown <= MAX_SHOWN
                        else _SAME
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


def _hash_and_count(digest: list[Any], frame: int) -> tuple[str, int] | None:
    return digest[frame] and tuple(digest[frame])


def _graphs(frames: Frames) -> dict[int, list[list[Op]]]:
    """Return the operations of each graph, by number of the frame."""
    of_estimate: dict[int, list[Op]] = {}
    for op in frames.table("estimated_ops"):
        of_estimate.setdefault(op["estimate_event"], []).append((op["name"], op["outputs"]))
    graphs: dict[int, list[list[Op]]] = {}
    for row in frames.table("runtime_estimates"):
        number = frames.number_of(row)
        if number is not None:
            graphs.setdefault(number, []).append(of_estimate.get(row["event"], []))
    return graphs


def _cells(tensor: EstimatedOpsOutputs) -> list[Any]:
    return [tensor["shape"], tensor["stride"], tensor["dtype"]]


def _by_place(comparison: Comparison, column: int, member: int) -> Mapping[tuple[int, int], Op]:
    """Return the operations of a compile by (graph, position)."""
    graphs = _graphs(comparison.opened(member))[comparison.cells[member][column]]
    return {(graph, position): op for graph, ops in enumerate(graphs) for position, op in enumerate(ops)}


def _difference(comparison: Comparison, column: int, member: int, other: int) -> _Difference:
    """Return the fields of a row for its first difference."""
    here, there = (_by_place(comparison, column, number) for number in (member, other))
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


def findings(finder: Finder) -> Iterator[RankFinding]:
    """Yield different tensors of equal graphs."""
    graphs = of_compiles(finder.table("rank_graphs"))
    for column, groups in of_compiles(finder.table("rank_tensors")).items():
        with_different_graphs = {
            rank for row in graphs[column] if row["first_stage"] for rank in ranks_in(row["ranks"])
        }
        for group, ranks, more in odd_groups(groups):
            if not with_different_graphs.issuperset(ranks_in(ranks)):
                difference = {
                    "graph": group["graph"],
                    "position": group["position"],
                    "name": group["name"],
                    "here": group["here"],
                    "others": group["others"],
                }
                yield finder.finding(
                    "tensors",
                    "warning",
                    ranks,
                    "rank_tensors",
                    {**(difference if group["graph"] is not None else {}), **more},
                    others=groups[0]["ranks"],
                    column=column,
                )


def _tensors(words: Words) -> str | tuple[str, str]:
    details = words.details
    if details.get("graph") and details["position"] == 0 and None in (details["here"], details["others"]):
        # A backward is compiled when it first runs.
        has, lacks = (
            (words.ranks, words.others) if details["here"] is not None else (words.others, words.ranks)
        )
        return f"Only {has}, not {lacks}, compiled another graph of {words.mine}, such as its backward"
    first = f", starting at {code(details['name'])}" if details.get("name") else ""
    title = f"On {words.ranks}, {words.mine} computes different tensors{first}"
    pairs = zip(details.get("here") or (), details.get("others") or (), strict=False)
    here, others = next(((mine, its) for mine, its in pairs if mine != its), (None, None))
    return (title, f"It returns {_tensor(here)} instead of {_tensor(others)}.") if here and others else title


def _tensor(tensor: EstimatedOpsOutputs) -> str:
    """Return a tensor as "`float32 (16, 8), stride (8, 1)`"."""
    shape, stride = (", ".join(map(str, tensor[numbers] or ())) for numbers in ("shape", "stride"))
    return code(f"{tensor['dtype']} ({shape}), stride ({stride})")


TEMPLATES: Templates = {"tensors": _tensors}

REFERENCE: dict[str, KindReference] = {
    "tensors": KindReference(
        "Different output tensors",
        "Operations of the same graph return tensors with a different shape, stride or data type on "
        "these ranks.",
        "Compare the inputs of the compile on both sides.",
        "Needs the estimates that torch logs with `LOG_TLPARSE=1`. Ranks with different graphs are "
        "not compared. A graph with dynamic shapes may run with different sizes on each rank.",
    ),
}
