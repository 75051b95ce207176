"""What the analyses found, as statements: what findings are made of, in no order yet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tlparse_bundle.statements.ranks.comparison import Comparison, Tables
from tlparse_bundle.statements.ranks.rank_sets import of_compiles, ranges, ranks_among, ranks_in

# Lengths of equal compiles differ by a part of a second, and by more where several processes share the
# cores; only a rank that is far behind holds up the others.
MIN_LOST_US = 3_000_000
MIN_LOST_PART = 0.25  # of the median length of the compile
MIN_LATE_US = 10_000_000

_SHAPES = re.compile(r'"[^"]*"')
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?\b")
_NO_STEP = {"rank_compile": None, "compile_id": None}
MAX_GROUPS = 12  # of one place, of which each makes a statement of its own
_SEVERITY = {
    "failure": "error",
    "graph_break": "warning",
    "restart": "warning",
    "recompile": "warning",
    "guard": "info",
}


def _odd(groups: Sequence[dict]) -> Iterator[tuple[dict, dict]]:
    """(row of a group, what to add to the details) of the groups that differ from the first.

    When there are very many, as when each rank has constants of its own, they are told as one.
    """
    if len(groups) <= MAX_GROUPS:
        yield from ((group, {}) for group in groups[1:])
    else:
        ranks = ranges(rank for group in groups[1:] for rank in ranks_in(group["ranks"]))
        yield {**groups[1], "ranks": ranks}, {"group_count": len(groups) - 1}


def _numbers_differ(line: dict | None) -> bool:
    """Whether the first line that differs does so in numbers alone, and in none of a shape."""
    here, others = (line[side] for side in ("here", "others")) if line else (None, None)
    if here is None or others is None or _SHAPES.findall(here) != _SHAPES.findall(others):
        return False
    return _NUMBER.sub("#", here) == _NUMBER.sub("#", others)


def _ops(group: dict) -> Counter[str]:
    """How often each operation is in the schedules of a group."""
    return Counter(op for schedule in group["schedules"] for op in schedule)


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
        evidence: str,
        details: dict[str, Any],
    ) -> dict:
        """``column``: the matched compile; ``evidence``: the table that has the numbers."""
        members = [self._place[rank] for rank in ranks_among(ranks, self._ranks)]
        if others is None:
            others = self.comparison.ranks(set(self._place.values()) - set(members))
        other_members = [self._place[rank] for rank in ranks_among(others, self._ranks)]
        return {
            "kind": kind,
            "severity": severity,
            "function": None if column is None else self.tables["rank_compiles"][column]["function"],
            "ranks": ranks,
            "others": others,
            "rank_compile": column,
            "compile": None if column is None else self.comparison.key(members, column),
            "others_compile": None if column is None else self.comparison.key(other_members, column),
            "log": self.comparison.members[members[0]].row["id"] if members else None,
            "number": None if column is None or not members else self._number(members[0], column),
            "because_of": None,
            "evidence": evidence,
            "details": details,
        }

    def _number(self, member: int, column: int) -> int | None:
        cell = self.comparison.cells[member][column]
        return None if cell < 0 else cell + 1

    def _occurrences(self) -> Iterator[dict]:
        guards: set[tuple] = set()
        for found in self.tables["rank_occurrences"]:
            if found["kind"] == "guard":  # one statement for all guards of a column
                key = found["rank_compile"], str(found["ranks"])
                if key in guards:
                    continue
                guards.add(key)
            kind = found["kind"]
            details = {key: found[key] for key in ("text", "type", "file", "line")}
            ranks, others = found["ranks"], found["others"]
            details["lacking"] = lacking = kind != "failure" and len(ranks_in(ranks)) > len(ranks_in(others))
            if lacking:
                ranks, others = others, ranks
            if lacking and kind in ("recompile", "restart"):
                continue  # a compile that they do not have at all, or another graph
            everywhere = kind == "failure" and not found["others"]
            yield self.statement(
                "failed-everywhere" if everywhere else kind.replace("_", "-"),
                _SEVERITY[kind],
                ranks,
                others,
                found["rank_compile"],
                "rank_occurrences",
                details,
            )

    def _compiles(self) -> Iterator[dict]:
        problems, divergences = self.tables["rank_problems"], self.tables["rank_divergences"]
        shifted = {tuple(map(tuple, row["ranks"])): row["shifted"] for row in divergences}
        first = set(self.comparison.orders[0])
        told = {
            (problem["rank_compile"], rank)
            for problem in problems
            for rank in ranks_in(problem["never_began"])
        }
        ended = {
            rank: problem["rank_compile"]
            for problem in problems
            if problem["kind"] in ("silent", "stopped")
            for rank in ranks_in(problem["ranks"])
        }
        for column, row in enumerate(self.tables["rank_compiles"]):
            having = {self._place[rank] for rank in ranks_in(row["ranks"])}
            everyone = self.comparison.part(column)
            rare = len(having) * 2 < len(everyone) or (
                len(having) * 2 == len(everyone) and column not in first
            )
            kind, members = ("extra-compile", having) if rare else ("missing-compile", everyone - having)
            if kind == "missing-compile":  # where ranks stand is told on its own
                ranked = {member: self.comparison.members[member].rank for member in members}
                members = {
                    member
                    for member, rank in ranked.items()
                    if (column, rank) not in told and column < ended.get(rank, column + 1)
                }
            if members:
                ranks = self.comparison.ranks(members)
                others = self.comparison.ranks(everyone - having if kind == "extra-compile" else having)
                moved = shifted.get(tuple(map(tuple, ranks)), False)
                yield self.statement(
                    kind, "warning", ranks, others, column, "rank_compiles", {"shifted": moved}
                )
        for row in divergences:
            if row["kind"] == "order":
                yield self.statement(
                    "compile-order",
                    "warning",
                    row["ranks"],
                    None,
                    row["rank_compile"],
                    "rank_divergences",
                    {"shifted": row["shifted"]},
                )

    def _graphs(self) -> Iterator[dict]:
        for column, groups in of_compiles(self.tables["rank_graphs"]).items():
            for group, told in _odd(groups):
                if group["first_stage"] is not None:
                    line = (
                        None
                        if group["artifact"] is None
                        else {
                            "artifact": group["artifact"],
                            "number": group["line"],
                            "here": group["here"],
                            "others": group["others"],
                        }
                    )
                    details = {"stage": group["first_stage"], "inputs": group["inputs"], "line": line, **told}
                    severity = "info" if _numbers_differ(line) and self._is_vllm(group) else "warning"
                    yield self.statement(
                        "graph", severity, group["ranks"], groups[0]["ranks"], column, "rank_graphs", details
                    )

    def _is_vllm(self, group: dict) -> bool:
        """Whether vLLM compiled there: its tensor parallel ranks hold parts of the model, each with bounds of
        its own.
        """
        kinds = self.comparison.opened(self._place[group["ranks"][0][0]]).log.directory["kinds"]
        return any(
            kind["name"] in ("vllm_compilation_config", "vllm_piecewise_compile_start") for kind in kinds
        )

    def _collectives(self) -> Iterator[dict]:
        """Schedules that differ within a column."""
        for column, rows in of_compiles(self.tables["rank_schedules"]).items():
            groups = [row for row in rows if row["schedules"] is not None]
            usual = _ops(groups[0])
            for group, told in _odd(groups):
                here = _ops(group)
                counts = {op: [here[op], usual[op]] for op in sorted(here | usual) if here[op] != usual[op]}
                details = {
                    **{key: group[key] for key in ("position", "here", "others")},
                    "counts": counts,
                    **told,
                }
                yield self.statement(
                    "collectives",
                    "warning",
                    group["ranks"],
                    groups[0]["ranks"],
                    column,
                    "rank_schedules",
                    details,
                )

    def _parity(self) -> Iterator[dict]:
        for row in self.tables["rank_parity"]:
            details = {key: row[key] for key in ("op", "scheduled", "in_code", "missing_waits")}
            kind = "collective-parity" if row["scheduled"] != row["in_code"] else "missing-wait"
            yield self.statement(
                kind, "warning", row["ranks"], [], row["rank_compile"], "rank_parity", details
            )

    def _execution(self) -> Iterator[dict]:
        steps = self.tables["rank_steps"]
        groups = [row for row in self.tables["rank_executions"] if row["rank_steps"] is not None]
        for group, told in _odd(groups):
            if group["position"] is not None:
                usual, own = groups[0]["rank_steps"], group["rank_steps"]
                here, others = (
                    steps[step] if step is not None else _NO_STEP
                    for step in (group["here_rank_step"], group["others_rank_step"])
                )
                column = others["rank_compile"] if here["rank_compile"] is None else here["rank_compile"]
                details = {
                    "position": group["position"],
                    "here": here["compile_id"],
                    "here_rank_compile": here["rank_compile"],
                    "others": others["compile_id"],
                    "others_rank_compile": others["rank_compile"],
                    **told,
                }
                common = set(own) & set(usual)
                if not common and own:
                    continue  # another program, as that of another stage of a pipeline
                mixed = [step for step in own if step in common] != [step for step in usual if step in common]
                yield self.statement(
                    "execution-order",
                    "error" if mixed else "warning",
                    group["ranks"],
                    groups[0]["ranks"],
                    column,
                    "rank_executions",
                    details,
                )

    def _tensors(self) -> Iterator[dict]:
        """Where the graphs are the same; different graphs have different tensors."""
        graphs = of_compiles(self.tables["rank_graphs"])
        for column, groups in of_compiles(self.tables["rank_tensors"]).items():
            others = {rank for row in graphs[column] if row["first_stage"] for rank in ranks_in(row["ranks"])}
            for group, told in _odd(groups):
                if not others.issuperset(ranks_in(group["ranks"])):
                    details = (
                        {key: group[key] for key in ("graph", "position", "name", "here", "others")}
                        if group["graph"] is not None
                        else {}
                    )
                    yield self.statement(
                        "tensors",
                        "warning",
                        group["ranks"],
                        groups[0]["ranks"],
                        column,
                        "rank_tensors",
                        {**details, **told},
                    )

    def _stragglers(self) -> Iterator[dict]:
        """Ranks that held up the others, with the compile at which they did most."""
        skew, times = self.tables["rank_skew"], self.tables["rank_times"]
        worst: dict[int, tuple[int, int]] = {}
        lost: dict[int, int] = {}
        for column, row in enumerate(skew):
            if row["lost_us"] > max(MIN_LOST_US, MIN_LOST_PART * (row["median_us"] or 0)):
                rank = row["slowest_rank"]
                lost[rank] = lost.get(rank, 0) + row["lost_us"]
                worst[rank] = max(worst.get(rank, (0, 0)), (row["lost_us"], -column))
        for rank, (_, negative) in sorted(worst.items()):
            row = skew[-negative]
            lengths = {
                own["rank"]: own["length_us"][-negative]
                for own in times
                if own["length_us"][-negative] is not None
            }
            other = next((one for one in lengths if one != rank), None)
            details = {
                "lost_us": lost[rank],
                "slowest_us": row["slowest_us"],
                "median_us": row["median_us"],
                "cache": self._cache_outcomes(-negative, rank),
            }
            details |= {"compared_count": len(lengths), "other_us": lengths.get(other)}
            others = ranges(one for one in lengths if one != rank)
            yield self.statement("straggler", "info", [[rank, rank]], others, -negative, "rank_skew", details)

    def _late(self) -> Iterator[dict]:
        for row in self.tables["ranks"]:
            if (row["late_us"] or 0) > MIN_LATE_US:
                yield self.statement(
                    "late-start",
                    "info",
                    [[row["rank"]] * 2],
                    None,
                    None,
                    "ranks",
                    {"late_us": row["late_us"]},
                )

    def _cached(self) -> Iterator[dict]:
        """Ranks whose caches had what others had to compile."""
        totals = self.tables["rank_cache_totals"]
        hits = [sum(count for key, count in row["counts"].items() if key.endswith(" hit")) for row in totals]
        misses = [
            sum(count for key, count in row["counts"].items() if key.endswith(" miss")) for row in totals
        ]
        warm = [number for number in range(len(totals)) if hits[number] and not misses[number]]
        cold = [number for number in range(len(totals)) if misses[number] and not hits[number]]
        if warm and cold:
            ranks, others = (
                [run for number in numbers for run in totals[number]["ranks"]] for numbers in (warm, cold)
            )
            details = {"hit_count": hits[warm[0]], "miss_count": misses[cold[0]]}
            ranks, others = (ranges(ranks_in(runs)) for runs in (ranks, others))
            yield self.statement("cached-before", "info", ranks, others, None, "rank_cache_totals", details)

    def _cache_outcomes(self, column: int, rank: int) -> list[str] | None:
        """Outcomes of the caches on a rank in a column; None when they are those of all."""
        rows = (row for row in self.tables["rank_caches"] if row["rank_compile"] == column)
        return next((row["outcomes"] for row in rows if ranks_among(row["ranks"], [rank])), None)
