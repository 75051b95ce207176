"""Guard trees as predicates: what each guard checks, and whether a call meets it.

The text of a tree is that of ``dynamo_cpp_guards_str`` (torch/_dynamo/guards.py,
GuardManagerWrapper.__str__); the meaning of the kinds is that of torch/csrc/dynamo/guards.cpp.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from tlparse_bundle.base.wording import plural
from tlparse_bundle.guards.conditions import (
    Condition,
    autocast_differs,
    condition,
    described_type,
    text_match,
)
from tlparse_bundle.guards.expressions import Known, Missing, NotSupported, compiled, normalised, parsed
from tlparse_bundle.guards.tensor_patterns import TensorPattern, other_device, tensor_pattern
from tlparse_bundle.guards.values import Named, Tensor

NODE = re.compile(r"(?P<indent>(?:\| )*)\+- (?P<kind>[^:(]{1,60})(?:: (?P<text>.*))?$")
MANAGER = re.compile(r"(?:\w*Manager$|KeyValueManager pair)")
SOURCE = re.compile(r"(?:^|: )source=(?P<source>.*?)(?:, (?:accessed_by|type)=|$)")
_TYPE = re.compile(r", type=<class '(?P<name>[^']+)'>")
_TYPE_CHECK = re.compile(r"___check_type_id\((?P<source>.+), \d+\)")
_HINT = re.compile(r"\(HINT: type (?P<name>[\w.]+)\)")
# Kinds that check one value, which is then known of the call that compiled.
_VALUES = frozenset(("EQUALS_MATCH", "TRUE_MATCH", "FALSE_MATCH", "NONE_MATCH", "CONSTANT_MATCH"))
LENGTHS = ("LENGTH_CHECK", "DICT_LENGTH", "DICT_CONTAINS", "TUPLE_ITERATOR_LEN")  # and keys of containers
_EXPRESSIONS = _VALUES.union(("LAMBDA_GUARD", "SYMBOLIC_SHAPE_GUARD"), LENGTHS)
# The right side of a comparison with a constant; longer ones are source code.
_CONSTANT = re.compile(r" (?:==|is) (?P<value>(?![LG]\[)[^=]{1,500})$")
# torch/_dynamo/guards.py until 2.3 and, for aliasing, later: the conditions of each kind.
_FLAT = (
    ("check_tensor(", "TENSOR_MATCH"),
    ("check_overlapping(", "STORAGE_OVERLAPPING"),
    ("___check_type_id(", "TYPE_MATCH"),
    ("___check_obj_id(", "ID_MATCH"),
    ("___check_global_state(", "GLOBAL_STATE"),
    ("___check_current_backend(", "BACKEND_MATCH"),
    ("utils_device.CURRENT_DEVICE ", "DEFAULT_DEVICE"),
    ("hasattr(", "HASATTR"),
    ("len(", "LENGTH_CHECK"),
)
_FLAT_SOURCE = re.compile(r"[LG]\[[^\[\],()]{1,200}\](?:\.\w+|\[[^\[\],()]{1,200}\])*")
_MAX_LINE = 20_000  # characters
_COMMENT = "  #"
_COMPARISON = re.compile(r" (?:==|is|is not|!=) | against ")
_NUMBER_AT_END = re.compile(r", \d+\)(?=, type=|$)")  # in ___check_type_id and ___check_obj_id


@dataclass(frozen=True)
class Predicate:
    """One guard. ``text``: its condition without comment; ``source``: what the manager above it guards."""

    kind: str
    source: str | None
    text: str
    comment: str | None = None
    type_name: str | None = None  # of the guarded value, where torch says it

    @cached_property
    def subject(self) -> tuple[str, str | None, str]:
        """What it checks, without the value that it asks for: kind, source and the start of its text."""
        text = _COMPARISON.split(self.text, maxsplit=1)[0]
        return self.kind, self.source, _NUMBER_AT_END.split(text, maxsplit=1)[0]

    @property
    def can_be_evaluated(self) -> bool:
        """Whether it depends on nothing but values that a call can state."""
        return _evaluator(self.kind, self.text, self.type_name) is not None

    @property
    def expected(self) -> str | None:
        """What the guarded value has to be: a tensor such as ``f32[4, None][None, 1]cpu``, the name of a
        type, a constant as Python writes it. None when the guard asks for something else.
        """
        if self.kind == "TENSOR_MATCH":
            pattern = tensor_pattern(self.text)
            return None if pattern is None else str(pattern)
        if self.kind == "TYPE_MATCH":
            return self.type_name
        if self.kind in _EXPRESSIONS:
            found = _CONSTANT.search(self.text)
            return found["value"] if found else None
        return None


@dataclass(frozen=True)
class Outcome:
    """What a guard says about a call: ``holds`` is None when it cannot be evaluated; then ``missing`` says
    for want of what. ``actual``: the value of the call that made it fail.
    """

    holds: bool | None
    expected: str | None = None
    actual: str | None = None
    missing: str | None = None


def predicates(payload: str) -> list[Predicate]:
    """Return the guards of a tree in the order in which torch checks them; empty for other text."""
    return list(_predicates(payload))


def _predicates(payload: str) -> Iterator[Predicate]:
    sources: list[tuple[str | None, str | None]] = []  # of the managers above, by depth: source and type
    for line in payload.split("\n"):
        node = NODE.match(line[:_MAX_LINE])
        if node is None:
            continue
        kind, rest, depth = node["kind"].strip(), node["text"] or "", len(node["indent"]) // 2
        del sources[depth:]
        above = sources[-1] if sources else (None, None)
        if MANAGER.match(kind):
            source, name = manager(rest)
            sources += [above] * (depth - len(sources)) + [(above[0] if source is None else source, name)]
            continue
        yield predicate(kind, rest, above)


def predicate(kind: str, rest: str, above: tuple[str | None, str | None]) -> Predicate:
    """Return a guard of a tree. ``rest``: the text after its kind; ``above``: source, type of its manager."""
    text, comment = without_comment(rest)
    hint = _TYPE.search(text) or _HINT.search(comment or "")
    return Predicate(kind, above[0], text, comment, hint["name"] if hint else above[1])


def flat_predicate(code: str) -> Predicate:
    """Return a guard of a list (``dynamo_guards``), which has no kinds and sources, but conditions."""
    kind = next((kind for start, kind in _FLAT if code.startswith(start)), None)
    if kind is None:
        constant = _CONSTANT.search(code)
        kind = "EQUALS_MATCH" if constant and _FLAT_SOURCE.fullmatch(code[: constant.start()]) else None
    source = _FLAT_SOURCE.search(code) if kind else None
    return Predicate(kind or "LAMBDA_GUARD", normalised(source[0]) if source else None, code)


def manager(rest: str) -> tuple[str | None, str | None]:
    """Return source and type of a manager; ``rest``: what follows its kind."""
    source, name = SOURCE.search(rest), _TYPE.search(rest)
    return normalised(source["source"]) if source else None, name["name"] if name else None


def without_comment(text: str) -> tuple[str, str | None]:
    """Split a condition from torch's comment. Quoted text can hold what looks like one."""
    place = text.find(_COMMENT)
    while place >= 0:
        condition = text[:place].rstrip()
        if condition.count("'") % 2 == 0 and condition.count('"') % 2 == 0:
            return condition, text[place + len(_COMMENT) :].strip() or None
        place = text.find(_COMMENT, place + 1)
    return text.rstrip(), None


