"""Computes the memory of one generated code from its text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tlparse_bundle.tables.memory.accounts import Accounts
from tlparse_bundle.tables.memory.cpp_code import CppCode
from tlparse_bundle.tables.memory.declared import Declared
from tlparse_bundle.tables.memory.graph_text import GraphText
from tlparse_bundle.tables.memory.module import Module, texts_in
from tlparse_bundle.tables.memory.python_code import PythonCode, TooLongError

MAX_BYTES = 20 << 20  # of one code
_KERNEL = re.compile(r"^(\w+ = async_compile\.\w+)\(.*?('''|\"\"\")", re.MULTILINE)

_AFTER_KERNELS = b"\nasync_compile.wait(globals())"
_FUNCTION = re.compile(rb"\ndef (?!triton_)")  # not of a Triton kernel, whose text is in a string
_COMMENT = re.compile(r"^#[^\n]*", re.MULTILINE)


class CodePart(NamedTuple):
    """The part of a code that counts. ``line``: lines before it. ``kernels``: names of the kernels there."""

    text: bytes
    line: int
    kernels: tuple[str, ...]


def part_that_counts(code: bytes, kernels: Iterable[str]) -> CodePart:
    """Return what follows the kernels of a code, unless there are functions among them.

    Kernels are most of the text. Codes that only differ in them are followed once.
    """
    position = code.rfind(_AFTER_KERNELS)  # an autotuning block in the docstring has one, too
    if position < 0 or _FUNCTION.search(code, 0, position):
        text = without_kernels(code.decode("utf-8", "replace"))
        return CodePart(text.encode("utf-8", "replace"), 0, ())
    return CodePart(code[position:], code.count(b"\n", 0, position), tuple(kernels))


def without_kernels(text: str) -> str:
    """Return a code without kernels and comments of the module, with the same lines.

    They count nothing, are most of the text, and differ between codes that are otherwise equal.
    """
    parts: list[str] = []
    position = 0
    while match := _KERNEL.search(text, position):
        end = text.find(match[2], match.end())
        end = text.find("\n", end) if end >= 0 else -1
        if end < 0:
            break
        parts += (text[position : match.end(1)], "()", "\n" * text.count("\n", match.end(1), end))
        position = end
    return _COMMENT.sub("", "".join((*parts, text[position:])))


def memory_of(part: CodePart, hints: Mapping[str, int], graph: GraphText | None) -> Accounts:
    """Follow a code. Lines count from the first of the part."""
    accounts = Accounts()
    try:
        _follow(part, hints, graph, accounts)
    except TooLongError:
        accounts.doubt("limit")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        accounts.doubt("language")
    return accounts


def _follow(part: CodePart, hints: Mapping[str, int], graph: GraphText | None, accounts: Accounts) -> None:
    if len(part.text) > MAX_BYTES:
        raise TooLongError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in strings
        tree = ast.parse(part.text.decode("utf-8", "replace"))
    module, declared = Module(tree, part.kernels), Declared(tree, hints, graph)
    if module.entry is not None:
        PythonCode(module, declared, accounts).run()
    elif not any(CppCode(source, line, declared, accounts).run() for line, source in texts_in(tree)):
        accounts.doubt("language")
