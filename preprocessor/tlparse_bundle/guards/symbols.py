"""Which sizes and numbers of cache entries are symbols, and which of them share one."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.fixes import SMALL_SIZES
from tlparse_bundle.guards.inputs import Input, is_argument
from tlparse_bundle.guards.values import Tensor


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


def are_same_duck_sizes(history: CodeHistory, call: int, entry: int, entries: Sequence[int]) -> bool | None:
    """Whether sizes that are equal in the input of an entry are equal in a call: with dynamic=True they
    share a symbol, unless one has varied in earlier entries (torch/_dynamo/variables/builder.py). None if
    the call's own entry lets both vary: calls that hit it, not in the log, may not fit the other.
    """
    is_open = False
    first: dict[int, tuple[int, str | None]] = {}  # by size: that of the call, and where it varies
    input = history.compiles[entry].input
    for source, value in input.values.items() if input is not None else ():
        other = history.tensor(call, source)
        if not isinstance(value, Tensor) or other is None or not is_argument(source):
            continue
        before = [history.tensor(one, source) for one in entries if one < entry]
        for dimension, (mine, theirs) in enumerate(zip(value.size, other.size, strict=False)):
            has_varied = any(
                one is not None and one.size[dimension : dimension + 1] != (mine,) for one in before
            )
            if mine in SMALL_SIZES or has_varied:
                continue
            place = f"{source}.size()[{dimension}]" if varies(history, call, source, dimension) else None
            size, varying = first.setdefault(mine, (theirs, None))
            if size != theirs:
                return False
            is_open |= bool(place and varying and not _are_equal(history, call, place, varying))
            first[mine] = size, varying or place
    is_alone = call not in history.hit and history.shows_hits(call)
    return None if is_open and not is_alone else True


def _are_equal(history: CodeHistory, call: int, place: str, other: str) -> bool:
    """Whether the entry that a call compiled wants two sizes to be equal."""
    texts = {f"{place} == {other}", f"{other} == {place}"}
    guards = history.guards
    return any(guards[guard].text in texts for guard in history.compiles[call].guards)
