"""What happened on some ranks and not on all: graph breaks, restarts, recompiles, guards; and failures, on
all ranks as well.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from tlparse_bundle.base.machine_text import ADDRESS
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames

KINDS = ("failure", "graph_break", "restart", "recompile", "guard")
MAX_TEXT = 2000  # characters
MAX_GUARD_ROWS = 1000
_ADDRESS = re.compile(ADDRESS + r"|\b\d{9,}\b|\b(?<=cuda:)\d+")
_GLOBAL_NUMBER = re.compile(
    r"___?\d+\b"
)  # torch/_dynamo/output_graph.py, install_global: numbers of the process
_COMPILE_ID = re.compile(r"^(!\d+/)?\d+/\d+(_\d+)?: ")


class Occurrences:
    name = "occurrences"

    def digest(self, frames: Frames) -> dict:
        """``rows``: [kind, frame, text, type, file, line]; ``guards``: what stands for the guards of each
        frame.
        """
        return {
            "rows": [*_failures(frames), *_graph_breaks(frames), *_recompiles(frames)],
            "guards": _guard_hashes(frames),
        }

    def tables(self, comparison: Comparison, digests: Sequence[dict], tables: Tables) -> Iterator[RankTable]:
        rows = _partial(comparison, digests) + _partial_guards(comparison, digests)
        yield (
            "rank_occurrences",
            sorted(
                rows,
                key=lambda row: (
                    KINDS.index(row["kind"]),
                    -1 if row["rank_compile"] is None else row["rank_compile"],
                ),
            ),
        )


def _row(
    kind: str, frame: int | None, text: str | None, type_: str | None, file: str | None, line: int | None
) -> list:
    return [kind, frame, (text or "")[:MAX_TEXT], type_, file, line]


def _failures(frames: Frames) -> list[list]:
    return [
        _row(
            "restart" if row["kind"] == "restart" else "failure",
            frames.number_of(row),
            row["reason"],
            row["type"],
            row["file"],
            row["line"],
        )
        for row in frames.table("failures")
        if row["kind"] in ("compile", "backward", "restart")
    ]


def _graph_breaks(frames: Frames) -> list[list]:
    first: dict[int, dict] = {}
    for record in frames.table("graph_break_records"):
        first.setdefault(record["graph_break"], record)
    rows = []
    for row in frames.table("graph_breaks"):
        text = ": ".join(filter(None, (row["reason"], row["source_line"])))
        rows.append(
            _row(
                "graph_break",
                frames.number_of(first[row["id"]]),
                text,
                row["gb_id"],
                row["file"],
                row["line"],
            )
        )
    return rows


def _recompiles(frames: Frames) -> list[list]:
    """What guards asked for, whether torch refused it or not."""
    first = {row["compile"]: row for row in frames.table("recompile_reasons") if row["position"] == 0}
    asked = [(row["event"], row, row["text"]) for row in frames.table("recompiles")]
    asked += [
        (first.get(row["compile"], {}).get("event", row["first_event"]), row, row["recompile_reason"])
        for row in frames.table("limits")
    ]
    rows = []
    for _, row, text in sorted(asked, key=itemgetter(0)):
        reason = first.get(row["compile"], {})
        text = reason.get("guard") or text or ""
        rows.append(
            _row(
                "recompile",
                frames.number_of(row),
                _COMPILE_ID.sub("", text),
                None,
                reason.get("file"),
                reason.get("line"),
            )
        )
    return rows


def _guard_lists(frames: Frames) -> dict[int, int]:
    """Return the list of guards of each frame that has one: that of its last tree."""
    trees = ((frames.number_of(tree), tree) for tree in frames.table("guard_trees"))
    return {number: tree["list"] for number, tree in trees if tree["form"] == "tree" and number is not None}


def _guard_hashes(frames: Frames) -> list[str | None]:
    """Return what stands for the guards of each frame."""
    of_frame = _guard_lists(frames)
    wanted = set(of_frame.values())
    hashes = {number: _guard_hash(guards) for number, guards in _guards(frames) if number in wanted}
    return [hashes.get(of_frame.get(frame, -1)) for frame in range(len(frames))]


def _guards_of(frames: Frames, frame: int) -> set[tuple[str, str]]:
    """Return the guards of a frame as (kind, source)."""
    wanted = _guard_lists(frames).get(frame)
    return next((set(guards) for number, guards in _guards(frames) if number == wanted), set())


def _guards(frames: Frames) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Yield each list of guards, as (kind, source), with its number: a log can have millions of guards."""
    for number, rows in groupby(frames.log.stream("guards"), itemgetter("list")):
        yield number, [(row["kind"] or "", _GLOBAL_NUMBER.sub("_*", row["source"] or "")) for row in rows]


