"""The cache entry that came nearest to fit a call."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from tlparse_bundle.guards.code_history import MAY_FAIL, CodeHistory
from tlparse_bundle.guards.containers import differing_containers, has_other_keys, keys_of
from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.fixes import is_float, is_int, is_number_of_other_type
from tlparse_bundle.guards.inputs import CODE, is_of_module, local_name
from tlparse_bundle.guards.savings import Place

_HIDES_OTHERS = frozenset(("type", "class", "rank"))
_OF_TENSORS = frozenset(("dtype", "device", "requires_grad", "dispatch_keys"))
_OF_OBJECTS = frozenset(("type", "class", "identity"))
_Change = tuple[str, str, str]
_OF_PARAMETERS = " of parameters"
_CALLED = re.compile(r"L\['(?:self|fn|func)'\](?:\.__code__)?|L\['args'\]\[0\]")
_IS = re.compile(r"[^%/]* [!=]= \(?-?[\d.]+(?:e[+-]?\d+)?\)?|2 <= .*")  # 0 and 1 are constants
_PLACE = re.compile(r"\b[LG]\[[^\]]*\](?:\.\w+(?:\(\))?|\[[^\]]*\])*")
_SIZE = re.compile(r"(L\[[^\]]*\][\w.\[\]'\"]*)\.size\(\)\[\d+\]")
_SIZE_OF = re.compile(r"\.(?:size|stride)\(\)\[\d+\]$|\.storage_offset\(\)$")
# Defaults of functions, and the base of a view, which differs where the view does.
_STABLE = re.compile(r"\.__(?:kw)?defaults__\b|\._base\b")
_ITEM = re.compile(r"\[\d+\]")
STATES = {  # of the process, whose guards have no source
    "GLOBAL_STATE": "the global state",
    "TORCH_FUNCTION_MODE_STACK": "the torch function modes",
    "DEFAULT_DEVICE": "the default device",
}


class _Distance(NamedTuple):
    """In how much a call differs from an entry. ``is_replaced``: another entry takes the values in which the
    call differs from this one. ``branches``: conditions of another path, by a number that is not a size.
    ``changes``: what differs, a change of a size that several tensors share once, and all conditions on a
    number once; ``hidden``: those of them in values for which an entry has None. ``hiding``: whether more of
    an object cannot be compared. A size or a number costs one compile, since torch makes it dynamic then;
    each new value of ``others`` costs one more. ``difference_count``: all differences, each on its own;
    ``failed_count``: all guards. Most guards of an entry for another global state, or for another function
    that the same wrapper called, are not evaluated.
    """

    other_function: bool
    is_replaced: bool
    branches: int
    changes: int
    hidden: int
    other_state: bool
    hiding: int
    size_branches: int
    others: int
    difference_count: int
    is_minor: bool
    not_evaluated: int
    failed_count: int


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
    unknown = [{guard for guard, found in failed.items() if found is None} for failed in failures.values()]
    shared = set.intersection(*unknown) if unknown else set()
    lacking = {entry: _lacking(failed, containers.get(entry)) for entry, failed in failures.items()}

    def distance(entry: int) -> _Distance:
        failed, own, guards = failures[entry], lacking[entry], history.guards
        not_evaluated = sum(
            found is None
            and guard not in shared
            and guards[guard].kind in MAY_FAIL
            and not _STABLE.search(guards[guard].text)
            and guards[guard].source not in own.others
            and not _is_part(guards[guard].source, own.others)
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
        unlisted -= {containers.get(entry), *(one for one in unlisted if at.startswith(f"{one}["))}
        differing = failed.get(named) or () if named is not None else ()
        is_other_state = any(
            found is not None and guards[guard].kind in STATES for guard, found in failed.items()
        )
        hidden = _hidden_count(own, [lacking[other] for other in entries if other != entry])
        return _Distance(
            entry in of_others or any(_is_of_called(one) for found in failed.values() for one in found or ()),
            any(_is_replaced(history, entry, own, other, lacking[other]) for other in entries),
            own.branches
            if own.branches and any(_takes_branch(own, lacking[other]) for other in entries)
            else 0,
            own.move_count
            + own.other_count
            + len(unlisted)
            + own.paths
            + bool(not_evaluated or (is_other_state and own.difference_count > 1))
            + sum(has_other_keys(history, call, entry, source) for source in differing_containers(failed))
            + hidden,
            hidden,
            is_other_state,
            max(own.hiding, bool(unlisted)),
            own.size_branches,
            own.source_count + len(unlisted),
            own.difference_count,
            bool((own.others or own.paths) and differing) and all(map(_is_number, differing)),
            not_evaluated,
            sum(map(bool, failed.values())),
        )

    return min(entries, key=distance, default=None)


class _Lacking(NamedTuple):
    """What a call differs in from an entry. ``numbers``: sizes and numbers, with the count of their changes;
    those of items of a list are one, unless they change as others do. ``others``: other sources, with a
    count in which items of a list are one, and a length is none that changes as a size does;
    ``source_count`` has such lengths, too.
    ``conditioned``: sizes and numbers that failed conditions are on. Conditions on the same ones are one of
    ``paths``, and of ``branches`` where some are not sizes, or of ``size_branches`` where they are several
    sizes. ``sources``: those of others and of conditions. ``hiding``: see ``_hiding``;
    ``difference_count``: all differences; ``opened``: those of others that are None in the entry;
    ``containers``: those that differ in their length or keys; ``types``: those of another type.
    """

    numbers: set[Place]
    move_count: int
    others: set[str]
    other_count: int
    source_count: int
    conditioned: set[str]
    sources: set[str]
    paths: int
    branches: int
    size_branches: int
    hiding: int
    difference_count: int
    opened: frozenset[str]
    containers: frozenset[str]
    types: frozenset[str]


def _lacking(failed: Mapping[int, tuple[Difference, ...] | None], container: str | None) -> _Lacking:
    """Return what a call differs in. ``container``: the one for which torch names a check."""
    differences = [one for found in failed.values() for one in found or ()]
    if any(one.aspect == "state" for one in differences):  # autocast adds dispatch keys to tensors
        differences = [one for one in differences if one.aspect != "dispatch_keys"]
    conditions = {one.source for one in differences if one.aspect == "shape"}
    sized = {one.source for one in differences if one.aspect == "size"}
    sized |= {match[1] for one in conditions for match in _SIZE.finditer(one)}
    # One change of a module, such as its training, can change all its parameters.
    others = _objects(
        (
            f"{one.aspect}{_OF_PARAMETERS}"
            if one.aspect in _OF_TENSORS and is_of_module(one.source)
            else one.source.removesuffix(CODE)  # its closure and its defaults are parts of a function
            for one in differences
            if not _is_number(one) and one.aspect != "shape"
        ),
        differing_containers(failed),
    )
    others |= {container} if container is not None else set()
    numbers = {
        (one.source, one.dimension): _move(one)
        for one in differences
        if _is_number(one) and not (one.aspect == "stride" and one.source in sized)
    }
    numbers |= {(place, None): (one, "") for one in conditions if (place := _constant(one)) is not None}
    parameters = {source for source, _ in numbers if is_of_module(source)}
    lists = {_list(source) for source in others}
    hiding = 1 if container is not None else 0
    for one in differences:
        if not _is_part(one.source, others):
            hiding = max(hiding, _hiding(one))
    paths = _paths(conditions, {*_names(numbers), *others})
    are_sizes = [all(".size()" in place for place in path) for path in paths]
    branches = are_sizes.count(False)
    size_branches = sum(
        len(path) > 1 for path, is_of_sizes in zip(paths, are_sizes, strict=True) if is_of_sizes
    )
    # The length of a batch is one change with the sizes of its tensors.
    lengths = {
        one.source: _move(one) for one in differences if one.aspect == "length" and one.actual is not None
    }
    tensors = _states_of_tensors(differences, others)
    other_count = len(lists - lengths.keys() - tensors.keys()) + len(set(tensors.values())) + bool(parameters)
    other_count += len(
        {move for source, move in lengths.items() if source in lists}
        - {move for (source, _), move in numbers.items() if _list(source) not in lists}
    )
    conditioned = _places(conditions)
    sources = others | {_SIZE_OF.sub("", place) for place in conditioned}
    return _Lacking(
        set(numbers),
        _move_count(numbers, lists),
        others,
        other_count,
        len(lists) + bool(parameters),  # torch makes none of their sizes dynamic
        conditioned,
        sources,
        len(paths),
        branches,
        size_branches,
        hiding,
        sum(not (one.aspect == "stride" and one.source in sized) for one in differences),
        frozenset(one.source for one in differences if _is_none(one)) & others,
        frozenset(differing_containers(failed)),
        frozenset(one.source for one in differences if one.aspect in ("type", "class")),
    )


def _states_of_tensors(differences: Sequence[Difference], others: set[str]) -> dict[str, frozenset[_Change]]:
    """Return tensors that differ in nothing but dtype, device or gradients, with these changes, which several
    tensors can share.
    """
    found: dict[str, set[_Change]] = {}
    for one in differences:
        if one.source in others and not _is_number(one):
            found.setdefault(one.source, set()).add((one.aspect, str(one.expected), str(one.actual)))
    return {
        source: frozenset(changes)
        for source, changes in found.items()
        if all(aspect in _OF_TENSORS for aspect, *_ in changes)
    }


def _is_none(difference: Difference) -> bool:
    """Whether an entry has None where a call has a value."""
    return difference.aspect == "value" and difference.expected == "None"


def _hidden_count(own: _Lacking, others: Sequence[_Lacking]) -> int:
    """Return in how many sizes and numbers a value differs, at least, from those of the entries that have one
    where this entry has None; a container with another length or other keys is one.
    """
    count = 0
    for source in own.opened:
        inner = [
            sum(place == source or _is_part(place, (source,)) for place, _ in one.numbers)
            for one in others
            if source not in one.others
        ]
        inner += [1 for one in others if source in one.containers and source not in one.opened]
        count += min(inner, default=0)
    return count


def _hiding(difference: Difference) -> int:
    """Return 2 where nothing else of an object is compared: it has another type or rank, or only one of the
    call and the entry has it; 1 where its length differs, else 0.
    """
    if is_number_of_other_type(difference):
        return 0
    if difference.actual == "NoneType":
        return 0
    if difference.aspect in _HIDES_OTHERS or _is_none(difference):
        return 2
    return 1 if difference.aspect == "length" else 0


def _move_count(numbers: Mapping[Place, tuple[str, str]], lists: set[str]) -> int:
    """Return the number of changes of sizes and numbers. ``lists``: those that differ anyway."""
    items = {place: move for place, move in numbers.items() if _list(place[0]) != place[0]}
    moves = {move for place, move in numbers.items() if place not in items}
    in_lists = {_list(source) for source, _ in items} - lists
    return len(moves) + min(len(in_lists), len(set(items.values()) - moves))


def _move(difference: Difference) -> tuple[str, str]:
    """Return a change, which several tensors can share. Strides are one change of a tensor."""
    if difference.aspect == "stride":
        return difference.source, "stride"
    return str(difference.expected), str(difference.actual)


def _list(source: str) -> str:
    """Return the list of an item, or what the same parts of items share. Positional arguments are apart."""
    of, found, _ = source.partition("][")
    if found and _ITEM.match(source[len(of) + 1 :]):
        return source if of == "L['args'" else f"{of}]"
    return _ITEM.sub("[]", source)


def _paths(conditions: Iterable[str], differing: set[str]) -> list[set[str]]:
    """Return groups of conditions that have no number in common, without those on numbers that differ: the
    sizes and numbers of each.
    """
    groups: list[set[str]] = []
    for text in conditions:
        own = _places((text,)) or {text}
        if own.isdisjoint(differing):
            joined = [group for group in groups if not group.isdisjoint(own)]
            groups = [group for group in groups if group.isdisjoint(own)] + [own.union(*joined)]
    return groups


def _constant(condition: str) -> str | None:
    """Return the size or number that a condition makes a constant, as ``-x == -0.5`` does, or that is not 0
    or 1, as in ``2 <= x``; None for others.
    """
    places = _PLACE.findall(condition) if _IS.fullmatch(condition) else []
    return places[0] if len(places) == 1 else None


def _names(places: Iterable[Place]) -> set[str]:
    return {source if dimension is None else f"{source}.size()[{dimension}]" for source, dimension in places}


def _places(conditions: Iterable[str]) -> set[str]:
    """Return the sizes and numbers that conditions are on."""
    return {place for text in conditions for place in _PLACE.findall(text)}


def _is_replaced(history: CodeHistory, entry: int, own: _Lacking, other: int, lacking: _Lacking) -> bool:
    """Whether another entry takes what a call differs in from an entry, and lacks what that does not look at:
    a later one takes sizes and numbers, since code with a dynamic size can need a guard that code with a
    constant does not; any one takes other values, which can lead to another path.
    """
    taken, lacked = own.others - lacking.others, lacking.sources - own.sources
    if not lacked or own.conditioned or any(map(_is_in_all, lacked)):
        return False
    if taken:
        is_taken = lacking.numbers <= own.numbers and taken <= history.checked(other)
    else:
        is_taken = not own.others and other > entry and _takes_numbers(own, lacking)
    typed = lacked & lacking.types & history.typed(entry)
    return is_taken and not typed and lacked.isdisjoint(history.checked(entry))


def _is_in_all(source: str) -> bool:
    """Whether all entries look at it: a state of the process, or what the parameters of a module share."""
    return not source or source.endswith(_OF_PARAMETERS)


def _takes_numbers(own: _Lacking, lacking: _Lacking) -> bool:
    return (
        bool(own.numbers)
        and own.numbers.isdisjoint(lacking.numbers)
        and _names(own.numbers).isdisjoint(lacking.conditioned)
    )


def _takes_branch(own: _Lacking, lacking: _Lacking) -> bool:
    """Whether an entry takes the numbers for which the code of another one takes another path. One that has
    a different constant in place of one of them says nothing about that path.
    """
    return own.conditioned.isdisjoint({*_names(lacking.numbers), *lacking.others, *lacking.conditioned})


def _is_of_called(difference: Difference) -> bool:
    """Whether a call has another function, or an object of another type, than a wrapper called before."""
    return difference.aspect in _OF_OBJECTS and _CALLED.fullmatch(difference.source) is not None


def _is_number(difference: Difference) -> bool:
    """Whether a size or a number differs, which torch makes dynamic: not an integer in place of a float."""
    values = difference.expected, difference.actual
    if difference.aspect == "value":
        return all(map(is_int, values)) or all(map(is_float, values))
    return difference.aspect in ("size", "stride")  # a condition that fails is another path


def _objects(sources: Iterable[str], containers: set[str]) -> set[str]:
    """Return the sources that are not part of another one. ``containers``: those that differ in their length
    only, so that each of their items counts, too.
    """
    names = set(sources)
    return {source for source in names if not _is_part(source, names - containers)}


def _is_part(source: str | None, others: Iterable[str]) -> bool:
    """Whether a source is part of another one, such as a closure of a function."""
    return source is not None and any(
        source.startswith((f"{other}.", f"{other}[")) for other in others if other
    )
