"""Sizes in generated code: expressions of integers and symbols, data types, and bytes of a tensor."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

_LARGEST = 2**60
_MAX_TEXT = 300  # characters of an expression
_ROUNDED = {"cuda": 512, "xpu": 512}  # bytes; c10/cuda/CUDACachingAllocator.h, kMinBlockSize

_ITEM_BYTES = {
    **dict.fromkeys(("bool", "uint8", "int8", "float8_e4m3fn", "float8_e4m3fnuz"), 1),
    **dict.fromkeys(("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2"), 1),
    **dict.fromkeys(("int16", "uint16", "float16", "bfloat16", "half"), 2),
    **dict.fromkeys(("int32", "uint32", "float32", "float", "complex32", "int"), 4),
    **dict.fromkeys(("int64", "uint64", "float64", "double", "complex64", "long"), 8),
    "complex128": 16,
}
# As torch/fx/graph.py abbreviates types in the text of a graph (torch/utils/_dtype_abbrs.py).
SHORT_TYPES = {
    "b8": "bool",
    "u8": "uint8",
    "i8": "int8",
    "i16": "int16",
    "u16": "uint16",
    "i32": "int32",
    "u32": "uint32",
    "i64": "int64",
    "u64": "uint64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "c32": "complex32",
    "c64": "complex64",
    "c128": "complex128",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2fnuz": "float8_e5m2fnuz",
}


class Number(NamedTuple):
    """An integer of the code, None when unknown. ``is_hint``: depends on the hint of a symbol."""

    value: int | None
    is_hint: bool = False
    text: str = ""


def item_bytes(dtype: str | None) -> int | None:
    """Return the bytes of an element of a type such as 'torch.float32'; None when it is unknown."""
    return _ITEM_BYTES.get((dtype or "").removeprefix("torch."))


def tensor_bytes(shape: Sequence[Number], stride: Sequence[Number], item: int) -> int | None:
    """Return the bytes that a tensor spans (at::detail::computeStorageNbytes)."""
    if len(shape) != len(stride):
        return None
    elements = 1
    for size, step in zip(shape, stride, strict=True):
        if size.value is None or step.value is None:
            return None
        if size.value <= 0:
            return 0 if size.value == 0 else None
        elements += (size.value - 1) * step.value
    return elements * item if 0 < elements * item <= _LARGEST else None


def allocated_bytes(size: int, device: str) -> int:
    """Return what the allocator of a device takes for ``size`` bytes."""
    unit = _ROUNDED.get(device, 1)
    return -(-size // unit) * unit


def integer(node: ast.AST, names: Mapping[str, object], depth: int = 0) -> Number:
    """Evaluate an expression of integers. The value is None for everything else."""
    if depth > 50:
        return Number(None)
    if isinstance(node, ast.Constant):
        return Number(_bounded(node.value), text=str(node.value)[:_MAX_TEXT])
    if isinstance(node, ast.Name):
        named = names.get(node.id)
        if isinstance(named, Number):
            return Number(named.value, named.is_hint, node.id)
        return Number(None, text=node.id)
    text = ast.unparse(node)[:_MAX_TEXT] if depth == 0 else ""
    operands: list[ast.expr]
    if isinstance(node, ast.BinOp):
        operands, apply = [node.left, node.right], _OPERATORS.get(type(node.op))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operands, apply = [node.operand], lambda value: -value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        operands, apply = node.args, _FUNCTIONS.get(node.func.id)
    else:
        operands, apply = [], None
    values = [integer(operand, names, depth + 1) for operand in operands]
    is_hint = any(value.is_hint for value in values)
    known = [value.value for value in values if value.value is not None]
    if apply is None or not known or len(known) < len(values):
        return Number(None, is_hint, text)
    try:
        return Number(_bounded(apply(*known)), is_hint, text)
    except (ArithmeticError, TypeError):
        return Number(None, is_hint, text)


def _bounded(value: object) -> int | None:
    return value if type(value) is int and abs(value) <= _LARGEST else None


_OPERATORS: dict[type[ast.operator], Callable[..., int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {"max": max, "min": min, "abs": abs, "int": int}
