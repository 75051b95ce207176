"""What a fix would save: the calls that compiled, replayed with guards relaxed.

Calls that hit a cache entry are not in a log. Where a fix removes a flag, they can still compile: the branch
that is left may check more than the one that they took.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from tlparse_bundle.guards.failing import AT_LEAST_TWO, Difference, failing, says_value, unknown_difference
from tlparse_bundle.guards.fixes import DYNAMIC, DYNAMIC_NUMBERS, SMALL_SIZES, Fix, covers, fixes_of
from tlparse_bundle.guards.inputs import Input, is_argument, is_of_module
from tlparse_bundle.guards.predicates import Predicate, check
from tlparse_bundle.guards.savings import Compiled, Saving
from tlparse_bundle.guards.values import Tensor

_MAX_FIXES = 24  # tried alone, those that would help most often first
EXPRESSIONS = ("LAMBDA_GUARD", "SYMBOLIC_SHAPE_GUARD")
# Guards on values: one that cannot be evaluated for a call may fail. Others, as on aliasing, rarely do.
MAY_FAIL = frozenset(
    (
        *EXPRESSIONS,
        *("EQUALS_MATCH", "TRUE_MATCH", "FALSE_MATCH", "NONE_MATCH", "CONSTANT_MATCH", "TENSOR_MATCH"),
        *("TYPE_MATCH", "LENGTH_CHECK", "DICT_LENGTH", "DICT_CONTAINS"),
    )
)
_EQUAL_SIZES = re.compile(r"(\S+)\.size\(\)\[(\d{1,4})\] == (\S+)\.size\(\)\[(\d{1,4})\]")
# One object by two names. A name can hold the number of the compile, so other compiles lack the guard.
_SAME_OBJECT = re.compile(r"[LG]\[\S+ is [LG]\[\S+")


@dataclass
class CodeHistory:
    """The compiles of a code object in order. ``guards``: by id, those of all entries; ``specialized``: sizes
    and numbers that the program turned into constants, as (source, dimension); ``named``: the guard that
    torch names as the reason why a call did not fit an entry, by the numbers of both; ``disagreements``:
    call and guard where torch says that the guard failed, but it holds for what the log records.
    """

    compiles: Sequence[Compiled]
    guards: Mapping[int, Predicate]
    specialized: frozenset[tuple[str, int | None]] = frozenset()
    named: Mapping[tuple[int, int], int] = field(default_factory=dict)
    disagreements: dict[tuple[int, int], None] = field(default_factory=dict)
    _differences: dict[tuple[int, int], list[Difference] | None] = field(default_factory=dict)
    _known: dict[tuple[int, int], tuple[Difference, ...] | None] = field(default_factory=dict)

    def failed(self, call: int, entry: int) -> dict[int, tuple[Difference, ...] | None]:
        """Return the guards of an entry that the input of a call fails, and how; None for those that the log
        cannot decide. A guard that is the call's own holds; one that torch names does not.
        """
        own, input = self.compiles[call].guards, self.compiles[call].input
        if input is None:
            return {}
        named = self.named.get((call, entry))
        of_others = self._named_of_calls.get(call, ())
        result: dict[int, tuple[Difference, ...] | None] = {}
        for guard in self.compiles[entry].guards:
            if guard == named and (guard in own or not self._of(call, guard, input)):
                result[guard] = (unknown_difference(self.guards[guard]),)
                holds = guard in own or self._of(call, guard, input) == ()
                if holds and says_value(self.guards[guard]):
                    self.disagreements[call, guard] = None
                continue
            if guard in own:
                continue
            if guard in of_others and not self._of(call, guard, input):  # it fails in each entry that has it
                result[guard] = (unknown_difference(self.guards[guard]),)
                continue
            if (found := self._of(call, guard, input)) != ():
                result[guard] = found
        return result

    @cached_property
    def _named_of_calls(self) -> dict[int, set[int]]:
        """The guards that torch names for each call, of any entry."""
        found: dict[int, set[int]] = {}
        for (call, _), guard in self.named.items():
            found.setdefault(call, set()).add(guard)
        return found

    def _of(self, call: int, guard: int, input: Input) -> tuple[Difference, ...] | None:
        key = (call, guard)
        if key not in self._known:
            self._known[key] = failing(self.guards[guard], input)
        return self._known[key]

    def differences(self, call: int, entry: int) -> list[Difference] | None:
        """Return how a call differs from what an entry asks for; None when that is not known."""
        if (call, entry) not in self._differences:
            self._differences[call, entry] = self._compare(call, entry)
        return self._differences[call, entry]

    def _compare(self, call: int, entry: int) -> list[Difference] | None:
        if self.compiles[call].input is None or not self.compiles[entry].guards:
            return None
        differences: list[Difference] = []
        for guard, found in self.failed(call, entry).items():
            if found is not None:
                differences += found
            elif self._may_fail(self.guards[guard]):  # of a value that this call's own guards do not check
                differences.append(Difference("unknown", self.guards[guard].source or ""))
        return differences or None

    @staticmethod
    def _may_fail(guard: Predicate) -> bool:
        """Whether a guard that a call's own guards do not decide may fail for it."""
        if guard.kind == "ID_MATCH":
            return is_argument(guard.source or "")
        return (
            guard.kind in MAY_FAIL and guard.can_be_evaluated and _SAME_OBJECT.fullmatch(guard.text) is None
        )

    @cached_property
    def expressions(self) -> list[tuple[int, str]]:
        """Conditions on sizes and numbers in the guards of all entries: id and text."""
        return [
            (id_, guard.text)
            for id_, guard in self.guards.items()
            if guard.kind in EXPRESSIONS
            and guard.can_be_evaluated
            and AT_LEAST_TWO.fullmatch(guard.text) is None
            and _SAME_OBJECT.fullmatch(guard.text) is None
        ]

    def truth(self, call: int, guard: int) -> bool | None:
        """Return whether a condition holds for the input of a call."""
        input = self.compiles[call].input
        return None if input is None else check(self.guards[guard], input.values).holds

    def tensor(self, call: int, source: str) -> Tensor | None:
        """Return a tensor of the input of a call; None when it is none."""
        input = self.compiles[call].input
        value = None if input is None else input.values.get(source)
        return value if isinstance(value, Tensor) else None

    def savings(self) -> list[Saving]:
        """Return what each fix would save, the largest first, then the best fixes together. A fix that saves
        nothing alone is among them: it may be needed with another one.
        """
        singles = [self._saving((fix,)) for fix in self._fixes()]
        singles.sort(key=lambda saving: -len(saving.avoided))
        return singles + list(self._together(singles))

    def _saving(self, fixes: tuple[Fix, ...]) -> Saving:
        avoided = dict(self._avoided(fixes))
        same_graphs = (  # an entry has the graph of a call that fits it and that the fixes leave as it is
            (call, entry)
            for call, entry in avoided.items()
            if self.compiles[call].graphs and all(self._leaves(fix, call) for fix in fixes)
        )
        return Saving(fixes, tuple(avoided), tuple(same_graphs))

    def _leaves(self, fix: Fix, call: int) -> bool:
        """Whether a fix does not change the input of a call: it is as that of the first one. Dynamic sizes do
        not count.
        """
        if fix.kind in ("dynamic_true", "mark_dynamic", "mark_unbacked"):
            return True
        inputs = self.compiles[0].input, self.compiles[call].input
        first, own = (None if one is None else one.values.get(fix.source or "") for one in inputs)
        if fix.kind in ("same_dtype", "same_device", "same_requires_grad"):
            name = fix.kind.removeprefix("same_")
            return first is not None and getattr(first, name, None) == getattr(own, name, None)
        return fix.kind == "few_values" and first is not None and first == own

    def _together(self, singles: Sequence[Saving]) -> Iterator[Saving]:
        """Yield the best two and three fixes, each better than with one less."""
        best = len(singles[0].avoided) if singles else 0
        for count, most in ((2, 10), (3, 7)):
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
        for call in range(1, len(self.compiles)):
            seen = dict.fromkeys(
                fix
                for entry in range(call)
                for difference in self.differences(call, entry) or ()
                for fix in fixes_of(difference)
            )
            for fix in seen:
                counts[fix] = counts.get(fix, 0) + 1
        dynamic = [fix for fix in counts if fix.kind in DYNAMIC]
        possible = [fix for fix in sorted(counts, key=lambda fix: -counts[fix]) if self.is_possible(fix)]
        if any(fix.kind != "mark_dynamic" for fix in dynamic) or len(dynamic) > 1:
            possible.insert(0, Fix("dynamic_true"))
        return [fix for fix in possible if fix.kind not in DYNAMIC_NUMBERS][:_MAX_FIXES]

    def is_possible(self, fix: Fix) -> bool:
        """Whether the program lets a size or a number vary: it was not turned into a constant."""
        if fix.kind not in (*DYNAMIC, "mark_unbacked"):
            return True
        if is_of_module(fix.source or ""):  # torch/_dynamo/config.py, force_parameter_static_shapes
            return False
        if (fix.source, fix.dimension) in self.specialized:
            return False
        # A branch on an unbacked size raises.
        size = f"{fix.source}.size()[{fix.dimension}]"
        return fix.kind != "mark_unbacked" or not (
            any(size in text for _, text in self.expressions) or self._shares_size(fix)
        )

    def _shares_size(self, fix: Fix) -> bool:
        """Whether another tensor has the size in all calls. Code that combines both breaks where one of them
        is unbacked, since torch cannot decide whether they are equal.
        """
        shared = []
        for call, compiled in enumerate(self.compiles):
            tensor, at = self.tensor(call, fix.source or ""), fix.dimension or 0
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

    def _avoided(self, fixes: Sequence[Fix]) -> Iterator[tuple[int, int]]:
        """Yield the compiles that would not happen, with the entry that each would fit."""
        if not all(self._is_marked_with(fix, fixes) for fix in fixes if fix.kind == "mark_dynamic"):
            return
        entries: list[int] = []
        containers = [fix.source or "" for fix in fixes if fix.kind == "same_structure"]
        sharing: dict[int, list[int]] = {}  # calls by the entry that they fit, with fixed lengths only
        for call, compiled in enumerate(self.compiles):
            for entry in entries:
                if self._fits(call, entry, fixes, entries) and all(
                    self._has_same_elements(call, other, fixes, containers)
                    for other in sharing.get(entry, ())
                ):
                    yield call, entry
                    if containers:
                        sharing.setdefault(entry, []).append(call)
                    break
            else:
                if compiled.guards:
                    entries.append(call)

    def _is_marked_with(self, fix: Fix, fixes: Sequence[Fix]) -> bool:
        """Whether fixes have the sizes that guards want to be equal to the size of a mark. One that is static
        makes the marked size a constant, and torch raises (ConstraintViolationError).
        """
        own = (fix.source or "", fix.dimension)
        marked = {(one.source or "", one.dimension) for one in fixes if one.kind == "mark_dynamic"}
        return any(one.kind == "dynamic_true" for one in fixes) or all(
            own not in pair or marked.issuperset(pair) for pair in self._equal_sizes
        )

    @cached_property
    def _equal_sizes(self) -> list[tuple[tuple[str, int], tuple[str, int]]]:
        """Pairs of sizes that a guard compares for equality, and that are equal in the first call."""
        matches = (_EQUAL_SIZES.fullmatch(text) for _, text in self.expressions)
        pairs = [((match[1], int(match[2])), (match[3], int(match[4]))) for match in matches if match]
        return [
            (one, other) for one, other in pairs if self._first_size(one) == self._first_size(other) != ()
        ]

    def _first_size(self, place: tuple[str, int]) -> tuple[int, ...]:
        tensor, at = self.tensor(0, place[0]), place[1]
        return () if tensor is None else tensor.size[at : at + 1]

    def _has_same_elements(
        self, call: int, other: int, fixes: Sequence[Fix], containers: Iterable[str]
    ) -> bool:
        """Whether a call fits what another one asks of the elements of containers. With a fixed length, the
        entry that both use would have these guards, too.
        """
        return all(
            difference.aspect == "unknown"
            or not any(_is_below(difference.source, container) for container in containers)
            or any(self._relaxes(fix, difference) for fix in fixes)
            for difference in self.differences(call, other) or ()
        )

    def _fits(self, call: int, entry: int, fixes: Sequence[Fix], entries: Sequence[int]) -> bool:
        differences = self.differences(call, entry)
        if differences is None:
            return False
        relaxed: set[str] = set()
        for difference in differences:
            fix = next((fix for fix in fixes if self._relaxes(fix, difference)), None)
            if fix is None and not self._follows(difference, call, entry, differences):
                return False
            if fix is not None and difference.aspect in ("size", "value"):
                relaxed.add(difference.source)
        # Another graph break is another path through the code, which a number that may vary has a guard on.
        if relaxed and self.compiles[call].graph_breaks != self.compiles[entry].graph_breaks:
            return False
        if any(fix.kind == "dynamic_true" for fix in fixes) and not self._same_duck_sizes(
            call, entry, entries
        ):
            return False
        return all(
            self.truth(call, guard) == self.truth(entry, guard)
            for guard, text in self.expressions
            if relaxed and any(source in text for source in relaxed)
        )

    def _same_duck_sizes(self, call: int, entry: int, entries: Sequence[int]) -> bool:
        """Whether sizes that are equal in the input of an entry are equal in a call: with dynamic=True they
        share a symbol, unless one has varied in earlier entries (torch/_dynamo/variables/builder.py). If the
        call's own entry lets both vary, calls that hit it, which are not in the log, may not fit the other.
        """
        first: dict[int, tuple[int, bool]] = {}
        input = self.compiles[entry].input
        for source, value in input.values.items() if input is not None else ():
            other = self.tensor(call, source)
            if not isinstance(value, Tensor) or other is None or not is_argument(source):
                continue
            before = [self.tensor(one, source) for one in entries if one < entry]
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
        input = self.compiles[call].input
        pattern = input.patterns.get(source) if input is not None else None
        return pattern is not None and pattern.size[dimension : dimension + 1] == [None]

    def _relaxes(self, fix: Fix, difference: Difference) -> bool:
        if (difference.source, difference.dimension) in self.specialized and difference.aspect in (
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
        tensors = self.tensor(call, difference.source), self.tensor(entry, difference.source)
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
