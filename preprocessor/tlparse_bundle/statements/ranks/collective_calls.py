"""Collectives in a graph or generated code: calls with group and tensor, counts by kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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
_LIST = re.compile(r"\[([^\[\]]*)\]")
_ROOT = re.compile(r"^\s*\w+\s*,\s*(\d+)\s*,")  # of broadcast(tensor, root, group)
_SIZED = ("all_gather", "reduce_scatter")
_UNEQUAL = "all_to_all"  # ranks may pass different sizes
_WAIT = "wait_tensor"
_NO_COLLECTIVE = ("send", "recv", "isend", "irecv", "batch_p2p_ops")  # point-to-point calls
WORLD = "0"  # name of the default group: torch/distributed/distributed_c10d.py, _process_group_name


Sizes = tuple[int | str, ...]  # a symbol is a string
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
    shape: Sizes | None
    root: int | None  # of a broadcast
    output_splits: Sizes | None  # of an all-to-all: rows from each rank of the group, and to each
    input_splits: Sizes | None


class Started(NamedTuple):
    """A call in a text. ``later``: the calls between it and its wait; None without a wait in the text."""

    call: Call
    later: int | None


GROUP = Call._fields.index("group")


def calls_of_graph(text: str) -> list[Started]:
    """Return the collectives of a printed graph, in order."""
    return _started(text, lambda match: _call(match, *_typed(match["type"])))


def calls_of_code(text: str, graphs: Iterable[Started] = ()) -> list[Started]:
    """Return the collectives of generated Python code, in order, with types from the calls in ``graphs``."""
    typed: dict[tuple[str, str | None, str | None], list[Call]] = {}
    for call, _ in graphs:
        typed.setdefault(call[:3], []).append(call)

    def of_code(match: re.Match[str]) -> Call:
        call = _call(match, None, None)
        in_graph = typed.get(call[:3])
        return in_graph.pop(0) if in_graph else call

    return _started(_BLOCKS.sub("", text), of_code)


def _started(text: str, read: Callable[[re.Match[str]], Call]) -> list[Started]:
    if "c10d_functional" not in text:
        return []
    calls: list[Call] = []
    later: list[int | None] = []
    pending: dict[str, int] = {}  # the call whose result, or whose tensor in place, has a name
    for match in _CALL.finditer(text):
        first = match["arguments"].partition(",")[0].strip()
        if match["op"] == _WAIT:
            number = pending.pop(first, None)
            if number is not None and later[number] is None:
                later[number] = len(calls) - number - 1
        elif match["op"] not in _NO_COLLECTIVE:
            if match["name"] is None or match["op"].endswith("_"):  # in place
                pending[first] = len(calls)
            pending[match["name"] or first] = len(calls)
            calls.append(read(match))
            later.append(None)
    return list(map(Started, calls, later))


def _call(match: re.Match[str], dtype: str | None, shape: Sizes | None) -> Call:
    op = re.sub(r"(_out|_)$", "", match["op"])
    arguments = match["arguments"]
    strings = list(_STRING.finditer(arguments))
    texts = [string[1] if string[1] is not None else string[2] for string in strings]
    before = arguments[: strings[-1].start()] if strings else ""
    size = _SIZE.search(before) if any(kind in op for kind in _SIZED) else None
    root = _ROOT.match(before) if op == "broadcast" else None
    splits = [_sizes(text) for text in _LIST.findall(before)] if _UNEQUAL in op else []
    output, input_ = splits if len(splits) == 2 else (None, None)
    return Call(
        op,
        texts[0] if len(texts) > 1 else None,
        texts[-1] if texts else None,
        int(size[1]) if size else None,
        dtype,
        shape,
        int(root[1]) if root else None,
        output,
        input_,
    )


def _sizes(text: str) -> Sizes:
    sizes = [size.strip() for size in text.split(",") if size.strip()]
    return tuple(int(size) if _NUMBER.fullmatch(size) else size for size in sizes)


def _typed(type_: str | None) -> tuple[str | None, Sizes | None]:
    """Return ("f32", (16, 8)) for "f32[16, 8][8, 1]cpu"."""
    match = _TYPE.match(type_ or "")
    if match is None:
        return None, None
    return match[1], _sizes(match[2])


def fits(one: Call, other: Call) -> bool:
    """Return whether two calls match in everything that both record."""
    return can_meet(one, other) and not _differ(one.reduce_op, other.reduce_op)


def can_meet(one: Call, other: Call) -> bool:
    """Return whether two calls have the same collective, group, root, data type and size.

    Otherwise the ranks hang or fail. Sizes of an all-to-all may differ: see ``unequal_splits``.
    """
    return (
        one.op == other.op
        and not _differ(one.group, other.group)
        and not _differ(one.group_size, other.group_size)
        and not _differ(one.dtype, other.dtype)
        and not _differ(one.root, other.root)
        and (_UNEQUAL in one.op or _same_shape(one.shape, other.shape))
    )


def _differ(one: object, other: object) -> bool:
    return one is not None and other is not None and one != other


def _same_shape(one: Sizes | None, other: Sizes | None) -> bool:
    if one is None or other is None:
        return True
    return len(one) == len(other) and all(
        a == b for a, b in zip(one, other, strict=True) if type(a) is int and type(b) is int
    )


class Unmatched(NamedTuple):
    """What one rank of a group sends to another, which expects a different number of rows."""

    sender: int  # positions in the group
    receiver: int
    sent: int
    expected: int


def unequal_splits(calls: Sequence[Call]) -> list[Unmatched]:
    """Return the pairs of an all-to-all that do not match. ``calls``: of all ranks of the group, in order.

    Nothing where a size is symbolic or not recorded, or ranks are missing: that cannot be decided.
    """
    count = len(calls)
    pairs = []
    for sender, call in enumerate(calls):
        for receiver, other in enumerate(calls):
            sent, expected = call.input_splits or (), other.output_splits or ()
            if len(sent) == len(expected) == count:
                here, there = sent[receiver], expected[sender]
                if type(here) is int and type(there) is int and here != there:
                    pairs.append(Unmatched(sender, receiver, here, there))
    return pairs


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
