"""A run with fixes: the calls that compiled, replayed with the guards relaxed that the fixes relax."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.fixes import SMALL_SIZES, Fix, covers, fixes_of
from tlparse_bundle.guards.inputs import is_argument
from tlparse_bundle.guards.values import Tensor


class FixedRun:
    """The compiles of a code object with fixes."""

    def __init__(self, history: CodeHistory, fixes: Sequence[Fix]):
        self._history = history
        self._fixes = fixes

    def avoided(self) -> Iterator[tuple[int, int]]:
        """Yield the compiles that would not happen, with the entry that each would fit."""
        if not all(self._is_marked_with(fix) for fix in self._fixes if fix.kind == "mark_dynamic"):
            return
        entries: list[int] = []
        containers = [fix.source or "" for fix in self._fixes if fix.kind == "same_structure"]
        sharing: dict[int, list[int]] = {}  # calls by the entry that they fit, with fixed lengths only
        for call, compiled in enumerate(self._history.compiles):
            for entry in entries:
                if self._fits(call, entry, entries) and all(
                    self._has_same_elements(call, other, containers) for other in sharing.get(entry, ())
                ):
                    yield call, entry
                    if containers:
                        sharing.setdefault(entry, []).append(call)
                    break
            else:
                if compiled.guards:
                    entries.append(call)

    def _is_marked_with(self, fix: Fix) -> bool:
        """Whether fixes have the sizes that guards want to be equal to the size of a mark. One that is static
        makes the marked size a constant, and torch raises (ConstraintViolationError).
        """
        own = (fix.source or "", fix.dimension)
        marked = {(one.source or "", one.dimension) for one in self._fixes if one.kind == "mark_dynamic"}
        return any(one.kind == "dynamic_true" for one in self._fixes) or all(
            own not in pair or marked.issuperset(pair) for pair in self._history.equal_sizes
        )

    def _has_same_elements(self, call: int, other: int, containers: Iterable[str]) -> bool:
        """Whether a call fits what another one asks of the elements of containers. With a fixed length, the
        entry that both use would have these guards, too.
        """
        return all(
            difference.aspect == "unknown"
            or not any(_is_below(difference.source, container) for container in containers)
            or any(self._relaxes(fix, difference) for fix in self._fixes)
            for difference in self._history.differences(call, other) or ()
        )

    def _fits(self, call: int, entry: int, entries: Sequence[int]) -> bool:
        differences = self._history.differences(call, entry)
        if differences is None:
            return False
        relaxed: set[str] = set()
        for difference in differences:
            fix = next((fix for fix in self._fixes if self._relaxes(fix, difference)), None)
            if fix is None and not self._follows(difference, call, entry, differences):
                return False
            if fix is not None and difference.aspect in ("size", "value"):
                relaxed.add(difference.source)
        # Another graph break is another path through the code, which a number that may vary has a guard on.
        compiles = self._history.compiles
        if relaxed and compiles[call].graph_breaks != compiles[entry].graph_breaks:
            return False
        if any(fix.kind == "dynamic_true" for fix in self._fixes) and not self._same_duck_sizes(
            call, entry, entries
        ):
            return False
        return all(
            self._history.truth(call, guard) == self._history.truth(entry, guard)
            for guard, text in self._history.expressions
            if relaxed and any(source in text for source in relaxed)
        )

    def _same_duck_sizes(self, call: int, entry: int, entries: Sequence[int]) -> bool:
        """Whether sizes that are equal in the input of an entry are equal in a call: with dynamic=True they
        share a symbol, unless one has varied in earlier entries (torch/_dynamo/variables/builder.py). If the
        call's own entry lets both vary, calls that hit it, which are not in the log, may not fit the other.
        """
        first: dict[int, tuple[int, bool]] = {}
        input = self._history.compiles[entry].input
        for source, value in input.values.items() if input is not None else ():
            other = self._history.tensor(call, source)
            if not isinstance(value, Tensor) or other is None or not is_argument(source):
                continue
            before = [self._history.tensor(one, source) for one in entries if one < entry]
            for dimension, (mine, theirs) in enumerate(zip(value.size, other.size, strict=False)):
                has_varied = any(
                    one is not None and one.size[dimension : dimension + 1] != (mine,) for one in before
                )
                if mine in SMALL_SIZES or has_varied:
                    continue
                varies = self._varies(call, source, dimension)
                size, other_varies = first.setdefault(mine, (theirs, False))
                if size != theirs or (varies and other_varies):
                    return False
                first[mine] = size, varies or other_varies
        return True

    def _varies(self, call: int, source: str, dimension: int) -> bool:
        """Whether the entry that a call compiled has a dimension dynamic."""
        input = self._history.compiles[call].input
        pattern = input.patterns.get(source) if input is not None else None
        return pattern is not None and pattern.size[dimension : dimension + 1] == [None]

    def _relaxes(self, fix: Fix, difference: Difference) -> bool:
        if (difference.source, difference.dimension) in self._history.specialized and difference.aspect in (
            "size",
            "value",
        ):
            return False
        if difference.aspect == "unknown":
            return False
        if fix.kind == "few_values" and _is_below(difference.source, fix.source or ""):
            return True
        return any(covers(fix, other) for other in fixes_of(difference))

    def _follows(self, difference: Difference, call: int, entry: int, all_: Iterable[Difference]) -> bool:
        """Whether a stride differs only because a size does: both tensors are dense in the same order."""
        if difference.aspect != "stride" or not any(
            other.aspect == "size" and other.source == difference.source for other in all_
        ):
            return False
        tensors = (
            self._history.tensor(call, difference.source),
            self._history.tensor(entry, difference.source),
        )
        return all(tensor is not None and _is_dense(tensor, tensors[0]) for tensor in tensors)


def _is_below(source: str, above: str) -> bool:
    """Whether a source is another one or part of it."""
    return source == above or source.startswith((f"{above}[", f"{above}.", f"len({above})"))


def _is_dense(tensor: Tensor, like: Tensor | None) -> bool:
    """Whether the strides of a tensor follow from its sizes, with dimensions in the order of another."""
    if like is None or tensor.stride is None or like.stride is None or len(like.size) != len(tensor.size):
        return False
    steps = like.stride
    step = 1
    for dimension in sorted(range(len(steps)), key=lambda dimension: (steps[dimension], -dimension)):
        if tensor.stride[dimension] != step and tensor.size[dimension] > 1:
            return False
        step *= max(tensor.size[dimension], 1)
    return True
