"""The functions that identify a program, with their recompiles and graph breaks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.source_places import is_generated
from tlparse_bundle.statements.statement import MAX_TITLE, cut

_FIRST = 5  # functions in order of their first compile
_MOST = 8  # with those that recompile most

_Name = tuple[str, str | None]  # function, file


def main_functions(facts: Facts) -> list[dict[str, Any]]:
    """Return the functions compiled first, then others with most recompiles and graph breaks.

    Schema: manifest, 'functions' of 'summary'.
    """
    order: dict[_Name, None] = {}
    for frame in facts.compiled:
        name = None if is_generated(frame.row["file"]) else _name(facts, frame.rows[0])
        if name is not None:
            order.setdefault(name)
    again = _counts(facts, "recompiles")
    breaks = _counts(facts, "graph_break_records")
    names = list(order)
    others = sorted(names[_FIRST:], key=lambda name: -(again[name] + breaks[name]))
    return [
        {
            "function": cut(name[0], MAX_TITLE),
            "file": name[1],
            "recompile_count": again[name],
            "graph_break_count": breaks[name],
        }
        for name in [*names[:_FIRST], *others[: _MOST - _FIRST]]
    ]


def _counts(facts: Facts, table: str) -> Counter[_Name]:
    counts: Counter[_Name] = Counter()
    for row in facts.table(table):
        name = _name(facts, facts.number_of(row)) if row["compile"] is not None else None
        if name is not None:
            counts[name] += 1
    return counts


def _name(facts: Facts, number: int) -> _Name | None:
    file, function, _ = facts.function_key(number)
    return None if function is None else (function, file and tail(file))
