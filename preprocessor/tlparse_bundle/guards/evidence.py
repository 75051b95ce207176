"""What a log and earlier calls of a replay say about guards that a call alone does not decide."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tlparse_bundle.guards.conditions import ACCESS, accesses, dict_lengths, is_aliasing, is_member
from tlparse_bundle.guards.expressions import Missing, NotSupported, compiled, normalised, parsed, plain
from tlparse_bundle.guards.predicates import Predicate, stated
from tlparse_bundle.guards.values import Tensor

_Key = tuple[str, str | None]
_STATE = "torch."  # how the states of torch begin that a call states
_STATE_KINDS = frozenset(("GLOBAL_STATE", "DEFAULT_DEVICE", "TORCH_FUNCTION_MODE_STACK"))
_AUTOCAST = "torch.is_autocast_enabled("  # dispatch keys of tensors show it
_DEFAULT_DEVICE = "torch.get_default_device()"
_ALIASING = frozenset(("NO_TENSOR_ALIASING", "OBJECT_ALIASING"))
# Kinds of which a value meets one only: a constant, an object.
_EXCLUSIVE = frozenset(
    ("EQUALS_MATCH", "ID_MATCH", "TRUE_MATCH", "FALSE_MATCH", "NONE_MATCH", "CONSTANT_MATCH")
)
_ONE_VALUE = _EXCLUSIVE | {"TYPE_MATCH"}
_Names = (str, bool, int, float, type(None))


@dataclass(frozen=True)
class Entry:
    """A cache entry: the compile that made it and its guards, in the order in which torch checks them."""

    compile: str
    predicates: tuple[Predicate, ...]


def implied(payload: str) -> list[Predicate]:
    """Return what the managers of a tree check without a guard: items exist, dicts have a length."""
    return [
        *(Predicate(kind=ACCESS, source=source, text=source) for source in accesses(payload)),
        *(
            Predicate(kind="DICT_LENGTH", source=source, text=f"len({source}) == {length}")
            for source, length in dict_lengths(payload)
        ),
    ]


class Circumstances:
    """What surrounds calls: globals, modules, modes. It is as the last compile saw it. ``entries``: all
    entries of the log, which show what changed during the run. ``checks_autocast``: whether GLOBAL_STATE
    covers autocast, as in torch 2.7 and later; False when not known. Dispatch keys of tensors show it, too.
    """

    def __init__(self, entries: Iterable[Entry] = (), *, checks_autocast: bool = False) -> None:
        self._checks_autocast = checks_autocast
        self._texts: dict[_Key, set[str]] = {}  # of the guards of the latest entry with each source
        self._values: dict[str, Any] = {}
        self._calls: dict[str, Mapping[str, Any]] = {}  # by entry: the call that compiled it
        self._entries = [(entry, _texts(entry)) for entry in entries]
        self._varying = _varying([texts for _, texts in self._entries])
        self._has_aliases = any(
            is_aliasing(predicate.text) and "L[" in predicate.text
            for entry, _ in self._entries
            for predicate in entry.predicates
        )

    @property
    def values(self) -> dict[str, Any]:
        """Values of sources that were the same whenever the function compiled."""
        return {
            source: value for source, value in self._values.items() if ("value", source) not in self._varying
        }

    def copy(self) -> Circumstances:
        """Return one that learns on its own."""
        other = copy.copy(self)
        other._texts, other._values, other._calls = dict(self._texts), dict(self._values), dict(self._calls)
        return other

    def learn(self, entry: Entry, call: Mapping[str, Any] | None = None) -> None:
        """Take over what a compile saw. ``call``: the values that compiled it, by source."""
        self._texts.update(_texts(entry))
        for predicate in entry.predicates:
            value = stated(predicate)
            if value is not None:
                self._values[value[0]] = value[1]
        if call is not None:
            self._calls[entry.compile] = call

    def agrees(self, predicate: Predicate) -> bool | None:
        """Return whether a guard was met by the last compile that checked its source; None when none did."""
        texts = self._texts.get(_key(predicate))
        return None if texts is None else predicate.text in texts

    def varies(self, predicate: Predicate) -> bool:
        """Return whether entries of the log have different guards in its place."""
        if predicate.kind in _ALIASING or is_aliasing(predicate.text):
            return self._has_aliases and "L[" in predicate.text
        key = _key(predicate)
        if key[0] == "value" or predicate.source is not None:
            return key in self._varying
        return any(predicate.text not in texts.get(key, ()) for _, texts in self._entries)

    def leaves_open(self, entry: Entry, predicate: Predicate, given: Mapping[str, Any]) -> bool:
        """Return whether a guard checks a value that the call states in a form that does not decide it, or a
        state that it may not check.
        """
        if predicate.kind == "GLOBAL_STATE" and entry.compile in self._calls:
            then, now = (_states(call, predicate.kind) for call in (self._calls[entry.compile], given))
            return then != now
        is_of_value = predicate.kind in _EXCLUSIVE or predicate.kind in ("LAMBDA_GUARD", "SET_CONTAINS")
        nearest = _nearest(predicate.source, given) if is_of_value and predicate.source else None
        if nearest is None or not isinstance(nearest[1], Tensor):
            return nearest is not None
        return ".__class__." not in (predicate.source or "")  # the guard on the tensor checks its class

    def from_calls(self, entry: Entry, predicate: Predicate, given: Mapping[str, Any]) -> bool | None:
        """Return whether a call meets a guard, for the calls that compiled met theirs; None if unknown."""
        then = self._calls.get(entry.compile)
        if then is None:
            return None
        if predicate.kind in _STATE_KINDS:
            return self._same_states(_states(then, predicate.kind), _states(given, predicate.kind))
        if predicate.kind == "SET_CONTAINS":
            members = [is_member(predicate.text, call) for call in (then, given)]
            return None if None in members else members[0] == members[1]
        source = predicate.source
        if source is None:
            return None
        now, before = _nearest(source, given), _nearest(source, then)
        if now is None or before is None or now[0] != before[0]:
            return None
        is_whole = plain(source) in (now[0], f"{now[0]}.__code__")
        if _has_tensor((now[1], before[1])):
            is_object = is_whole and predicate.kind == "ID_MATCH"
            return False if is_object and _differ(now[1], before[1]) else None
        if _equal(now[1], before[1]):
            return True
        if is_whole and all(isinstance(one[1], _Names) for one in (now, before)):
            if predicate.kind in _EXCLUSIVE:
                return False
            if predicate.kind == "TYPE_MATCH" and not isinstance(now[1], str):  # a text stands for any object
                return type(now[1]) is type(before[1])
        return self._as_elsewhere(predicate, now)

    def _same_states(self, then: Mapping[str, Any], now: Mapping[str, Any]) -> bool | None:
        if not then or then.keys() != now.keys():
            return None
        differ = [source for source in then if then[source] != now[source]]
        if not differ:
            return True
        is_checked = self._checks_autocast or any(not source.startswith(_AUTOCAST) for source in differ)
        return False if is_checked else None

    def _as_elsewhere(self, predicate: Predicate, now: tuple[str, Any]) -> bool | None:
        """Judge by an entry whose call had the same value: it has the same guard, or another in its place."""
        key = _key(predicate)
        for entry, texts in self._entries:
            call = self._calls.get(entry.compile)
            other = None if call is None else _nearest(predicate.source or "", call)
            if other is None or other[0] != now[0] or not _equal(other[1], now[1]) or key not in texts:
                continue
            if predicate.text in texts[key]:
                return True
            if any(one.kind == predicate.kind and _key(one) == key for one in entry.predicates):
                return False
        return None


def _key(predicate: Predicate) -> _Key:
    return "value" if predicate.kind in _ONE_VALUE else predicate.kind, predicate.source


def _texts(entry: Entry) -> dict[_Key, set[str]]:
    texts: dict[_Key, set[str]] = {}
    for predicate in entry.predicates:
        texts.setdefault(_key(predicate), set()).add(predicate.text)
    return texts


def _varying(entries: list[dict[_Key, set[str]]]) -> set[_Key]:
    """Return the places in which entries have different guards."""
    first: dict[_Key, set[str]] = {}
    return {key for texts in entries for key, own in texts.items() if first.setdefault(key, own) != own}


def _states(call: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the states of torch that a call states and a kind of guard checks."""
    return {
        source: value
        for source, value in call.items()
        if source.startswith(_STATE) and (kind == "GLOBAL_STATE") != (source == _DEFAULT_DEVICE)
    }


