"""Which sizes and numbers of a function became constants."""

from __future__ import annotations

import re

from tlparse_bundle.findings.change_words import source_name
from tlparse_bundle.findings.facts import Facts

SIZE = re.compile(r"([\w.\[\]'\"]+)\.size\(\)\[(\d+)\]")


def specializations(facts: Facts) -> dict[tuple, list[dict]]:
    """The specializations of each function."""
    if not facts.kind_count("symbolic_shape_specialization"):
        return {}
    table = facts.table("symbols")
    strings, columns = table["strings"], table["specializations"]
    groups: dict[tuple, list[dict]] = {}
    for cells in zip(*columns.values()):
        row = dict(zip(columns, cells))
        row["sources"] = [source_name(strings[source]) for source in row["sources"]]
        row["value"], row["reason"] = strings[row["value"]], strings[row["reason"]] if row["reason"] >= 0 else None
        groups.setdefault(facts.function_keys[row["compile_index"]], []).append(row)
    return groups


def noun_of(rows: list[dict]) -> str:
    return "size" if all(source is None or ".size()" in source for row in rows for source in row["sources"]) else "value"


def noun(facts: Facts) -> str:
    """What all constants of the log are: sizes, or values."""
    return noun_of([row for rows in facts.once(specializations).values() for row in rows])


def constants(facts: Facts) -> set[tuple]:
    """What became a constant: (function, name, dimension), with None for the dimension of a number."""
    found = set()
    for function, rows in facts.once(specializations).items():
        for source in {source for row in rows for source in row["sources"] if source}:
            size = SIZE.fullmatch(source)
            found.add((function, size[1], int(size[2])) if size else (function, source, None))
    return found
