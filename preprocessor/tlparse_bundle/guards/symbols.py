"""Which sizes and numbers of cache entries are symbols, and which of them share one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

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
    share a symbol, unless one has varied in earlier entries (torch/_dynamo/variables/builder.py). None if the
    call's own entry lets both vary: calls that hit it, not in the log, may not fit the other.
    """
    is_open = False
    first: dict[int, tuple[int, str | None]] = {}  # by size: that of the call, and where it varies
    others = {place.name: place for place in _places(history, call)}
    for place in _duck_places(history, entry, entries):
        other = others.get(place.name)
        if other is None:
            continue
        own = place.name if other.varies else None
        number, varying = first.setdefault(place.value, (other.value, None))
        if number != other.value:
            return False
        is_open |= bool(own and varying and not _are_equal(history, call, own, varying))
        first[place.value] = number, varying or own
    is_alone = call not in history.hit and history.shows_hits(call)
    return None if is_open and not is_alone else True


def is_narrowed(history: CodeHistory, entry: int, entries: Sequence[int]) -> bool:
    """Whether calls that hit an entry, which are not in the log, may not fit it with dynamic=True: sizes
    share a symbol then of which it lets one vary.
    """
    if entry not in history.hit and history.shows_hits(entry):
        return False
    found: dict[int, list[_Place]] = {}
    for place in _duck_places(history, entry, entries):
        found.setdefault(place.value, []).append(place)
    return any(
        (place.varies or places[0].varies) and not _are_equal(history, entry, place.name, places[0].name)
        for places in found.values()
        for place in places[1:]
    )


class _Place(NamedTuple):
    """A size of an argument, of its base, or its offset, by the name that guards give it. ``varies``: whether
    the entry that the call compiled lets it vary; ``source``, ``dimension``: of a size of the argument.
    """

    name: str
    value: int
    varies: bool
    source: str = ""
    dimension: int = 0


def _places(history: CodeHistory, call: int) -> Iterator[_Place]:
    """Yield the sizes of the tensors of a call, their offsets and the sizes of their bases."""
    views, input = history.compiles[call].views, history.compiles[call].input
    values = input.values if input is not None else {}
    for source, value in values.items():
        if not isinstance(value, Tensor) or not is_argument(source):
            continue
        for dimension, size in enumerate(value.size):
            own = varies(history, call, source, dimension)
            yield _Place(f"{source}.size()[{dimension}]", size, own, source, dimension)
        view = views.get(source)
        if view is not None:
            is_dynamic = any(varies(history, call, source, place) for place in range(len(value.size)))
            name = f"{source}.storage_offset()"
            yield _Place(name, values.get(name, 0), is_dynamic)
            for dimension, size in enumerate(view.base):
                if type(size) is int:
                    yield _Place(f"{source}._base.size()[{dimension}]", size, is_dynamic)


def _duck_places(history: CodeHistory, entry: int, entries: Sequence[int]) -> Iterator[_Place]:
    """Yield those of an entry that share a symbol with others of the same value: neither 0 nor 1, and none
    that has varied in earlier entries.
    """
    before = [one for one in entries if one < entry]
    for place in _places(history, entry):
        at, tensors = place.dimension, (history.tensor(one, place.source) for one in before)
        has_varied = any(one is not None and one.size[at : at + 1] != (place.value,) for one in tensors)
        if place.value not in SMALL_SIZES and not has_varied:
            yield place


def _are_equal(history: CodeHistory, call: int, place: str, other: str) -> bool:
    """Whether the entry that a call compiled wants two sizes to be equal."""
    texts = {f"{place} == {other}", f"{other} == {place}"}
    guards = history.guards
    return any(guards[guard].text in texts for guard in history.compiles[call].guards)