def _nearest(source: str, call: Mapping[str, Any]) -> tuple[str, Any] | None:
    """Return the innermost part of a source that a call states, with its value."""
    for part, evaluate in _parts(source):
        value = evaluate(call)
        if not isinstance(value, Missing):
            return part, value
    return None


@lru_cache(16_384)
def _parts(source: str) -> tuple[tuple[str, Any], ...]:
    """Return a source and what it is a part of, innermost first."""
    parts: list[tuple[str, Any]] = []
    try:
        node = parsed(source)
        while True:
            text = plain(ast.unparse(node))
            parts.append((text, compiled(text)))
            if isinstance(node, (ast.Attribute, ast.Subscript)):
                node = node.value
            elif isinstance(node, ast.Call):
                node = node.args[0] if node.args else node.func
            else:
                return tuple(parts)
    except (NotSupported, RecursionError, MemoryError):
        return tuple(parts)


def _differ(left: Any, right: Any) -> bool:
    """Whether two values, one of them a tensor, cannot be the same object."""
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return (left.size, left.dtype) != (right.size, right.dtype)
    return isinstance(left, _Names) or isinstance(right, _Names)


def _has_tensor(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_tensor, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_tensor, value))
    return isinstance(value, Tensor)


def _equal(left: Any, right: Any) -> bool:
    """Whether two values are the same, with the same types and the same order of keys."""
    return repr(left) == repr(right)


def inputs(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a call by source. Names are arguments; other keys are sources as torch writes
    them, such as ``G['mode']`` or ``self.training``, or states of torch such as ``torch.is_grad_enabled()``.
    """
    known = {}
    for name, value in call.items():
        if name.isidentifier():
            known[f"L['{name}']"] = value
        elif name.startswith(("L[", "G[", _STATE)):
            known[plain(normalised(name))] = value
        else:
            root, separator, rest = name.partition(".")
            known[plain(normalised(f"L['{root}']{separator}{rest}"))] = value
    return known
