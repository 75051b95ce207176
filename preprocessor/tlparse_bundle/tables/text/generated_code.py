"""Reads the code that Inductor generates (torch/_inductor/codegen/wrapper.py, cpp_wrapper_cpu.py), as text.

It may be Python or C++, and a Python wrapper can contain C++ in a string. Each line is read once, nothing
is executed, and sources of kernels are skipped.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal

MAX_CALLS = 1000  # of one kernel
MAX_NODES = 500  # source nodes of one kernel
MAX_KERNELS = 5000  # in one code
_MAX_NAME = 300
_MAX_LINE = 20_000  # characters of a line that are read
_MAX_REMEMBERED = 1000  # characters of a line that is remembered

_AOT_ID = re.compile(r"# AOT ID: \['([^']{0,200})'\]")
_NODES = re.compile(
    r"\s*(?:#|//) (?:\w+ \w+ |\w+ )?Source Nodes: \[([^\]]*)\](?:, Original ATen: \[([^\]]*)\])?"
)
_HANDLE = re.compile(r"\s*(?:#|//) \[Provenance debug handles\] (.*):(\d{1,15})\s*\Z")
_DEFINITION = re.compile(r"(?:\s*(\w+) = )?\s*(?:/\*\s*)?async_compile\.(\w+)\(\s*(?:['\"](\w+)['\"])?")
_CPP_DEFINITION = re.compile(r"\s*(?:[\w\"]+ +)*?void\s+(\w+)\(")
_CALLED = re.compile(r"([\w.](?<![\w.]{2})[\w.]*+)\(")  # the whole path before a bracket
_PATH = re.compile(
    r"(extern_kernels\.\w+)"
    r"|(torch\.ops\.\w+\.\w+(?:\.\w+)?)"
    r"|((?:aten|inductor_ops|_quantized)\.\w+(?:\.\w+)?)"
    r"|(aoti_torch_(?:cpu|cuda|xpu|mps|mtia)_\w+|aoti_torch_proxy_executor_call_function)"
    r"|(?:kernels\.)?(\w+)(?:\.run)?"
)
_SHIM_HELPERS = re.compile(r"aoti_torch_\w+?_(?:caching_allocator|get_|set_|create|delete|synchronize)")
_COLLECTIVES = re.compile(r"(?:torch\.ops\.)?(?:_?c10d_functional|c10d|symm_mem|_c10d_functional_autograd)\.")
# Functions after the code that only benchmark it.
_BENCHMARKS = re.compile(r"(?:def (?:get_args|benchmark_\w+)\(|if __name__ == )")

KernelKind = Literal["triton", "cpp", "other", "extern", "fallback", "collective"]
Direction = Literal["forward", "backward", "inference"]
_DIRECTIONS: dict[str, Direction] = {
    "forward": "forward",
    "backward": "backward",
    "inference": "inference",
}
_GENERATED = frozenset[KernelKind](("triton", "cpp", "other"))
# async_compile methods (torch/_inductor/async_compile.py) -> kind
_KINDS: dict[str, KernelKind] = {
    "triton": "triton",
    "multi_kernel": "triton",
    "cpp": "cpp",
    "cpp_pybinding": "cpp",
}


class Kernel:
    """A kernel that the code defines, or a library operation that it calls."""

    def __init__(self, name: str, kind: KernelKind, line: int | None):
        self.name = name
        self.kind = kind
        self.line = line
        self.call_lines: list[int] = []
        self.call_handles: list[int | None] = []
        self.source_nodes: dict[str, None] = {}
        self.aten_ops: dict[str, None] = {}
        self.computed: dict[str, None] = {}  # source nodes without those that only lead to a library call


class Code:
    """Generated code: its kernels in order of first appearance, and the data of its first lines."""

    def __init__(self) -> None:
        self.kernels: dict[str, Kernel] = {}
        self.aot_id: str | None = None
        self.line_count = 0
        self.cut = False


def direction_of(aot_id: str | None) -> Direction | None:
    """Return the direction in an AOT ID, such as '0_backward'."""
    return _DIRECTIONS.get(aot_id.rpartition("_")[2]) if aot_id else None


def read_code(text: str) -> Code:
    return _Reader().read(text)


class _Reader:
    def __init__(self) -> None:
        self._code = Code()
        self._nodes: tuple[str, str] | None = None  # of the comment that belongs to what comes next
        self._handle: int | None = None
        self._until: str | None = None  # what ends the source of a kernel

    def read(self, text: str) -> Code:
        number = position = 0
        benchmark = False
        while position < len(text):
            number += 1
            end = text.find("\n", position)
            line = text[position : end if end >= 0 else None]
            position = end + 1 if end >= 0 else len(text)
            if line.startswith(("d", "i", "c")):  # a function, class or statement of the module
                benchmark = _BENCHMARKS.match(line) is not None
            if benchmark:
                continue
            self._observe(number, line[:_MAX_LINE])
            if self._until is not None:
                source_end = text.find(self._until, position)
                end = text.find("\n", source_end) if source_end >= 0 else -1
                number += text.count("\n", position, end + 1)
                position = end + 1 if end >= 0 else len(text)
                self._until = None
        self._code.line_count = text.count("\n") + (text[-1:] not in ("", "\n"))
        return self._code

    def _observe(self, number: int, line: str) -> None:
        if "(" not in line and "[" not in line:
            return  # nothing that counts is without
        parsed = _parse(line) if len(line) <= _MAX_REMEMBERED else _parse.__wrapped__(line)
        if parsed is None:
            return
        what, content = parsed
        if what == "calls":
            for name, kind in content:
                self._observe_call(number, name, kind)
        elif what == "nodes":
            self._nodes = content
        elif what == "handle":
            self._handle = content
        elif what == "aot_id":
            if self._code.aot_id is None:
                self._code.aot_id = content
        elif what == "cpp":
            self._define_cpp(content, number, line)
        else:
            name, kind = content
            if name:
                self._define(name, kind, number)
            for quotes in ("'''", '"""'):
                if line.count(quotes) == 1:
                    self._until = quotes

    def _kernel(self, name: str, kind: KernelKind, line: int | None) -> Kernel | None:
        kernel = self._code.kernels.get(name)
        if kernel is None:
            if len(self._code.kernels) >= MAX_KERNELS:
                self._code.cut = True
                return None
            kernel = self._code.kernels[name] = Kernel(name, kind, line)
        return kernel

    def _define(self, name: str, kind: KernelKind, number: int) -> None:
        kernel = self._kernel(name[:_MAX_NAME], kind, number)
        if kernel is not None:
            kernel.kind = kind
            if kernel.line is None:
                kernel.line = number
            self._describe(kernel)

    def _define_cpp(self, name: str, number: int, line: str) -> None:
        if name.startswith("call_"):  # the launcher of a Triton kernel, whose source is in a comment below
            self._define(name.removeprefix("call_"), "triton", number)
        elif name.startswith("cpp_") or (
            'extern "C"' in line and name != "kernel" and not name.startswith("AOTI")
        ):
            self._define(name, "cpp", number)

    def _observe_call(self, number: int, name: str, kind: KernelKind | None) -> None:
        kernel = self._code.kernels.get(name) if kind is None else self._kernel(name, kind, None)
        if kernel is None:
            return
        if len(kernel.call_lines) < MAX_CALLS:
            kernel.call_lines.append(number)
            kernel.call_handles.append(self._handle)
        else:
            self._code.cut = True
        self._describe(kernel)

    def _describe(self, kernel: Kernel) -> None:
        """Set the nodes of this kernel from the comment above it, and clear the comment."""
        if self._nodes is not None:
            source_nodes, aten_ops = self._nodes
            for listed, names in ((kernel.source_nodes, source_nodes), (kernel.aten_ops, aten_ops)):
                for name in names.split(","):
                    name = name.strip()[:_MAX_NAME]
                    if name and len(listed) < MAX_NODES:
                        listed[name] = None
            # Above a library call, the last node is the call; those before it lead to it.
            own = source_nodes if kernel.kind in _GENERATED else source_nodes.rpartition(",")[2]
            kernel.computed |= dict.fromkeys(name.strip()[:_MAX_NAME] for name in own.split(",")[:MAX_NODES])
        self._nodes = self._handle = None


