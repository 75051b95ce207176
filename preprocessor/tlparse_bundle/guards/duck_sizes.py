"""Sizes that share a symbol with dynamic=True, since they are equal in a call: torch's duck sizing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.fixes import SMALL_SIZES
from tlparse_bundle.guards.inputs import is_argument
from tlparse_bundle.guards.symbols import varies
from tlparse_bundle.guards.values import Tensor


class _Place(NamedTuple):
    """A size of an argument, of its base, or its offset, by the name that guards give it. ``varies``: whether
    the entry that the call compiled lets it vary; ``source``, ``dimension``: of a size of the argument.
    """

    name: str
    value: int
    varies: bool
    source: str = ""
    dimension: int = 0


class DuckSizes:
    """The sizes of the calls and the entries of one run. ``entries`` of the methods: those of the run so
    far, in order.
    """

    def __init__(self, history: CodeHistory):
        self._history = history
        self._of_calls: dict[int, dict[str, _Place]] = {}
        self._of_entries: dict[int, list[_Place]] = {}

    def are_same(self, call: int, entry: int, entries: Sequence[int]) -> bool | None:
        """Whether sizes that share a symbol in an entry are equal in a call. None if the call's own entry
        lets both vary: calls that hit it, not in the log, may not fit the other.
        """
        is_open = False
        first: dict[int, tuple[int, str | None]] = {}  # by size: that of the call, and where it varies
        others = self._of_call(call)
        for place in self._of_entry(entry, entries):
            other = others.get(place.name)
            if other is None:
                continue
            own = place.name if other.varies else None
            size, varying = first.setdefault(place.value, (other.value, None))
            if size != other.value:
                return False
            is_open |= bool(own and varying and not self._are_equal(call, own, varying))
            first[place.value] = size, varying or own
        is_alone = call not in self._history.hit and self._history.shows_hits(call)
        return None if is_open and not is_alone else True

    def is_narrower(self, entry: int, entries: Sequence[int]) -> bool:
        """Whether calls that hit an entry, which are not in the log, may not fit it in this run: sizes share
        a symbol of which it lets one vary.
        """
        if entry not in self._history.hit and self._history.shows_hits(entry):
            return False
        found: dict[int, list[_Place]] = {}
        for place in self._of_entry(entry, entries):
            found.setdefault(place.value, []).append(place)
        return any(
            (place.varies or places[0].varies) and not self._are_equal(entry, place.name, places[0].name)
            for places in found.values()
            for place in places[1:]
        )

    def _of_call(self, call: int) -> dict[str, _Place]:
        if call not in self._of_calls:
            self._of_calls[call] = {place.name: place for place in _places(self._history, call)}
        return self._of_calls[call]

    def _of_entry(self, entry: int, entries: Sequence[int]) -> list[_Place]:
        """Return those that share a symbol with others of the same size: neither 0 nor 1, and none that has
        varied in earlier entries (torch/_dynamo/variables/builder.py).
        """
        if entry not in self._of_entries:
            before = [one for one in entries if one < entry]
            self._of_entries[entry] = [
                place
                for place in self._of_call(entry).values()
                if place.value not in SMALL_SIZES and not self._has_varied(place, before)
            ]
        return self._of_entries[entry]

    def _has_varied(self, place: _Place, before: Sequence[int]) -> bool:
        at, tensors = place.dimension, (self._history.tensor(one, place.source) for one in before)
        return any(one is not None and one.size[at : at + 1] != (place.value,) for one in tensors)

    def _are_equal(self, call: int, place: str, other: str) -> bool:
        """Whether the entry that a call compiled wants two sizes to be equal."""
        texts = {f"{place} == {other}", f"{other} == {place}"}
        guards = self._history.guards
        return any(guards[guard].text in texts for guard in self._history.compiles[call].guards)


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
