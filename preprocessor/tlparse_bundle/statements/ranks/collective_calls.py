"""Collectives in a graph or generated code: calls with group and tensor, counts by kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from tlparse_bundle.statements.kinds.collectives import kind_of

# torch/distributed/_functional_collectives.py: operators of _c10d_functional; c10d_functional is the older
# name.
_CALL = re.compile(
    r"(?:(?P<name>\w+)(?:\s*:\s*\"(?P<type>[^\"\n]*)\")?\s*=\s*)?"
    r"torch\s*\.\s*ops\s*\.\s*_?c10d_functional(?:_autograd)?\s*\.\s*(?P<op>\w+)(?:\s*\.\s*\w+)?"
    r"\s*\((?P<arguments>[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)"
)
_STRING = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_SIZE = re.compile(r",\s*(\d+)\s*,\s*$")  # of the group: the number before the group name
_TYPE = re.compile(r"(\w+)\[([^\]]*)\]")
_NUMBER = re.compile(r"\d+")
_BLOCKS = re.compile(r"'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|#[^\n]*")
_SIZED = ("all_gather", "reduce_scatter")
_WAIT = "wait_tensor"
_NO_COLLECTIVE = (_WAIT, "send", "recv", "isend", "irecv")  # waits and point-to-point calls
WORLD = "0"  # name of the default group: torch/distributed/distributed_c10d.py, _process_group_name


Shape = tuple[int | str, ...]
# torch/_inductor/codegen/wrapper.py writes fallback kernels as calls of an overload of the operator.
_OVERLOAD_CALL = re.compile(
    r"torch\s*\.\s*ops\s*\.\s*_?c10d_functional(?:_autograd)?\s*\.\s*(\w+)\s*\.\s*\w+\s*\("
)
_COMMENT_OR_STRING = re.compile(
    r"(?P<string>[rRbBfFuU]{0,2}"
    r"""(?:'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))"""
    r"|(?P<comment>\#[^\n]*)"
)


class Call(NamedTuple):
    """A call of a collective. None: not in the text. A symbolic size is a string."""

    op: str
    reduce_op: str | None
    group: str | None
    group_size: int | None
    dtype: str | None
    shape: Shape | None


def calls_of_graph(text: str) -> list[Call]:
    """Return the collectives of a printed graph, in order."""
    return [_call(match, *_typed(match["type"])) for match in _matches(text)]


def calls_of_code(text: str, graphs: Iterable[Call] = ()) -> list[Call]:
    """Return the collectives of generated Python code, in order, with types from the calls in ``graphs``."""
    typed: dict[tuple[str, str | None, str | None], list[Call]] = {}
    for call in graphs:
        typed.setdefault(call[:3], []).append(call)
    calls = []
    for match in _matches(_BLOCKS.sub("", text)):
        call = _call(match, None, None)
        in_graph = typed.get(call[:3])
        calls.append(in_graph.pop(0) if in_graph else call)
    return calls


def _matches(text: str) -> list[re.Match[str]]:
    if "c10d_functional" not in text:
        return []
    return [match for match in _CALL.finditer(text) if match["op"] not in _NO_COLLECTIVE]


def _call(match: re.Match[str], dtype: str | None, shape: Shape | None) -> Call:
    op = re.sub(r"(_out|_)$", "", match["op"])
    strings = list(_STRING.finditer(match["arguments"]))
    texts = [string[1] if string[1] is not None else string[2] for string in strings]
    size = (
        _SIZE.search(match["arguments"][: strings[-1].start()])
        if strings and any(kind in op for kind in _SIZED)
        else None
    )
    return Call(
        op,
        texts[0] if len(texts) > 1 else None,
        texts[-1] if texts else None,
        int(size[1]) if size else None,
        dtype,
        shape,
    )


def _typed(type_: str | None) -> tuple[str | None, Shape | None]:
    """Return ("f32", (16, 8)) for "f32[16, 8][8, 1]cpu"."""
    match = _TYPE.match(type_ or "")
    if match is None:
        return None, None
    sizes = [size.strip() for size in match[2].split(",") if size.strip()]
    return match[1], tuple(int(size) if _NUMBER.fullmatch(size) else size for size in sizes)


def fits(one: Call, other: Call) -> bool:
    """Return whether two calls match in everything that both record."""
    return (
        can_meet(one, other)
        and not _differ(one.reduce_op, other.reduce_op)
        and not _differ(one.dtype, other.dtype)
    )


def can_meet(one: Call, other: Call) -> bool:
    """Return whether two calls have the same collective, group and shape, so the ranks do not hang."""
    return (
        one.op == other.op
        and not _differ(one.group, other.group)
        and not _differ(one.group_size, other.group_size)
        and _same_shape(one.shape, other.shape)
    )


def _differ(one: object, other: object) -> bool:
    return one is not None and other is not None and one != other


def _same_shape(one: Shape | None, other: Shape | None) -> bool:
    if one is None or other is None:
        return True
    return len(one) == len(other) and all(
        a == b for a, b in zip(one, other, strict=True) if type(a) is int and type(b) is int
    )


def counts_of_schedule(ops: Iterable[str]) -> Counter[str]:
    """Return the number of collectives of each kind in a schedule."""
    return Counter(kind for kind in map(kind_of, ops) if kind is not None)


def counts_of_code(text: str) -> tuple[Counter[str], int]:
    """Return the number of collectives that Python code calls, by kind, and the number of its waits.

    Comments and strings do not count.
    """
    counts: Counter[str] = Counter()
    waits = 0
    if "c10d_functional" not in text:
        return counts, waits
    for match in _OVERLOAD_CALL.finditer(_COMMENT_OR_STRING.sub("", text)):
        if match[1] == _WAIT:
            waits += 1
        elif (kind := kind_of(match[1])) is not None:
            counts[kind] += 1
    return counts, waits
