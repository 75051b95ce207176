"""Evaluates guard expressions over what is known of a call, without running them as Python.

An expression is parsed once and becomes a function. Where it needs a value that is not known, the result is
``Missing``, which names the source; ``and``, ``or`` and comparisons of known parts still decide.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tlparse_bundle.guards.values import JsonDict, Named, Tensor

Known = Mapping[str, Any]  # source as torch writes it, such as "L['x']": value
Evaluate = Callable[[Known], Any]
_IN_MODULE = re.compile(r"\.(?:_modules|_parameters|_buffers|__dict__)\['(\w+)'\]")
_INTERVAL = re.compile(r"(?P<kind>range|slice)\((?P<numbers>(?:(?:-?\d{1,18}|None)(?:, )?)+)\)")
_OBJECT = re.compile(r"[\w.]+\(.*\)|\{.*\}|b'.*'|b\".*\"", re.DOTALL)
_MAX_NUMBER = 1 << 256  # results beyond are not computed
_MAX_EXPRESSION = 20_000  # characters


@dataclass(frozen=True)
class Missing:
    """The result when a value is not known. ``source``: what would be needed. ``is_absent``: the call has no
    such value, as an item beyond the end of a list; torch's guard then fails.
    """

    source: str
    is_absent: bool = False


class NotSupported(ValueError):
    """The expression contains something that cannot be evaluated here."""


def _is(left: Any, right: Any) -> bool:
    """Only constants of the language are known to be the same object."""
    if left is None or right is None or (isinstance(left, bool) and isinstance(right, bool)):
        return left is right
    raise ValueError("identity")


def _floor_div(left: Any, right: Any) -> Any:
    return left // right


def _keys(value: Any) -> list[Any]:
    """Return the keys of a dict in order; of JSON those that may be integers as integers."""
    if not isinstance(value, JsonDict):
        return list(dict.keys(value))
    return [int(key) if key.removeprefix("-").isdecimal() else key for key in value]


def _as_key(container: Any, key: Any) -> Any:
    return str(key) if isinstance(container, JsonDict) else key


def _interval(value: Any) -> range | slice | None:
    """Return a range or slice that a call states as Python writes it."""
    match = _INTERVAL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    numbers = [None if part.strip() == "None" else int(part) for part in match["numbers"].split(",")]
    try:
        return range(*numbers) if match["kind"] == "range" else slice(*numbers)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _length(value: Any) -> int:
    """Raises ValueError for the text of an object that JSON does not have."""
    interval = _interval(value)
    if isinstance(interval, range):
        return len(interval)
    if isinstance(value, str) and _OBJECT.fullmatch(value):
        raise ValueError(value)
    return len(value)


def _c_mod(left: int, right: int) -> int:
    """Return the remainder with the sign of the dividend, as in C."""
    return left - right * int(left / right) if (left < 0) != (right < 0) else left % right


def _power(base: float, exponent: int) -> float:
    """Return a power, unless it would take long to compute. Raises OverflowError."""
    if isinstance(base, int) and base.bit_length() * max(exponent, 0) > _MAX_NUMBER.bit_length():
        raise OverflowError("a number that is too large")
    return base**exponent


def _times(left: float, right: float) -> float:
    """Multiply numbers. Raises TypeError for texts and lists, which a product would repeat."""
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        raise TypeError("not a number")
    return left * right


# torch/utils/_sympy/functions.py; torch/fx/experimental/symbolic_shapes.py prints guards with them.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Mod": _c_mod,
    "PythonMod": operator.mod,
    "FloorDiv": _floor_div,
    "CleanDiv": _floor_div,
    "IntTrueDiv": operator.truediv,
    "FloatTrueDiv": operator.truediv,
    "TrueDiv": operator.truediv,
    "Max": max,
    "Min": min,
    "Eq": operator.eq,
    "Ne": operator.ne,
    "Lt": operator.lt,
    "Le": operator.le,
    "Gt": operator.gt,
    "Ge": operator.ge,
    "PowByNatural": _power,
    "abs": abs,
    "int": int,
    "float": float,
    "bool": bool,
    "len": lambda value: _length(value),
    "max": max,
    "min": min,
    "dict.keys": lambda value: _keys(value),
    "list": list,
    "___as_tensor": float,
    "__math_isnan": math.isnan,
    "math.floor": lambda value: int(value // 1),
    "math.isnan": math.isnan,
    "math.isinf": math.isinf,
    "math.ceil": lambda value: -int(-value // 1),
    "torch.sym_max": max,
    "torch.sym_min": min,
    "torch.sym_not": operator.not_,
    "___tuple_iterator_len": len,
    "___dict_contains": lambda key, container: _as_key(container, key) in container,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: lambda left, right: _is(left, right),
    ast.IsNot: lambda left, right: not _is(left, right),
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_OF_TENSOR: dict[str, Callable[[Tensor], Any]] = {
    "shape": lambda tensor: tensor.size,
    "dtype": lambda tensor: None if tensor.dtype is None else Named(tensor.dtype),
    "requires_grad": lambda tensor: tensor.requires_grad,
    "ndim": lambda tensor: len(tensor.size),
    "_base": lambda tensor: tensor.base,
}
_METHODS: dict[str, Callable[[Tensor], Any]] = {
    "size": lambda tensor: tensor.size,
    "stride": lambda tensor: tensor.stride,
    "dim": lambda tensor: len(tensor.size),
}


def parsed(text: str) -> ast.expr:
    """Return the tree of an expression. Raises NotSupported when it is not Python, or too long."""
    if len(text) > _MAX_EXPRESSION:
        raise NotSupported("too long")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotSupported(str(error)) from None


@lru_cache(65_536)
def compiled(text: str) -> Evaluate:
    """Return a function that evaluates an expression. Raises NotSupported."""
    node = parsed(text)
    try:
        return _function(node)
    except (ValueError, RecursionError, MemoryError) as error:
        raise error if isinstance(error, NotSupported) else NotSupported(str(error)) from None


@lru_cache(65_536)
def normalised(source: str) -> str:
    """Return a source in one spelling: torch and people quote and space differently."""
    try:
        return ast.unparse(ast.parse(source.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source.strip()


def plain(source: str) -> str:
    """Return the source of an attribute of a module as users write it, without the dict that holds it."""
    return _IN_MODULE.sub(r".\1", source)


def _function(node: ast.expr) -> Evaluate:
    match node:
        case ast.Constant(value=value):
            return lambda known: value
        case ast.Name(id="inf" | "nan" as name):  # torch/_dynamo/guards.py writes values with repr
            return lambda known: float(name)
        case ast.BoolOp():
            return _logical(isinstance(node.op, ast.And), [_function(value) for value in node.values])
        case ast.UnaryOp():
            return _unary(node)
        case ast.BinOp():
            if type(node.op) not in _BINARY:
                return _raise(node)
            return _call(_BINARY[type(node.op)], [_function(node.left), _function(node.right)])
        case ast.Compare():
            return _comparison(node)
        case ast.Tuple() | ast.List():
            kind = tuple if isinstance(node, ast.Tuple) else list
            return _call(lambda *values: kind(values), [_function(item) for item in node.elts])
        case ast.Dict():
            return _raise(node)
        case _:
            return _source(node)


def _raise(node: ast.expr) -> Evaluate:
    raise NotSupported(ast.unparse(node)[:200])


def _logical(is_and: bool, parts: list[Evaluate]) -> Evaluate:
    def evaluate(known: Known) -> Any:
        missing, value = None, is_and
        for part in parts:
            value = part(known)
            if isinstance(value, Missing):
                missing = missing or value
            elif bool(value) != is_and:
                return value
        return missing or value

    return evaluate


def _unary(node: ast.UnaryOp) -> Evaluate:
    operations: dict[type[ast.unaryop], Callable[[Any], Any]] = {
        ast.Not: operator.not_,
        ast.USub: operator.neg,
        ast.UAdd: operator.pos,
        ast.Invert: lambda value: ~int(value),  # torch 2.6 writes 'not' so: never 0 for True and False
    }
    if type(node.op) not in operations:
        return _raise(node)
    return _call(operations[type(node.op)], [_function(node.operand)])


def _comparison(node: ast.Compare) -> Evaluate:
    operands = [_function(part) for part in (node.left, *node.comparators)]
    operations = [_COMPARE[type(op)] for op in node.ops]
    pairs = [
        _call(operation, [left, right])
        for operation, left, right in zip(operations, operands, operands[1:], strict=False)
    ]
    return pairs[0] if len(pairs) == 1 else _logical(True, pairs)


def _call(function: Callable[..., Any], parts: list[Evaluate]) -> Evaluate:
    def evaluate(known: Known) -> Any:
        values = [part(known) for part in parts]
        for value in values:
            if isinstance(value, Missing):
                return value
        try:
            result = function(*values)
        except (TypeError, ArithmeticError, ValueError, IndexError, KeyError):
            return Missing("an operation on values of these types")
        too_large = isinstance(result, int) and abs(result) > _MAX_NUMBER
        return Missing("a number that is too large") if too_large else result

    return evaluate


def _number(value: Any) -> int | float:
    """Return the number of a tensor with one. Raises TypeError for a tensor whose value is not known."""
    if not isinstance(value, (int, float)):
        raise TypeError
    return value


def _source(node: ast.expr) -> Evaluate:
    """A value of the program, or a call of a function that is known here."""
    written = ast.unparse(node)
    text = plain(written)
    match node:
        case ast.Call(keywords=[]) if ast.unparse(node.func) in _FUNCTIONS:
            function = _FUNCTIONS[ast.unparse(node.func)]
            inner = _call(function, [_function(argument) for argument in node.args])
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]) if name in _METHODS:
            inner = _of_tensor(_METHODS[name], _function(value), text)
        # torch describes the tensor that it makes of a float, without its value.
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Name(id="___as_tensor"), args=[value]), attr="item"),
            args=[],
            keywords=[],
        ):
            inner = _call(float, [_function(value)])
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            inner = _call(_number, [_function(value)])
        case ast.Call(func=ast.Attribute(value=value, attr="keys"), args=[], keywords=[]):  # until torch 2.6
            inner = _call(_keys, [_function(value)])
        case ast.Attribute(value=value, attr=name) if name in _OF_TENSOR:
            inner = _of_tensor(_OF_TENSOR[name], _function(value), text)
        case ast.Subscript(slice=ast.Constant() | ast.UnaryOp()):
            inner = _item(_function(node.value), _function(node.slice), text)
        case ast.Attribute(value=value, attr=name):
            inner = _attribute(_function(value), name, text)
        case ast.Call() | ast.Subscript() | ast.Name():
            inner = _missing(text)
        case _:
            return _raise(node)
    if text.startswith("torch.") and text[6:].isidentifier():
        return lambda known: known.get(text, Named(text))

    def evaluate(known: Known) -> Any:
        if text in known:
            return known[text]
        return known[written] if written in known else inner(known)

    return evaluate


def _missing(text: str) -> Evaluate:
    return lambda known: Missing(text)


def _of_tensor(read: Callable[[Tensor], Any], base: Evaluate, text: str) -> Evaluate:
    def evaluate(known: Known) -> Any:
        value = base(known)
        if not isinstance(value, Tensor):
            return value if isinstance(value, Missing) else Missing(text)
        result = read(value)
        return Missing(text) if result is None else result

    return evaluate


def _attribute(base: Evaluate, name: str, text: str) -> Evaluate:
    def evaluate(known: Known) -> Any:
        value = base(known)
        if isinstance(value, JsonDict) and name in value:
            return value[name]
        interval = _interval(value) if name in ("start", "stop", "step") else None
        return Missing(text) if interval is None else getattr(interval, name)

    return evaluate


def _item(base: Evaluate, index: Evaluate, text: str) -> Evaluate:
    def evaluate(known: Known) -> Any:
        value, place = base(known), index(known)
        if isinstance(value, Missing) and value.is_absent:
            return value
        if isinstance(value, (list, tuple, dict)):
            try:
                return value[_as_key(value, place)]
            except (LookupError, TypeError):
                return Missing(text, is_absent=True)
        return Missing(text)

    return evaluate
