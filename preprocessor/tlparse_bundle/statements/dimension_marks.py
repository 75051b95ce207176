"""Dimensions that the program marks, as the guards of a compile show it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.rows_by_compile import guards_of

_MARKED = re.compile(
    r"getattr\((?P<source>.+?), '_dynamo_(?P<mark>\w+)_indices', set\(\)\)\.issubset\(\{(?P<at>[\d, ]+)\}\)"
)


def marked_dimensions(
    facts: Facts, compile: str | None, mark: Literal["unbacked", "static"]
) -> Iterator[tuple[str, int]]:
    """Yield the tensors and dimensions with a mark in the call of a compile."""
    for guard in guards_of(facts, compile):
        match = _MARKED.search(guard["text"]) if guard["kind"] == "DIMENSION_DYNAMIC_MARKING_GUARD" else None
        if match is not None and match["mark"] == mark:
            yield from ((match["source"].lstrip("("), int(at)) for at in match["at"].split(","))
