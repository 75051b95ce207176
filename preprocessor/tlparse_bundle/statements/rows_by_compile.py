"""Rows of large tables by compile, without reading the table again for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tlparse_bundle.model.compiles import CANDIDATES
from tlparse_bundle.statements.facts import Facts

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GuardsRow


class RowsByCompile:
    """The rows of a table by compile, in a few bytes for each."""

    def __init__(self, facts: Facts, name: str):
        self._facts, self._rows = facts, facts.table(name)
        size = len(facts.table(CANDIDATES))
        self._first, self._count = array("i", [-1]) * size, array("i", [0]) * size
        self._others: dict[int, list[int]] = {}  # rows that are apart
        for number, row in enumerate(self._rows):
            compile = facts.compiles.compiles.get(row["compile"]) if row["compile"] is not None else None
            if compile is None:
                continue
            if self._first[compile] < 0:
                self._first[compile] = number
            if self._first[compile] + self._count[compile] == number:
                self._count[compile] += 1
            else:
                self._others.setdefault(compile, []).append(number)

    def rows(self, key: str) -> list[Any]:
        """Return the rows of a compile; those of its last attempt with any, where attempts differ."""
        compile = self._facts.compiles.compiles.get(key)
        if compile is None or self._first[compile] < 0:
            return []
        first = self._first[compile]
        numbers = [*range(first, first + self._count[compile]), *self._others.get(compile, ())]
        rows = [self._rows[number] for number in numbers]
        last = max(row["attempt"] or 0 for row in rows)
        return [row for row in rows if (row["attempt"] or 0) == last]


def graphs_by_compile(facts: Facts) -> RowsByCompile:
    """Return the index of 'graphs', for ``Facts.once``."""
    return RowsByCompile(facts, "graphs")


def guard_trees_by_compile(facts: Facts) -> RowsByCompile:
    """Return the index of 'guard_trees', for ``Facts.once``."""
    return RowsByCompile(facts, "guard_trees")


def symbols_by_compile(facts: Facts) -> RowsByCompile:
    """Return the index of 'symbols', for ``Facts.once``."""
    return RowsByCompile(facts, "symbols")


def tensors_by_compile(facts: Facts) -> RowsByCompile:
    """Return the index of 'tensors', for ``Facts.once``."""
    return RowsByCompile(facts, "tensors")


def guards_of(facts: Facts, compile: str | None) -> Iterator[GuardsRow]:
    """Yield the guards of a compile; none for None."""
    if compile is not None:
        guards = facts.table("guards")
        for tree in facts.once(guard_trees_by_compile).rows(compile):
            yield from map(guards.__getitem__, tree["guards"])