@lru_cache(4096)  # recompiles have most lines in common
def _parse(line: str) -> tuple[str, Any] | None:
    """Return (kind of content, content) of a line; None for an irrelevant line.

    The content is a tuple for 'nodes' and 'definition', a list for 'calls', a number for 'handle', else
    text.
    """
    if line.lstrip().startswith(("#", "//")):
        if "Source Nodes: [" in line and (match := _NODES.match(line)):
            return "nodes", (match[1], match[2] or "")
        if "[Provenance" in line and (match := _HANDLE.match(line)):
            return "handle", int(match[2])
        match = _AOT_ID.match(line)
        return ("aot_id", match[1]) if match else None
    if (
        "async_compile." in line
        and (match := _DEFINITION.match(line))
        and match[2] not in ("wait", "precompile")
    ):
        return "definition", (match[1] or match[3], _KINDS.get(match[2], "other"))
    if "void" in line and (match := _CPP_DEFINITION.match(line)):
        return "cpp", match[1]
    calls = _calls(line) if "(" in line and line[0] in " \t" else None
    return ("calls", calls) if calls else None


def _calls(line: str) -> list[tuple[str, KernelKind | None]]:
    """Return names and kinds of the calls in a line; no kind for a possible kernel of the code itself."""
    calls: list[tuple[str, KernelKind | None]] = []
    for path in _CALLED.findall(line):
        match = _PATH.fullmatch(path) if "." in path or path.startswith("aoti_torch_") else None
        if match is None and "." in path:
            continue
        extern, op, alias, shim, own = match.groups() if match else (None, None, None, None, path)
        if own is not None:
            calls.append((own.removeprefix("call_"), None))
        elif shim is None or not _SHIM_HELPERS.match(shim):
            name = extern or op or alias or shim or ""
            kind: KernelKind = "extern" if extern or shim else "fallback"
            if _COLLECTIVES.match(name):
                kind = "collective"
            calls.append((name[:_MAX_NAME], "fallback" if name.startswith("aoti_torch_proxy") else kind))
    return calls
