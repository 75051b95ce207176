"""Tables of the matched compiles and of the first divergence of each rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Literal

from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Code, Frames
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import Ranges, ranks_in
from tlparse_bundle.statements.ranks.wording import Templates, Words
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankCompilesRow, RankDivergencesRow


class Matching:
    name = "matching"

    def digest(self, frames: Frames) -> None:
        return None

    def tables(self, comparison: Comparison, digests: Sequence[None], tables: Tables) -> Iterator[RankTable]:
        yield (
            "rank_roles",
            [{"id": number, "ranks": comparison.ranks(role)} for number, role in enumerate(comparison.roles)],
        )
        yield "rank_compiles", _compiles(comparison)
        yield (
            "rank_compile_keys",
            [
                {
                    "ranks": comparison.ranks(numbers),
                    "compiles": [_key(comparison, numbers[0], c) for c in range(len(comparison.columns))],
                }
                for numbers in comparison.kinds
            ],
        )
        yield "rank_divergences", _divergences(comparison)


def _key(comparison: Comparison, member: int, column: int) -> str | None:
    frame = comparison.frame(member, column)
    return None if frame is None else frame.key


def _compiles(comparison: Comparison) -> list[RankCompilesRow]:
    numbers: dict[Code, count[int]] = {}
    return [
        {
            "id": number,
            "role": column.role,
            "function": comparison.usual(number, lambda frame: frame.function),
            "file": comparison.usual(number, lambda frame: frame.filename),
            "first_line": comparison.usual(number, lambda frame: frame.first_line),
            "number": next(numbers.setdefault(column.code, count(1))),
            "compile": comparison.usual(number, lambda frame: frame.key) or "",
            "ranks": comparison.ranks(comparison.having(number)),
        }
        for number, column in enumerate(comparison.columns)
    ]


def _divergences(comparison: Comparison) -> list[RankDivergencesRow]:
    """Return the first place where each kind of rank differs from most of its role (in a tie, from the first
    kind).
    """
    usual = [comparison.usual(column, lambda frame: frame.graph) for column in range(len(comparison.columns))]
    ids = [comparison.usual(column, lambda frame: frame.key) for column in range(len(comparison.columns))]
    rows: list[RankDivergencesRow] = []
    for role in comparison.roles:
        expected = _expected(comparison, role)
        for order, members in zip(comparison.orders, comparison.kinds, strict=True):
            if members[0] not in comparison.part_of(role[0]):
                continue
            frames = comparison.frames[members[0]]
            difference = _first(order, expected, [frame.graph for frame in frames], usual)
            if difference is not None:
                kind, column, number = difference
                later = zip(order[number:], frames[number:], strict=True)
                shifted = any(ids[other] != frame.key for other, frame in later if other in expected)
                rows.append(
                    {
                        "rank_compile": column,
                        "ranks": comparison.ranks(members),
                        "kind": kind,
                        "number": number + 1,
                        "shifted": shifted,
                    }
                )
    return sorted(rows, key=lambda row: row["ranks"])


def _expected(comparison: Comparison, role: Sequence[int]) -> list[int]:
    """Return the columns that most members of a role have, in order."""
    part = comparison.part_of(role[0])
    first = set(comparison.usual_order(role))
    expected = []
    for column in range(len(comparison.columns)):
        having = len(part.intersection(comparison.having(column)))
        if having * 2 > len(part) or (having * 2 == len(part) and column in first):
            expected.append(column)
    return expected


def _first(
    order: list[int], expected: list[int], mine: list[str | None], usual: list[str | None]
) -> tuple[Literal["extra", "missing", "order", "graph"], int, int] | None:
    """Return (kind, column, number of the frame) of the first difference."""
    common = set(expected)
    for number, column in enumerate(order):
        if number >= len(expected) or column not in common:
            return "extra", column, number
        if column != expected[number]:
            lacking = expected[number] not in order
            return ("missing" if lacking else "order"), (expected[number] if lacking else column), number
        if mine[number] is not None and mine[number] != usual[column]:
            return "graph", column, number
    return ("missing", expected[len(order)], len(order)) if len(order) < len(expected) else None


def findings(finder: Finder) -> Iterator[RankFinding]:
    shifted = {_key_of(row["ranks"]): row["shifted"] for row in finder.table("rank_divergences")}
    not_reached = _not_reached(finder)
    comparison = finder.comparison
    first = {column for role in comparison.roles for column in comparison.usual_order(role)}
    with_calls = {row["rank_compile"] for row in finder.table("rank_compile_calls")}
    resized = {
        row["rank_compile"]
        for row in finder.table("rank_occurrences")
        if row["kind"] == "recompile" and row["type"] == "size"
    }
    for column, row in enumerate(finder.table("rank_compiles")):
        having = {finder.member_of[rank] for rank in ranks_in(row["ranks"])}
        lacking = comparison.part(column) - having
        rare = len(having) < len(lacking) or (len(having) == len(lacking) and column not in first)
        members = (
            having if rare else {m for m in lacking if not not_reached(comparison.members[m].rank, column)}
        )
        if members:
            ranks = comparison.ranks(members)
            harmless = rare and (column not in with_calls or column in resized)
            yield finder.finding(
                "extra-compile" if rare else "missing-compile",
                "info" if harmless else "warning",
                ranks,
                "rank_compiles",
                {"shifted": shifted.get(_key_of(ranks), False)},
                others=comparison.ranks(lacking if rare else having),
                column=column,
            )
    for divergence in finder.table("rank_divergences"):
        if divergence["kind"] == "order":
            yield finder.finding(
                "compile-order",
                "warning",
                divergence["ranks"],
                "rank_divergences",
                {"shifted": divergence["shifted"]},
                column=divergence["rank_compile"],
            )


def _key_of(ranks: Ranges) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, ranks))


def _not_reached(finder: Finder) -> Callable[[int, int], bool]:
    """Return a function from (rank, column) to whether a finding reports that the rank ended before it."""
    problems = finder.table("rank_problems")
    never_began = {
        (problem["rank_compile"], rank) for problem in problems for rank in ranks_in(problem["never_began"])
    }
    ended = {
        rank: problem["rank_compile"]
        for problem in problems
        if problem["kind"] in ("silent", "stopped") and problem["rank_compile"] is not None
        for rank in ranks_in(problem["ranks"])
    }
    return lambda rank, column: (column, rank) in never_began or column >= ended.get(rank, column + 1)


def _shifted(words: Words) -> str:
    return "Later compile ids are shifted." if words.details["shifted"] else ""


TEMPLATES: Templates = {
    "extra-compile": lambda words: (
        f"Only {words.ranks} compiled {words.mine}",
        _shifted(words),
    ),
    "missing-compile": lambda words: (
        f"{words.ranks} did not compile {words.theirs}, but {words.others} did",
        _shifted(words),
    ),
    "compile-order": lambda words: (
        f"{words.ranks} compiled {words.mine} in a different order",
        _shifted(words),
    ),
}

REFERENCE: dict[str, KindReference] = {
    "extra-compile": KindReference(
        "Extra compile",
        "A minority of the ranks compiled this, and the others did not. On these ranks, later compile "
        "ids can be shifted.",
        "Find the branch or the graph break that only these ranks reach.",
        "Compiles are matched by function, file, line, order and graph, so shifted ids alone are not "
        "reported.",
    ),
    "missing-compile": KindReference(
        "Missing compile",
        "Most ranks compiled this, and these ranks did not.",
        "Find out why these ranks do not reach the code or run it eager.",
        "A rank whose log ends before this compile is reported with the reason for its end instead.",
    ),
    "compile-order": KindReference(
        "Different compile order",
        "These ranks compiled the same functions in a different order than most ranks.",
        "Check whether the ranks call the functions in the same order.",
        "A rank with missing or extra compiles gets those findings instead.",
    ),
}
