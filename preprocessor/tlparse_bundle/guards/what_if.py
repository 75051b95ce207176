"""What fixes would save: the calls that compiled, replayed with guards relaxed.

Calls that hit a cache entry are not in a log. Where a fix removes a flag, they can still compile: the branch
that is left may check more than the one that they took.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.fixed_run import FixedRun
from tlparse_bundle.guards.fixes import DYNAMIC, DYNAMIC_NUMBERS, Fix, covers
from tlparse_bundle.guards.inputs import is_of_module
from tlparse_bundle.guards.savings import Saving
from tlparse_bundle.guards.values import Tensor

_MAX_FIXES = 24  # tried alone, those that would help most often first


class WhatIf:
    """The fixes of a code object and what they would save."""

    def __init__(self, history: CodeHistory):
        self._history = history

    def savings(self) -> list[Saving]:
        """Return what each fix would save, the largest first, then the best fixes together. A fix that saves
        nothing alone is among them: it may be needed with another one.
        """
        singles = [self._saving((fix,)) for fix in self._fixes()]
        singles.sort(key=lambda saving: -len(saving.avoided))
        return singles + list(self._together(singles))

    def _saving(self, fixes: tuple[Fix, ...]) -> Saving:
        avoided, undecided = FixedRun(self._history, fixes).replay()
        same_graphs = (  # an entry has the graph of a call that fits it and that the fixes leave as it is
            (call, entry)
            for call, entry in avoided.items()
            if self._history.compiles[call].graphs and all(self._leaves(fix, call) for fix in fixes)
        )
        return Saving(fixes, tuple(avoided), tuple(same_graphs), tuple(undecided))

    def _leaves(self, fix: Fix, call: int) -> bool:
        """Whether a fix does not change the input of a call: it is as that of the first one. Dynamic sizes do
        not count.
        """
        if fix.kind in ("dynamic_true", "mark_dynamic", "mark_unbacked"):
            return True
        inputs = self._history.compiles[0].input, self._history.compiles[call].input
        first, own = (None if one is None else one.values.get(fix.source or "") for one in inputs)
        if fix.kind in ("same_dtype", "same_device", "same_requires_grad"):
            name = fix.kind.removeprefix("same_")
            return first is not None and getattr(first, name, None) == getattr(own, name, None)
        return fix.kind == "few_values" and first is not None and first == own

    def _together(self, singles: Sequence[Saving]) -> Iterator[Saving]:
        """Yield the best two and three fixes, each better than with one less."""
        best = len(singles[0].avoided) if singles else 0
        for count, most in ((2, 10), (3, 7)):
            if best == len(self._history.compiles) - 1:  # all but the first
                return
            candidates = [saving.fixes[0] for saving in singles[:most]]
            found = [
                self._saving(fixes)
                for fixes in combinations(candidates, count)
                if not any(covers(one, other) for one in fixes for other in fixes if one != other)
            ]
            top = max(found, key=lambda saving: len(saving.avoided), default=None)
            if top is not None and len(top.avoided) > best:
                best = len(top.avoided)
                yield top

    def _fixes(self) -> list[Fix]:
        """Return the fixes that relax a guard which failed, the most frequent first."""
        counts: dict[Fix, int] = {}
        for call in range(1, len(self._history.compiles)):
            seen = dict.fromkeys(
                fix
                for entry in range(call)
                for difference in self._history.differences(call, entry) or ()
                for fix in self._history.fixes(difference)
            )
            for fix in seen:
                counts[fix] = counts.get(fix, 0) + 1
        dynamic = [fix for fix in counts if fix.kind in DYNAMIC]
        possible = [fix for fix in sorted(counts, key=lambda fix: -counts[fix]) if self.is_possible(fix)]
        if len(dynamic) > 1 or any(
            fix.kind != "mark_dynamic" or fix[1:] in self._history.tied for fix in dynamic
        ):
            possible.insert(0, Fix("dynamic_true"))
        elif any(fix in possible for fix in dynamic):
            possible.append(Fix("dynamic_true"))
        return [fix for fix in possible if fix.kind not in DYNAMIC_NUMBERS][:_MAX_FIXES]

    def is_possible(self, fix: Fix) -> bool:
        """Whether the program lets a size or a number vary: it was not turned into a constant, and no branch
        is on a number that would be a tensor.
        """
        if fix.kind == "tensor_argument":
            return not self._history.has_condition_on(fix.source or "")
        if fix.kind not in (*DYNAMIC, "mark_unbacked"):
            return True
        if is_of_module(fix.source or ""):  # torch/_dynamo/config.py, force_parameter_static_shapes
            return False
        if fix[1:] in self._history.specialized or fix[1:] in self._history.tied:
            return False
        # A branch on an unbacked size raises.
        size = f"{fix.source}.size()[{fix.dimension}]"
        return fix.kind != "mark_unbacked" or not (
            any(size in text for _, text in self._history.expressions) or self._shares_size(fix)
        )

    def _shares_size(self, fix: Fix) -> bool:
        """Whether another tensor has the size in all calls. Code that combines both breaks where one of them
        is unbacked, since torch cannot decide whether they are equal.
        """
        shared = []
        for call, compiled in enumerate(self._history.compiles):
            tensor, at = self._history.tensor(call, fix.source or ""), fix.dimension or 0
            if compiled.input is None or tensor is None or tensor.size[at : at + 1] in ((), (0,), (1,)):
                continue
            shared.append(
                any(
                    isinstance(other, Tensor) and tensor.size[at] in other.size
                    for source, other in compiled.input.values.items()
                    if source != fix.source
                )
            )
        return bool(shared) and all(shared)
