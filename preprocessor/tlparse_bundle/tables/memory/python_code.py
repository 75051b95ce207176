"""Runs generated Python code in thought: which statement allocates memory, and which frees it.

torch/_inductor/codegen/wrapper.py writes the code. Statements outside the known forms make the peak unknown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from tlparse_bundle.tables.memory.accounts import Accounts
from tlparse_bundle.tables.memory.declared import Declared, InputTensor
from tlparse_bundle.tables.memory.module import Module, dotted_name
from tlparse_bundle.tables.memory.operators import (
    has_scratch,
    is_matrix_product,
    is_plain,
    is_quiet,
    returns_argument,
    returns_new_memory,
)
from tlparse_bundle.tables.memory.sizes import Number, integer
from tlparse_bundle.tables.memory.values import Group, Sizes, Tensor, Value, Values

_MAX_STEPS = 100_000
_MAX_DEPTH = 20  # of functions that call each other
_ALLOCATION = re.compile(r"empty_strided_(cpu|cuda|xpu|mtia)")
_SYMBOL = re.compile(r"[suz]+\d+")
_ARITHMETIC = ("max", "min", "abs", "int")
_DEFINITIONS = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Pass | ast.Global


class TooLongError(Exception):
    """The code runs more statements than are followed."""


class PythonCode:
    """Follows the function ``call`` of a module of generated code."""

    def __init__(self, module: Module, declared: Declared, accounts: Accounts):
        self._module, self._declared, self._accounts = module, declared, accounts
        self._values = Values(accounts)
        self._depth = 0

    def run(self) -> None:
        assert self._module.entry is not None
        inputs = Group({}, "args")
        result = self._function(self._module.entry, inputs)
        items = list(result.items.values()) if isinstance(result, Group) else []
        self._accounts.returned_count = len(items)
        for position, item in enumerate(items):
            one = self._item(item, 0) if isinstance(item, Group) and item.operator else item
            if isinstance(one, Tensor):
                one.storage.returned.append(position)
        self._accounts.end()

    def _function(self, function: ast.FunctionDef, arguments: Value) -> Value:
        """Run a function with the list of its arguments. Return its result, held once."""
        if self._depth >= _MAX_DEPTH:
            raise TooLongError
        self._depth += 1
        names: dict[str, Value] = {}
        parameters = [parameter.arg for parameter in function.args.args if parameter.arg != "self"]
        for name in parameters[:1]:
            self._values.hold(arguments)
            names[name] = arguments
        result = self._body(function.body, names)
        for name in list(names):
            self._values.drop(names.pop(name))
        self._values.end_statement()
        self._depth -= 1
        return result

    def _body(self, body: list[ast.stmt], names: dict[str, Value]) -> Value:
        for statement in body:
            self._accounts.step += 1
            self._accounts.line = statement.lineno
            if self._accounts.step > _MAX_STEPS:
                raise TooLongError
            if isinstance(statement, ast.Return):
                result = self._value(statement.value, names) if statement.value else None
                self._values.hold(result)
                return result
            if isinstance(statement, ast.With):
                for item in statement.items:
                    self._value(item.context_expr, names)
                result = self._body(statement.body, names)
                if result is not None:
                    return result
            else:
                self._statement(statement, names)
            self._values.end_statement()
        return None

    def _statement(self, statement: ast.stmt, names: dict[str, Value]) -> None:
        if isinstance(statement, ast.Assign):
            value = self._value(statement.value, names)
            for target in statement.targets:
                self._assign(target, value, names)
        elif isinstance(statement, ast.Delete):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    self._values.drop(names.pop(target.id, None))
        elif isinstance(statement, ast.Expr):
            self._value(statement.value, names)
        elif isinstance(statement, ast.If | ast.For | ast.While | ast.Try):
            self._branch(statement, names)
        elif isinstance(statement, ast.Assert):
            if any(isinstance(node, ast.Call) for node in ast.walk(statement)):
                self._accounts.doubt("statement")
        elif not isinstance(statement, _DEFINITIONS):
            self._accounts.doubt("statement")

    def _branch(self, statement: ast.stmt, names: dict[str, Value]) -> None:
        """Skip statements of which only a part runs, or that run several times."""
        self._accounts.doubt("branch")
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                self._values.drop(names.pop(node.id, None))

    def _assign(self, target: ast.expr, value: Value, names: dict[str, Value]) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, value, names)
        elif isinstance(target, ast.Tuple):
            if isinstance(value, Group) and value.operator == "args":
                value = self._inputs([node.id for node in target.elts if isinstance(node, ast.Name)])
            for index, node in enumerate(target.elts):
                self._assign(node, self._item(value, index), names)
        elif isinstance(target, ast.Subscript):
            group, place = self._value(target.value, names), integer(target.slice, {}).value
            if isinstance(group, Group) and place is not None:
                self._values.set_item(group, place, value)

    def _bind(self, name: str, value: Value, names: dict[str, Value]) -> None:
        if _SYMBOL.fullmatch(name) and not isinstance(value, Number):
            value = self._declared.symbol(name)
        self._values.hold(value)
        self._values.drop(names.get(name))
        names[name] = value
        if isinstance(value, Tensor):
            if not value.storage.name:
                value.storage.name = name
            else:
                value.storage.rename(name)

    def _inputs(self, names: list[str]) -> Group:
        return self._values.group(self._input(name) for name in names)

    def _input(self, name: str) -> Value:
        declared = self._declared.input(name)
        if isinstance(declared, Number):
            return declared
        storage = self._accounts.add(name, is_input=True)
        if not isinstance(declared, InputTensor):
            storage.unknown = "dtype"
            return self._values.tensor(storage)
        storage.device = declared.device
        self._accounts.describe(storage, declared.dtype, declared.shape, declared.stride)
        return self._values.tensor(storage, declared.dtype, declared.shape, declared.stride)

    def _value(self, node: ast.expr, names: dict[str, Value]) -> Value:
        if isinstance(node, ast.Name):
            return names.get(node.id)
        if isinstance(node, ast.Tuple | ast.List):
            return self._values.group(self._value(item, names) for item in node.elts)
        if isinstance(node, ast.Call):
            return self._call(node, names)
        if isinstance(node, ast.Subscript):
            value, index = self._value(node.value, names), integer(node.slice, {}).value
            return None if index is None else self._item(value, index)
        if isinstance(node, ast.BinOp) and isinstance(node.left, ast.List):
            return self._values.group([])  # [None] * 2
        if isinstance(node, ast.Attribute):
            value = self._value(node.value, names)
            known = isinstance(value, Tensor) and node.attr == "shape"
            return self._values.group(value.shape or ()) if known and isinstance(value, Tensor) else None
        if isinstance(node, ast.Constant):
            return integer(node, names)
        for part in ast.walk(node):  # arithmetic of tensors allocates
            of_tensor = isinstance(part, ast.Name) and isinstance(names.get(part.id), Tensor | Group)
            if of_tensor or (isinstance(part, ast.Call) and dotted_name(part.func) not in _ARITHMETIC):
                self._accounts.doubt("statement")
                return None
        return integer(node, names)

    def _item(self, value: Value, index: int) -> Value:
        """Return an item of a group, or one of the results of an operator."""
        if not isinstance(value, Group):
            return None
        if index not in value.items and value.operator is not None and value.operator != "args":
            item = self._result(value, index)
            self._values.set_item(value, index, item)
        return value.items.get(index)

    def _result(self, group: Group, index: int) -> Tensor:
        """Return one of the results of an operator, whose memory was allocated when it was called."""
        storage = self._accounts.add("")
        storage.first_line, storage.first_step = group.line, group.step
        storage.written_line = group.line
        storage.operator, storage.result, storage.unknown = group.operator, index, "dtype"
        return self._values.tensor(storage)

    def _call(self, node: ast.Call, names: dict[str, Value]) -> Value:
        function = self._called(node, names)
        if function is not None:
            return self._run(function, node, names)
        path = dotted_name(node.func)
        if path is None:
            return self._method(node, names)
        special = _SPECIAL.get(path)
        if special is not None:
            return special(self, node, names)
        allocation = _ALLOCATION.fullmatch(path)
        if allocation:
            return self._allocation(node, names, allocation[1], node.args[2:3])
        own, _, method = path.rpartition(".")
        if method in ("as_strided", "clear", "size", "stride", "item", "shape") and own in names:
            return self._method(node, names)
        arguments = [self._value(argument, names) for argument in node.args]
        arguments += [self._value(keyword.value, names) for keyword in node.keywords]
        self._called_with(path, node, arguments)
        self._mark_written(arguments)
        if (
            path in self._module.kernels
            or path.removesuffix(".run") in self._module.kernels
            or is_quiet(path)
        ):
            return None
        has_out = any(keyword.arg == "out" for keyword in node.keywords)
        if is_matrix_product(path) and has_out and all(map(_needs_no_memory, arguments)):
            return None
        self._accounts.doubt("operator", path)
        if has_out or not returns_new_memory(path):
            shared = arguments[0] if arguments and returns_argument(path) else None
            return shared if isinstance(shared, Tensor) else None
        return self._values.group([], path)

    def _called_with(self, path: str, node: ast.Call, values: list[Value]) -> None:
        """Observe a call of a kernel or operator. ``values``: of its arguments, then of its keywords."""

    def _mark_written(self, values: list[Value]) -> None:
        for value in values:
            if isinstance(value, Tensor) and value.storage.written_line is None:
                value.storage.written_line = self._accounts.line
            elif isinstance(value, Group) and value.operator is None:
                self._mark_written(list(value.items.values()))

    def _called(self, node: ast.Call, names: Mapping[str, Value]) -> ast.FunctionDef | None:
        """Return the function of the module that is called: a partition or a subgraph."""
        called = node.func
        if isinstance(called, ast.Subscript) and dotted_name(called.value) == "self.partitions":
            return self._module.functions.get(f"partition_{integer(called.slice, {}).value}")
        if isinstance(called, ast.Name) and called.id not in names:
            return self._module.functions.get(called.id)
        return None

    def _run(self, function: ast.FunctionDef, node: ast.Call, names: dict[str, Value]) -> Value:
        arguments = self._value(node.args[0], names) if node.args else None
        line = self._accounts.line
        self._values.hold(arguments)
        result = self._function(function, arguments)
        self._accounts.line = line
        self._values.drop(arguments)
        self._values.give(result)
        return result

    def _method(self, node: ast.Call, names: dict[str, Value]) -> Value:
        """Call a method of a value, such as ``empty_strided_cuda(…).as_strided(…)``."""
        if not isinstance(node.func, ast.Attribute):
            self._accounts.doubt("statement")
            return None
        value, method = self._value(node.func.value, names), node.func.attr
        if method == "as_strided" and isinstance(value, Tensor) and len(node.args) >= 2:
            shape, stride = (self._sizes(argument, names) for argument in node.args[:2])
            return self._values.tensor(value.storage, value.dtype, shape, stride)
        if method == "clear" and isinstance(value, Group):
            self._values.clear(value)
        elif method in ("size", "stride") and isinstance(value, Tensor):
            sizes = (value.shape if method == "size" else value.stride) or ()
            index = integer(node.args[0], {}).value if node.args else None
            if index is None:
                return self._values.group(sizes)
            return sizes[index] if -len(sizes) <= index < len(sizes) else Number(None)
        elif method != "item":
            self._accounts.doubt("statement")
        return Number(None) if method == "item" else None

    def _sizes(self, node: ast.expr, names: Mapping[str, Value]) -> Sizes:
        return tuple(integer(item, names) for item in node.elts) if isinstance(node, ast.Tuple) else ()

    def _allocation(
        self, node: ast.Call, names: Mapping[str, Value], device: str, dtypes: list[ast.expr]
    ) -> Value:
        dtype = dotted_name(dtypes[0]) if dtypes else None
        storage = self._accounts.add("", device=device)
        if len(node.args) < 2:
            self._accounts.doubt("statement")
            return self._values.tensor(storage)
        shape, stride = self._sizes(node.args[0], names), self._sizes(node.args[1], names)
        self._accounts.describe(storage, dtype, shape, stride)
        return self._values.tensor(storage, dtype, shape, stride)

    def _empty_strided(self, node: ast.Call, names: dict[str, Value]) -> Value:
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        device = keywords.get("device")
        text = device.value if isinstance(device, ast.Constant) else None
        dtype = keywords.get("dtype")
        device_type = text.partition(":")[0] if isinstance(text, str) else "cpu"
        return self._allocation(node, names, device_type, [dtype] if dtype else [])

    def _pinned(self, node: ast.Call, names: dict[str, Value]) -> Value:
        self._accounts.doubt("operator", "empty_strided_cpu_pinned")  # has an allocator of its own
        return self._values.group([], "empty_strided_cpu_pinned")

    def _reinterpret(self, node: ast.Call, names: dict[str, Value]) -> Value:
        value = self._value(node.args[0], names) if node.args else None
        if not isinstance(value, Tensor) or len(node.args) < 3:
            return value
        shape, stride = self._sizes(node.args[1], names), self._sizes(node.args[2], names)
        return self._values.tensor(value.storage, value.dtype, shape, stride)

    def _view_dtype(self, node: ast.Call, names: dict[str, Value]) -> Value:
        value = self._value(node.args[0], names) if node.args else None
        return self._values.tensor(value.storage) if isinstance(value, Tensor) else value

    def _from_pool(self, node: ast.Call, names: dict[str, Value]) -> Value:
        value = self._value(node.args[0], names) if node.args else None
        if not isinstance(value, Tensor) or len(node.args) < 5:
            return value
        shape, stride = self._sizes(node.args[3], names), self._sizes(node.args[4], names)
        return self._values.tensor(value.storage, dotted_name(node.args[2]), shape, stride)

    def _assert_size(self, node: ast.Call, names: dict[str, Value]) -> Value:
        """Take the sizes of a result that the code asserts."""
        name = node.args[0] if len(node.args) >= 3 else None
        value = self._value(name, names) if name is not None else None
        if isinstance(value, Group) and value.operator not in (None, "args") and isinstance(name, ast.Name):
            value = self._item(value, 0)  # the operator has one result
            if isinstance(value, Tensor):
                value.storage.name, value.storage.result = value.storage.name or name.id, None
        if isinstance(value, Tensor) and value.shape is None:
            value.shape, value.stride = (self._sizes(argument, names) for argument in node.args[1:3])
            if not value.storage.is_input and value.storage.bytes is None:
                dtype, device = self._declared.result(value.storage, value.shape)
                value.dtype = value.dtype or dtype
                value.storage.device = value.storage.device or device
                self._accounts.describe(value.storage, value.dtype, value.shape, value.stride)
        return None

    def _assert_sizes(self, node: ast.Call, names: dict[str, Value]) -> Value:
        return None  # of inputs, whose sizes are declared

    def _resize(self, node: ast.Call, names: dict[str, Value]) -> Value:
        value = self._value(node.args[0], names) if node.args else None
        if isinstance(value, Tensor):
            self._accounts.forget_size(value.storage)
        return None


_SPECIAL: dict[str, Callable[[PythonCode, ast.Call, dict[str, Value]], Value]] = {
    "reinterpret_tensor": PythonCode._reinterpret,
    "alloc_from_pool": PythonCode._from_pool,
    "aten.view.dtype": PythonCode._view_dtype,
    "empty_strided": PythonCode._empty_strided,
    "torch.empty_strided": PythonCode._empty_strided,
    "empty_strided_cpu_pinned": PythonCode._pinned,
    "assert_size_stride": PythonCode._assert_size,
    "assert_size_stride_grouped": PythonCode._assert_sizes,
    "inductor_ops.resize_storage_bytes_": PythonCode._resize,
    "torch.ops.inductor.resize_storage_bytes_.default": PythonCode._resize,
}


def _needs_no_memory(value: Value) -> bool:
    return not isinstance(value, Tensor) or (
        is_plain(value.shape or (), value.stride or ())
        and not has_scratch(value.storage.device, value.storage.dtype)
    )
