"""Dimensions that the program marks, as the guards of a compile show it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from tlparse_bundle.statements.facts import Facts

_MARKED = re.compile(
    r"getattr\((?P<source>.+?), '_dynamo_(?P<mark>\w+)_indices', set\(\)\)\.issubset\(\{(?P<at>[\d, ]+)\}\)"
)


def marked_dimensions(
    facts: Facts, compile: str | None, mark: Literal["unbacked", "static"]
) -> Iterator[tuple[str, int]]:
    """Yield the tensors and dimensions with a mark in the call of a compile."""
    guards = facts.table("guards")
    for tree in facts.table("guard_trees"):
        if tree["compile"] != compile:
            continue
        for number in tree["guards"]:
            guard = guards[number]
            if guard["kind"] == "DIMENSION_DYNAMIC_MARKING_GUARD":
                match = _MARKED.search(guard["text"])
                if match is not None and match["mark"] == mark:
                    yield from ((match["source"].lstrip("("), int(at)) for at in match["at"].split(","))
