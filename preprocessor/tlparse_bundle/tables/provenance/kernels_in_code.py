"""Positions of kernels in generated code: Python wrappers (Triton, C++ and library kernels) and C++
wrappers.

With version 2 of provenance tracking, a comment before each call names kernel and handle
(torch/_inductor/codegen/wrapper.py, write_provenance_debug_handle). Without handles, every call of the
name counts. Declarations, definitions and comments are not calls, and names must match as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache

from tlparse_bundle.tables.provenance.mapping import split_handle

MAX_AHEAD = 400  # lines between the comment with a handle and its call
MAX_PARAMETER_LINES = 200  # of a C++ function
_MAX_LINE = 20_000  # characters of a line that are looked at
_MAX_REMEMBERED = 1000  # characters of a line that is remembered

_COMMENT = re.compile(r"\s*(?:#|//) \[Provenance debug handles\] (.*\S)\s*\Z")
_AOT_ID = re.compile(r"# AOT ID: \['([^']{0,200})'\]")
_PYTHON_START = re.compile(r"\s*def call\((?:self, )?args\)")
_CPP_START = re.compile(r"[^(]*::run_impl\(|\s*void inductor_entry_impl\(")
_DEFINITION = re.compile(
    r"(\w+) = async_compile\.\w+\(|(?:static inline void|extern \"C\"\s+void|void)\s+(?:call_)?(\w+)\("
)
_NO_CALL = re.compile(r"\s*(?:#|//|\*|def |class |import |from |static inline |template\b|extern \"C\")")
# 'int64_t triton_poi_fused_0_xnumel_1 = 3;' of C++ wrappers declares, it does not call.
_DECLARATION = re.compile(r"(?:^|\s)\w*_[xyzr]\d?numel(?:_\d+)?\s*=")
_WORD = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)\w+)*")
# Calls of libraries in code without handles, where the mapping may know nothing of them.
_LIBRARY = re.compile(r"extern_kernels\.\w+\Z|aoti_torch_(?:cpu|cuda|xpu|mps)_\w+\Z")
_OPERATOR = re.compile(r"(?:torch\.ops\.\w+|aten|inductor_ops|_quantized)\.\w+(?:\.\w+)?\Z")
_HELPERS = re.compile(r"aoti_torch_\w+?_(?:caching_allocator|get_|set_|create|delete|guard)")


class CodeText:
    """Relevant lines of generated code, counted from 1."""

    def __init__(self, text: str):
        self.lines = text.split("\n")
        self.aot_id: str | None = None
        self.is_cpp = False
        self.definitions: dict[str, tuple[int, int]] = {}  # first and last line
        self._comments: dict[str, list[int]] = {}  # 'kernel:handle' -> lines
        self._start = 0
        self._read()

    @property
    def handles(self) -> list[str]:
        """Return 'kernel:handle' of all comments, in code order."""
        return list(self._comments)

    def _read(self) -> None:
        lines = enumerate(self.lines, 1)
        for number, line in lines:
            line = line[:_MAX_LINE]
            if "[Provenance" in line and (match := _COMMENT.match(line)):
                self._comments.setdefault(match[1], []).append(number)
            elif self.aot_id is None and (match := _AOT_ID.match(line)):
                self.aot_id = match[1]
            elif not self._start and "def call(" in line and _PYTHON_START.match(line):
                self._start = number
            elif not self.is_cpp and "_impl(" in line and _CPP_START.match(line):
                self._start, self.is_cpp = number, True
            elif ("async_compile." in line or "void" in line) and (match := _DEFINITION.match(line)):
                name = match[1] or match[2]
                end = _end_of_python(line) if match[1] else self._end_of_cpp(number)
                if end is not None:
                    self.definitions.setdefault(name, (number, number))
                if end:  # nothing counts within a definition
                    last = next((last for last, line in lines if line.startswith(end)), None)
                    if last is not None:
                        self.definitions[name] = number, last

    def _end_of_cpp(self, first: int) -> str | None:
        """Return the start of the last line of a function; None for a declaration."""
        for line in self.lines[first - 1 : first - 1 + MAX_PARAMETER_LINES]:
            if "{" in line:
                return "}"
            if line.rstrip().endswith(";"):
                break
        return None

    def call_lines(self, kernels: Iterable[str]) -> dict[str, list[int]]:
        """Return the lines that call each kernel, or of its comment when no call follows."""
        kernels = list(kernels)
        lines = {kernel: self._after_comments(kernel) for kernel in kernels if kernel in self._comments}
        missing = [
            kernel
            for kernel in kernels
            if kernel not in lines and (not self._comments or split_handle(kernel)[1] is None)
        ]
        if missing:
            calls = self._calls({split_handle(kernel)[0] for kernel in missing})
            lines |= {kernel: calls.get(split_handle(kernel)[0], []) for kernel in missing}
        return {kernel: lines.get(kernel, []) for kernel in kernels}

    def _after_comments(self, kernel: str) -> list[int]:
        name = split_handle(kernel)[0]
        word = re.compile(rf"(?<!\w)(?:call_)?{re.escape(name)}(?!\w)")
        lines = []
        for comment in self._comments[kernel]:
            line = comment
            for number in range(comment + 1, min(comment + MAX_AHEAD, len(self.lines)) + 1):
                text = self.lines[number - 1][:_MAX_LINE]
                if name not in text:
                    continue
                if (match := _COMMENT.match(text)) and split_handle(match[1])[0] == name:
                    break  # the next call of the same kernel
                if word.search(text) and _is_code(text):
                    line = number
                    break
            lines.append(line)
        return lines

    def _calls(self, names: set[str]) -> dict[str, list[int]]:
        """Return the lines of the calling function that call one of these."""
        calls: dict[str, list[int]] = {}
        for number, kernels in self._callable:
            for kernel in kernels:
                if kernel in names:
                    calls.setdefault(kernel, []).append(number)
        return calls

    @cached_property
    def _callable(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return the names that each line of the calling function may call."""
        lines = (
            (number, line)
            for number, line in enumerate(self.lines[self._start :], self._start + 1)
            if "(" in line
        )
        return [
            (n, _may_call(line) if len(line) <= _MAX_REMEMBERED else _may_call.__wrapped__(line[:_MAX_LINE]))
            for n, line in lines
        ]

    def kernels_without_handles(self, bodies: Iterable[str] = ()) -> list[str]:
        """Return the kernels that version 1 code calls, its own and libraries', in order.

        ``bodies``: kernels that the code only declares, because a different file defines them.
        """
        names = dict.fromkeys(name for _, kernels in self._callable for name in kernels)
        library = (name for name in names if name not in self.definitions and not _HELPERS.match(name))
        kernels = {*self.definitions, *bodies} | {
            name for name in library if _LIBRARY.match(name) or (not self.is_cpp and _OPERATOR.match(name))
        }
        return [name for name in names if name in kernels]

    def operators_without_handles(self) -> list[str]:
        """Return the operators that version 2 code calls without a comment, such as collectives, in order."""
        handled = {split_handle(handle)[0] for handle in self._comments}
        return [
            name for name in self.kernels_without_handles() if _OPERATOR.match(name) and name not in handled
        ]


@lru_cache(4096)  # recompiles have most lines in common
def _may_call(line: str) -> tuple[str, ...]:
    """Return the kernels that the words of a line may call: 'k' for 'kernels.call_k.run'."""
    words = _WORD.findall(line) if _is_code(line) else ()
    return tuple(
        dict.fromkeys(
            word.removeprefix("kernels.").removeprefix("call_").removesuffix(".run") for word in words
        )
    )


def _is_code(line: str) -> bool:
    if "(" not in line or _NO_CALL.match(line) or _DEFINITION.match(line):
        return False
    return "numel" not in line or not _DECLARATION.search(line)


def _end_of_python(line: str) -> str:
    """Return the start of the last line of a kernel in a string; '' for a single line."""
    return next((quotes for quotes in ("'''", '"""') if line.count(quotes) == 1), "")
