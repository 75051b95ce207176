"""The collectives of compiled code: schedules by rank, where they differ, and whether the code has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.ranks.collective_code import in_code, scheduled
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_sets import grouped

_CODE = "inductor_output_code"
_NONE = "null"  # an operation without a name
_SAME = {"schedule": None, "position": None, "here": None, "others": None}  # no first difference
_MAX_COUNTED = 20_000
_counted: dict[str | None, tuple[Counter[str], int]] = {}  # by the hash of the code


class Collectives:
    name = "collectives"

    def digest(self, frames: Frames) -> dict:
        """``sequences`` of the log; for each frame those of its schedules, None when it has none for a
        reason that is no difference; ``parity``: [frame, kind, scheduled, in code, missing waits]."""
        sequences: dict[tuple[str, ...], int] = {}
        found: list[list[int]] = [[] for _ in range(len(frames))]
        for row in frames.table("collective_schedules"):
            number = frames.number_of(row)
            if number is not None:
                ops = tuple(_NONE if op is None else op for op in row["collectives"])
                found[number].append(sequences.setdefault(ops, len(sequences)))
        listed = list(sequences)
        cached = {frames.number_of(row) for row in frames.table("caches") if row["outcome"] == "hit"}
        uncertain = [
            number in cached or not any(a.name == _CODE for a in frames.artifacts(number))
            for number in range(len(frames))
        ]
        return {
            "sequences": listed,
            "frames": [None if not rows and unsure else rows for rows, unsure in zip(found, uncertain)],
            "uncertain": uncertain,
            "parity": [
                [number, *problem]
                for number, rows in enumerate(found)
                if not uncertain[number]
                for problem in _parity(frames, number, [op for row in rows for op in listed[row]])
            ],
        }

    def tables(self, comparison: Comparison, digests: Sequence[dict], tables: Tables) -> Iterator[RankTable]:
        usual: dict[int, tuple] = {}
        rows = []
        for column, groups in comparison.by_column(digests, _cell):
            told = [cell for cell, _ in groups if cell.found is not None]
            counted = {cell.found for cell in told if not cell.unsure} or {cell.found for cell in told}
            if not any(counted):
                continue
            agreeing = grouped((cell.found, members) for cell, members in groups if cell.found in counted)
            usual[column] = agreeing[0][0]
            for number, (found, members) in enumerate(agreeing):
                difference = _first_difference(found, usual[column]) if number else _SAME
                rows.append(
                    {
                        "rank_compile": column,
                        "ranks": comparison.ranks(members),
                        "schedules": list(map(list, found)),
                        **difference,
                    }
                )
            unknown = set(comparison.having(column)).difference(*(members for _, members in agreeing))
            if unknown:
                rows.append(
                    {"rank_compile": column, "ranks": comparison.ranks(unknown), "schedules": None, **_SAME}
                )
        yield "rank_schedules", rows
        yield "rank_collectives", _whole(comparison, digests, usual)
        yield "rank_parity", _parity_rows(comparison, digests)


class _Cell(NamedTuple):
    """The schedules of a frame; None when it does not tell; ``unsure``: there may have been more."""

    found: tuple[tuple[str, ...], ...] | None
    unsure: bool


def _cell(digest: dict, frame: int) -> _Cell:
    rows = digest["frames"][frame]
    return _Cell(
        None if rows is None else tuple(tuple(digest["sequences"][row]) for row in rows),
        digest["uncertain"][frame],
    )


def _parity(frames: Frames, number: int, ops: list[str]) -> Iterator[tuple[str, int, int, int]]:
    """(kind, scheduled, in code, missing waits) of what does not agree."""
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
    planned = scheduled(ops)
    different = [kind for kind in sorted(counts | planned) if counts[kind] != planned[kind]]
    for kind in different or (sorted(counts)[:1] if missing else ()):
        yield kind, planned[kind], counts[kind], missing


def _in_code(artifact: Artifact) -> tuple[Counter[str], int]:
    """in_code of an artifact; equal ones, as equal ranks have, are read once."""
    found = _counted.get(artifact.sha256)
    if found is None:
        if len(_counted) >= _MAX_COUNTED:
            _counted.clear()
        found = _counted[artifact.sha256] = in_code(artifact.text() or "")
    return found


def _first_difference(mine: tuple, others: tuple) -> dict:
    """The fields ``schedule``, ``position``, ``here`` and ``others`` of a row."""
    for schedule, (here, there) in enumerate(zip_longest(mine, others, fillvalue=())):
        for position, (op, other) in enumerate(zip_longest(here, there)):
            if op != other:
                return {"schedule": schedule, "position": position, "here": op, "others": other}
    return _SAME


def _whole(comparison: Comparison, digests: Sequence[dict], usual: dict[int, tuple]) -> list[dict]:
    """Ranks by all their schedules in the order of their compiles.

    Where a rank does not tell, it is taken to be like most.
    """
    pairs = []
    for members in comparison.alike(digests):
        digest, order = digests[members[0]], comparison.orders[comparison.kind[members[0]]]
        whole = []
        for frame, column in enumerate(order):
            found, unsure = _cell(digest, frame)
            if found is None or (unsure and len(found) < len(usual.get(column, ()))):
                found = usual.get(column, ())
            whole += [(op, column) for schedule in found for op in schedule]
        pairs.append((tuple(whole), members))
    groups = grouped((tuple(op for op, _ in whole), members) for whole, members in pairs)
    placed = {tuple(op for op, _ in whole): [column for _, column in whole] for whole, _ in reversed(pairs)}
    if not usual:
        return []
    first = groups[0][0]
    rows = []
    for number, (ops, members) in enumerate(groups):
        position = next((p for p, (here, there) in enumerate(zip_longest(ops, first)) if here != there), None)
        first_difference = {"position": None, "rank_compile": None, "here": None, "others": None}
        if number and position is not None:
            first_difference = {
                "position": position,
                "rank_compile": (placed[ops] if position < len(ops) else placed[first])[position],
                "here": ops[position] if position < len(ops) else None,
                "others": first[position] if position < len(first) else None,
            }
        rows.append(
            {
                "ranks": comparison.ranks(members),
                "op_count": len(ops),
                "counts": _counts(ops, first),
                **first_difference,
            }
        )
    return rows


def _counts(ops: tuple[str, ...], others: tuple[str, ...]) -> dict[str, list[int]]:
    """How often there are the operations of which there are more or less than in ``others``."""
    mine, theirs = Counter(ops), Counter(others)
    return {op: [mine[op], theirs[op]] for op in sorted(mine | theirs) if mine[op] != theirs[op]}


def _parity_rows(comparison: Comparison, digests: Sequence[dict]) -> list[dict]:
    found: dict[tuple, list[int]] = {}
    for members in comparison.alike(digests):
        order = comparison.orders[comparison.kind[members[0]]]
        for frame, *problem in digests[members[0]]["parity"]:
            found.setdefault((order[frame], *problem), []).extend(members)
    return [
        {
            "rank_compile": column,
            "compile": comparison.key(sorted(members), column),
            "ranks": comparison.ranks(members),
            "op": kind,
            "scheduled": planned,
            "in_code": called,
            "missing_waits": missing,
        }
        for (column, kind, planned, called, missing), members in sorted(found.items())
    ]
