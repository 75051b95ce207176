"""The order in which ranks ran their compiled graphs, and the steps that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, TypedDict

from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables, typed
from tlparse_bundle.statements.ranks.frames import Frames, recorded_steps
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import grouped, odd_groups, of_compiles, ranks_in
from tlparse_bundle.statements.ranks.wording import Templates, Words
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        RankCachesRow,
        RankExecutionMismatchesRow,
        RankExecutionsRow,
        RankSchedulesRow,
        RankStepsRow,
    )

MAX_MISMATCHES = 1000

# A graph that ran: the column of its compile, or None and a compile id that the log does not compile.
Step = tuple[int] | tuple[None, str | None]
Digest = Sequence[tuple[int | None, str | None]] | None  # see recorded_steps


class _Difference(TypedDict):
    """The first step at which the order of a group differs."""

    position: int | None
    here_rank_step: int | None
    others_rank_step: int | None


_NO_STEP: RankStepsRow = {"id": -1, "rank_compile": None, "compile_id": None}
_SAME: _Difference = {"position": None, "here_rank_step": None, "others_rank_step": None}


class Execution:
    name = "execution"

    def digest(self, frames: Frames) -> Digest:
        return recorded_steps(frames)

    def tables(
        self, comparison: Comparison, digests: Sequence[Digest], tables: Tables
    ) -> Iterator[RankTable]:
        groups = grouped(_orders(comparison, digests))
        usual: dict[int, list[int]] = {}  # by role
        numbers: dict[Step, int] = {}
        ids: list[str | None] = []
        rows: list[RankExecutionsRow] = []
        for keys, members in groups:
            steps = []
            for (_, id_), key in zip(digests[members[0]] or (), keys, strict=True):
                if key not in numbers:
                    numbers[key] = len(numbers)
                    ids.append(id_)
                steps.append(numbers[key])
            first = usual.setdefault(comparison.role_of(members[0]), steps)
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
                for number, ((column, *_), id_) in enumerate(zip(numbers, ids, strict=True))
            ],
        )
        yield "rank_executions", rows
        by_role: dict[int, list[tuple[tuple[Step, ...], list[int]]]] = {}
        for keys, members in groups:
            by_role.setdefault(comparison.role_of(members[0]), []).append((keys, members))
        yield (
            "rank_execution_mismatches",
            [row for own in by_role.values() for row in _mismatches(comparison, own, numbers, tables)],
        )


def _orders(comparison: Comparison, digests: Sequence[Digest]) -> list[tuple[tuple[Step, ...], list[int]]]:
    """Return (steps, members)."""
    orders = []
    for members in comparison.alike(digests):
        digest = digests[members[0]]
        if digest is not None:
            order = comparison.orders[comparison.kind[members[0]]]
            steps: tuple[Step, ...] = tuple(
                (None, id_) if frame is None else (order[frame],) for frame, id_ in digest
            )
            orders.append((steps, members))
    return orders


def _first_difference(steps: list[int], first: list[int]) -> _Difference:
    """Return the fields of a row for its first difference."""
    for position, (here, there) in enumerate(zip_longest(steps, first)):
        if here != there:
            return {"position": position, "here_rank_step": here, "others_rank_step": there}
    return _SAME


def _mismatches(
    comparison: Comparison,
    groups: Sequence[tuple[tuple[Step, ...], list[int]]],
    numbers: dict[Step, int],
    tables: Tables,
) -> list[RankExecutionMismatchesRow]:
    """Return the steps at which ranks have different collectives or cache outcomes."""
    schedules = _schedule_texts(typed(tables)("rank_schedules"))
    caches = _cache_texts(typed(tables)("rank_caches"))
    kinds: tuple[tuple[Literal["schedule", "cache"], dict[tuple[int | None, int], str]], ...] = (
        ("schedule", schedules),
        ("cache", caches),
    )
    rows: list[RankExecutionMismatchesRow] = []
    count = 0
    for position in range(max(len(keys) for keys, _ in groups)):
        at = [(keys[position], members) for keys, members in groups if position < len(keys)]
        for kind, texts in kinds:
            alike = grouped(
                (
                    (
                        numbers[key],
                        texts.get((key[0], comparison.members[member].rank), ""),
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


def _schedule_texts(rows: Sequence[RankSchedulesRow]) -> dict[tuple[int | None, int], str]:
    """Return collectives by (matched compile, rank); those of most ranks if not recorded."""
    texts: dict[tuple[int | None, int], str] = {}
    for column, groups in of_compiles(rows).items():
        for group in groups:
            schedules = group["schedules"] if group["schedules"] is not None else groups[0]["schedules"]
            for rank in ranks_in(group["ranks"]):
                texts[column, rank] = ", ".join(op for schedule in schedules or () for op in schedule)
    return texts


def _cache_texts(rows: Sequence[RankCachesRow]) -> dict[tuple[int | None, int], str]:
    """Return cache outcomes by (matched compile, rank), for compiles in which they differ."""
    return {
        (row["rank_compile"], rank): ", ".join(row["outcomes"])
        for row in rows
        for rank in ranks_in(row["ranks"])
    }


def findings(finder: Finder) -> Iterator[RankFinding]:
    steps = finder.table("rank_steps")
    by_role: dict[int, list[RankExecutionsRow]] = {}
    for row in finder.table("rank_executions"):
        if row["rank_steps"] is not None:
            by_role.setdefault(finder.role_of(row["ranks"]), []).append(row)
    for groups in by_role.values():
        yield from _differences(finder, steps, groups)


def _differences(
    finder: Finder, steps: Sequence[RankStepsRow], groups: Sequence[RankExecutionsRow]
) -> Iterator[RankFinding]:
    """Yield the ranks of a role that differ from most of it."""
    for group, ranks, more in odd_groups(groups):
        if group["position"] is not None:
            own, usual = group["rank_steps"] or [], groups[0]["rank_steps"] or []
            here, others = (
                _NO_STEP if step is None else steps[step]
                for step in (group["here_rank_step"], group["others_rank_step"])
            )
            details = {
                "position": group["position"],
                "here": here["compile_id"],
                "here_rank_compile": here["rank_compile"],
                "others": others["compile_id"],
                "others_rank_compile": others["rank_compile"],
                **more,
            }
            common = set(own) & set(usual)
            mixed = [step for step in own if step in common] != [step for step in usual if step in common]
            yield finder.finding(
                "execution-order",
                "error" if mixed else "warning",
                ranks,
                "rank_executions",
                details,
                others=groups[0]["ranks"],
                column=others["rank_compile"] if here["rank_compile"] is None else here["rank_compile"],
            )


def _execution_order(words: Words) -> str:
    details = words.details
    step = details["position"] + 1
    if details["here"] is None:
        others = (
            "nothing"
            if details["others"] is None
            else words.compile(details["others_rank_compile"], details["others"])
        )
        return f"{words.ranks} ran fewer graphs: nothing at step {step}, where others ran {others}"
    here = words.compile(details["here_rank_compile"], details["here"])
    if details["others"] is None:
        return f"{words.ranks} ran more graphs: {here} at step {step}, where others ran nothing"
    others = words.compile(details["others_rank_compile"], details["others"])
    return f"Different execution order: step {step} of {words.ranks} was {here} instead of {others}"


TEMPLATES: Templates = {"execution-order": _execution_order}

REFERENCE: dict[str, KindReference] = {
    "execution-order": KindReference(
        "Different execution order",
        "The ranks ran their compiled graphs in a different order, or a different number of them. It "
        "is an error if graphs that both ran are in a different order.",
        "Make all ranks run the same steps in the same order.",
        "Only reported where `record_and_log_graph_execution_order()` recorded the order.",
    ),
}