def check(predicate: Predicate, known: Known) -> Outcome:
    """Evaluate a guard for a call. ``known``: its values by source, in the spelling of ``normalised``."""
    evaluate = _evaluator(predicate.kind, predicate.text, predicate.type_name)
    return Outcome(None, missing=predicate.source or predicate.text) if evaluate is None else evaluate(known)


@lru_cache(65_536)
def _evaluator(kind: str, text: str, type_name: str | None) -> Any:
    try:
        special = condition(kind, text)
        if special is not None:
            return _condition(text, special)
        if kind == "TENSOR_MATCH":
            return _tensor_match(text)
        if kind == "TYPE_MATCH":
            return _type_match(text, type_name)
        if kind in _VALUES:
            return _value_match(text)
        if kind in _EXPRESSIONS:
            return _expression(text)
    except (NotSupported, RecursionError, MemoryError):
        pass
    return None


def _unknown(missing: Missing) -> Outcome:
    if missing.is_absent:
        return Outcome(False, f"{missing.source} exists", "the call has none")
    return Outcome(None, missing=missing.source)


def _condition(text: str, condition: Condition) -> Any:
    def outcome(known: Known) -> Outcome:
        holds = condition(known)
        return (
            _unknown(holds) if isinstance(holds, Missing) else Outcome(holds, text, None if holds else "not")
        )

    return outcome


def _expression(text: str) -> Any:
    evaluate = compiled(text)

    def outcome(known: Known) -> Outcome:
        value = evaluate(known)
        if isinstance(value, Missing):
            return _unknown(value)
        return Outcome(bool(value), text, None if value else _operands(text, known))

    return outcome


@lru_cache(65_536)
def _parts(text: str) -> tuple[tuple[str, Any], ...]:
    """Return the sources in an expression, outermost first, with their functions."""
    parts, todo = [], [parsed(text)]
    while todo:
        node = todo.pop(0)
        if isinstance(node, (ast.Subscript, ast.Attribute, ast.Name)) or (
            isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)
        ):
            parts.append((ast.unparse(node), compiled(ast.unparse(node))))
        else:
            todo += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return tuple(dict(parts).items())


def _operands(text: str, known: Known) -> str:
    """Return the values that an expression has in a call: ``L['x'].size()[0] = 1``."""
    values = [(source, evaluate(known)) for source, evaluate in _parts(text)]
    return ", ".join(
        f"{source} = {shown(value)}" for source, value in values if not isinstance(value, Missing)
    )


