"""The cache entry that came nearest to fit a call."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from tlparse_bundle.guards.code_history import MAY_FAIL, CodeHistory
from tlparse_bundle.guards.containers import differing_containers, has_other_keys, keys_of
from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.inputs import local_name, owners_of
from tlparse_bundle.guards.lacking import (
    KEYS_OF_ALL,
    OF_ALL,
    Lacking,
    Move,
    is_number,
    is_part,
    lacking_of,
    names_of,
)
from tlparse_bundle.guards.savings import Place

_OF_OBJECTS = frozenset(("type", "class", "identity"))
_CALLED = re.compile(r"L\['(?:self|fn|func)'\](?:\.__code__)?|L\['args'\]\[0\]")
# Defaults of functions; the base of a view, which differs where the view does; and that a number is one.
_STABLE = re.compile(r"\.__(?:kw)?defaults__\b|\._base\b|^not math\.isnan\(|type=<class '(?:int|float)'>")
STATES = {  # of the process, whose guards have no source
    "GLOBAL_STATE": "the global state",
    "TORCH_FUNCTION_MODE_STACK": "the torch function modes",
    "DEFAULT_DEVICE": "the default device",
}


class _Distance(NamedTuple):
    """In how much a call differs from an entry. ``is_replaced``: another entry takes the values in which
    the call differs from this one. ``is_contained``: the call differs from another entry in a part of
    what it differs from this one in. ``branches``: conditions of another path, by a number that is not a
    size; ``other_branches``: the same, unless one is all that failed. ``changes``: what differs, a change
    of a size that several tensors share once, and all conditions on a number once, with those in values
    for which an entry has None. ``is_of_several``: not one guard, with all others known to hold.
    ``unseen_count``: values in which the call differs from other entries, at which it looks and this
    entry does not. ``hiding``: whether more of an object cannot be compared. A size or a number costs one
    compile, since torch makes it dynamic then; each new value of ``others`` costs one more.
    ``difference_count``: all differences, each on its own; ``is_minor``: whether torch names a number,
    though more differs; ``failed_count``: all guards; ``unknown_types``: those on types that are not
    evaluated. Most guards of an entry for another global state, or for another function that the same
    wrapper called, are not evaluated.
    """

    other_function: bool
    is_replaced: bool
    is_contained: bool
    other_branches: int
    changes: int
    other_state: bool
    is_of_several: bool
    branches: int
    unseen_count: int
    hiding: int
    others: int
    difference_count: int
    is_minor: bool
    not_evaluated: int
    failed_count: int
    unknown_types: int


def nearest_entry(
    history: CodeHistory,
    call: int,
    entries: Sequence[int],
    containers: Mapping[int, str],
    of_others: Collection[int] = (),
) -> int | None:
    """Return the entry that a call differs from in least; of several, the one that torch tried first. None
    when the log does not have the input of the call, or the guards of an entry.

    ``entries``: in the order in which torch tried them; ``containers``: those for which torch names a check
    of a container, such as its length, which is not among the guards; ``of_others``: those of another
    compiled callable.
    """
    if history.compiles[call].input is None or not all(history.compiles[one].guards for one in entries):
        return None
    failures = {entry: history.failed(call, entry) for entry in entries}
    # A guard that is not evaluated can have failed, too, which says nothing where all entries have it.
    named_containers = set(containers.values())
    keys = {source: keys_of(history, call, source) for source in named_containers}
    unknown = {
        entry: {guard for guard, found in failed.items() if found is None}
        for entry, failed in failures.items()
    }
    shared = set.intersection(*unknown.values()) if unknown else set()
    lacking = {entry: lacking_of(failed, containers.get(entry)) for entry, failed in failures.items()}

    def looks_at(entry: int, source: str) -> bool:
        return source in history.checked(entry) or source in history.typed(entry)

    def is_mostly_unknown(other: int, entry: int) -> bool:
        """Whether a call may differ from another entry in more than it is known to, unlike from an entry."""
        guards = unknown[other] - unknown[entry]
        count = sum(history.guards[guard].kind in MAY_FAIL for guard in guards)
        return count > sum(map(bool, failures[other].values()))

    differing = {source for one in lacking.values() for source in one.others | _values(one)}
    varying = {source for source in differing if looks_at(call, source)}
    replaced = {
        entry
        for entry in entries
        if any(
            _is_replaced(history, entry, lacking[entry], other, lacking[other])
            and not is_mostly_unknown(other, entry)
            for other in entries
        )
    }
    places = {entry: _places(failed, containers.get(entry)) for entry, failed in failures.items()}

    def distance(entry: int) -> _Distance:
        failed, own, guards = failures[entry], lacking[entry], history.guards
        changed = names_of(own.numbers) | own.conditioned
        not_evaluated = sum(
            found is None
            and guard not in shared
            and guards[guard].kind in MAY_FAIL
            and not _STABLE.search(guards[guard].text)
            and guard not in history.single_globals
            and guards[guard].source not in own.others
            and not is_part(guards[guard].source, own.others)
            and not any(place in guards[guard].text for place in changed)
            and not any(
                part in guards[guard].text
                for other in own.others
                for part in (f"{other}[", f"{other}.", f"keys({other})")
            )
            for guard, found in failed.items()
        )
        # The check of another entry fails for this one, too, if the keys of its container were different.
        unlisted = {source for source in named_containers if keys_of(history, entry, source) != keys[source]}
        named = history.named.get((call, entry))
        at = local_name(guards[named].source or "") if named is not None else ""
        at_named = failed.get(named) or () if named is not None else ()
        unlisted -= {containers.get(entry), *(one for one in unlisted if at.startswith(f"{one}["))}
        is_other_state = any(
            found is not None and guards[guard].kind in STATES for guard, found in failed.items()
        )
        hidden = sum(
            _hidden_count(source, [lacking[one] for one in entries if one != entry and looks_at(one, source)])
            for source in own.opened
        )
        failed_count = sum(map(bool, failed.values()))
        hiding = max(own.hiding, bool(unlisted))
        is_of_one = failed_count == own.difference_count == 1 and not not_evaluated and not hiding
        is_path = own.branches and any(_takes_branch(own, lacking[other]) for other in entries)
        branches = own.branches if is_path else 0
        return _Distance(
            entry in of_others or any(_is_of_called(one) for found in failed.values() for one in found or ()),
            entry in replaced,
            any(
                places[other] < places[entry] and unknown[other] <= unknown[entry]
                for other in entries
                if other not in replaced
            ),
            0 if is_of_one else branches,
            own.move_count
            + own.other_count
            + len(unlisted)
            + own.paths
            + bool(not_evaluated or (is_other_state and own.difference_count > 1))
            + sum(has_other_keys(history, call, entry, source) for source in differing_containers(failed))
            + hidden,
            is_other_state or KEYS_OF_ALL in own.others,
            not is_of_one,
            branches,
            sum(
                not looks_at(entry, source) and not is_part(source, own.others)
                for source in varying - own.sources - _values(own)
            ),
            hiding,
            own.source_count + len(unlisted),
            own.difference_count,
            bool((own.others or own.paths) and at_named) and all(map(is_number, at_named)),
            not_evaluated,
            failed_count,
            sum(guard not in shared and guards[guard].kind == "TYPE_MATCH" for guard in unknown[entry]),
        )

    return min(entries, key=distance, default=None)


def _places(
    failed: Mapping[int, tuple[Difference, ...] | None], container: str | None
) -> set[tuple[str, ...]]:
    """Return in what a call differs from an entry: sources, with what of them, and which dimension."""
    places: set[tuple[str, ...]] = {
        (one.source, one.aspect, str(one.dimension)) for found in failed.values() for one in found or ()
    }
    return places if container is None else {*places, (container,)}


def _values(lacking: Lacking) -> set[str]:
    """Return the numbers, other than sizes, in which a call differs."""
    return {source for source, dimension in lacking.numbers if dimension is None}


def _hidden_count(source: str, others: Sequence[Lacking]) -> int:
    """Return in how many sizes and numbers a value differs, at least, from those of the entries that have one
    where an entry has None, without those that change as sizes of other values do; a container with another
    length or other keys is one. ``others``: the other entries that look at this value.
    """
    inner = [_own_number_count(source, one.numbers) for one in others if source not in one.others]
    inner += [1 for one in others if source in one.containers and source not in one.opened]
    return min(inner, default=0)


def _own_number_count(source: str, numbers: Mapping[Place, Move]) -> int:
    """Return how many sizes and numbers of a value change as none of another value does."""
    own = {place for place in numbers if place[0] == source or is_part(place[0], (source,))}
    elsewhere = {move for place, move in numbers.items() if place not in own}
    return sum(numbers[place] not in elsewhere for place in own)


def _is_replaced(history: CodeHistory, entry: int, own: Lacking, other: int, lacking: Lacking) -> bool:
    """Whether another entry takes what a call differs in from an entry, and lacks what that does not look at:
    a later one takes sizes and numbers, since code with a dynamic size can need a guard that code with a
    constant does not; any one takes other values, which can lead to another path.
    """
    taken, lacked = own.others - lacking.others, lacking.sources - own.sources
    if not lacked or own.conditioned or any(map(_is_in_all, lacked)):
        return False
    if taken:
        is_taken = lacking.numbers.keys() <= own.numbers.keys() and (
            taken <= history.checked(other)
            # ... the same object, of which the other one lacks a part
            or all(is_part(source, taken) for source in lacked)
        )
    else:
        is_taken = not own.others and other > entry and _takes_numbers(own, lacking)
    typed = lacked & lacking.types & history.typed(entry)
    return is_taken and not typed and not _looks_at_any(history, entry, lacked)


def _looks_at_any(history: CodeHistory, entry: int, sources: set[str]) -> bool:
    """Whether an entry looks at values, at parts of them, or at the length of a container of one."""
    lengths = history.lengths(entry)
    return not sources.isdisjoint(history.checked_with_owners(entry)) or any(
        owner in lengths for source in sources for owner in owners_of(source)
    )


def _is_in_all(source: str) -> bool:
    """Whether all entries look at it: a state of the process, or what the modules of a model share."""
    return not source or source.endswith(OF_ALL)


def _takes_numbers(own: Lacking, lacking: Lacking) -> bool:
    return (
        bool(own.numbers)
        and own.numbers.keys().isdisjoint(lacking.numbers)
        and names_of(own.numbers).isdisjoint(lacking.conditioned)
    )


def _takes_branch(own: Lacking, lacking: Lacking) -> bool:
    """Whether an entry takes the numbers for which the code of another one takes another path. One that has
    a different constant in place of one of them says nothing about that path.
    """
    return own.conditioned.isdisjoint({*names_of(lacking.numbers), *lacking.others, *lacking.conditioned})


def _is_of_called(difference: Difference) -> bool:
    """Whether a call has another function, or an object of another type, than a wrapper called before."""
    return difference.aspect in _OF_OBJECTS and _CALLED.fullmatch(difference.source) is not None
