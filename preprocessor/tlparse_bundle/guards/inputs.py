"""The input of each compile: what a log knows of the call that triggered it.

A compile's own guards hold for its call; torch also describes its tensors (describe_tensor) and the values
of its symbols (create_symbol).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

from tlparse_bundle.guards.expressions import NotSupported, compiled, normalised, parsed
from tlparse_bundle.guards.predicates import LENGTHS, Predicate, stated
from tlparse_bundle.guards.tensor_patterns import TensorPattern, tensor_pattern
from tlparse_bundle.guards.values import Tensor

KnownFrom = Literal["describe_tensor", "create_symbol", "guard"]
_LOCAL = re.compile(r"\bL\[['\"](\w+)['\"]\]")
_OF_MODULE = re.compile(r"\._(?:modules|parameters|buffers)\b")
_PART_OF_MODULE = re.compile(
    rf"{_OF_MODULE.pattern}|\.__dict__\['_(?:modules|parameters|buffers)'\]|\.training$"
)
CODE = ".__code__"  # of a function
_SIZE = re.compile(r"\.(?:size|stride)\(\)\[\d{1,4}\]$|\.storage_offset\(\)$")
_ITEM = re.compile(r"(?P<dict>.+)\[(?P<key>[^\[\]]+)\]")
_PART = re.compile(r"[.\[]")  # where an attribute or an item begins
_CONTAINING = ("SET_CONTAINS", "DICT_CONTAINS")


@dataclass
class Input:
    """The input of a compile. ``values``: by source, as ``expressions`` looks them up; ``known_from``: the
    record that states each. ``guards``: texts of its own guards, by their ``subject``; ``patterns``: those of
    its tensors and the types of its objects, by source.
    """

    values: dict[str, Any] = field(default_factory=dict)
    known_from: dict[str, KnownFrom] = field(default_factory=dict)
    guards: dict[tuple[str, str | None, str], str] = field(default_factory=dict)
    patterns: dict[str, TensorPattern] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    @cached_property
    def objects(self) -> dict[str, str]:
        """Its own guards on the identity of objects, by source. That of a function is on its code."""
        return {
            (source or "").removesuffix(CODE): text
            for (kind, source, _), text in self.guards.items()
            if kind == "ID_MATCH"
        }

    @cached_property
    def owners(self) -> set[str]:
        """Sources of objects and containers, by its own guards on their parts."""
        found: set[str] = set()
        for kind, name, _ in self.guards:
            source = name or ""
            found.update(owners_of(source))
            if kind in _CONTAINING:
                found.add(source)
        return found

    @cached_property
    def containers(self) -> set[str]:
        """Sources of containers that are not empty, by its values and its own guards on their items."""
        sources = (*self.values, *self.patterns, *(name or "" for _, name, _ in self.guards))
        return {
            source[: part.start()]
            for source in sources
            for part in _PART.finditer(source, 2)
            if part[0] == "["
        }

    @cached_property
    def modules(self) -> set[str]:
        """Sources of modules, by its own guards on their parts."""
        sources = (name or "" for _, name, _ in self.guards)
        return {source[: part.start()] for source in sources if (part := _PART_OF_MODULE.search(source))}

    def add(self, source: str, value: Any, known_from: KnownFrom) -> None:
        """Note a value, unless the source has one."""
        if source not in self.values:
            self.values[source] = value
            self.known_from[source] = known_from

    def has_source(self, source: str) -> bool:
        """Whether the call has a value, a tensor or an object of a source."""
        return any(source in known for known in (self.values, self.patterns, self.types, self.owners))

    def lacks(self, source: str) -> bool:
        """Whether a source is an item of a dict that has no such key in the call."""
        return self.values.get(_has_key(source) or "") is False

    def add_missing(self, source: str) -> None:
        """Note that a dict of the call lacks an item; nothing for a source that is not an item."""
        if (condition := _has_key(source)) is not None:
            self.add(condition, False, "guard")


def _has_key(source: str) -> str | None:
    """Return the condition that a dict has an item, as guards write it; None for other sources."""
    item = _ITEM.fullmatch(source)
    return item and f"___dict_contains({item['key']}, {item['dict']})"


def input_of(
    tensors: Iterable[Mapping[str, Any]],
    symbols: Sequence[Mapping[str, Any]],
    predicates: Iterable[Predicate],
) -> Input:
    """Return the input of a compile from its rows of ``tensors`` and ``symbols`` and its own guards."""
    result = Input()
    names = {row["name"]: value for row in symbols if (value := _literal(row["value"])) is not None}
    for row in tensors:
        tensor = _tensor(row, names)
        for source in row["sources"] if tensor is not None else ():
            result.add(normalised(source), tensor, "describe_tensor")
            if row.get("is_view"):
                offset = (row["other"] or {}).get("storage_offset", 0)  # torch leaves out 0
                result.add(f"{normalised(source)}.storage_offset()", offset, "describe_tensor")
    for row in symbols:
        value = names.get(row["name"])
        if row["source"] is not None and value is not None:
            result.add(normalised(row["source"]), value, "create_symbol")
    for predicate in predicates:
        pattern = tensor_pattern(predicate.text) if predicate.kind == "TENSOR_MATCH" else None
        if pattern is not None:
            result.patterns[pattern.source] = pattern
            continue
        if predicate.kind == "TYPE_MATCH" and predicate.source and predicate.type_name:
            result.types[predicate.source] = predicate.type_name.rpartition(".")[2]
        result.guards[predicate.subject] = predicate.text
        stating = _stating(predicate.kind, predicate.text)
        if stating is not None:
            result.add(*stating, "guard")
    return result


def local_name(text: str) -> str:
    """Return a source without the scope of locals, as torch 2.7 and later write it: "x" for "L['x']"."""
    return _LOCAL.sub(r"\1", text)


def is_argument(source: str) -> bool:
    """Whether a source is part of the arguments of a call, not of a module."""
    name = source.removeprefix("___from_numpy(")
    return name.startswith("L[") and not name.startswith("L['self']") and not is_of_module(name)


def is_of_module(source: str) -> bool:
    """Whether a source is a part of a module: a submodule, a parameter or a buffer."""
    return _OF_MODULE.search(source) is not None


def owners_of(source: str) -> Iterator[str]:
    """Yield what a source is a part of: "L['d']['k']" and "L['d']" for "L['d']['k'].x"."""
    for part in _PART.finditer(source, 2):  # after the scope: L[…], G[…]
        yield source[: part.start()]


def is_shown(source: str, value: Any) -> bool:
    """Whether a value describes a call: sizes are shown with their tensors, parameters not at all."""
    if is_of_module(source) and isinstance(value, Tensor):
        return False
    return _SIZE.search(source) is None


def _tensor(row: Mapping[str, Any], names: Mapping[str, Any]) -> Tensor | None:
    """Return a tensor of ``tensors``; None when a size is not known."""
    size = _numbers(row["shape"], names)
    if size is None or row["dtype"] is None:
        return None
    return Tensor(
        size,
        _numbers(row["stride"], names),
        row["dtype"],
        row["device"],
        row["requires_grad"],
    )


def _numbers(items: Sequence[Any] | None, names: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return sizes as numbers: an expression of symbols gets their values."""
    numbers = []
    for item in items if items is not None else (None,):
        value = item
        if type(item) is str:
            try:
                value = compiled(item)(names)
            except NotSupported:
                return None
        if type(value) is not int:
            return None
        numbers.append(value)
    return tuple(numbers)


def _literal(text: str | None) -> Any:
    try:
        return None if text is None else ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


@lru_cache(16_384)
def _stating(kind: str, text: str) -> tuple[str, Any] | None:
    """Return (source, value) when a guard states the value that it saw: of a constant, of ``len(SOURCE)``, or
    of whether a dict contains a key.
    """
    if kind not in LENGTHS:
        return stated(Predicate(kind, None, text))
    try:
        node = parsed(text)
    except NotSupported:
        return None
    match node:
        case ast.Compare(
            left=ast.Call() as left, ops=[ast.Eq()], comparators=[ast.Constant(value=int(value))]
        ):
            return ast.unparse(left), value
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call() as call):
            return ast.unparse(call), False
        case ast.Call():
            return ast.unparse(node), True
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"len({ast.unparse(operand)})", 0
    return None
