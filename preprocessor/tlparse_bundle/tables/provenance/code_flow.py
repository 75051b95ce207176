"""Nodes that a fused CPU kernel computes, from data flow, since such kernels have no comments.

The calling function passes tensors by name. Its arguments are inputs of the post-grad graph and its
results are the graph's outputs, in order; library calls have known nodes. So the nodes of many tensors
are known, and a kernel whose outputs are all known computes the nodes from its inputs to its outputs.
Other code (branches, subgraphs, mutated inputs) yields nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tlparse_bundle.tables.provenance.code_comments import operator_of

_MAX_LINE = 20_000  # characters of a line that are looked at
_NODE = re.compile(r"\s*(\w+)(?:: \"[^\"]*\")? = torch\.ops\.\w+\.(\w+)(?:\.\w+)?\((.*)\)")
_NOT_PLAIN = re.compile(r"(?m)^\s*(?:if |for |while |with |elif |else:|try:|def |class )|\.copy_\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ARGUMENTS = re.compile(r"\s*(\w+(?:, \w+)*),? = args\s*$")
_SAME = re.compile(r"\s*(\w+) = (?:reinterpret_tensor\()?(\w+)[;,]")
_NEW = re.compile(r"\s*(\w+) = empty_strided\w*\(")
_RETURN = re.compile(r"\s*return \((.*)\)")
_POINTERS = re.compile(r"async_compile\.cpp_pybinding\(\[([^\]]*)\]")
_GONE = re.compile(r"(?:^|; )\s*del (\w+)")
_MAX_TENSORS = 2_000  # at one time
_MAX_NODES = 2_000  # of one kernel
_MAX_VIEWS = 100  # of views
_VIEWS = frozenset(
    (
        "permute",
        "view",
        "reshape",
        "_unsafe_view",
        "expand",
        "unsqueeze",
        "squeeze",
        "select",
        "slice",
        "as_strided",
        "t",
        "transpose",
        "alias",
        "detach",
    )
)


@dataclass(eq=False)
class _Tensor:
    """Value of a name until it is reassigned; ``node`` is None when unknown."""

    node: str | None = None


@dataclass
class _Call:
    reads: list[_Tensor] = field(default_factory=list)
    writes: list[_Tensor] = field(default_factory=list)


class _Graph:
    def __init__(self, text: str):
        self.inputs: dict[str, list[str]] = {}  # of each node, in order
        self.operator: dict[str, str] = {}
        self.returned: list[str] = []
        self.plain = text.count("class ") == 1 and ".copy_" not in text
        for line in text.split("\n"):
            if match := _NODE.match(line[:_MAX_LINE]):
                name = match[1]
                arguments = match[3].partition(");")[0]
                self.inputs[name] = [word for word in _WORD.findall(arguments) if word != name]
                self.operator[name] = match[2]
            elif match := _RETURN.match(line[:_MAX_LINE]):
                self.returned = [part.strip() for part in match[1].split(",") if part.strip()]

    def base(self, name: str) -> str:
        """Return the base of a view."""
        for _ in range(_MAX_VIEWS):
            if self.operator.get(name) not in _VIEWS or not self.inputs[name]:
                break
            name = self.inputs[name][0]
        return name


def fused_nodes(
    code_lines: list[str],
    definitions: dict[str, tuple[int, int]],
    text: str,
    calls: list[tuple[int, str, str | None]],
) -> dict[int, set[str]]:
    """Return {line of a call: names of its nodes} for Inductor kernels.

    ``calls``: (line, kernel, node) of library calls, with the called node if known.
    """
    graph = _Graph(text)
    start, end = _body(code_lines, [line for line, _, _ in calls])
    if not graph.plain or start is None or _NOT_PLAIN.search("\n".join(code_lines[start - 1 : end])):
        return {}
    flow = _Flow(
        graph,
        {line: (kernel, node) for line, kernel, node in calls},
        {name: code_lines[first - 1] for name, (first, _) in definitions.items()},
    )
    for number in range(start, end + 1):
        flow.line(number, code_lines[number - 1][:_MAX_LINE])
    return flow.computed() if not flow.odd else {}


def _body(lines: list[str], calls: list[int]) -> tuple[int | None, int]:
    """Return the lines of the calling function, from unpacking arguments to return."""
    if not calls:
        return None, 0
    start = next(
        (number for number in range(min(calls), 0, -1) if _ARGUMENTS.match(lines[number - 1][:_MAX_LINE])),
        None,
    )
    end = next(
        (
            number
            for number in range(max(calls), len(lines) + 1)
            if _RETURN.match(lines[number - 1][:_MAX_LINE])
        ),
        0,
    )
    return (start, end) if end else (None, 0)


class _Flow:
    def __init__(self, graph: _Graph, calls: dict[int, tuple[str, str | None]], definitions: dict[str, str]):
        self._graph, self._calls, self._definitions = graph, calls, definitions
        self._tensors: dict[str, _Tensor] = {}
        self._kernels: dict[int, _Call] = {}
        self.odd = False

    def line(self, number: int, line: str) -> None:
        if self.odd or len(self._tensors) > _MAX_TENSORS:
            self.odd = True
        elif number in self._calls:
            self._call(number, line)
        elif match := _ARGUMENTS.match(line):
            self._tensors = {name: _Tensor(name) for name in match[1].split(", ")}
        elif match := _SAME.match(line):
            self._tensors[match[1]] = self._tensors.setdefault(match[2], _Tensor())
        elif match := _NEW.match(line):
            self._tensors[match[1]] = _Tensor()
        elif match := _RETURN.match(line):
            self._return(_split(match[1]))
        elif " = " in line and not line.lstrip().startswith(("#", "assert")):
            self._tensors[line.partition(" = ")[0].strip()] = _Tensor()
        for name in _GONE.findall(line):
            self._tensors.pop(name, None)

    def _call(self, number: int, line: str) -> None:
        kernel, node = self._calls[number]
        arguments = _split(line.partition("(")[2].rpartition(")")[0])
        if operator_of(kernel) is not None:
            self._library(node, arguments)
            if not kernel.startswith("extern_kernels."):  # it may change what it takes
                for name in [
                    word
                    for argument in arguments
                    for word in _WORD.findall(argument)
                    if word in self._tensors
                ]:
                    self._write(name, _Tensor())
            if " = " in line.partition("(")[0]:
                self._tensors[line.partition(" = ")[0].strip()] = _Tensor(node)
            return
        match = _POINTERS.search(self._definitions.get(kernel, ""))
        pointers = [part.strip(" '\"") for part in match[1].split(",")] if match else []
        if len(pointers) != len(arguments):
            self.odd = True
            return
        call = self._kernels[number] = _Call()
        for pointer, argument in zip(pointers, arguments, strict=True):
            name = (
                argument.partition("(")[2].partition(",")[0]
                if argument.startswith("reinterpret_tensor(")
                else argument
            )
            if not pointer.endswith("*"):
                continue  # a size
            if name in self._tensors:
                call.reads.append(self._tensors[name])
            if not pointer.startswith("const "):
                self._write(name, tensor := _Tensor())
                call.writes.append(tensor)

    def _write(self, name: str, tensor: _Tensor) -> None:
        """Make all names for the same memory refer to the new value."""
        before = self._tensors.get(name)
        for other, earlier in self._tensors.items():
            if earlier is before:
                self._tensors[other] = tensor
        self._tensors[name] = tensor

    def _library(self, node: str | None, arguments: list[str]) -> None:
        out = next((argument[4:] for argument in arguments if argument.startswith("out=")), None)
        given = [argument for argument in arguments if "=" not in argument]
        taken = self._graph.inputs.get(node or "", [])
        if node is not None and len(given) == len(taken):
            for argument, name in zip(given, taken, strict=True):
                self._know(argument, name)
        if out is not None:
            self._write(_WORD.findall(out.removeprefix("reinterpret_tensor("))[0], _Tensor(node))

    def _return(self, values: list[str]) -> None:
        if len(values) != len(self._graph.returned):
            self.odd = True
            return
        for value, name in zip(values, self._graph.returned, strict=True):
            self._know(value, name)

    def _know(self, argument: str, node: str) -> None:
        words = _WORD.findall(argument.removeprefix("reinterpret_tensor("))
        tensor = self._tensors.get(words[0]) if words else None
        if tensor is None or words[0] == "None":
            return
        base = self._graph.base(node)
        if tensor.node not in (None, base):
            self.odd = True  # it is not as it seems
        tensor.node = base

    def computed(self) -> dict[int, set[str]]:
        out = {}
        for number, call in self._kernels.items():
            ends = {tensor.node for tensor in call.writes}
            if ends and None not in ends:
                nodes = self._between({tensor.node for tensor in call.reads}, ends)
                if nodes:
                    out[number] = nodes
        return out

    def _between(self, starts: set[str | None], ends: Iterable[str | None]) -> set[str]:
        """Return the nodes between starts and ends; empty when a path starts elsewhere."""
        libraries = {node for _, node in self._calls.values() if node}
        nodes: set[str] = set()
        todo = [node for node in ends if node not in starts]
        while todo:
            name = todo.pop()
            if name in nodes:
                continue
            if len(nodes) > _MAX_NODES or name not in self._graph.inputs or name in libraries:
                return set()
            nodes.add(name)
            todo += [
                other for other in self._graph.inputs[name] if other not in starts and not _is_constant(other)
            ]
        return nodes


def _is_constant(word: str) -> bool:
    return word in ("None", "True", "False", "torch", "inf", "nan")


def _split(text: str) -> list[str]:
    """Split arguments at commas outside brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and not depth:
            parts.append(text[start:place].strip())
            start = place + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]
