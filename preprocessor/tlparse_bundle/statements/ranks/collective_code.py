"""Collectives in schedules and in generated code, counted by kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from tlparse_bundle.statements.kinds.collectives import kind_of

_WAIT = "wait_tensor"
# torch/_inductor/codegen/wrapper.py writes fallback kernels as calls of an overload of the operator.
_CALL = re.compile(r"torch\s*\.\s*ops\s*\.\s*_?c10d_functional(?:_autograd)?\s*\.\s*(\w+)\s*\.\s*\w+\s*\(")
_COMMENT_OR_STRING = re.compile(
    r"""(?P<string>[rRbBfFuU]{0,2}(?:'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))|(?P<comment>\#[^\n]*)"""
)


def scheduled(ops: Iterable[str]) -> Counter[str]:
    """Number of collectives of each kind in a schedule."""
    return Counter(kind for kind in map(kind_of, ops) if kind is not None)


def in_code(text: str) -> tuple[Counter[str], int]:
    """Number of collectives of each kind that Python code calls, and of its waits.

    Comments and strings are no code, whatever they hold; kernels in strings do not call collectives.
    """
    counts: Counter[str] = Counter()
    waits = 0
    if "c10d_functional" not in text:
        return counts, waits
    for match in _CALL.finditer(_COMMENT_OR_STRING.sub("", text)):
        if match[1] == _WAIT:
            waits += 1
        elif (kind := kind_of(match[1])) is not None:
            counts[kind] += 1
    return counts, waits
