"""What a module of generated Python code defines."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


class Module:
    """The functions and kernels that a module of generated code defines."""

    def __init__(self, tree: ast.Module, kernels: Iterable[str] = ()):
        self.functions: dict[str, ast.FunctionDef] = {}
        self.kernels: set[str] = set(kernels)
        entries: dict[str, ast.FunctionDef] = {}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self.functions[node.name] = node
                entries.setdefault(node.name, node)
            elif isinstance(node, ast.ClassDef) and node.name == "Runner":
                entries |= {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                is_kernel = (dotted_name(node.value.func) or "").startswith("async_compile.")
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
                self.kernels.update(names if is_kernel else ())
        self.entry = entries.get("call")


def texts_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield first line and text of the strings that are assigned to a name in a module."""
    for node in tree.body:
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(value, ast.Constant) and type(value.value) is str:
            yield value.lineno, value.value


def dotted_name(node: ast.AST) -> str | None:
    """Return a dotted name, such as 'torch.ops.aten.topk.default'."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None
