"""What the analyses found, as statements (schema: ranks_verdict) in no order yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tlparse_bundle.ranks.comparison import Comparison
from tlparse_bundle.ranks.sets import ranges, ranks_among, ranks_in

Tables = Mapping[str, dict]

# Lengths of equal compiles differ by a part of a second, and by more where several processes share the
# cores; only a rank that is far behind holds up the others.
MIN_LOST_US = 3_000_000
MIN_LOST_PART = 0.25  # of the median length of the compile
MIN_LATE_US = 10_000_000

_OF_HEALTH = {
    "missing": ("missing_rank", "warning"),
    "empty": ("empty_log", "error"),
    "cut": ("cut_log", "error"),
    "unfinished": ("unfinished_compile", "error"),
    "silent": ("silent_rank", "error"),
    "stopped": ("stopped_rank", "error"),
}
_NO_STEP = {"column_index": None, "compile_id": None}
MAX_GROUPS = 12  # of one place, of which each makes a statement of its own
_SEVERITY = {"failure": "error", "graph_break": "warning", "restart": "warning", "recompile": "warning", "guard": "info"}


def _odd(groups: list[dict]) -> Iterator[tuple[int, dict, dict]]:
    """(number, group, what to add to the details) of the groups that differ from the first.

    When there are very many, as when each rank has constants of its own, they are told as one.
    """
    if len(groups) <= MAX_GROUPS:
        yield from ((number, group, {}) for number, group in enumerate(groups) if number)
    else:
        ranks = ranges(rank for group in groups[1:] for rank in ranks_in(group["ranks"]))
        yield 1, {**groups[1], "ranks": ranks}, {"group_count": len(groups) - 1}


class Finder:
    """Makes statements of tables."""

    def __init__(self, comparison: Comparison, tables: Tables):
        self._comparison = comparison
        self._tables = tables
        self._place = {member.rank: number for number, member in enumerate(comparison.members)}
        self._ranks = sorted(self._place)

    def statements(self) -> Iterator[dict]:
        sources: tuple[Callable[[], Iterator[dict]], ...] = (
            self._health, self._occurrences, self._compiles, self._graphs, self._collectives, self._parity,
            self._execution, self._tensors, self._stragglers,
        )  # fmt: skip
        for source in sources:
            yield from source()

    def _statement(
        self,
        kind: str,
        severity: str,
        ranks: list,
        others: list | None,
        column: int | None,
        evidence: tuple[str, str],
        details: dict[str, Any],
    ) -> dict:
        members = [self._place[rank] for rank in ranks_among(ranks, self._ranks)]
        if others is None:
            others = self._comparison.ranks(set(self._place.values()) - set(members))
        other_members = [self._place[rank] for rank in ranks_among(others, self._ranks)]
        return {
            "kind": kind,
            "severity": severity,
            "ranks": ranks,
            "others": others,
            "column_index": column,
            "compile_key": None if column is None else self._comparison.key(members, column),
            "others_compile_key": None if column is None else self._comparison.key(other_members, column),
            "number": None if column is None or not members else self._number(members[0], column),
            "because_of": None,
            "evidence": {"analysis": evidence[0], "path": evidence[1]},
            "details": details,
        }

    def _number(self, member: int, column: int) -> int | None:
        cell = self._comparison.cells[member][column]
        return None if cell < 0 else cell + 1

    def _health(self) -> Iterator[dict]:
        for row, problem in enumerate(self._tables["health"]["problems"]):
            if problem["kind"] in _OF_HEALTH:
                details = {key: problem[key] for key in ("phase", "last_epoch_us", "others_last_epoch_us")}
                where = "health", f"/problems/{row}"
                yield self._statement(*_OF_HEALTH[problem["kind"]], problem["ranks"], None, problem["column_index"], where, details)

    def _occurrences(self) -> Iterator[dict]:
        guards: set[tuple] = set()
        for row, found in enumerate(self._tables["occurrences"]["occurrences"]):
            if found["kind"] == "guard":  # one statement for all guards of a column
                key = found["column_index"], str(found["ranks"])
                if key in guards:
                    continue
                guards.add(key)
            kind, where = found["kind"], ("occurrences", f"/occurrences/{row}")
            details = {key: found[key] for key in ("text", "type", "file", "line")}
            ranks, others = found["ranks"], found["others"]
            details["lacking"] = lacking = len(ranks_in(ranks)) > len(ranks_in(others))
            if lacking:
                ranks, others = others, ranks
            if lacking and kind in ("recompile", "restart"):
                continue  # a compile that they do not have at all, or another graph
            yield self._statement(kind, _SEVERITY[kind], ranks, others, found["column_index"], where, details)

    def _compiles(self) -> Iterator[dict]:
        matching = self._tables["matching"]
        shifted = {tuple(map(tuple, row["ranks"])): row["shifted"] for row in matching["divergences"]}
        everyone = set(self._place.values())
        first = set(self._comparison.orders[0])
        for column, row in enumerate(matching["columns"]):
            having = {self._place[rank] for rank in ranks_in(row["ranks"])}
            rare = len(having) * 2 < len(everyone) or len(having) * 2 == len(everyone) and column not in first
            kind, members = ("extra_compile", having) if rare else ("missing_compile", everyone - having)
            if members:
                ranks = self._comparison.ranks(members)
                moved = shifted.get(tuple(map(tuple, ranks)), False)
                yield self._statement(kind, "warning", ranks, None, column, ("matching", f"/columns/{column}"), {"shifted": moved})
        for row, divergence in enumerate(matching["divergences"]):
            if divergence["kind"] == "order":
                where = "matching", f"/divergences/{row}"
                yield self._statement(
                    "compile_order",
                    "warning",
                    divergence["ranks"],
                    None,
                    divergence["column_index"],
                    where,
                    {"shifted": divergence["shifted"]},
                )

    def _graphs(self) -> Iterator[dict]:
        for column, row in enumerate(self._tables["graphs"]["columns"]):
            for number, group, told in _odd(row["groups"]):
                if group["first_stage"] is not None:
                    where = "graphs", f"/columns/{column}/groups/{number}"
                    details = {"stage": group["first_stage"], "inputs": group["inputs"], "line": group["line"], **told}
                    yield self._statement("graph", "warning", group["ranks"], row["groups"][0]["ranks"], column, where, details)

    def _collectives(self) -> Iterator[dict]:
        table = self._tables["collectives"]
        inside = {
            (row["column_index"], rank): group["first_difference"]
            for row in table["columns"]
            for group in row["groups"]
            for rank in ranks_in(group["ranks"])
        }
        for number, group, told in _odd(table["groups"]):
            difference = group["first_difference"]
            if difference is not None:
                column = difference["column_index"]
                mine = inside.get((column, group["ranks"][0][0]))
                details = {key: difference[key] for key in ("position", "here", "others")}
                details |= {"counts": group["counts"], **told}
                details["position_in_compile"] = None if mine is None else mine["position"]
                where = "collectives", f"/groups/{number}"
                yield self._statement("collectives", "error", group["ranks"], table["groups"][0]["ranks"], column, where, details)

    def _parity(self) -> Iterator[dict]:
        for number, row in enumerate(self._tables["collectives"]["parity"]):
            details = {key: row[key] for key in ("op", "scheduled", "in_code", "missing_waits")}
            kind = "parity" if row["scheduled"] != row["in_code"] else "missing_wait"
            yield self._statement(kind, "warning", row["ranks"], [], row["column_index"], ("collectives", f"/parity/{number}"), details)

    def _execution(self) -> Iterator[dict]:
        table = self._tables["execution"]
        for number, group, told in _odd(table["groups"]):
            difference = group["first_difference"]
            if difference is not None:
                usual = table["groups"][0]
                here, others = (
                    table["steps"][step] if step is not None else _NO_STEP for step in (difference["here"], difference["others"])
                )
                column = others["column_index"] if here["column_index"] is None else here["column_index"]
                details = {
                    "position": difference["position"],
                    "here": here["compile_id"],
                    "here_column": here["column_index"],
                    "others": others["compile_id"],
                    "others_column": others["column_index"],
                    **told,
                }
                common = set(group["steps"]) & set(usual["steps"])
                mixed = [s for s in group["steps"] if s in common] != [s for s in usual["steps"] if s in common]
                where = "execution", f"/groups/{number}"
                yield self._statement(
                    "execution_order", "error" if mixed else "warning", group["ranks"], usual["ranks"], column, where, details
                )

    def _tensors(self) -> Iterator[dict]:
        """Where the graphs are the same; other graphs have other tensors."""
        graphs = self._tables["graphs"]["columns"]
        for row_number, row in enumerate(self._tables["tensors"]["columns"]):
            others = {rank for g in graphs[row["column_index"]]["groups"] if g["first_stage"] for rank in ranks_in(g["ranks"])}
            for number, group, told in _odd(row["groups"]):
                if not others.issuperset(ranks_in(group["ranks"])):
                    where = "tensors", f"/columns/{row_number}/groups/{number}"
                    details = {**(group["first_difference"] or {}), **told}
                    yield self._statement(
                        "tensors", "warning", group["ranks"], row["groups"][0]["ranks"], row["column_index"], where, details
                    )

    def _stragglers(self) -> Iterator[dict]:
        """Ranks that held up the others, with the compile at which they did most; and ranks that began late."""
        skew = self._tables["skew"]
        worst: dict[int, tuple[int, int]] = {}
        lost: dict[int, int] = {}
        for column, row in enumerate(skew["columns"]):
            if row["lost_us"] > max(MIN_LOST_US, MIN_LOST_PART * (row["median_us"] or 0)):
                rank = row["slowest_rank"]
                lost[rank] = lost.get(rank, 0) + row["lost_us"]
                worst[rank] = max(worst.get(rank, (0, 0)), (row["lost_us"], -column))
        for rank, (_, negative) in sorted(worst.items()):
            row = skew["columns"][-negative]
            details = {"lost_us": lost[rank], "slowest_us": row["slowest_us"], "median_us": row["median_us"]}
            details["cache"] = self._cache_outcomes(-negative, rank)
            yield self._statement("straggler", "info", [[rank, rank]], None, -negative, ("skew", f"/columns/{-negative}"), details)
        for number, row in enumerate(skew["ranks"]):
            if (row["late_us"] or 0) > MIN_LATE_US:
                where = "skew", f"/ranks/{number}"
                yield self._statement("late_start", "info", [[row["rank"]] * 2], None, None, where, {"late_us": row["late_us"]})

    def _cache_outcomes(self, column: int, rank: int) -> list[str] | None:
        """Outcomes of the caches on a rank in a column; None when they are those of all."""
        for row in self._tables["caches"]["columns"]:
            if row["column_index"] == column:
                return next((group["outcomes"] for group in row["groups"] if rank in ranks_in(group["ranks"])), None)
        return None