def _value_match(text: str) -> Any:
    """``SOURCE == CONSTANT`` or ``SOURCE is None``. The type has to be the same, too (EQUALS_MATCH)."""
    try:
        node = parsed(text)
    except NotSupported:  # SOURCE == <class 'dict'>
        left, _, constant = text.partition(" == ")
        return _condition(text, text_match(compiled(left), constant))
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return _expression(text)
    source, constant = compiled(ast.unparse(node.left)), ast.unparse(node.comparators[0])
    try:
        expected = compiled(constant)
    except NotSupported:
        return _condition(text, text_match(source, constant))

    def outcome(known: Known) -> Outcome:
        actual, wanted = source(known), expected(known)
        if isinstance(actual, Missing) or isinstance(wanted, Missing):
            missing = actual if isinstance(actual, Missing) else wanted
            return _unknown(missing)
        is_text = isinstance(actual, str) and not isinstance(wanted, str) and actual == repr(wanted)
        return Outcome(is_text or _same(actual, wanted), shown(wanted), shown(actual))

    return outcome


def _same(actual: Any, wanted: Any) -> bool:
    if isinstance(wanted, Named) and isinstance(actual, str):
        return actual == wanted.name
    if actual != actual and wanted != wanted:  # nan
        return True
    return type(actual) is type(wanted) and bool(actual == wanted)


def _tensor_match(text: str) -> Any:
    wanted = tensor_pattern(text)
    if wanted is None:
        raise NotSupported(text[:200])
    source = compiled(wanted.source)

    def outcome(known: Known) -> Outcome:
        tensor = source(known)
        if isinstance(tensor, Missing):
            return _unknown(tensor)
        if not isinstance(tensor, Tensor):
            return Outcome(False, "a tensor", shown(tensor))
        # In the order of torch/csrc/dynamo/guards.cpp, TensorCheck::check.
        if tensor.name not in (None, wanted.name):
            return Outcome(False, f"class {wanted.name}", f"class {tensor.name}")
        if tensor.dtype not in (None, wanted.dtype):
            return Outcome(False, wanted.dtype, tensor.dtype)
        if tensor.device and wanted.device and other_device(tensor.device, wanted.device):
            return Outcome(False, wanted.device, tensor.device)
        if None not in (tensor.requires_grad, wanted.requires_grad) and (
            tensor.requires_grad != wanted.requires_grad
        ):
            return Outcome(
                False, f"requires_grad={wanted.requires_grad}", f"requires_grad={tensor.requires_grad}"
            )
        if autocast_differs(known, tensor, wanted.device, wanted.keys):
            return Outcome(False, wanted.keys, "a different autocast state")
        if len(tensor.size) != len(wanted.size):
            return Outcome(False, *(plural(len(one.size), "dimension") for one in (wanted, tensor)))
        other = _other_dimensions(wanted, tensor)
        if other is not None:
            return other
        unknown = _unstated(tensor)
        return Outcome(None, missing=f"{wanted.source}.{unknown}") if unknown else Outcome(True)

    return outcome


def _other_dimensions(pattern: TensorPattern, tensor: Tensor) -> Outcome | None:
    """Return the first size or stride that does not hold or is not stated."""
    dimensions = (("size", pattern.size, tensor.size), ("stride", pattern.stride, tensor.stride))
    for what, wanted, actual in dimensions:
        for dimension, number in enumerate(wanted):
            if number is None:
                continue
            if actual is None:
                return Outcome(None, missing=f"{pattern.source}.{what}()")
            if actual[dimension] != number:
                expected = f"{what} {number} of dimension {dimension}"
                return Outcome(False, expected, f"{what} {actual[dimension]}")
    return None


def _unstated(tensor: Tensor) -> str | None:
    """Return what a call leaves out of a tensor that every guard checks."""
    if tensor.dtype is None:
        return "dtype"
    return "requires_grad" if tensor.requires_grad is None else None


def _type_match(text: str, type_name: str | None) -> Any:
    match = _TYPE_CHECK.match(text)
    if match is None or type_name is None:
        raise NotSupported(text[:200])
    source = compiled(match["source"])
    wanted = type_name.rpartition(".")[2]

    def outcome(known: Known) -> Outcome:
        value = source(known)
        if isinstance(value, Missing):
            return _unknown(value)
        met = described_type(value, type_name)
        if isinstance(met, Missing):
            return _unknown(met)
        if met is not None:
            return Outcome(met, f"type {wanted}", f"type {str(value).partition('(')[0]}")
        actual = (value.name or "Tensor") if isinstance(value, Tensor) else type(value).__name__
        return Outcome(actual == wanted, f"type {wanted}", f"type {actual}")

    return outcome


def stated(predicate: Predicate) -> tuple[str, Any] | None:
    """Return (source, value) when a guard states the value that its compile saw; else None. Dynamic
    dimensions of a tensor are not stated.
    """
    if predicate.kind not in _VALUES or not predicate.text:
        return None
    try:
        node = parsed(predicate.text)
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return None
        value = compiled(ast.unparse(node.comparators[0]))({})
    except NotSupported:
        return None
    return None if isinstance(value, Missing) else (ast.unparse(node.left), value)


def shown(value: Any) -> str:
    """Return a value as a user would write it."""
    return (
        value.name if isinstance(value, Named) else str(value) if isinstance(value, Tensor) else repr(value)
    )
