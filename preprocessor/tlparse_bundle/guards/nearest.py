"""The cache entry that came nearest to fit a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tlparse_bundle.guards.code_history import MAY_FAIL, CodeHistory
from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.fixes import is_float, is_int
from tlparse_bundle.guards.inputs import is_of_module, local_name

# Nothing else of an object is compared that has another type, rank or length.
_HIDES_OTHERS = frozenset(("type", "class", "rank", "length"))
_OF_TENSORS = frozenset(("dtype", "device", "requires_grad", "dispatch_keys"))
_OF_OBJECTS = frozenset(("type", "class", "identity"))
_CALLED = re.compile(r"L\['(?:self|fn|func)'\](?:\.__code__)?|L\['args'\]\[0\]")
_KEY = re.compile(r"\[[^\[\]]*\]")
STATES = {  # of the process, whose guards have no source
    "GLOBAL_STATE": "the global state",
    "TORCH_FUNCTION_MODE_STACK": "the torch function modes",
    "DEFAULT_DEVICE": "the default device",
}


class _Distance(NamedTuple):
    """In how much a call differs from an entry. A size or a number costs one compile, since torch makes it
    dynamic then; each new value of anything else costs one more. ``is_replaced``: another entry takes the
    values in which the call differs from this one. ``is_hiding``: nothing else of an object is
    compared, since its type or length differs. Most guards of an entry for another global
    state, or for another function that the same wrapper called, are not evaluated.
    """

    other_state: bool
    other_function: bool
    is_replaced: bool
    others: int
    is_hiding: bool
    is_minor: bool
    numbers: int


def nearest_entry(
    history: CodeHistory, call: int, entries: Sequence[int], containers: Mapping[int, str]
) -> int | None:
    """Return the entry that a call differs from in least; of several, the one that torch tried first. None
    when the log does not have the input of the call, or the guards of an entry.

    ``entries``: in the order in which torch tried them; ``containers``: those for which torch names a check
    of a container, such as its length, which is not among the guards.
    """
    if history.compiles[call].input is None or not all(history.compiles[one].guards for one in entries):
        return None
    failures = {entry: history.failed(call, entry) for entry in entries}
    # A guard that is not evaluated can have failed, too, which says nothing where all entries have it.
    named_containers = set(containers.values())
    keys = {source: _keys(history, call, source) for source in named_containers}
    unknown = [{guard for guard, found in failed.items() if found is None} for failed in failures.values()]
    shared = set.intersection(*unknown) if unknown else set()
    lacking = {entry: _lacking(history, failed) for entry, failed in failures.items()}

    def distance(entry: int) -> _Distance:
        failed, own, guards = failures[entry], lacking[entry], history.guards
        not_evaluated = sum(
            found is None and guard not in shared and guards[guard].kind in MAY_FAIL
            for guard, found in failed.items()
        )
        # The check of another entry fails for this one, too, if the keys of its container were different.
        unlisted = {source for source in named_containers if _keys(history, entry, source) != keys[source]}
        unlisted |= {containers[entry]} if entry in containers else set()
        named = failed.get(history.named.get((call, entry), -1)) or ()
        return _Distance(
            any(found is not None and guards[guard].kind in STATES for guard, found in failed.items()),
            any(_is_of_called(one) for found in failed.values() for one in found or ()),
            any(_is_replaced(history, entry, own, other, lacking[other]) for other in entries),
            len(own.others) + len(unlisted),
            own.is_hiding or bool(unlisted),
            bool(own.others and named) and all(map(_is_number, named)),
            len(own.numbers) + not_evaluated,
        )

    return min(entries, key=distance, default=None)


class _Lacking(NamedTuple):
    """What a call differs in from an entry: sizes and numbers, and other sources; ``conditions`` of those are
    conditions on numbers. ``is_hiding``: nothing else of one of these is compared.
    """

    numbers: set[tuple[str, int | None]]
    others: set[str]
    conditions: set[str]
    is_hiding: bool


def _lacking(history: CodeHistory, failed: Mapping[int, tuple[Difference, ...] | None]) -> _Lacking:
    differences = [one for found in failed.values() for one in found or ()]
    sized = {one.source for one in differences if one.aspect == "size"}
    numbers = {
        (one.source, one.dimension)
        for one in differences
        if _is_number(one) and not (one.aspect == "stride" and one.source in sized)
    }
    # One change of a module, such as its training, can change all its parameters.
    others = _objects(
        f"{one.aspect} of parameters"
        if one.aspect in _OF_TENSORS and is_of_module(one.source)
        else one.source
        for one in differences
        if not _is_number(one)
    )
    conditions = {one.source for one in differences if one.aspect == "shape"}
    is_hiding = any(one.aspect in _HIDES_OTHERS for one in differences)
    return _Lacking(numbers, others, conditions & others, is_hiding)


def _is_replaced(history: CodeHistory, entry: int, own: _Lacking, other: int, lacking: _Lacking) -> bool:
    """Whether another entry takes what a call differs in from an entry, and lacks what that does not look at:
    a later one takes sizes and numbers, since code with a dynamic size can need a guard that code with a
    constant does not; any one takes other values, which can lead to another path.
    """
    if not lacking.others or not own.numbers.isdisjoint(lacking.numbers):
        return False
    if own.others:
        sources = _sources(history, other)
        if lacking.numbers or own.conditions or not own.others <= sources or own.others & lacking.others:
            return False
    elif not own.numbers or other < entry:
        return False
    return lacking.others.isdisjoint(_sources(history, entry))


def _sources(history: CodeHistory, entry: int) -> set[str | None]:
    """Return what the guards of an entry are on, types alone excepted."""
    guards = (history.guards[guard] for guard in history.compiles[entry].guards)
    return {guard.source for guard in guards if guard.kind != "TYPE_MATCH"}


def _keys(history: CodeHistory, entry: int, container: str) -> set[str]:
    """Return the keys of a container that the guards of an entry mention, or the positions of its keys, which
    torch compares when all are used.
    """
    guards = (history.guards[guard] for guard in history.compiles[entry].guards)
    listed = f"list(dict.keys({container}))"
    keys = set()
    for source in {local_name(guard.source or "") for guard in guards}:
        for owner in (container, listed):
            key = _KEY.match(source.removeprefix(owner)) if source.startswith(f"{owner}[") else None
            if key is not None:
                keys.add(f"{owner}{key[0]}")
    return keys


def _is_of_called(difference: Difference) -> bool:
    """Whether a call has another function, or an object of another type, than a wrapper called before."""
    return difference.aspect in _OF_OBJECTS and _CALLED.fullmatch(difference.source) is not None


def _is_number(difference: Difference) -> bool:
    """Whether a size or a number differs, which torch makes dynamic: not an integer in place of a float."""
    values = difference.expected, difference.actual
    if difference.aspect == "value":
        return all(map(is_int, values)) or all(map(is_float, values))
    return difference.aspect in ("size", "stride")  # a condition that fails is another path


def _objects(sources: Iterable[str]) -> set[str]:
    """Return the sources that are not part of another one."""
    names = set(sources)
    return {
        source
        for source in names
        if not any(source.startswith((f"{other}.", f"{other}[")) for other in names if other)
    }
