"""Which sizes and numbers of a function became constants."""

from __future__ import annotations

import re

from tlparse_bundle.findings.change_words import source_name
from tlparse_bundle.findings.facts import Facts

SIZE = re.compile(r"([\w.\[\]'\"]+)\.size\(\)\[(\d+)\]")


def specializations(facts: Facts) -> dict[tuple, list[dict]]:
    """Return the specializations of each function: rows with the names of their sources."""
    groups: dict[tuple, list[dict]] = {}
    for row in facts.table("specializations"):
        named = {**row, "sources": [source_name(source) for source in row["sources"]]}
        groups.setdefault(facts.function_keys[facts.number_of(row)], []).append(named)
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
