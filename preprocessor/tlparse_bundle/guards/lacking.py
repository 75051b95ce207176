"""What a call differs in from a cache entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tlparse_bundle.guards.containers import differing_containers
from tlparse_bundle.guards.failing import CONTAINER, Difference
from tlparse_bundle.guards.fixes import is_float, is_int, is_number_of_other_type
from tlparse_bundle.guards.inputs import CODE, is_of_module
from tlparse_bundle.guards.savings import Place

_HIDES_OTHERS = frozenset(("type", "class", "rank"))
_OF_TENSORS = frozenset(("dtype", "device", "requires_grad", "dispatch_keys"))
_TRAINING = ".training"
_Change = tuple[str, str, str]
Move = tuple[str, str]  # of a size or number: what an entry takes, and what a call has
OF_ALL = " of all"  # the end of a name for what all tensors, or all parts of modules, have in common
KEYS_OF_ALL = f"dispatch_keys{OF_ALL}"
_IS = re.compile(r"[^%/]* [!=]= \(?-?[\d.]+(?:e[+-]?\d+)?\)?|2 <= .*")  # 0 and 1 are constants
_PLACE = re.compile(r"\b[LG]\[[^\]]*\](?:\.\w+(?:\(\))?|\[[^\]]*\])*")
_SIZE = re.compile(r"(L\[[^\]]*\][\w.\[\]'\"]*)\.size\(\)\[\d+\]")
_SIZE_OF = re.compile(r"\.(?:size|stride)\(\)\[\d+\]$|\.storage_offset\(\)$")
_ITEM = re.compile(r"\[\d+\]")


class Lacking(NamedTuple):
    """What a call differs in from an entry. ``numbers``: sizes and numbers, with their changes;
    ``move_count`` of these, where those of items of a list are one, unless they change as others do, and
    those of parameters none: they are one of ``other_count``. ``others``: other sources, with a count in
    which items of a list are one, and a length is none that changes as a size does; ``source_count`` has
    such lengths, too. ``conditioned``: sizes and numbers that failed conditions are on. Conditions on the
    same ones are one of ``paths``, and of ``branches`` where some are not sizes. ``sources``: those of
    others and of conditions. ``hiding``: see ``_hiding``; ``difference_count``: all differences;
    ``opened``: those of others that are None, or one object, in the entry; ``containers``: those that
    differ in their length or keys; ``types``: those of another type.
    """

    numbers: Mapping[Place, Move]
    move_count: int
    others: set[str]
    other_count: int
    source_count: int
    conditioned: set[str]
    sources: set[str]
    paths: int
    branches: int
    hiding: int
    difference_count: int
    opened: frozenset[str]
    containers: frozenset[str]
    types: frozenset[str]


def lacking_of(failed: Mapping[int, tuple[Difference, ...] | None], container: str | None) -> Lacking:
    """Return what a call differs in. ``container``: the one for which torch names a check."""
    differences = _without_consequences([one for found in failed.values() for one in found or ()])
    conditions = {one.source for one in differences if one.aspect == "shape"}
    # Tensors whose strides follow from what differs.
    sized = {one.source for one in differences if one.aspect == "size" or one.aspect in _HIDES_OTHERS}
    sized |= {match[1] for one in conditions for match in _SIZE.finditer(one)}
    others = _objects(
        (_subject(one) for one in differences if not is_number(one) and one.aspect != "shape"),
        differing_containers(failed),
    )
    others |= {container} if container is not None else set()
    numbers = {
        (one.source, one.dimension): _move(one)
        for one in differences
        if is_number(one) and not (one.aspect == "stride" and one.source in sized)
    }
    numbers |= {(place, None): (one, "") for one in conditions if (place := _constant(one)) is not None}
    # Integers of modules, of which torch makes none dynamic. Several modules can share a change of one.
    integers = {
        source: (source.rpartition(".")[2], move)
        for (source, dimension), move in numbers.items()
        if dimension is None and is_of_module(source)
    }
    numbers = {place: move for place, move in numbers.items() if place[0] not in integers}
    parameters = {source for source, _ in numbers if is_of_module(source)}
    fixed_count = len(set(integers.values())) + bool(parameters)
    lists = {_list(source) for source in others}
    hiding = 1 if container is not None else 0
    for one in differences:
        if not is_part(one.source, others):
            hiding = max(hiding, _hiding(one))
    paths = _paths(conditions, {*names_of(numbers), *others, *integers})
    branches = sum(not all(".size()" in place for place in path) for path in paths)
    # The length of a batch is one change with the sizes of its tensors.
    lengths = {
        one.source: _move(one) for one in differences if one.aspect == "length" and one.actual is not None
    }
    tensors = _states_of_tensors(differences, others)
    of_others = {_list(source) for source in others if source not in tensors}
    other_count = len(of_others - lengths.keys()) + len(set(tensors.values())) + fixed_count
    other_count += len(
        {move for source, move in lengths.items() if source in lists}
        - {move for (source, _), move in numbers.items() if _list(source) not in lists}
    )
    conditioned = _places(conditions)
    others |= integers.keys()
    sources = others | {_SIZE_OF.sub("", place) for place in conditioned}
    return Lacking(
        numbers,
        _move_count({place: move for place, move in numbers.items() if place[0] not in parameters}, lists),
        others,
        other_count,
        len(lists) + fixed_count,
        conditioned,
        sources,
        len(paths),
        branches,
        hiding,
        sum(not (one.aspect == "stride" and one.source in sized) for one in differences),
        frozenset(one.source for one in differences if _is_none(one)) & others,
        frozenset(differing_containers(failed)),
        frozenset(one.source for one in differences if one.aspect in ("type", "class")),
    )


def _without_consequences(differences: Sequence[Difference]) -> list[Difference]:
    """Leave out what differs of a tensor because something else does: its gradients and dispatch keys with a
    mode, such as grad mode or autocast, or the keys with its device or class; and parts of another object.
    """
    objects = {
        one.source for one in differences if one.aspect == "identity" and not one.source.endswith(CODE)
    }
    has_state = any(one.aspect == "state" for one in differences)
    moved = {one.source for one in differences if one.aspect in ("device", "class")}
    return [
        one
        for one in differences
        if not (has_state and one.aspect in ("requires_grad", "dispatch_keys"))
        and not (one.aspect == "dispatch_keys" and one.source in moved)
        and not (objects and _is_of_objects(one, objects))
    ]


def _is_of_objects(difference: Difference, objects: set[str]) -> bool:
    places = _PLACE.findall(difference.source) if difference.aspect == "shape" else [difference.source]
    return bool(places) and all(is_part(place, objects) for place in places)


def _subject(difference: Difference) -> str:
    """Return what differs. One change of a module, such as its training, can change all its parts, and one
    of a mode the dispatch keys of all tensors; the closure and the defaults of a function are parts of it.
    """
    source = difference.source
    if difference.aspect == "dispatch_keys":
        return KEYS_OF_ALL
    if is_of_module(source) and (difference.aspect in _OF_TENSORS or source.endswith(_TRAINING)):
        return f"{_TRAINING if source.endswith(_TRAINING) else difference.aspect}{OF_ALL}"
    return source.removesuffix(CODE)


def _states_of_tensors(differences: Sequence[Difference], others: set[str]) -> dict[str, frozenset[_Change]]:
    """Return tensors that differ in nothing but dtype, device or gradients, with these changes, which several
    tensors can share.
    """
    found: dict[str, set[_Change]] = {}
    for one in differences:
        if one.source in others and not is_number(one):
            found.setdefault(one.source, set()).add((one.aspect, str(one.expected), str(one.actual)))
    return {
        source: frozenset(changes)
        for source, changes in found.items()
        if all(aspect in _OF_TENSORS for aspect, *_ in changes)
    }


def _is_none(difference: Difference) -> bool:
    """Whether an entry has None, or one object, where a call has a value or a container."""
    if difference.aspect == "type" and difference.actual == CONTAINER:
        return str(difference.expected).startswith("___check_obj_id(")
    return difference.aspect == "value" and difference.expected == "None"


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


def _move_count(numbers: Mapping[Place, Move], lists: set[str]) -> int:
    """Return the number of changes of sizes and numbers. ``lists``: those that differ anyway."""
    items = {place: move for place, move in numbers.items() if _list(place[0]) != place[0]}
    moves = {move for place, move in numbers.items() if place not in items}
    in_lists = {_list(source) for source, _ in items} - lists
    return len(moves) + min(len(in_lists), len(set(items.values()) - moves))


def _move(difference: Difference) -> Move:
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
        if own.isdisjoint(differing) and not any(is_part(place, differing) for place in own):
            joined = [group for group in groups if not group.isdisjoint(own)]
            groups = [group for group in groups if group.isdisjoint(own)] + [own.union(*joined)]
    return groups


def _constant(condition: str) -> str | None:
    """Return the size or number that a condition makes a constant, as ``-x == -0.5`` does, or that is not 0
    or 1, as in ``2 <= x``; None for others.
    """
    places = _PLACE.findall(condition) if _IS.fullmatch(condition) else []
    return places[0] if len(places) == 1 else None


def names_of(places: Iterable[Place]) -> set[str]:
    return {source if dimension is None else f"{source}.size()[{dimension}]" for source, dimension in places}


def _places(conditions: Iterable[str]) -> set[str]:
    """Return the sizes and numbers that conditions are on."""
    return {place for text in conditions for place in _PLACE.findall(text)}


def is_number(difference: Difference) -> bool:
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
    return {source for source in names if not is_part(source, names - containers)}


def is_part(source: str | None, others: Iterable[str]) -> bool:
    """Whether a source is part of another one, such as a closure of a function."""
    return source is not None and any(
        source.startswith((f"{other}.", f"{other}[")) for other in others if other
    )