def _guard_hash(guards: list[tuple[str, str]]) -> str | None:
    return hashlib.sha256(repr(sorted(guards)).encode()).hexdigest()[:16] if guards else None


def _identity(row: Sequence) -> tuple:
    kind, _, text, type_, file, line = row
    return kind, _ADDRESS.sub("*", text), type_, (file or "").replace("\\", "/").rpartition("/")[2], line


def _partial(comparison: Comparison, digests: Sequence[dict]) -> list[dict]:
    """What is in some digests and not in all.

    A graph break is compared over the whole log, the rest by column.
    """
    everyone = range(len(comparison.members))
    found: dict[tuple, tuple[list[Any], int | None, list[int]]] = {}
    for members in comparison.alike(digests):
        order = comparison.orders[comparison.kind[members[0]]]
        seen = set()
        for row in digests[members[0]]["rows"]:
            column = None if row[1] is None else order[row[1]]
            key = (_identity(row), None if row[0] == "graph_break" else column)
            if key not in seen:
                seen.add(key)
                found.setdefault(key, (row, column, []))[2].extend(members)
    broken = {column for row, column, _ in found.values() if row[0] == "graph_break"}
    rows = []
    for row, column, members in found.values():
        if row[0] == "restart" and column in broken:
            continue  # most graph breaks restart the compile
        having = everyone if row[0] == "graph_break" or column is None else comparison.having(column)
        others = set(having) - set(members) or set(everyone) - set(members)
        if others or row[0] == "failure":
            rows.append(_shown(comparison, row, column, sorted(members), sorted(others)))
    return rows


def _shown(
    comparison: Comparison, row: Sequence, column: int | None, members: list[int], others: list[int]
) -> dict:
    kind, _, text, type_, file, line = row
    return {
        "kind": kind,
        "rank_compile": column,
        "compile": None if column is None else comparison.key(members, column),
        "ranks": comparison.ranks(members),
        "others": comparison.ranks(others),
        "text": text,
        "type": type_,
        "file": file,
        "line": line,
    }


def _partial_guards(comparison: Comparison, digests: Sequence[dict]) -> list[dict]:
    """Guards that differ in a column among ranks with the same graph."""
    rows: list[dict] = []
    for column, groups in comparison.by_column(digests, lambda digest, frame: digest["guards"][frame]):
        usual = groups[0][1]
        graph = comparison.frame(usual[0], column).graph
        for _, members in groups[1:]:
            if len(rows) < MAX_GUARD_ROWS and comparison.frame(members[0], column).graph == graph:
                here, there = (
                    _guards_of(opened, cell)
                    for opened, cell in _opened(comparison, column, (members[0], usual[0]))
                )
                for guards, with_, without in (
                    (here - there, members, usual),
                    (there - here, usual, members),
                ):
                    rows += [
                        _shown(
                            comparison,
                            _row("guard", None, f"{kind}: {source}" if source else kind, None, None, None),
                            column,
                            with_,
                            without,
                        )
                        for kind, source in sorted(guards)
                    ]
    return rows[:MAX_GUARD_ROWS]


def _opened(comparison: Comparison, column: int, members: Sequence[int]) -> list[tuple[Frames, int]]:
    return [(comparison.opened(member), comparison.cells[member][column]) for member in members]
