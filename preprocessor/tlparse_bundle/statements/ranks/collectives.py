"""The collectives of compiled code: schedules by rank, where they differ, and whether the code has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from tlparse_bundle.base.wording import code, large, plural
from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.ranks.collective_calls import counts_of_code, counts_of_schedule
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import grouped, odd_groups, of_compiles
from tlparse_bundle.statements.ranks.wording import Templates, Words
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankCollectivesRow, RankParityRow, RankSchedulesRow

_CODE = "inductor_output_code"
_NONE = "null"  # an operation without a name
_MAX_COUNTED = 20_000
_MOST_COUNTS = 2  # in a title
_counted: dict[str | None, tuple[Counter[str], int]] = {}  # by the hash of the code

Schedules = tuple[tuple[str, ...], ...]  # of one frame


class _Difference(TypedDict):
    """Where the schedules of a group first differ."""

    schedule: int | None
    position: int | None
    here: str | None
    others: str | None


_SAME: _Difference = {"schedule": None, "position": None, "here": None, "others": None}


class _Mismatch(NamedTuple):
    """A frame whose code does not have the collectives of its schedules."""

    frame: int
    kind: str
    scheduled: int
    in_code: int
    missing_waits: int


class CollectivesDigest(TypedDict):
    sequences: list[Sequence[str]]  # the distinct schedules of the log
    frames: list[list[int] | None]  # the schedules of each frame; None where it may only lack a record
    uncertain: list[bool]  # for each frame whether it may have had more schedules
    parity: list[list[Any]]  # the cells of each _Mismatch


class Collectives:
    name = "collectives"

    def digest(self, frames: Frames) -> CollectivesDigest:
        sequences: dict[tuple[str, ...], int] = {}
        schedules: list[list[int]] = [[] for _ in range(len(frames))]
        for row in frames.table("collective_schedules"):
            number = frames.number_of(row)
            if number is not None:
                ops = tuple(_NONE if op is None else op for op in row["collectives"])
                schedules[number].append(sequences.setdefault(ops, len(sequences)))
        distinct = list(sequences)
        cached = {frames.number_of(row) for row in frames.table("caches") if row["outcome"] == "hit"}
        uncertain = [
            number in cached or not any(a.name == _CODE for a in frames.artifacts(number))
            for number in range(len(frames))
        ]
        return {
            "sequences": [*distinct],
            "frames": [
                None if not rows and unsure else rows
                for rows, unsure in zip(schedules, uncertain, strict=True)
            ],
            "uncertain": uncertain,
            "parity": [
                list(mismatch)
                for number, rows in enumerate(schedules)
                if not uncertain[number]
                for mismatch in _mismatches(frames, number, [op for row in rows for op in distinct[row]])
            ],
        }

    def tables(
        self, comparison: Comparison, digests: Sequence[CollectivesDigest], tables: Tables
    ) -> Iterator[RankTable]:
        usual: dict[int, Schedules] = {}
        rows: list[RankSchedulesRow] = []
        for column, groups in comparison.by_column(digests, _cell):
            recorded = [cell for cell, _ in groups if cell.schedules is not None]
            counted = {cell.schedules for cell in recorded if not cell.unsure} or {
                cell.schedules for cell in recorded
            }
            if not any(counted):
                continue
            agreeing = grouped(
                (cell.schedules, members)
                for cell, members in groups
                if cell.schedules is not None and cell.schedules in counted
            )
            usual[column] = agreeing[0][0]
            for number, (schedules, members) in enumerate(agreeing):
                difference = _first_difference(schedules, usual[column]) if number else _SAME
                rows.append(
                    {
                        "rank_compile": column,
                        "ranks": comparison.ranks(members),
                        "schedules": list(map(list, schedules)),
                        **difference,
                    }
                )
            unknown = set(comparison.having(column)).difference(*(members for _, members in agreeing))
            if unknown:
                rows.append(
                    {"rank_compile": column, "ranks": comparison.ranks(unknown), "schedules": None, **_SAME}
                )
        yield "rank_schedules", rows
        yield "rank_collectives", _by_all_schedules(comparison, digests, usual)
        yield "rank_parity", _parity_rows(comparison, digests)


class _Cell(NamedTuple):
    """The schedules of a frame; None when they are not recorded; ``unsure``: there may have been more."""

    schedules: Schedules | None
    unsure: bool


def _cell(digest: CollectivesDigest, frame: int) -> _Cell:
    rows = digest["frames"][frame]
    return _Cell(
        None if rows is None else tuple(tuple(digest["sequences"][row]) for row in rows),
        digest["uncertain"][frame],
    )


def _mismatches(frames: Frames, number: int, ops: list[str]) -> Iterator[_Mismatch]:
    codes = [a for a in frames.artifacts(number) if a.name == _CODE and a.language == "python"]
    if not ops or not codes:
        return
    counts: Counter[str] = Counter()
    waits = 0
    for artifact in codes:
        more, more_waits = _in_code(artifact)
        counts += more
        waits += more_waits
    missing = max(0, sum(counts.values()) - waits)
    planned = counts_of_schedule(ops)
    different = [kind for kind in sorted(counts | planned) if counts[kind] != planned[kind]]
    for kind in different or (sorted(counts)[:1] if missing else ()):
        yield _Mismatch(number, kind, planned[kind], counts[kind], missing)


def _in_code(artifact: Artifact) -> tuple[Counter[str], int]:
    """Return counts_of_code of an artifact; equal ones, as equal ranks have, are read once."""
    counts = _counted.get(artifact.sha256)
    if counts is None:
        if len(_counted) >= _MAX_COUNTED:
            _counted.clear()
        counts = _counted[artifact.sha256] = counts_of_code(artifact.text() or "")
    return counts


def _first_difference(mine: Schedules, others: Schedules) -> _Difference:
    """Return the fields ``schedule``, ``position``, ``here`` and ``others`` of a row."""
    for schedule, (here, there) in enumerate(zip_longest(mine, others, fillvalue=())):
        for position, (op, other) in enumerate(zip_longest(here, there)):
            if op != other:
                return {"schedule": schedule, "position": position, "here": op, "others": other}
    return _SAME


def _by_all_schedules(
    comparison: Comparison, digests: Sequence[CollectivesDigest], usual: dict[int, Schedules]
) -> list[RankCollectivesRow]:
    """Return ranks by all their schedules in the order of their compiles.

    Where the log of a rank does not record them, it is taken to be like most.
    """
    pairs = []
    for members in comparison.alike(digests):
        digest, order = digests[members[0]], comparison.orders[comparison.kind[members[0]]]
        calls: list[tuple[str, int]] = []
        for frame, column in enumerate(order):
            schedules, unsure = _cell(digest, frame)
            if schedules is None or (unsure and len(schedules) < len(usual.get(column, ()))):
                schedules = usual.get(column, ())
            calls += [(op, column) for schedule in schedules for op in schedule]
        pairs.append((comparison.role_of(members[0]), calls, members))
    if not usual:
        return []
    groups = grouped(((role, tuple(op for op, _ in calls)), members) for role, calls, members in pairs)
    columns = {
        (role, tuple(op for op, _ in calls)): [column for _, column in calls]
        for role, calls, _ in reversed(pairs)
    }
    rows: list[RankCollectivesRow] = []
    usual_ops: dict[int, tuple[str, ...]] = {}  # by role
    for (role, ops), members in groups:
        first = usual_ops.setdefault(role, ops)
        position = next((p for p, (here, there) in enumerate(zip_longest(ops, first)) if here != there), None)
        row: RankCollectivesRow = {
            "ranks": comparison.ranks(members),
            "op_count": len(ops),
            "counts": _counts(ops, first),
            "position": None,
            "rank_compile": None,
            "here": None,
            "others": None,
        }
        if position is not None:
            row["position"] = position
            row["rank_compile"] = columns[role, ops if position < len(ops) else first][position]
            row["here"] = ops[position] if position < len(ops) else None
            row["others"] = first[position] if position < len(first) else None
        rows.append(row)
    return rows


def _counts(ops: tuple[str, ...], others: tuple[str, ...]) -> dict[str, list[int]]:
    """Return how often each operation occurs in both, for those that do not occur equally often."""
    mine, theirs = Counter(ops), Counter(others)
    return {op: [mine[op], theirs[op]] for op in sorted(mine | theirs) if mine[op] != theirs[op]}


def _parity_rows(comparison: Comparison, digests: Sequence[CollectivesDigest]) -> list[RankParityRow]:
    members_of: dict[tuple[int, str, int, int, int], list[int]] = {}
    for members in comparison.alike(digests):
        order = comparison.orders[comparison.kind[members[0]]]
        for mismatch in digests[members[0]]["parity"]:
            frame, kind, planned, called, missing = _Mismatch._make(mismatch)
            members_of.setdefault((order[frame], kind, planned, called, missing), []).extend(members)
    return [
        {
            "rank_compile": column,
            "compile": comparison.key(sorted(members), column) or "",
            "ranks": comparison.ranks(members),
            "op": kind,
            "scheduled": planned,
            "in_code": called,
            "missing_waits": missing,
        }
        for (column, kind, planned, called, missing), members in sorted(members_of.items())
    ]


def findings(finder: Finder) -> Iterator[RankFinding]:
    yield from _different_schedules(finder)
    for row in finder.table("rank_parity"):
        details = {
            "op": row["op"],
            "scheduled": row["scheduled"],
            "in_code": row["in_code"],
            "missing_waits": row["missing_waits"],
        }
        yield finder.finding(
            "collective-parity" if row["scheduled"] != row["in_code"] else "missing-wait",
            "warning",
            row["ranks"],
            "rank_parity",
            details,
            others=[],
            column=row["rank_compile"],
        )


def _different_schedules(finder: Finder) -> Iterator[RankFinding]:
    for column, rows in of_compiles(finder.table("rank_schedules")).items():
        groups = [row for row in rows if row["schedules"] is not None]
        usual = _ops(groups[0])
        for group, ranks, more in odd_groups(groups):
            details = {
                "position": group["position"],
                "here": group["here"],
                "others": group["others"],
                "counts": _counts(_ops(group), usual),
                **more,
            }
            yield finder.finding(
                "collectives",
                "warning",
                ranks,
                "rank_schedules",
                details,
                others=groups[0]["ranks"],
                column=column,
            )


def _ops(group: RankSchedulesRow) -> tuple[str, ...]:
    """Return the operations in the schedules of a group."""
    return tuple(op for schedule in group["schedules"] or () for op in schedule)


def _schedules_differ(words: Words) -> tuple[str, str]:
    counts = [
        f"{abs(here - there):,} {'fewer' if here < there else 'more'} {_short_op(op)}"
        for op, (here, there) in words.details["counts"].items()
        if "wait_tensor" not in op
    ]
    here, others = (
        _short_op(words.details[side]) if words.details[side] else "nothing" for side in ("here", "others")
    )
    all_counts = f"{large(', '.join(counts))}; at" if len(counts) > _MOST_COUNTS else "At"
    return (
        f"On {words.ranks}, {words.mine} schedules"
        f" {' and '.join(counts) if 0 < len(counts) <= _MOST_COUNTS else 'different collectives'}",
        f"{all_counts} position {words.details['position']}, {here} instead of {others}. The calls of each"
        " process group are compared separately.",
    )


def _short_op(op: str) -> str:
    """Return an operation without what all of them have in common."""
    short = re.sub(r"^torch\.ops\.(_c10d_functional\.|c10d\.)?", "", op)
    return code(re.sub(r"_?\.default$", "", short))


def _missing_wait(words: Words) -> str:
    collectives = plural(words.details["missing_waits"] or 1, "collective")
    return f"On {words.ranks}, {words.mine} does not wait for {collectives}"


def _collective_parity(words: Words) -> str:
    details = words.details
    return (
        f"On {words.ranks}, {words.mine} schedules {details['scheduled']} × {code(details['op'])},"
        f" but its code calls {details['in_code']}"
    )


TEMPLATES: Templates = {
    "collectives": _schedules_differ,
    "collective-parity": _collective_parity,
    "missing-wait": _missing_wait,
}

REFERENCE: dict[str, KindReference] = {
    "collectives": KindReference(
        "Different collective schedules",
        "Inductor scheduled different collectives in the same compile. Whether this hangs depends on "
        "the process groups.",
        "Look at the graph of that compile on both sides, and at findings about collective calls.",
        "Ranks whose log does not record the schedule are not compared.",
    ),
    "collective-parity": KindReference(
        "Schedule and code differ",
        "The generated code calls a different number of collectives than the schedule lists.",
        "Look at the generated code, and report it to PyTorch if it calls the wrong number.",
        "The schedule omits collectives in branches of `torch.cond`. Only Python code that Inductor "
        "generated is counted.",
    ),
    "missing-wait": KindReference(
        "Missing wait",
        "The generated code calls more collectives than it waits for. It can read a result too early.",
        "Look at the generated code, and report it to PyTorch if the wait is missing.",
        "If code and schedule have different numbers of collectives, the finding is `collective-parity`.",
    ),
}
