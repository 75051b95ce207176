"""What fixes that choose one value of a flag or one object change: other calls take a different path.

A log says which values each path reads, by the guards of the calls that took it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tlparse_bundle.guards.code_history import VALUES, CodeHistory
from tlparse_bundle.guards.failing import SIZES, Difference, failing
from tlparse_bundle.guards.fixes import Fix
from tlparse_bundle.guards.inputs import Input, is_argument
from tlparse_bundle.guards.values import Tensor

_CHOOSING = ("few_values", "same_type", "same_object")


class Branches:
    """The paths of calls with fixes. The value or the object that a fix chooses is that of the first call."""

    def __init__(self, history: CodeHistory, fixes: Sequence[Fix]):
        self._history = history
        self._sources = [fix.source or "" for fix in fixes if fix.kind in _CHOOSING]
        self._types = [fix.source for fix in fixes if fix.kind == "same_type"]
        self._fixes = fixes
        self._reads: dict[int, frozenset[str]] = {}
        self._known_paths: dict[int, bool] = {}

    @cached_property
    def _changed(self) -> frozenset[int]:
        """The calls whose value the fixes change."""
        changed: set[int] = set()
        for fix in self._fixes:
            if fix.kind not in _CHOOSING:
                continue
            source = fix.source or ""
            values = [
                (number, known[source])
                for number, compiled in enumerate(self._history.compiles)
                if compiled.input is not None
                and source
                in (known := compiled.input.objects if fix.kind == "same_object" else compiled.input.values)
            ]
            if fix.kind == "same_type":
                changed |= {number for number, value in values if value is None}
            elif values:
                first = values[0][1]
                changed |= {
                    number for number, value in values if type(value) is not type(first) or value != first
                }
        return frozenset(changed)

    @cached_property
    def _read_by_all(self) -> tuple[frozenset[str], frozenset[str]]:
        """What all calls read that fixes leave as they are, and what any of them reads."""
        reads = [self._read(call) for call in range(len(self._history.compiles)) if call not in self._changed]
        reads = [read for read in reads if read]
        return (
            (frozenset.intersection(*reads), frozenset.union(*reads)) if reads else (frozenset(), frozenset())
        )

    def _read(self, call: int) -> frozenset[str]:
        """Return what a call reads, by its guards, besides the values that the fixes choose."""
        if call not in self._reads:
            self._reads[call] = self._history.reads[call] - self._chosen
        return self._reads[call]

    @cached_property
    def _chosen(self) -> frozenset[str]:
        everything = frozenset[str]().union(*self._history.reads)
        return frozenset(
            source for source in everything if any(is_below(source, one) for one in self._sources)
        )

    def are_known(self, call: int, entry: int) -> bool:
        """Whether the log has what the changed path of an entry reads, of both the entry and the call."""
        if entry not in self._changed:
            return True
        if call not in self._changed:
            return self._read(call) <= self._read(entry)
        return self._read_by_all[0] <= self._read(entry) & self._read(call)

    def is_missing(self, difference: Difference, call: int, entry: int) -> bool:
        """Whether a value that is None in the call or the entry is there with the fixes."""
        source = difference.source
        return source in self._types and any(
            one.input is not None and one.input.values.get(source, "") is None
            for one in (self._history.compiles[call], self._history.compiles[entry])
        )

    def agree(self, source: str, call: int, entry: int) -> bool | None:
        """Whether a call and an entry agree on a value when those without it pass a tensor like the first
        one. None for values other than tensors, which may differ, and where the sizes of other tensors
        differ, from which those of this one may follow.
        """
        values = {
            number: compiled.input.values[source]
            for number, compiled in enumerate(self._history.compiles)
            if compiled.input is not None and compiled.input.values.get(source) is not None
        }
        first = next(iter(values), None)
        if first is None or not isinstance(values[first], Tensor):
            return None
        if any(self._differ_in_size(number, first) for number in (call, entry) if number not in values):
            return None
        guards = (
            self._history.guards[guard]
            for guard in self._history.compiles[entry if entry in values else first].guards
        )
        passed = Input({source: values.get(call, values[first])})
        found = [
            failing(guard, passed) for guard in guards if guard.source == source and guard.kind in VALUES
        ]
        differences = [one for differences in found for one in differences or ()]
        if None in found or any(one.aspect not in SIZES for one in differences):
            return False
        # A size that varies can be dynamic in an entry that an earlier call left, with the fix.
        return None if differences else True

    def _differ_in_size(self, call: int, other: int) -> bool:
        """Whether two calls have a tensor argument of different sizes."""
        input = self._history.compiles[call].input
        return any(
            isinstance(value, Tensor)
            and is_argument(source)
            and (own := self._history.tensor(other, source)) is not None
            and own.size != value.size
            for source, value in (input.values.items() if input is not None else ())
        )

    def is_unread(self, difference: Difference, call: int, entry: int) -> bool | None:
        """Whether an entry checks a value that its changed path does not read; None where no call shows that
        path.
        """
        if entry not in self._changed or difference.source not in self._read(entry):
            return False
        if difference.source in (self._read_by_all[1] if call in self._changed else self._read(call)):
            return False
        changed = [one for one in (call, entry) if one in self._changed]
        return True if all(map(self._is_path_known, changed)) else None

    def _is_path_known(self, call: int) -> bool:
        """Whether a call that fixes leave as it is takes the path of a changed one: it has the same values,
        as far as both read them, other than sizes, and than what the fixes choose.
        """
        if call not in self._known_paths:
            self._known_paths[call] = self._is_path_shown(call)
        return self._known_paths[call]

    def _is_path_shown(self, call: int) -> bool:
        return any(
            bool(self._history.compiles[other].guards)
            and all(
                difference.aspect in SIZES
                or any(is_below(difference.source, source) for source in self._sources)
                for difference in self._history.differences(call, other) or ()
            )
            for other in range(len(self._history.compiles))
            if other not in self._changed
        )


def is_below(source: str, above: str) -> bool:
    """Whether a source is another one or part of it."""
    return source == above or source.startswith((f"{above}[", f"{above}.", f"len({above})"))
