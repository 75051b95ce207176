"""Arguments of the kernels and operators that generated Python code calls: types and sizes."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tlparse_bundle.tables.memory.accounts import Accounts
from tlparse_bundle.tables.memory.code_memory import MAX_BYTES, part_that_counts
from tlparse_bundle.tables.memory.declared import Declared
from tlparse_bundle.tables.memory.graph_text import GraphText
from tlparse_bundle.tables.memory.module import Module
from tlparse_bundle.tables.memory.python_code import PythonCode, TooLongError
from tlparse_bundle.tables.memory.sizes import Number, item_bytes, tensor_bytes
from tlparse_bundle.tables.memory.values import Group, Sizes, Tensor, Value

_MAX_CALLS = 20_000


class Argument(NamedTuple):
    """A tensor that a call gets or returns. Sizes are None when unknown."""

    name: str  # of its memory
    dtype: str | None
    shape: tuple[int, ...] | None
    bytes: int | None
    is_dynamic: bool  # its sizes depend on symbols
    keyword: str | None = None  # its name in the call

    @property
    def item_count(self) -> int | None:
        if self.shape is None:
            return None
        count = 1
        for size in self.shape:
            count *= size
        return count


class KernelCall:
    """A call in generated code, in the order in which the code runs."""

    def __init__(
        self, path: str, line: int, arguments: list[Argument], options: dict[str, Value], is_dynamic: bool
    ):
        self.path, self.line, self.arguments, self.is_dynamic = path, line, arguments, is_dynamic
        self.options = options  # keyword arguments that are not tensors
        self._results: list[Tensor] = []

    def returns(self, tensor: Tensor) -> None:
        self._results.append(tensor)

    @property
    def results(self) -> list[Argument]:
        """What an operator returns, as far as the code uses it."""
        return [_argument(tensor) for tensor in self._results]


class CalledKernels(NamedTuple):
    """The calls of a code. ``has_symbols``: whether it takes sizes as arguments."""

    calls: list[KernelCall]
    has_symbols: bool


def called_kernels(
    code: bytes, kernels: Iterable[str], hints: Mapping[str, int], graph: GraphText | None
) -> CalledKernels | None:
    """Follow a code. None when it is not Python of a known form. ``graph``: its post-grad graph."""
    part = part_that_counts(code, kernels)
    if len(part.text) > MAX_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in strings
            tree = ast.parse(part.text.decode("utf-8", "replace"))
        module = Module(tree, part.kernels)
        if module.entry is None:
            return None
        follower = _Follower(module, Declared(tree, hints, graph), part.line)
        follower.run()
    except (TooLongError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return CalledKernels(follower.calls, follower.has_symbols)


class _Follower(PythonCode):
    def __init__(self, module: Module, declared: Declared, lines_before: int):
        super().__init__(module, declared, Accounts())
        self._lines_before = lines_before
        self.calls: list[KernelCall] = []
        self.has_symbols = False
        self._waiting: list[tuple[Group, KernelCall]] = []  # operators whose results are not used yet

    def _called_with(self, path: str, node: ast.Call, values: list[Value]) -> None:
        if len(self.calls) >= _MAX_CALLS:
            raise TooLongError
        names = [None] * len(node.args) + [keyword.arg for keyword in node.keywords]
        arguments, options, is_dynamic = list[Argument](), dict[str, Value](), False
        for name, value in zip(names, values, strict=True):
            if isinstance(value, Group) and value.operator not in (None, "args"):
                value = self._item(value, 0)  # the operator has one result
            if isinstance(value, Tensor):
                arguments.append(_argument(value)._replace(keyword=name))
            elif name is not None:
                options[name] = value
            is_dynamic |= isinstance(value, Number) and value.is_hint
        is_dynamic |= any(argument.is_dynamic for argument in arguments)
        line = self._lines_before + node.lineno
        self.calls.append(KernelCall(path, line, arguments, options, is_dynamic))

    def _call(self, node: ast.Call, names: dict[str, Value]) -> Value:
        before = len(self.calls)
        result = super()._call(node, names)
        if isinstance(result, Group) and result.operator is not None and len(self.calls) > before:
            self._waiting.append((result, self.calls[-1]))
        return result

    def _result(self, group: Group, index: int) -> Tensor:
        tensor = super()._result(group, index)
        for own, call in self._waiting:
            if own is group:
                call.returns(tensor)
        return tensor

    def _bind(self, name: str, value: Value, names: dict[str, Value]) -> None:
        super()._bind(name, value, names)
        bound = names.get(name)
        self.has_symbols |= isinstance(bound, Number) and bound.is_hint


def _argument(tensor: Tensor) -> Argument:
    shape, stride = tensor.shape or (), tensor.stride or ()
    item = item_bytes(tensor.dtype)
    sizes = None if tensor.shape is None else _known(shape)
    span = None if item is None or tensor.shape is None else tensor_bytes(shape, stride, item)
    argument = Argument(
        tensor.storage.name, tensor.dtype, sizes, span, any(size.is_hint for size in (*shape, *stride))
    )
    count = argument.item_count
    if span is not None and item is not None and count is not None:
        return argument._replace(bytes=min(span, count * item))  # a view can have gaps, or repeat elements
    return argument


def _known(sizes: Sizes) -> tuple[int, ...] | None:
    known = tuple(size.value for size in sizes if size.value is not None)
    return known if len(known) == len(sizes) else None
