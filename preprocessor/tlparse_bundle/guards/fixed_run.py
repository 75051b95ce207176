"""A run with fixes: the calls that compiled, replayed with the guards relaxed that the fixes relax."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from tlparse_bundle.guards.branches import Branches, is_below
from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.duck_sizes import DuckSizes
from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.fixes import Fix, covers
from tlparse_bundle.guards.inputs import CODE, is_argument
from tlparse_bundle.guards.layouts import Layouts
from tlparse_bundle.guards.savings import Place
from tlparse_bundle.guards.symbols import is_constant, varies
from tlparse_bundle.guards.values import Tensor

_NUMBERS = ("size", "value")
_LITERAL = re.compile(r"(?<![\w.\[])\d+(?![\w.\]])")  # no index
_INTEGER = re.compile(r"torch\.(?:u?int|bool)")


class FixedRun:
    """The compiles of a code object with fixes."""

    def __init__(self, history: CodeHistory, fixes: Sequence[Fix]):
        self._history = history
        # One function is one object: a guard on a Python function is on its code, one on a builtin is not.
        self._fixes = fixes = [
            fix._replace(source=(fix.source or "").removesuffix(CODE)) if fix.kind == "same_object" else fix
            for fix in fixes
        ]
        self._is_all_dynamic = any(fix.kind == "dynamic_true" for fix in fixes)
        self._branches = Branches(history, fixes)
        self._layouts = Layouts(history, fixes)
        self._duck_sizes = DuckSizes(history)
        self._passed = {fix.source for fix in fixes if fix.kind == "same_type"}  # in place of None
        self._items: dict[str, tuple[list[set[str]], bool]] = {}  # see _constants
        self._containers = [fix.source or "" for fix in fixes if fix.kind == "same_structure"]

    def replay(self) -> tuple[dict[int, int], list[int]]:
        """Return the compiles that would not happen, with the entry that each would fit; and those for which
        the log lacks values that would decide it.
        """
        avoided: dict[int, int] = {}
        if not all(self._is_marked_with(fix) for fix in self._fixes if fix.kind == "mark_dynamic"):
            return avoided, []
        entries: list[int] = []
        sharing: dict[int, list[int]] = {}  # calls by the entry that they fit, with fixed lengths only
        undecided: list[int] = []
        for call, compiled in enumerate(self._history.compiles):
            fits: dict[int, bool | None] = {}
            for entry in entries:
                fits[entry] = self._fits(call, entry, entries) and all(
                    self._has_same_elements(call, other) for other in sharing.get(entry, ())
                )
                if fits[entry]:
                    avoided[call] = entry
                    if self._containers:
                        sharing.setdefault(entry, []).append(call)
                    break
            else:
                # Functions that are all compiled with dynamic=True share their entries.
                shares = self._is_all_dynamic and bool(self._history.other_backends)
                if None in fits.values() or (shares and fits):
                    undecided.append(call)
                if compiled.guards:
                    entries.append(call)
        if self._is_all_dynamic:
            undecided += self._not_certain(avoided, entries)
        return avoided, sorted(undecided)

    def _not_certain(self, avoided: dict[int, int], entries: Sequence[int]) -> list[int]:
        """Take as many of the avoided compiles as others may come, of calls that fit an entry before."""
        may_come = sum(self._duck_sizes.is_narrower(entry, entries) for entry in entries)
        return [avoided.popitem()[0] for _ in range(min(may_come, len(avoided)))]

    def _is_marked_with(self, fix: Fix) -> bool:
        """Whether fixes have the sizes that guards want to be equal to the size of a mark. One that is static
        makes the marked size a constant, and torch raises (ConstraintViolationError).
        """
        own = (fix.source or "", fix.dimension or 0)
        marked = {(one.source or "", one.dimension) for one in self._fixes if one.kind == "mark_dynamic"}
        return self._is_all_dynamic or (
            all(own not in pair or marked.issuperset(pair) for pair in self._history.equal_sizes)
            and self._history.late_equals(*own) <= marked
        )

    def _has_same_elements(self, call: int, other: int) -> bool:
        """Whether a call fits what another one asks of the elements of containers. With a fixed length, the
        entry that both use would have these guards, too.
        """
        differences = self._history.differences(call, other) or ()
        return all(
            difference.aspect == "unknown"
            or not any(is_below(difference.source, container) for container in self._containers)
            or any(self._relaxes(fix, difference, call) for fix in self._fixes)
            or self._layouts.follows_size(difference, call, other, differences)
            for difference in differences
        )

    def _fits(self, call: int, entry: int, entries: Sequence[int]) -> bool | None:
        """Whether a call would fit an entry; None when the log lacks values that would decide it."""
        differences = self._history.differences(call, entry)
        if differences is None:
            return False
        is_open = helps = False
        relaxed: set[str] = set()
        are_symbols = True  # whether the entry that the call compiled has all that differs as symbols
        for difference in differences:
            verdict = self._allows(difference, call, entry, differences)
            if verdict is False:
                return False
            is_open = is_open or verdict is None
            helps = helps or difference.aspect != "unknown"
            if difference.aspect in _NUMBERS and any(
                fix.kind != "few_values" and self._relaxes(fix, difference, call) for fix in self._fixes
            ):
                relaxed.add(difference.source)
                are_symbols = are_symbols and varies(
                    self._history, call, difference.source, difference.dimension
                )
        if not helps:
            return False
        same_path = self._takes_same_path(call, entry, relaxed, are_symbols=are_symbols)
        if same_path is False:
            return False
        is_dynamic = self._is_all_dynamic
        duck = not is_dynamic or self._duck_sizes.are_same(call, entry, entries)
        if duck is False:
            return False
        of_call, of_entry = (self._history.compiles[number].views for number in (call, entry))
        dynamic = set(filter(is_argument, {**of_call, **of_entry})) if is_dynamic else relaxed
        views = [source for source in dynamic if source in of_entry]
        if any(source not in of_call or of_call[source].equal != of_entry[source].equal for source in views):
            return False
        is_open = is_open or (is_dynamic and self._differs_in_float(call, entry))
        is_open = is_open or None in (duck, same_path) or not self._branches.are_known(call, entry)
        # With dynamic sizes, the entry also has guards on the bases of its views, which calls between the
        # compiles may fail.
        is_open = (
            is_open or any(of_entry[source].equal for source in views) or self._layouts.has_strided_unbacked
        )
        # Without the break, the code has the guards of its rest, too.
        breaks = {self._history.compiles[number].graph_breaks for number in (call, entry)}
        is_open = is_open or (self._history.rest_recompiled and len(breaks) > 1)
        if narrower := self._narrower_places(entry, call):
            is_hit = call in self._history.hit
            if is_hit and any(self._varies_in_calls(entry, place) for place in narrower):
                return False
            is_open = is_open or is_hit or not self._history.shows_hits(call)
        return None if is_open else True

    def _takes_same_path(
        self, call: int, entry: int, relaxed: Collection[str], *, are_symbols: bool
    ) -> bool | None:
        """Whether the conditions on numbers that may vary are the same for a call and an entry; None when the
        log does not have what decides one of them. Where ``are_symbols`` is true, the entry that the call
        compiled has what differs as symbols, and all conditions of the path: those of others do not count.
        """
        # Another graph break is another path through the code, which a number that may vary has a guard on.
        compiles = self._history.compiles
        if relaxed and not are_symbols and compiles[call].graph_breaks != compiles[entry].graph_breaks:
            return False
        truths = [
            {None if "._base" in text else self._history.truth(one, guard) for one in (call, entry)}
            for guard, text in self._history.expressions
            if any(source in text for source in relaxed)
            and (not are_symbols or guard in compiles[call].guards)
        ]
        if any(truth == {True, False} for truth in truths):
            return False
        return None if any(len(truth) > 1 for truth in truths) else True

    def _differs_in_float(self, call: int, entry: int) -> bool:
        """Whether a float that ``dynamic=True`` makes an input of the graph differs and has conditions on it:
        torch can make it a constant then (TensorifyScalarRestartAnalysis).
        """
        inputs = [self._history.compiles[number].input for number in (call, entry)]
        own, other = ({} if one is None else one.values for one in inputs)
        return any(
            type(value) is float
            and type(other.get(source)) is float
            and value != other[source]
            and not any(fix.source == source for fix in self._fixes)
            and self._history.has_condition_on(source)
            for source, value in own.items()
        )

    def _is_of_other_items(self, difference: Difference, all_: Iterable[Difference]) -> bool:
        """Whether a container whose keys or length the fixes choose has different keys, or different values
        with the other length, as a list of names. What calls then have is not in the log.
        """
        lengths = {other.source for other in all_ if other.aspect == "length"}
        return any(
            difference.source.startswith(f"list(dict.keys({container}))")
            or (
                (difference.aspect == "absent" or (difference.aspect == "value" and container in lengths))
                and is_below(difference.source, container)
            )
            for container in self._containers
        )

    def _allows(
        self, difference: Difference, call: int, entry: int, all_: Sequence[Difference]
    ) -> bool | None:
        """Whether a difference does not matter with the fixes; None when the log does not decide it."""
        if difference.source in self._passed and self._has_gradients_in_one(difference.source, call, entry):
            return None
        if self._branches.is_missing(difference, call, entry):
            return self._branches.agree(difference.source, call, entry)
        fix = next((fix for fix in self._fixes if self._relaxes(fix, difference, call)), None)
        if fix is not None and fix.kind == "same_structure":
            return None if self._is_of_constants(fix.source or "", call, entry) else True
        if fix is not None:
            return fix.kind != "same_layout" or self._layouts.are_same(difference.source, call, entry)
        if self._layouts.is_of_lost_base(difference, entry):
            return True
        if self._layouts.follows_size(difference, call, entry, all_):
            return True
        if (is_of_grad_mode := self._is_of_grad_mode(difference, call, entry, all_)) is not False:
            return is_of_grad_mode
        if (is_unread := self._branches.is_unread(difference, call, entry)) is not False:
            return is_unread
        if difference.aspect == "unknown" or self._is_of_other_items(difference, all_):
            return None
        if self._is_of_passed_tensor(difference) or self._is_of_symbol(difference):
            return None
        if difference.aspect == "shape" and self._has_relaxed_constant(difference.source, call, all_):
            return None
        return False

    def _narrower_places(self, entry: int, call: int) -> list[Place]:
        """Return the sizes and numbers that an entry fixes and that may vary in the entry of a call.
        Calls that hit that one, which are not in the log, may not fit the narrower one.
        """
        wide, narrow = self._history.compiles[call].input, self._history.compiles[entry].input
        if wide is None or narrow is None:
            return []
        sizes: list[Place] = [
            (source, dimension)
            for source, pattern in narrow.patterns.items()
            if (own := wide.patterns.get(source)) is not None
            for dimension, (mine, theirs) in enumerate(zip(own.size, pattern.size, strict=False))
            if mine is None and theirs is not None
        ]
        numbers: list[Place] = [
            (source, None)
            for source, value in narrow.values.items()
            if type(value) is int
            and is_constant(narrow, source)
            and source in wide.values
            and not is_constant(wide, source)
        ]
        return [place for place in sizes + numbers if not self._varies_with(*place)]

    def _varies_in_calls(self, entry: int, place: Place) -> bool:
        """Whether a call that differs from an entry in numbers only, apart from what the fixes relax, has
        another one at a place.
        """
        for call in range(len(self._history.compiles)):
            differences = self._history.differences(call, entry) or ()
            if any((one.source, one.dimension) == place for one in differences) and all(
                one.aspect in (*_NUMBERS, "stride")
                or any(self._relaxes(fix, one, call) for fix in self._fixes)
                for one in differences
            ):
                return True
        return False

    def _varies_with(self, source: str, dimension: int | None) -> bool:
        """Whether the fixes let a size or a number vary, or have the same one in all calls."""
        kinds = ("dynamic_int", "few_values", "tensor_argument") if dimension is None else ("mark_dynamic",)
        return any(covers(fix, Fix(kind, source, dimension)) for fix in self._fixes for kind in kinds)

    def _relaxes(self, fix: Fix, difference: Difference, call: int) -> bool:
        place = difference.source, difference.dimension
        if (
            difference.aspect in _NUMBERS
            and fix.kind != "few_values"
            and place in self._history.specialized
            and place in self._history.compiles[call].static  # else it is a symbol in this compile
        ):
            return False
        if difference.aspect in ("unknown", "absent"):
            return False
        if fix.kind in ("few_values", "same_object") and is_below(difference.source, fix.source or ""):
            return True
        if fix.kind == "same_dtype" and difference.aspect == "requires_grad":
            return fix.source == difference.source and self._becomes_integer(difference.source)
        return any(covers(fix, other) for other in self._history.fixes(difference))

    def _has_relaxed_constant(self, condition: str, call: int, all_: Sequence[Difference]) -> bool:
        """Whether a condition has a constant in place of a size or a number that varies with the fixes."""
        constants = set(_LITERAL.findall(condition))
        return any(
            one.aspect in _NUMBERS
            and str(one.expected) in constants
            and any(self._relaxes(fix, one, call) for fix in self._fixes)
            for one in all_
        )

    def _is_of_passed_tensor(self, difference: Difference) -> bool:
        """Whether a size is that of a tensor that the fixes pass in place of None. An earlier call can then
        have made it dynamic: the log does not have the size that it would pass.
        """
        return difference.aspect in ("size", "stride") and difference.source in self._passed

    def _has_gradients_in_one(self, source: str, *calls: int) -> bool:
        """Whether one of two calls has None, and the other one a tensor with gradients. A tensor in place of
        None may have none.
        """
        tensors = [self._history.tensor(call, source) for call in calls]
        return None in tensors and any(tensor is not None and tensor.requires_grad for tensor in tensors)

    def _is_of_symbol(self, difference: Difference) -> bool:
        """Whether an integer is a symbol in some entry: ``dynamic=True`` then makes it one in all. An
        attribute of ``self`` can be one: that is then not a module, whose integers are constants by default.
        """
        source = difference.source
        inputs = (compiled.input for compiled in self._history.compiles)
        return (
            self._is_all_dynamic
            and difference.aspect == "value"
            and any(
                input is not None and type(input.values.get(source)) is int and not is_constant(input, source)
                for input in inputs
            )
        )

    def _becomes_integer(self, source: str) -> bool:
        """Whether the first dtype of a tensor is one of integers, which have no gradients."""
        tensors = (self._history.tensor(call, source) for call in range(len(self._history.compiles)))
        first = next((tensor for tensor in tensors if tensor is not None), None)
        return first is not None and first.dtype is not None and _INTEGER.match(first.dtype) is not None

    def _is_of_constants(self, container: str, *calls: int) -> bool:
        """Whether a number in a container was specialized, or one of two calls has constants where the other
        has nothing. Which ones it would have with the same length, the log does not show. The only number of
        a dict does not count: it becomes dynamic with its second value, which costs what the fix saves then.
        """
        if any(is_below(source, container) for source, _ in self._history.specialized):
            return True
        if container not in self._items:
            self._items[container] = self._constants(container)
        items, is_one_number = self._items[container]
        own, other = (items[call] for call in calls)
        return not is_one_number and own != other

    def _constants(self, container: str) -> tuple[list[set[str]], bool]:
        """Return the items of a list or dict that are not tensors, of each call; and whether they are one
        number of a dict.
        """
        item = re.compile(rf"(?:len\()?{re.escape(container)}\[(?:\d+|'[^']*')\]\)?")
        found: dict[str, bool] = {}
        items: list[set[str]] = []
        for compiled in self._history.compiles:
            values = {**compiled.input.types, **compiled.input.values} if compiled.input is not None else {}
            own = {
                source: type(value) in (int, float) and source.endswith("']")
                for source, value in values.items()
                if item.fullmatch(source) and not isinstance(value, Tensor)
            }
            items.append(set(own))
            found |= own
        return items, list(found.values()) == [True]

    def _is_of_grad_mode(
        self, difference: Difference, call: int, entry: int, all_: Iterable[Difference]
    ) -> bool | None:
        """Whether a tensor has gradients only because of the grad mode in which it was computed, which is the
        same with the fixes: that of the first call. None where that computes gradients, since the other
        tensor can be one without any then, too.
        """
        computed = [one for one in (call, entry) if difference.source in self._history.compiles[one].results]
        if (
            difference.aspect != "requires_grad"
            or not computed
            or not any(fix.kind == "same_global_state" for fix in self._fixes)
            or not any(other.aspect == "state" for other in all_)
        ):
            return False
        return None if self._state(computed[0]) == self._state(0) else True

    def _state(self, call: int) -> str | None:
        """Return the guard on the global state of a compile."""
        guards = (self._history.guards[guard] for guard in self._history.compiles[call].guards)
        return next((guard.text for guard in guards if guard.kind == "GLOBAL_STATE"), None)
