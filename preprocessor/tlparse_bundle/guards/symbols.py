"""Which sizes and numbers of cache entries are symbols."""

from __future__ import annotations

from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.inputs import Input


def varies(history: CodeHistory, call: int, source: str, dimension: int | None) -> bool:
    """Whether the entry that a call compiled has a dimension dynamic, or a number as a symbol."""
    input = history.compiles[call].input
    if input is None:
        return False
    if dimension is None:
        return type(input.values.get(source)) in (int, float) and not is_constant(input, source)
    pattern = input.patterns.get(source)
    return pattern is not None and list(pattern.size[dimension : dimension + 1]) == [None]


def is_constant(input: Input, source: str) -> bool:
    """Whether a guard fixes the value of a number."""
    return ("EQUALS_MATCH", source, source) in input.guards
