"""Computes the memory of one generated code from its text."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from tlparse_bundle.tables.memory.accounts import Accounts
from tlparse_bundle.tables.memory.cpp_code import CppCode
from tlparse_bundle.tables.memory.declared import Declared
from tlparse_bundle.tables.memory.graph_text import GraphText
from tlparse_bundle.tables.memory.python_code import Module, PythonCode, TooLongError, texts_in

_MAX_BYTES = 20 << 20  # of one code


@dataclass(slots=True)
class CodeMemory:
    """Storages and peaks of a code, and the names of what its graph returns."""

    accounts: Accounts
    returned: list[str]


def memory_of(text: str, hints: Mapping[str, int], graph: GraphText | None) -> CodeMemory:
    accounts = Accounts()
    try:
        _follow(text, hints, graph, accounts)
    except TooLongError:
        accounts.doubt("limit")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        accounts.doubt("language")
    return CodeMemory(accounts, graph.returned if graph is not None else [])


def _follow(text: str, hints: Mapping[str, int], graph: GraphText | None, accounts: Accounts) -> None:
    if len(text) > _MAX_BYTES:
        raise TooLongError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in strings
        tree = ast.parse(text)
    module, declared = Module(tree), Declared(tree, hints, graph)
    if module.entry is not None:
        PythonCode(module, declared, accounts).run()
    elif not any(CppCode(source, line, declared, accounts).run() for line, source in texts_in(tree)):
        accounts.doubt("language")
