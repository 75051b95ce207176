"""Conditions of guards as JSON, for programs that evaluate guards without parsing Python.

The description of ``condition`` in schema/guards.schema.json is the grammar; viewers/lib/guards/ evaluates it
as ``predicates.check`` does.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from tlparse_bundle.guards.conditions import condition
from tlparse_bundle.guards.expressions import NotSupported, compiled, parsed, plain
from tlparse_bundle.guards.predicates import LENGTHS, Predicate
from tlparse_bundle.guards.tensor_patterns import tensor_pattern

Json = Any
_TYPE_CHECK = re.compile(r"___check_type_id\((?P<source>.+), \d+\)")
_MEMBER = re.compile(r"\.(?:_modules|_parameters|_buffers|__dict__)\['\w+'\]$")
_VALUES = frozenset(("EQUALS_MATCH", "TRUE_MATCH", "FALSE_MATCH", "NONE_MATCH", "CONSTANT_MATCH"))
_EXPRESSIONS = frozenset(("LAMBDA_GUARD", "SYMBOLIC_SHAPE_GUARD", *LENGTHS))
_METHODS = frozenset(("size", "stride", "dim"))
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Not: "not",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.And: "and",
    ast.Or: "or",
}
# What the page can call; tests/guards/test_condition_json.py compares it with what Python can.
FUNCTIONS = frozenset(
    (
        *("Mod", "PythonMod", "FloorDiv", "CleanDiv", "IntTrueDiv", "FloatTrueDiv", "TrueDiv", "Max", "Min"),
        *("Eq", "Ne", "Lt", "Le", "Gt", "Ge", "PowByNatural", "abs", "int", "float", "bool", "len", "max"),
        *("min", "dict.keys", "list", "___as_tensor", "__math_isnan", "math.floor", "math.isnan"),
        *("math.isinf", "math.ceil", "torch.sym_max", "torch.sym_min", "torch.sym_not"),
        *("___tuple_iterator_len", "___dict_contains"),
    )
)
_MAX_EXACT = 1 << 53  # larger numbers are not exact in JSON
_MAX_DEPTH = 100
_MAX_TEXT = 20_000  # characters of all sources


def condition_json(predicate: Predicate) -> str | None:
    """Return the condition of a guard as JSON text; None when it cannot be expressed."""
    try:
        encoded = _encoded(predicate)
        return None if encoded is None else json.dumps(encoded, separators=(",", ":"), allow_nan=False)
    except (NotSupported, ValueError, RecursionError, MemoryError):
        return None


def _encoded(predicate: Predicate) -> Json:
    kind, text = predicate.kind, predicate.text
    if not predicate.can_be_evaluated or condition(kind, text) is not None:
        return None
    if kind == "TENSOR_MATCH":
        return _tensor(text)
    if kind == "TYPE_MATCH":
        return _type(text, predicate.type_name)
    if kind in _VALUES:
        return _value(text)
    return ["true", _expression(text)] if kind in _EXPRESSIONS else None


def _tensor(text: str) -> Json:
    pattern = tensor_pattern(text)
    if pattern is None:
        return None
    return [
        "tensor",
        _expression(pattern.source),
        {
            "class": pattern.name,
            "dtype": pattern.dtype,
            "device": pattern.device,
            "requires_grad": pattern.requires_grad,
            "autocast": "Autocast" in pattern.keys,
            "size": pattern.size,
            "stride": pattern.stride,
        },
    ]


def _type(text: str, type_name: str | None) -> Json:
    match = _TYPE_CHECK.match(text)
    if match is None or type_name is None:
        return None
    return ["type", _expression(match["source"]), type_name]


def _value(text: str) -> Json:
    try:
        node = parsed(text)
    except NotSupported:
        left, _, constant = text.partition(" == ")
        return ["text", _expression(left), constant]
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return ["true", _expression(text)]
    source, constant = _expression(ast.unparse(node.left)), ast.unparse(node.comparators[0])
    try:
        compiled(constant)
    except NotSupported:
        return ["text", source, constant]
    return ["same", source, _expression(constant)]


def _expression(text: str) -> Json:
    return _Encoder().encode(parsed(text), 0)


class _Encoder:
    """Turns the nodes of an expression into JSON, as ``expressions.compiled`` turns them into functions."""

    def __init__(self) -> None:
        self._size = 0

    def encode(self, node: ast.expr, depth: int) -> Json:
        if depth > _MAX_DEPTH:
            raise NotSupported("too deep")
        below = depth + 1
        match node:
            case ast.Constant(value=value):
                return _constant(value)
            case ast.Name(id="inf" | "nan" as name):
                return _constant(float(name))
            case ast.BoolOp(op=op, values=values):
                return [_OPERATORS[type(op)], *(self.encode(value, below) for value in values)]
            case ast.UnaryOp(op=op, operand=operand):
                return [_OPERATORS[type(op)], self.encode(operand, below)]
            case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
                return [_OPERATORS[type(op)], self.encode(left, below), self.encode(right, below)]
            case ast.Compare():
                return self._comparison(node, below)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                kind = "tuple" if isinstance(node, ast.Tuple) else "list"
                return [kind, *(self.encode(item, below) for item in items)]
            case ast.Call() | ast.Subscript() | ast.Attribute() | ast.Name():
                return self._source(node, below)
        raise NotSupported(ast.unparse(node)[:200])

    def _comparison(self, node: ast.Compare, depth: int) -> Json:
        operands = [self.encode(part, depth) for part in (node.left, *node.comparators)]
        pairs = [
            [_OPERATORS[type(op)], left, right]
            for op, left, right in zip(node.ops, operands, operands[1:], strict=False)
        ]
        return pairs[0] if len(pairs) == 1 else ["and", *pairs]

    def _source(self, node: ast.expr, depth: int) -> Json:
        written = ast.unparse(node)
        text = plain(written)
        self._size += len(text)
        if self._size > _MAX_TEXT:
            raise NotSupported("too long")
        if text.startswith("torch.") and text[6:].isidentifier():
            return ["named", text]
        inner = None if _MEMBER.search(written) else self._inner(node, depth)
        return ["get", text] if inner is None else ["get", text, inner]

    def _inner(self, node: ast.expr, depth: int) -> Json:
        """Return how a source follows from others; None when only a call can state it."""
        match node:
            case ast.Call(keywords=[], args=arguments) if ast.unparse(node.func) in FUNCTIONS:
                return [
                    "call",
                    ast.unparse(node.func),
                    *(self.encode(argument, depth) for argument in arguments),
                ]
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]) if (
                name in _METHODS
            ):
                return ["method", self.encode(value, depth), name]
            case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
                return self.encode(value, depth)
            case ast.Call(func=ast.Attribute(value=value, attr="keys"), args=[], keywords=[]):
                return ["call", "dict.keys", self.encode(value, depth)]
            case ast.Subscript(value=ast.Name()):
                return None
            case ast.Subscript(value=value, slice=(ast.Constant() | ast.UnaryOp()) as place):
                return ["at", self.encode(value, depth), self.encode(place, depth)]
            case ast.Attribute(value=value, attr=name):
                return ["attr", self.encode(value, depth), name]
        return None


def _constant(value: Any) -> Json:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < _MAX_EXACT else ["int", str(value)]
    if isinstance(value, float):
        return ["float", repr(value)]
    raise NotSupported(repr(value)[:200])
