"""What a log says about values of generated code: its example inputs, hints of symbols, types of results."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from tlparse_bundle.tables.memory.accounts import Storage
from tlparse_bundle.tables.memory.graph_text import GraphText
from tlparse_bundle.tables.memory.operators import operator_name
from tlparse_bundle.tables.memory.sizes import Number, integer
from tlparse_bundle.tables.memory.values import Sizes

_EXAMPLES = ("get_args", "benchmark_compiled_module")  # functions of a module that make example inputs
_NOTHING: Mapping[str, object] = {}


class InputTensor(NamedTuple):
    device: str | None
    dtype: str | None
    shape: Sizes
    stride: Sizes


class Declared:
    """Inputs by name, from the function of a module that makes examples of them, whose sizes are hints."""

    def __init__(self, tree: ast.Module | None, hints: Mapping[str, int], graph: GraphText | None):
        self._hints, self._graph = hints, graph
        self._inputs: dict[str, InputTensor | Number] = {}
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and node.name in _EXAMPLES:
                for statement in node.body:
                    self._read(statement)

    def _read(self, statement: ast.stmt) -> None:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            return
        name, value = statement.targets[0].id, statement.value
        if isinstance(value, ast.Constant) and type(value.value) is int:
            self._inputs[name] = Number(value.value, is_hint=True, text=name)
        elif isinstance(value, ast.Call) and len(value.args) >= 2:
            shape, stride = (_sizes(argument) for argument in value.args[:2])
            keywords = {keyword.arg: keyword.value for keyword in value.keywords}
            device, dtype = keywords.get("device"), keywords.get("dtype")
            if shape is not None and stride is not None and isinstance(device, ast.Constant):
                text = device.value if isinstance(device.value, str) else ""
                dtype_name = dtype.attr if isinstance(dtype, ast.Attribute) else None
                self._inputs.setdefault(
                    name, InputTensor(text.partition(":")[0] or None, dtype_name, shape, stride)
                )

    def input(self, name: str) -> InputTensor | Number | None:
        return self._inputs.get(name)

    def symbol(self, name: str) -> Number:
        """Return the hint of a symbol that the code takes from an argument."""
        return Number(self._hints.get(name), is_hint=True, text=name)

    def result(self, storage: Storage, shape: Sizes) -> tuple[str | None, str | None]:
        """Return type and device of a result of an operator; None unless the graph has only one like it."""
        name = storage.operator and operator_name(storage.operator)
        if self._graph is None or not name:
            return None, None
        return self._graph.type_of(name, storage.result, tuple(size.text for size in shape))


def _sizes(node: ast.expr) -> Sizes | None:
    if not isinstance(node, ast.Tuple):
        return None
    return tuple(integer(item, _NOTHING) for item in node.elts)
