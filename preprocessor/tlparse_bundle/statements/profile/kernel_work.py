"""The calls of kernels in a code: their order, bytes, and floating-point operations of matrix products."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.profile.log_index import Code
from tlparse_bundle.tables.memory.graph_text import GraphText
from tlparse_bundle.tables.memory.kernel_arguments import (
    Argument,
    CalledKernels,
    KernelCall,
    called_kernels,
)
from tlparse_bundle.tables.memory.sizes import Number
from tlparse_bundle.tables.memory.table import POST_GRAD

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import KernelsRow, SymbolsRow

Unknown = Literal["language", "operator", "dynamic", "size", "several", "not_joined"]
_GENERATED = ("triton", "cpp", "other")
# Parameters of a kernel that are pointers, in the order of its arguments.
_POINTER = re.compile(r"\b((?:in_out|in|out)_ptr\d+)\b")
_FUNCTION_END = re.compile(r"[}@]|(?:def|class|if|for|while) ")  # in C++ and Python
_SIGNATURE = re.compile(r"(?:\bdef \w+|\bvoid\s+\w+)\s*\(([^)]{0,20000})\)")


class Work(NamedTuple):
    """Work of one call, the mean where the code calls a kernel several times. ``unknown``: why no bytes."""

    bytes: float | None = None
    flops: float | None = None
    dtype: str | None = None  # of the operations
    unknown: Unknown | None = None


class KernelWork:
    """The work of the kernels of a log."""

    def __init__(self, log: Log, codes: Mapping[int, Code]):
        self._log, self._codes = log, codes
        self._works: dict[tuple[int, str, int | None], Work] = {}
        self._orders: dict[tuple[int, str], Sequence[int]] = {}
        self._read: set[int] = set()

    def of(self, code_event: int, kernel: str, line: int | None = None) -> Work:
        """Return the work of the calls of a kernel, or of those in one line."""
        self._follow(code_event)
        return self._works.get((code_event, kernel, line), Work(unknown="language"))

    def order(self, code_event: int, kernel: str) -> Sequence[int]:
        """Return the lines that one call of the code calls a kernel from, in order; empty when unknown."""
        self._follow(code_event)
        row = self._kernels.get(code_event, {}).get(kernel)
        lines = row["call_lines"] if row is not None else []
        if len(lines) > 1:
            return self._orders.get((code_event, kernel), ())
        return lines

    def _follow(self, code_event: int) -> None:
        if code_event in self._read:
            return
        self._read.add(code_event)
        artifact = self._artifacts.get(code_event)
        if artifact is None or artifact.is_left_out:
            return
        code, compile = artifact.bytes() or b"", self._codes[code_event].compile
        kernels = self._kernels.get(code_event, {})
        names = [name for name, row in kernels.items() if row["line"] is not None]
        followed = called_kernels(code, names, self._hints.get(compile, {}), self._graph(compile, code_event))
        by_kernel: dict[str, list[KernelCall]] = {}
        for call in followed.calls if followed is not None else ():
            by_kernel.setdefault(call.path.removesuffix(".run"), []).append(call)
        lines = code.decode("utf-8", "replace").split("\n")
        for name, row in kernels.items():
            order = [call.line for call in by_kernel.get(name, [])]
            if set(order) == set(row["call_lines"]):
                self._orders[code_event, name] = order
            elif len(row["call_lines"]) > 1 and _run_in_order(lines, row["call_lines"]):
                self._orders[code_event, name] = row["call_lines"]
            if followed is None:
                continue
            if row["kind"] in _GENERATED:
                twice = _updated(lines, row["line"])
                works = [(call.line, _generated(call, twice)) for call in by_kernel.get(name, [])]
            else:
                works = [(call.line, _operator(call, followed)) for call in by_kernel.get(name, [])]
            self._works[code_event, name, None] = _mean([work for _, work in works])
            by_line: dict[int, list[Work]] = {}
            for line, work in works:
                by_line.setdefault(line, []).append(work)
            for line, own in by_line.items():
                self._works[code_event, name, line] = _mean(own)

    @cached_property
    def _artifacts(self) -> dict[int, Artifact]:
        """Codes and post-grad graphs, by their records."""
        return {one.event: one for one in self._log.artifacts if one.event in self._codes or _is_graph(one)}

    @cached_property
    def _graphs(self) -> dict[str | None, list[int]]:
        """The records of the post-grad graphs of each compile."""
        graphs: dict[str | None, list[int]] = {}
        for event, artifact in sorted(self._artifacts.items()):
            if _is_graph(artifact):
                graphs.setdefault(artifact.row["compile"], []).append(event)
        return graphs

    @cached_property
    def _kernels(self) -> dict[int, dict[str, KernelsRow]]:
        kernels: dict[int, dict[str, KernelsRow]] = {}
        for row in self._rows("kernels"):
            kernels.setdefault(row["code_event"], {})[row["name"]] = row
        return kernels

    @cached_property
    def _hints(self) -> dict[str | None, dict[str, int]]:
        """The hint of each symbol, by compile."""
        hints: dict[str | None, dict[str, int]] = {}
        rows: list[SymbolsRow] = self._rows("symbols")
        for row in rows:
            if row["name"] and row["value"] and re.fullmatch(r"\d{1,15}", row["value"]):
                hints.setdefault(row["compile"], {})[row["name"]] = int(row["value"])
        return hints

    def _graph(self, compile: str | None, code_event: int) -> GraphText | None:
        """Return the last post-grad graph of a compile before its code."""
        events = self._graphs.get(compile, [])
        place = bisect_left(events, code_event)
        artifact = self._artifacts[events[place - 1]] if place else None
        text = artifact.bytes() if artifact is not None and not artifact.is_left_out else None
        return GraphText(text) if text else None

    def _rows(self, name: str) -> list[Any]:
        try:
            rows: list[Any] = self._log.table(name)
        except BundleError:  # a redacted bundle lacks it
            return []
        return rows


def _is_graph(artifact: Artifact) -> bool:
    return artifact.name == POST_GRAD


def _run_in_order(lines: Sequence[str], called: Sequence[int]) -> bool:
    """Return whether statements run once each, in this order: those at the top level of one function."""
    if not called or called[-1] > len(lines):
        return False
    are_top_level = all(re.match(r" {4}\S", lines[line - 1]) for line in called)
    return are_top_level and not any(_FUNCTION_END.match(line) for line in lines[called[0] : called[-1]])


def _updated(lines: Sequence[str], line: int | None) -> list[bool]:
    """Return for each pointer of a kernel whether the kernel reads and writes it."""
    signature = _SIGNATURE.search("\n".join(lines[(line or 1) - 1 : (line or 1) + 200]))
    names = dict.fromkeys(_POINTER.findall(signature[1])) if signature else {}
    return [name.startswith("in_out") for name in names]


def _generated(call: KernelCall, updated: Sequence[bool]) -> Work:
    if call.is_dynamic:
        return Work(unknown="dynamic")
    sizes = [argument.bytes for argument in call.arguments]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes) or not sizes:
        return Work(unknown="size")
    again = zip(known, updated, strict=True) if len(updated) == len(known) else ()
    return Work(float(sum(known) + sum(size for size, is_updated in again if is_updated)))


def _operator(call: KernelCall, code: CalledKernels) -> Work:
    name = call.path.rpartition(".")[2]
    flops_of = _FLOPS.get(name) if call.path.startswith("extern_kernels.") else None
    if flops_of is None:
        return Work(unknown="operator")
    tensors = [*call.arguments, *call.results]
    if call.is_dynamic or code.has_symbols or any(tensor.is_dynamic for tensor in tensors):
        return Work(unknown="dynamic")
    dtype = next((tensor.dtype for tensor in tensors if tensor.dtype), None)
    # The result of an operator has the type of its arguments.
    sizes = [_bytes(tensor, call.arguments) for tensor in tensors]
    known = [size for size in sizes if size is not None]
    flops = flops_of(call)
    if flops is None or len(known) < len(sizes):
        return Work(unknown="size")
    return Work(float(sum(known)), float(flops), dtype and dtype.removeprefix("torch."))


def _bytes(tensor: Argument, arguments: Sequence[Argument]) -> int | None:
    first = arguments[0]
    if tensor.bytes is None and tensor.item_count is not None and first.bytes and first.item_count:
        return tensor.item_count * first.bytes // first.item_count
    return tensor.bytes


def _product(call: KernelCall) -> int | None:
    """Return the operations of mm, addmm, bmm and baddbmm: a multiplication and an addition each."""
    shapes = [argument.shape for argument in call.arguments if argument.keyword is None][-2:]
    if len(shapes) < 2:
        return None
    left, right = shapes
    if left is None or right is None or len(left) < 2 or len(right) < 2 or left[-1] != right[-2]:
        return None
    return 2 * prod(left) * right[-1]


def _convolution(call: KernelCall) -> int | None:
    """Return the operations of a convolution: for each result, the products of its window."""
    if len(call.arguments) < 2:
        return None
    weight, results = call.arguments[1].shape, [result.shape for result in call.results]
    if weight is None or len(results) != 1 or results[0] is None or not _is_plain_convolution(call):
        return None
    return 2 * prod(results[0]) * prod(weight[1:])


def _is_plain_convolution(call: KernelCall) -> bool:
    transposed = call.options.get("transposed")
    return isinstance(transposed, Number) and transposed.text == "False"


_FLOPS: dict[str, Callable[[KernelCall], int | None]] = {
    **dict.fromkeys(("mm", "addmm", "bmm", "baddbmm"), _product),
    "convolution": _convolution,
}


def _mean(works: Sequence[Work]) -> Work:
    """Return the mean of the calls of a kernel; unknown when one of them is."""
    if not works:
        return Work(unknown="language")
    unknown = next((work.unknown for work in works if work.unknown is not None), None)
    if unknown is not None:
        return Work(unknown=unknown)
    flops = [work.flops for work in works if work.flops is not None]
    return Work(
        sum(work.bytes or 0.0 for work in works) / len(works),
        sum(flops) / len(flops) if len(flops) == len(works) else None,
        works[0].dtype,
    )
