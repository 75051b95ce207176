"""Adds the findings about measured times to those that a log already has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tlparse_bundle.statements.finding import MAX_FINDINGS, UNLISTED
from tlparse_bundle.statements.finding import stage as stage_of
from tlparse_bundle.statements.kinds.run_time import KINDS, findings
from tlparse_bundle.statements.source_places import Shortener, is_of_program
from tlparse_bundle.statements.statement import severity_of

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FindingsRow, LogTable


class _Tables:
    """Tables of a log in a bundle, and those that are written now."""

    def __init__(self, table: LogTable, new: Mapping[str, Sequence[Any]]):
        self._table, self._new = table, new

    if TYPE_CHECKING:
        table: LogTable
    else:

        def table(self, name: str) -> list[Any]:
            return list(self._new[name]) if name in self._new else self._table(name)

    @cached_property
    def short(self) -> Shortener:
        files = dict.fromkeys(row["file"] for name in ("compiles", "stacks") for row in self.table(name))
        return Shortener(file for file in files if file and is_of_program(file))


def with_findings(table: LogTable, new: Mapping[str, Sequence[Any]]) -> list[FindingsRow]:
    """Return the findings of a log, with those about its profiler traces. ``new``: their tables."""
    tables = _Tables(table, new)
    compiles = tables.table("compiles")
    rows = _without_ours(tables.table("findings"))
    for finding in findings(tables):
        row = finding.row(0, tables.short.text, lambda number: compiles[number]["compile"], None)
        rows.insert(_place(rows, row), row)
    return _numbered(rows[:MAX_FINDINGS])


def _without_ours(rows: Sequence[FindingsRow]) -> list[FindingsRow]:
    return [row for row in rows if row["kind"] not in KINDS]


def _place(rows: Sequence[FindingsRow], new: FindingsRow) -> int:
    """Return where a finding belongs: before the first less important one that is not an effect."""
    for place, row in enumerate(rows):
        if row["kind"] == UNLISTED or (row["because_of"] is None and _order(row) > _order(new)):
            return place
    return len(rows)


def _order(row: FindingsRow) -> tuple[int, int, int, int]:
    stage = stage_of(row["kind"], row["severity"], row["details"])
    cost = -abs(row["cost_us"] or 0)
    return stage, cost, severity_of(row).rank, 0 if row["kind"] in KINDS else 1


def _numbered(rows: Sequence[FindingsRow]) -> list[FindingsRow]:
    """Return the rows with their numbers as ids, and because_of with the new ones."""
    places = {id(row): number for number, row in enumerate(rows)}
    before = {row["id"]: places[id(row)] for row in rows if row["kind"] not in KINDS}
    return [
        {
            **row,
            "id": places[id(row)],
            "because_of": None if row["because_of"] is None else before.get(row["because_of"]),
        }
        for row in rows
    ]
