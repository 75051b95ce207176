"""What the analyses found, as statements: what findings are made of, in no order yet."""

from __future__ import annotations

import re
from collections import Counter
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

_SHAPES = re.compile(r'"[^"]*"')
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?\b")
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


def _numbers_differ(line: dict | None) -> bool:
    """Whether the first line that differs does so in numbers alone, and in none of a shape."""
    here, others = (line[side] for side in ("here", "others")) if line else (None, None)
    if here is None or others is None or _SHAPES.findall(here) != _SHAPES.findall(others):
        return False
    return _NUMBER.sub("#", here) == _NUMBER.sub("#", others)


def _ops(table: dict, group: dict) -> Counter[str]:
    """How often each operation is in the schedules of a group."""
    return Counter(table["ops"][op] for sequence in group["sequences"] for op in table["sequences"][sequence])


class Finder:
    """Makes statements of tables."""

    def __init__(self, comparison: Comparison, tables: Tables):
        self.comparison = comparison
        self.tables = tables
        self._place = {member.rank: number for number, member in enumerate(comparison.members)}
        self._ranks = sorted(self._place)

    def statements(self) -> Iterator[dict]:
        sources: tuple[Callable[[], Iterator[dict]], ...] = (
            self._occurrences, self._compiles, self._graphs, self._collectives, self._parity,
            self._execution, self._tensors, self._stragglers, self._late, self._cached,
        )  # fmt: skip
        for source in sources:
            yield from source()

    def statement(
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
            others = self.comparison.ranks(set(self._place.values()) - set(members))
        other_members = [self._place[rank] for rank in ranks_among(others, self._ranks)]
        return {
            "kind": kind,
            "severity": severity,
            "function": None if column is None else self.tables["matching"]["columns"][column]["function"],
            "ranks": ranks,
            "others": others,
            "column_index": column,
            "compile_key": None if column is None else self.comparison.key(members, column),
            "others_compile_key": None if column is None else self.comparison.key(other_members, column),
            "log_id": self.comparison.members[members[0]].row["id"] if members else None,
            "compile_indexes": self._rows(members[0], column) if members else [],
            "number": None if column is None or not members else self._number(members[0], column),
            "because_of": None,
            "evidence": {"analysis": evidence[0], "path": evidence[1]},
            "details": details,
        }

    def _rows(self, member: int, column: int | None) -> list[int]:
        frame = None if column is None else self.comparison.frame(member, column)
        return [] if frame is None else [frame.compile_index]

    def _number(self, member: int, column: int) -> int | None:
        cell = self.comparison.cells[member][column]
        return None if cell < 0 else cell + 1

    def _occurrences(self) -> Iterator[dict]:
        guards: set[tuple] = set()
        for row, found in enumerate(self.tables["occurrences"]["occurrences"]):
            if found["kind"] == "guard":  # one statement for all guards of a column
                key = found["column_index"], str(found["ranks"])
                if key in guards:
                    continue
                guards.add(key)
            kind, where = found["kind"], ("occurrences", f"/occurrences/{row}")
            details = {key: found[key] for key in ("text", "type", "file", "line")}
            ranks, others = found["ranks"], found["others"]
            details["lacking"] = lacking = kind != "failure" and len(ranks_in(ranks)) > len(ranks_in(others))
            if lacking:
                ranks, others = others, ranks
            if lacking and kind in ("recompile", "restart"):
                continue  # a compile that they do not have at all, or another graph
            everywhere = kind == "failure" and not found["others"]
            yield self.statement("failed-everywhere" if everywhere else kind.replace("_", "-"), _SEVERITY[kind], ranks, others, found["column_index"], where, details)

    def _compiles(self) -> Iterator[dict]:
        matching = self.tables["matching"]
        shifted = {tuple(map(tuple, row["ranks"])): row["shifted"] for row in matching["divergences"]}
        first = set(self.comparison.orders[0])
        told = {(problem["column_index"], rank) for problem in self.tables["health"]["problems"] for rank in ranks_in(problem["never_began"])}
        ended = {rank: problem["column_index"] for problem in self.tables["health"]["problems"] if problem["kind"] in ("silent", "stopped") for rank in ranks_in(problem["ranks"])}
        for column, row in enumerate(matching["columns"]):
            having = {self._place[rank] for rank in ranks_in(row["ranks"])}
            everyone = self.comparison.part(column)
            rare = len(having) * 2 < len(everyone) or len(having) * 2 == len(everyone) and column not in first
            kind, members = ("extra-compile", having) if rare else ("missing-compile", everyone - having)
            if kind == "missing-compile":  # where ranks stand is told on its own
                ranked = {member: self.comparison.members[member].rank for member in members}
                members = {member for member, rank in ranked.items() if (column, rank) not in told and column < ended.get(rank, column + 1)}
            if members:
                ranks = self.comparison.ranks(members)
                others = self.comparison.ranks(everyone - having if kind == "extra-compile" else having)
                moved = shifted.get(tuple(map(tuple, ranks)), False)
                yield self.statement(kind, "warning", ranks, others, column, ("matching", f"/columns/{column}"), {"shifted": moved})
        for row, divergence in enumerate(matching["divergences"]):
            if divergence["kind"] == "order":
                where = "matching", f"/divergences/{row}"
                yield self.statement(
                    "compile-order",
                    "warning",
                    divergence["ranks"],
                    None,
                    divergence["column_index"],
                    where,
                    {"shifted": divergence["shifted"]},
                )

    def _graphs(self) -> Iterator[dict]:
        for column, row in enumerate(self.tables["graphs"]["columns"]):
            for number, group, told in _odd(row["groups"]):
                if group["first_stage"] is not None:
                    where = "graphs", f"/columns/{column}/groups/{number}"
                    details = {"stage": group["first_stage"], "inputs": group["inputs"], "line": group["line"], **told}
                    severity = "info" if _numbers_differ(group["line"]) and self._is_vllm(group) else "warning"
                    yield self.statement("graph", severity, group["ranks"], row["groups"][0]["ranks"], column, where, details)

    def _is_vllm(self, group: dict) -> bool:
        """Whether vLLM compiled there: its tensor parallel ranks hold parts of the model, each with bounds of its own."""
        kinds = self.comparison.opened(self._place[group["ranks"][0][0]]).log.directory["kinds"]
        return any(kind["name"] in ("vllm_compilation_config", "vllm_piecewise_compile_start") for kind in kinds)

    def _collectives(self) -> Iterator[dict]:
        """Schedules that differ within a column."""
        table = self.tables["collectives"]
        for number, row in enumerate(table["columns"]):
            usual = _ops(table, row["groups"][0])
            for place, group, told in _odd(row["groups"]):
                here = _ops(table, group)
                counts = {op: [here[op], usual[op]] for op in sorted(here | usual) if here[op] != usual[op]}
                difference = group["first_difference"] or {}
                details = {**{key: difference.get(key) for key in ("position", "here", "others")}, "counts": counts, **told}
                where = "collectives", f"/columns/{number}/groups/{place}"
                yield self.statement("collectives", "warning", group["ranks"], row["groups"][0]["ranks"], row["column_index"], where, details)

    def _parity(self) -> Iterator[dict]:
        for number, row in enumerate(self.tables["collectives"]["parity"]):
            details = {key: row[key] for key in ("op", "scheduled", "in_code", "missing_waits")}
            kind = "collective-parity" if row["scheduled"] != row["in_code"] else "missing-wait"
            yield self.statement(kind, "warning", row["ranks"], [], row["column_index"], ("collectives", f"/parity/{number}"), details)

    def _execution(self) -> Iterator[dict]:
        table = self.tables["execution"]
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
                if not common and group["steps"]:
                    continue  # another program, as that of another stage of a pipeline
                mixed = [s for s in group["steps"] if s in common] != [s for s in usual["steps"] if s in common]
                where = "execution", f"/groups/{number}"
                yield self.statement(
                    "execution-order", "error" if mixed else "warning", group["ranks"], usual["ranks"], column, where, details
                )

    def _tensors(self) -> Iterator[dict]:
        """Where the graphs are the same; other graphs have other tensors."""
        graphs = self.tables["graphs"]["columns"]
        for row_number, row in enumerate(self.tables["tensors"]["columns"]):
            others = {rank for g in graphs[row["column_index"]]["groups"] if g["first_stage"] for rank in ranks_in(g["ranks"])}
            for number, group, told in _odd(row["groups"]):
                if not others.issuperset(ranks_in(group["ranks"])):
                    where = "tensors", f"/columns/{row_number}/groups/{number}"
                    details = {**(group["first_difference"] or {}), **told}
                    yield self.statement(
                        "tensors", "warning", group["ranks"], row["groups"][0]["ranks"], row["column_index"], where, details
                    )

    def _stragglers(self) -> Iterator[dict]:
        """Ranks that held up the others, with the compile at which they did most."""
        skew = self.tables["skew"]
        worst: dict[int, tuple[int, int]] = {}
        lost: dict[int, int] = {}
        for column, row in enumerate(skew["columns"]):
            if row["lost_us"] > max(MIN_LOST_US, MIN_LOST_PART * (row["median_us"] or 0)):
                rank = row["slowest_rank"]
                lost[rank] = lost.get(rank, 0) + row["lost_us"]
                worst[rank] = max(worst.get(rank, (0, 0)), (row["lost_us"], -column))
        for rank, (_, negative) in sorted(worst.items()):
            row = skew["columns"][-negative]
            lengths = {member.rank: cells[-negative] for member, cells in zip(self.comparison.members, skew["length_us"]) if cells[-negative] is not None}
            other = next((one for one in lengths if one != rank), None)
            details = {"lost_us": lost[rank], "slowest_us": row["slowest_us"], "median_us": row["median_us"], "cache": self._cache_outcomes(-negative, rank)}
            details |= {"compared_count": len(lengths), "other_us": lengths.get(other)}
            others = ranges(one for one in lengths if one != rank)
            yield self.statement("straggler", "info", [[rank, rank]], others, -negative, ("skew", f"/columns/{-negative}"), details)

    def _late(self) -> Iterator[dict]:
        for number, row in enumerate(self.tables["skew"]["ranks"]):
            if (row["late_us"] or 0) > MIN_LATE_US:
                where = "skew", f"/ranks/{number}"
                yield self.statement("late-start", "info", [[row["rank"]] * 2], None, None, where, {"late_us": row["late_us"]})

    def _cached(self) -> Iterator[dict]:
        """Ranks whose caches had what others had to compile."""
        totals = self.tables["caches"]["totals"]
        hits = [sum(count for key, count in row["counts"].items() if key.endswith(" hit")) for row in totals]
        misses = [sum(count for key, count in row["counts"].items() if key.endswith(" miss")) for row in totals]
        warm = [number for number in range(len(totals)) if hits[number] and not misses[number]]
        cold = [number for number in range(len(totals)) if misses[number] and not hits[number]]
        if warm and cold:
            ranks, others = ([run for number in numbers for run in totals[number]["ranks"]] for numbers in (warm, cold))
            details = {"hit_count": hits[warm[0]], "miss_count": misses[cold[0]]}
            ranks, others = (ranges(ranks_in(runs)) for runs in (ranks, others))
            yield self.statement("cached-before", "info", ranks, others, None, ("caches", "/totals"), details)

    def _cache_outcomes(self, column: int, rank: int) -> list[str] | None:
        """Outcomes of the caches on a rank in a column; None when they are those of all."""
        for row in self.tables["caches"]["columns"]:
            if row["column_index"] == column:
                return next((group["outcomes"] for group in row["groups"] if rank in ranks_in(group["ranks"])), None)
        return None
