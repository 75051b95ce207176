"""The compiles of a code object: the guards of their entries, and which of them each call fails.

Calls that hit a cache entry are not in a log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from tlparse_bundle.guards.expressions import plain
from tlparse_bundle.guards.failing import AT_LEAST_TWO, Difference, failing, says_value, unknown_difference
from tlparse_bundle.guards.fixes import Fix, fixes_of
from tlparse_bundle.guards.inputs import Input, is_argument, owners_of
from tlparse_bundle.guards.predicates import LENGTHS, Predicate, check
from tlparse_bundle.guards.savings import Compiled, Place
from tlparse_bundle.guards.values import Tensor

EXPRESSIONS = ("LAMBDA_GUARD", "SYMBOLIC_SHAPE_GUARD")
# Guards on a value that a call reads.
VALUES = frozenset(
    (
        "EQUALS_MATCH",
        "CONSTANT_MATCH",
        "TRUE_MATCH",
        "FALSE_MATCH",
        "NONE_MATCH",
        "TYPE_MATCH",
        "TENSOR_MATCH",
    )
)
_GLOBAL = re.compile(r"G\['\w+'\]")
# Guards on values: one that cannot be evaluated for a call may fail. Others, as on aliasing, rarely do.
MAY_FAIL = VALUES.union(EXPRESSIONS, LENGTHS)
_MOST_CHECKED = 256  # entries whose sources are kept
_MOST_TEXTS = 16  # entries whose texts are kept
_SHOWING = 2  # compiles without a hit of an entry, after which it counts as not hit
_EQUAL_SIZES = re.compile(r"(\S+)\.size\(\)\[(\d{1,4})\] == (\S+)\.size\(\)\[(\d{1,4})\]")
# torch before 2.7 writes the second one.
_KEY_AT = re.compile(r"list\((?:dict\.keys\((.+)\)|(.+)\.keys\(\))\)\[(\d+)\]")
# One object by two names. A name can hold the number of the compile, so other compiles lack the guard.
_SAME_OBJECT = re.compile(r"[LG]\[\S+ is [LG]\[\S+")


@dataclass
class CodeHistory:
    """The compiles of a code object in order. ``guards``: by id, those of all entries; ``specialized``: sizes
    and numbers that the program turned into constants, as (source, dimension); ``tied``: sizes that are
    constants because another tensor has them, so a mark on one of both raises; ``named``: the guard that
    torch names as the reason why a call did not fit an entry, by the numbers of both; ``disagreements``:
    call and guard where torch says that the guard failed, but it holds for what the log records; ``tried``:
    the entries that torch tried for a call, in that order; ``other_backends``: call and entry where torch
    says that the backend or other arguments of ``torch.compile`` differ; ``keeps_floats``: whether floats are
    constants with ``dynamic=True``; ``rest_recompiled``: whether a resume function of it did.
    """

    compiles: Sequence[Compiled]
    guards: Mapping[int, Predicate]
    specialized: frozenset[Place] = frozenset()
    named: Mapping[tuple[int, int], int] = field(default_factory=dict)
    disagreements: dict[tuple[int, int], None] = field(default_factory=dict)
    tried: Mapping[int, Sequence[int]] = field(default_factory=dict)
    tied: frozenset[Place] = frozenset()
    other_backends: frozenset[tuple[int, int]] = frozenset()
    keeps_floats: bool = False
    rest_recompiled: bool = False
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
                result[guard] = (unknown_difference(self.guards[guard], input),)
                holds = guard in own or self._of(call, guard, input) == ()
                if holds and says_value(self.guards[guard]):
                    self.disagreements[call, guard] = None
                continue
            if guard in own:
                continue
            if guard in of_others and named is not None and self._is_unstated(guard):
                continue  # torch checks the state first, and names what failed after it
            if guard in of_others and not self._of(call, guard, input):  # it fails in each entry that has it
                result[guard] = (unknown_difference(self.guards[guard], input),)
                continue
            if (found := self._of(call, guard, input)) != ():
                result[guard] = found
        own_keys = self._keys(call)
        for source, (position, guard) in self._keys(entry).items():
            has_more = source in own_keys and own_keys[source][0] > position
            if has_more and source not in self.lengths(entry):
                result.setdefault(guard, None)  # torch checks the number of keys without a guard
        return result

    def _is_unstated(self, guard: int) -> bool:
        """Whether a guard is on the global state, without saying which one: two entries can differ."""
        one = self.guards[guard]
        return one.kind == "GLOBAL_STATE" and not says_value(one)

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

    def fixes(self, difference: Difference) -> list[Fix]:
        """Return the fixes that would make a guard hold. Integers of modules are constants unless
        ``allow_unspec_int_on_nn_module`` is on (torch/_dynamo/utils.py, is_int_specialization_case).
        """
        source = difference.source
        return [
            Fix("few_values", source) if fix.kind == "dynamic_int" and self._is_of_module(source) else fix
            for fix in fixes_of(difference)
            if fix.kind != "dynamic_float" or not self.keeps_floats
        ]

    def _is_of_module(self, source: str) -> bool:
        """Whether a source is an attribute of a module."""
        return not self._modules.isdisjoint(owners_of(source))

    @cached_property
    def _modules(self) -> frozenset[str]:
        """The sources of modules."""
        inputs = (compiled.input for compiled in self.compiles)
        return frozenset(source for input in inputs if input is not None for source in input.modules)

    def _compare(self, call: int, entry: int) -> list[Difference] | None:
        if self.compiles[call].input is None or not self.compiles[entry].guards:
            return None
        differences: list[Difference] = []
        for guard, found in self.failed(call, entry).items():
            if found is not None:
                differences += found
            elif self._may_fail(self.guards[guard]):  # of a value that this call's own guards do not check
                one = self.guards[guard]
                differences.append(Difference("unknown", one.source or one.text))
        # That a dict is empty is not among the guards in the log: an entry for that has none on it.
        own, texts = self._keys(call).keys() - self._keys(entry).keys(), self._texts(entry)
        differences += (Difference("unknown", source) for source in sorted(own) if source not in texts)
        return differences or None

    @cached_property
    def _keys(self) -> Callable[[int], dict[str, tuple[int, int]]]:
        """Return the dicts whose keys the guards of an entry compare in their order: the position of the last
        one and its guard.
        """
        return lru_cache(_MOST_CHECKED)(lambda entry: dict(sorted(self._last_keys(entry))))

    def _last_keys(self, entry: int) -> Iterator[tuple[str, tuple[int, int]]]:
        for guard in self.compiles[entry].guards:
            if match := _KEY_AT.fullmatch(self.guards[guard].source or ""):
                yield match[1] or match[2], (int(match[3]), guard)

    @cached_property
    def _texts(self) -> Callable[[int], str]:
        """Return the texts of the guards of an entry."""
        return lru_cache(_MOST_TEXTS)(
            lambda entry: "\n".join(self.guards[guard].text for guard in self.compiles[entry].guards)
        )

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

    def has_condition_on(self, source: str) -> bool:
        """Whether the guards of an entry have a condition on a number, as a branch of the code leaves. torch
        asks of each float that is dynamic that it is not NaN.
        """
        return any(source in text and "isnan" not in text for _, text in self.expressions)

    def truth(self, call: int, guard: int) -> bool | None:
        """Return whether a condition holds for the input of a call; its own guards do. None if not known."""
        if guard in self.compiles[call].guards:
            return True
        input = self.compiles[call].input
        return None if input is None else check(self.guards[guard], input.values).holds

    def tensor(self, call: int, source: str) -> Tensor | None:
        """Return a tensor of the input of a call; None when it is none."""
        input = self.compiles[call].input
        value = None if input is None else input.values.get(source)
        return value if isinstance(value, Tensor) else None

    @cached_property
    def single_globals(self) -> frozenset[int]:
        """The guards on values of global variables for which no entry has another one: the log does not show
        that one changed.
        """
        ids: dict[str, list[int]] = {}
        for id_, guard in self.guards.items():
            if guard.kind in VALUES and _GLOBAL.fullmatch(guard.source or ""):
                ids.setdefault(guard.source or "", []).append(id_)
        return frozenset(own[0] for own in ids.values() if len(own) == 1)

    @cached_property
    def reads(self) -> list[frozenset[str]]:
        """The sources of values that each call reads, by its guards."""
        guards = self.guards
        sources = {id_: guard.source for id_, guard in guards.items() if guard.kind in VALUES}
        return [
            frozenset(source for guard in compiled.guards if (source := sources.get(guard)))
            for compiled in self.compiles
        ]

    @cached_property
    def checked(self) -> Callable[[int], frozenset[str | None]]:
        """Return what the guards of an entry are on, types alone excepted, and the numbers that it has."""
        return lru_cache(_MOST_CHECKED)(self._checked)

    def _checked(self, entry: int) -> frozenset[str | None]:
        compiled = self.compiles[entry]
        guards = (self.guards[guard] for guard in compiled.guards)
        values = compiled.input.values if compiled.input is not None else {}
        numbers = (source for source, value in values.items() if type(value) in (int, float))
        return frozenset((*(guard.source for guard in guards if guard.kind != "TYPE_MATCH"), *numbers))

    @cached_property
    def checked_with_owners(self) -> Callable[[int], frozenset[str]]:
        """Return what an entry checks or has, and what that is a part of, also as users write it: one module
        has None where another one has a part.
        """
        return lru_cache(_MOST_CHECKED)(
            lambda entry: frozenset(
                spelling
                for source in self.checked(entry)
                if source
                for one in (source, *owners_of(source))
                for spelling in (one, plain(one))
            )
        )

    @cached_property
    def lengths(self) -> Callable[[int], frozenset[str]]:
        """Return the containers whose length or keys the guards of an entry are on."""
        return lru_cache(_MOST_CHECKED)(
            lambda entry: frozenset(
                source
                for guard in self.compiles[entry].guards
                if (one := self.guards[guard]).kind in LENGTHS and (source := one.source)
            )
        )

    @cached_property
    def typed(self) -> Callable[[int], frozenset[str | None]]:
        """Return the sources that the guards of an entry ask the type of."""
        return lru_cache(_MOST_CHECKED)(
            lambda entry: frozenset(
                one.source
                for guard in self.compiles[entry].guards
                if (one := self.guards[guard]).kind in ("TYPE_MATCH", "CLASS_MATCH")
            )
        )

    @cached_property
    def _moved(self) -> dict[int, list[int]]:
        """The entries that were hit between a compile and the one before it, as far as the order shows it in
        which torch tries entries: one that is hit moves to the front (torch/csrc/dynamo/extra_state.cpp).
        """
        found: dict[int, list[int]] = {}
        for call, order in self.tried.items():
            before = [call - 1, *self.tried.get(call - 1, ())]
            places = {entry: place for place, entry in enumerate(before)}
            if places.keys() == set(order):
                kept = len(order) - 1
                while kept > 0 and places[order[kept - 1]] < places[order[kept]]:
                    kept -= 1
                found[call] = list(order[:kept])
        return found

    @cached_property
    def hit(self) -> frozenset[int]:
        """The entries that calls between the compiles hit, as far as their order shows it."""
        return frozenset(entry for entries in self._moved.values() for entry in entries)

    def shows_hits(self, entry: int) -> bool:
        """Whether later compiles would show that calls hit an entry. A new one is in front in the next."""
        return sum(call > entry + 1 for call in self._moved) >= _SHOWING

    @cached_property
    def equal_sizes(self) -> list[tuple[tuple[str, int], tuple[str, int]]]:
        """Pairs of sizes that a guard compares for equality, and that are equal in the first call."""
        matches = (_EQUAL_SIZES.fullmatch(text) for _, text in self.expressions)
        pairs = [((match[1], int(match[2])), (match[3], int(match[4]))) for match in matches if match]
        return [
            (one, other) for one, other in pairs if self._first_size(one) == self._first_size(other) != ()
        ]

    def late_equals(self, source: str, dimension: int) -> set[tuple[str, int | None]]:
        """Return the sizes of tensors that the first call lacks which are that of a dimension in all calls.
        Where the code combines both tensors, these sizes have to be dynamic, too.
        """
        equal: dict[tuple[str, int | None], bool] = {}
        for call, compiled in enumerate(self.compiles):
            own, input = self.tensor(call, source), compiled.input
            if own is None or input is None:
                continue
            size = own.size[dimension : dimension + 1]
            for name, value in input.values.items():
                if isinstance(value, Tensor) and is_argument(name) and self.tensor(0, name) is None:
                    for at, other in enumerate(value.size):
                        equal[name, at] = equal.get((name, at), True) and other > 1 and size == (other,)
        return {place for place, is_equal in equal.items() if is_equal}

    def _first_size(self, place: tuple[str, int]) -> tuple[int, ...]:
        tensor, at = self.tensor(0, place[0]), place[1]
        return () if tensor is None else tensor.size[at : at + 1]
