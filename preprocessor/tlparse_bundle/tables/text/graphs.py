"""Reads the text of FX graphs: GraphModule.print_readable (torch/fx/graph_module.py), and str(graph).

Each line is read once. Lines without a node (comments, text after the graph) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

MAX_OPS = 100  # different operations of one graph
MAX_SUBGRAPHS = 200
_MAX_LINE = 100_000  # characters of a line that are read; the start of a line is enough
_MAX_REMEMBERED = 250  # characters of a line that is remembered

_LINE = re.compile(r"[^\n]+")
_CLASS = re.compile(r"(\s*)(?:\w+:)?class ([^\s(]+)\(torch\.nn\.(?:modules\.module\.)?Module\)")
_FORWARD = re.compile(r"\s*def forward\(self(?:,|\)|$)(.*)")
_EXPANDED_FORWARD = re.compile(r"\s*def forward\(\s*$")
_ASSIGNMENT = re.compile(r"(\w+)(?: *: *(?:\"[^\"]*\"|[\w.]+(?:\[[^\]]*\])?))? = (.*)")
# The most frequent assignment, of a call.
_CALL = re.compile(
    r"\s*+(?!return|def )(\w+)(?: *: *(?:\"[^\"]*\"|[\w.]+(?:\[[^\]]*\])?))? = (\w+)((?:\.\w+)*+)\("
)
_INPLACE = re.compile(r"\w+ (\+|&|//|<<|%|\*|@|\||\*\*|>>|-|/|\^)= ")
_SETITEM = re.compile(r"\w+\[")
_IDENTIFIER = re.compile(r"\w++\Z")
_PATH = re.compile(r"(\w+)((?:\.\w+)*)(?=([(\[]| |\Z))")
_BINARY = re.compile(r"\S+ (==|!=|<=|>=|<<|>>|//|\*\*|[-+*/%@&|^<>]) \S")
_UNARY = re.compile(r"([-+~])\w")
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_INNER = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_NODE = re.compile(
    r"\s*%(\w+) (?:: \[[^\]]*\] )?="
    r" (placeholder|call_function|call_method|call_module|get_attr|output)\[target=([^\]]*)\]"
)
_GRAPH_ID = re.compile(r"\s*# graph id: (\d{1,19})\s*\Z")

_NAMES = {
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    ">": "gt",
    "<=": "le",
    ">=": "ge",
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and_",
    "|": "or_",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
_UNARY_NAMES = {"-": "neg", "+": "pos", "~": "invert"}


class Counts:
    """Contents of one class of the text, a graph or subgraph."""

    def __init__(self, name: str, indent: int):
        self.name = name
        self.indent = indent
        self.placeholders: list[str] = []
        self.names: set[str] = set()
        self.call_count = self.get_attr_count = self.output_count = 0


class FxGraph(NamedTuple):
    graphs: list[Counts]  # in the order of the text: the graph itself, then those inside of it
    ops: dict[str, int]  # of all of them, most frequent first
    graph_id: int | None


def read_fx(text: str) -> FxGraph:
    """FX graphs in a text; ``graphs`` is empty without one."""
    return _Reader().read(text)


class _Reader:
    def __init__(self) -> None:
        self._graphs: list[Counts] = []
        self._open: list[Counts] = []
        self._ops: dict[str, int] = {}
        self._graph_id: int | None = None

    def read(self, text: str) -> FxGraph:
        lines = map(re.Match.group, _LINE.finditer(text))
        for line in lines:
            if len(line) <= _MAX_REMEMBERED and "def forward(" not in line:  # signatures differ
                parsed = _parse(line)
            else:
                line = line[:_MAX_LINE]
                parsed = _parse.__wrapped__(line)
            if parsed is None:
                continue
            if isinstance(parsed, tuple):
                self._observe_call(*parsed)
            elif parsed[0] == "#":
                self._observe_graph_id(line)
            elif "class " in line and (match := _CLASS.match(line)):
                self._begin(match[2], len(match[1]))
            elif parsed[0] == "%" or parsed.startswith("return %"):
                self._observe_dumped(line, parsed)
            else:
                self._observe(line, parsed, lines)
        ops = sorted(self._ops.items(), key=lambda item: -item[1])
        return FxGraph(self._graphs, dict(ops), self._graph_id)

    def _begin(self, name: str, indent: int) -> None:
        while self._open and self._open[-1].indent >= indent:
            self._open.pop()
        self._open.append(Counts(name, indent))
        self._graphs.append(self._open[-1])

    def _observe_graph_id(self, line: str) -> None:
        match = _GRAPH_ID.match(line)  # torch/_inductor/compile_fx.py, _recursive_pre_grad_passes
        if match and int(match[1]) < 2**63:
            self._graph_id = int(match[1])

    def _graph_at(self, indent: int) -> Counts | None:
        """Return the graph of a line with this indent."""
        while self._open and self._open[-1].indent >= indent:
            self._open.pop()  # text after the graph, such as the signature of an exported program
        return self._open[-1] if self._open else None

    def _observe_call(self, indent: int, name: str, root: str, function: str, method: str | None) -> None:
        graph = self._graph_at(indent)
        if graph is not None:
            self._call(graph, method if method is not None and root in graph.names else function)
            graph.names.add(name)

    def _observe(self, line: str, stripped: str, lines: Iterator[str]) -> None:
        graph = self._graph_at(len(line) - len(line.lstrip()))
        if graph is None:
            return
        if stripped.startswith("def "):
            if match := _FORWARD.match(line):
                self._observe_arguments(graph, match[1].rpartition(")")[0])
            elif _EXPANDED_FORWARD.match(line):
                for argument in lines:
                    argument = argument.strip()
                    if argument.startswith(")"):
                        break
                    self._observe_arguments(graph, argument.partition("#")[0])
        elif stripped.startswith("return"):
            graph.output_count = _count_outputs(stripped[6:].strip(), lines)
        else:
            self._observe_statement(graph, stripped)

    def _observe_arguments(self, graph: Counts, text: str) -> None:
        text = _INNER.sub("", _STRING.sub("", text))
        for argument in text.split(","):
            name = argument.partition(":")[0].partition("=")[0].strip().lstrip("*")
            if name and name != "self":
                graph.placeholders.append(name)
                graph.names.add(name)

    def _observe_statement(self, graph: Counts, stripped: str) -> None:
        match = _ASSIGNMENT.match(stripped)
        if match is None:
            if inplace := _INPLACE.match(stripped):
                self._call(graph, f"operator.i{_NAMES[inplace[1]].rstrip('_')}")
            elif _SETITEM.match(stripped) and "] = " in stripped:
                self._call(graph, "operator.setitem")
            elif ", = fx_pytree.tree_flatten_spec(" in stripped:
                # A joint graph: forward takes trees, and its leaves are the placeholders.
                names = (name.strip() for name in stripped.partition(" = ")[0].split(","))
                graph.placeholders = [name for name in names if name]
                graph.names.update(graph.placeholders)
            return
        name, value = match.groups()
        value = value.partition(";  ")[0] if ";  " in value else value
        if value.startswith("self.") and _IDENTIFIER.match(value.replace(".", "_")):
            graph.get_attr_count += 1
        elif op := _operation(value, graph.names):
            self._call(graph, op)
        graph.names.add(name)

    def _call(self, graph: Counts, op: str) -> None:
        graph.call_count += 1
        if op in self._ops or len(self._ops) < MAX_OPS:
            self._ops[op] = self._ops.get(op, 0) + 1

    def _observe_dumped(self, line: str, stripped: str) -> None:
        """Read a line of str(graph): ``%add : [num_users=1] = call_function[target=…](args = …)``."""
        match = _NODE.match(line)
        if match is None and not stripped.startswith("return %"):
            return
        if not self._graphs:
            self._begin("graph", -1)
        graph = self._graphs[-1]
        if match is None:
            graph.output_count = stripped.count("%")
        elif match[2] == "placeholder":
            graph.placeholders.append(match[1])
        elif match[2] == "get_attr":
            graph.get_attr_count += 1
        elif match[2] != "output":
            self._call(graph, match[3][:200])


@lru_cache(4096)  # the graphs of a compile have most lines in common
def _parse(line: str) -> tuple[int, str, str, str, str | None] | str | None:
    """Return the arguments of ``_observe_call`` for a call, the stripped text of another line, and None for a
    comment or an empty line.
    """
    stripped = line.strip()
    if not stripped or stripped[0] == "#":
        return stripped if "# graph id: " in stripped else None
    match = _CALL.match(line)
    if match is None:
        return stripped
    name, root, rest = match.groups()
    return match.start(1), name, root, *_called(root, rest)


def _operation(value: str, names: set[str]) -> str | None:
    """Return the operation of the right side of an assignment; None for a renaming."""
    if _IDENTIFIER.match(value):
        return None
    match = _PATH.match(value)
    if match:
        root, rest, follows = match.groups()
        if follows == "(":
            function, method = _called(root, rest)
            return method if method is not None and root in names else function
        if follows == "[":
            return "operator.getitem"
        if not follows and rest:
            return "getattr"
    match = _BINARY.match(value)
    if match:
        return f"operator.{_NAMES[match[1]]}"
    match = _UNARY.match(value)
    if match:
        return f"operator.{_UNARY_NAMES[match[1]]}"
    return None


def _called(root: str, rest: str) -> tuple[str, str | None]:
    """Return the operation of a call of ``root``, or with ``rest`` of a member (a method of a value)."""
    return f"{root}{rest}"[:200], f"Tensor.{rest[1:].rpartition('.')[2]}"[:200] if rest else None


def _count_outputs(text: str, lines: Iterator[str]) -> int:
    """Count the values of a return statement, which print_readable may put on separate lines."""
    text = text.removeprefix("pytree.tree_unflatten(") if text.startswith("pytree.tree_unflatten(") else text
    if text in ("(", "[", "{"):
        count = 0
        for line in lines:
            line = line.strip()
            if line[:1] in (")", "]", "}"):
                break
            count += bool(line) and line[0] != "#"
        return count
    if text in ("", "None", "()", "[]", "{}"):
        return 0
    if text[0] not in "([{":
        return 1
    text = _STRING.sub("", text)[1:]
    inner = None
    while inner != text:  # each round takes off a level of brackets
        if inner is not None and text.count("(") + text.count("[") + text.count("{") > 1000:
            break
        inner, text = text, _INNER.sub("x", text)
    text = re.split(r"[)\]}]", text, maxsplit=1)[0]
    return sum(bool(part.strip()) for part in text.split(","))
