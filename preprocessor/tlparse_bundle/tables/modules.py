"""Modules of each compile: the tree of torch.nn modules whose tensors and submodules it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.shape_records import unexpected
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.text.described_tensors import input_names, shape_of
from tlparse_bundle.tables.text.record_values import payload_text, text_of

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ModulesRow, ModulesTensors

_MAX_MODULES = 20_000  # of one compile
_MAX_DEPTH = 32
_MAX_SOURCE = 1000  # characters
_MAX_LINE = 4000  # characters of a line of a guard tree
_MAX_OPEN = 64  # compiles whose records may still follow
_MODULE = re.compile(r"\._modules\['([^'\\\n]{1,200})'\]")
# The longest end of a source that names modules, then perhaps a tensor.
_END = re.compile(
    r"(?P<modules>(?:\._modules\['[^'\\\n]{1,200}'\])*)"
    r"(?:\._(?P<kind>parameters|buffers)\['(?P<tensor>[^'\\\n]{1,200})'\])?\Z"
)
_MANAGER = "GuardManager: source="
_TYPE = ", type=<class '"
_NO_MODULE = "NoneType"  # a submodule that is None, such as 'downsample' of torchvision
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9]+")


@dataclass(slots=True)
class _Tensor:
    """A tensor as described. Tied parameters have several sources, and one name in the graph."""

    shape: list[int | str] | None
    dtype: str | None
    sources: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Module:
    source: str
    name: str
    class_name: str | None = None
    tensors: dict[tuple[str, bool], _Tensor] = field(default_factory=dict)  # by name, and whether a buffer
    children: dict[str, _Module] = field(default_factory=dict)


@dataclass(slots=True)
class _Compile:
    """What one attempt of a compile has logged about modules so far."""

    attempt: int | None
    described: dict[tuple[Any, Any], _Tensor] = field(default_factory=dict)
    roots: dict[str, _Module] = field(default_factory=dict)
    module_count: int = 0
    is_cut: bool = False
    inputs: set[str] | None = None  # of its graph

    def module(self, root: str, names: tuple[str, ...]) -> _Module | None:
        """Return a module, created if new; None if there are too many."""
        source, children, name = root, self.roots, root
        module: _Module | None = None
        for name in (root, *names):
            if module is not None:
                source, children = f"{source}._modules['{name}']", module.children
            module = children.get(name)
            if module is None:
                if self.module_count >= _MAX_MODULES:
                    self.is_cut = True
                    return None
                self.module_count += 1
                module = children[name] = _Module(source, name)
        return module


@dataclass(frozen=True, slots=True)
class _Path:
    """The source of a module, or of a tensor of it."""

    root: str
    modules: tuple[str, ...]
    tensor: tuple[str, bool] | None  # name, and whether it is a buffer


@lru_cache(4096)
def _path(source: str) -> _Path | None:
    match = _END.search(source)
    if match is None or not match[0]:
        return None
    tensor = (match["tensor"], match["kind"] == "buffers") if match["tensor"] else None
    return _Path(source[: match.start()], tuple(_MODULE.findall(match["modules"])), tensor)


class Modules:
    """Reads where the inputs of a compile come from, and the guards of modules without tensors.

    Dynamo writes L['self']._modules['a']._parameters['w'] since it inlines modules (torch 2.5). Guard trees
    have classes since torch 2.9.
    """

    name = "modules"
    types = frozenset(("describe_tensor", "describe_source", "dynamo_output_graph", "dynamo_cpp_guards_str"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._open: dict[str, _Compile] = {}  # by compile, the oldest first
        self._rows: Rows[ModulesRow] = Rows()

    def observe(self, event: Event) -> None:
        if event.compile is None or (event.type != "dynamo_cpp_guards_str" and type(event.value) is not dict):
            return
        compiled = self._open.get(event.compile)
        if compiled is None or compiled.attempt != event.attempt:
            self._open.pop(event.compile, None)  # a restart describes its inputs from the start
            compiled = self._open[event.compile] = _Compile(event.attempt)
            if len(self._open) > _MAX_OPEN:
                self._write(next(iter(self._open)))
        was_cut = compiled.is_cut
        self._add(compiled, event)
        if compiled.is_cut and not was_cut:
            unexpected(
                event, self._diagnostics, "more modules, or deeper ones, than the table 'modules' lists"
            )

    def _add(self, compiled: _Compile, event: Event) -> None:
        if event.type == "dynamo_output_graph":
            compiled.inputs = input_names(event.payload)
            return
        if event.type == "dynamo_cpp_guards_str":
            _add_guards(compiled, payload_text(event))
            return
        key = event.value.get("describer_id"), event.value.get("id")
        if not all(type(part) is int for part in key):
            return  # the table of tensors reports it
        if event.type == "describe_tensor":
            shape, dtype = shape_of(event.value.get("size")), text_of(event.value.get("dtype"))
            compiled.described[key] = _Tensor(shape, dtype)
        elif key in compiled.described and type(event.value.get("source")) is str:
            tensor, source = compiled.described[key], event.value["source"]
            path = _bounded(compiled, source)
            if path is not None and path.tensor is not None:
                tensor.sources.append(source)
                module = compiled.module(path.root, path.modules)
                if module is not None:
                    module.tensors[path.tensor] = tensor

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        for key in list(self._open):
            self._write(key)
        yield self.name, self._rows

    def _write(self, key: str) -> None:
        compiled = self._open.pop(key)
        structures: dict[Any, int] = {}
        for root in compiled.roots.values():
            rows: list[ModulesRow] = []
            _list(rows, key, compiled, root, None, len(self._rows), structures)
            self._rows.extend(rows)


def _bounded(compiled: _Compile, source: str) -> _Path | None:
    if len(source) > _MAX_SOURCE:
        compiled.is_cut = compiled.is_cut or "._modules[" in source
        return None
    path = _path(source)
    if path is not None and len(path.modules) > _MAX_DEPTH:
        compiled.is_cut = True
        return None
    return path


def _add_guards(compiled: _Compile, text: str) -> None:
    """Add the modules that guards check, and the classes of modules."""
    classes: dict[str, str | None] = {}
    for line in text.split("\n"):
        _, found, rest = line[:_MAX_LINE].partition(_MANAGER)
        source = rest.partition(", accessed_by=")[0].partition(_TYPE)[0]
        if found and len(source) <= _MAX_SOURCE:
            _, _, rest = rest.partition(_TYPE)
            name, end, _ = rest.partition("'>")
            classes.setdefault(source, name if end else None)
    for source, class_name in classes.items():
        path = None if class_name == _NO_MODULE else _bounded(compiled, source)
        if path is not None and path.tensor is None:
            module = compiled.module(path.root, path.modules)
            if module is not None:
                module.class_name = class_name
    for source, root in compiled.roots.items():
        root.class_name = classes.get(source)


def _children(module: _Module) -> list[_Module]:
    """Return the submodules: numbered ones in order of their numbers, others as they first appear."""
    names = list(module.children)
    if all(name.isascii() and name.isdecimal() for name in names):
        names.sort(key=lambda name: (len(name), name))
    return [module.children[name] for name in names]


def _list(
    rows: list[ModulesRow],
    key: str,
    compiled: _Compile,
    module: _Module,
    parent: int | None,
    first: int,
    structures: dict[Any, int],
) -> ModulesRow:
    """Append the rows of a module and its submodules; return its own. ``first``: id of the first row."""
    own = first + len(rows)
    tensors = [_tensor(name, tensor, compiled) for name, tensor in module.tensors.items()]
    row: ModulesRow = {
        "id": own,
        "compile": key,
        "attempt": compiled.attempt,
        "parent": parent,
        "name": module.name,
        "source": module.source,
        "class_name": module.class_name,
        "tensors": tensors,
        "tensor_count": len(tensors),
        "input_count": None if compiled.inputs is None else sum(bool(one["is_input"]) for one in tensors),
        "parameter_count": _elements(tensors),
        "structure": 0,
    }
    rows.append(row)
    parts: list[Any] = [module.class_name, [tuple(map(str, one.values())) for one in tensors]]
    for child in _children(module):
        below = _list(rows, key, compiled, child, own, first, structures)
        parts.append((child.name, below["structure"]))
        row["tensor_count"] += below["tensor_count"]
        if row["input_count"] is not None and below["input_count"] is not None:
            row["input_count"] += below["input_count"]
        both = row["parameter_count"], below["parameter_count"]
        row["parameter_count"] = None if None in both else sum(both)  # type: ignore[arg-type]
    row["structure"] = structures.setdefault(repr(parts), len(structures))
    return row


def _tensor(name: tuple[str, bool], tensor: _Tensor, compiled: _Compile) -> ModulesTensors:
    is_input = None
    if compiled.inputs is not None:
        is_input = any(_NOT_IN_NAMES.sub("", source).lower() in compiled.inputs for source in tensor.sources)
    return {
        "name": name[0],
        "is_buffer": name[1],
        "shape": tensor.shape,
        "dtype": tensor.dtype,
        "is_input": is_input,
    }


def _elements(tensors: list[ModulesTensors]) -> int | None:
    """Return the number of elements of the parameters; None when a size is unknown or symbolic."""
    total = 0
    for tensor in tensors:
        if tensor["is_buffer"]:
            continue
        elements = 1
        for size in (None,) if tensor["shape"] is None else tensor["shape"]:
            if type(size) is not int or size < 0:
                return None
            elements *= size
        total += elements
    return total
