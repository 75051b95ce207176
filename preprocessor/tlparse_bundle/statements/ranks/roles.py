"""Roles of ranks: sets of ranks that should compile the same code, such as the stages of a pipeline.

No log records roles. They follow from which functions ranks compiled, which inputs those graphs have, and
which process groups they call: in a pipeline, each stage has its own functions or parameters, and stages are
of equal size. A single rank that differs from all others is not a role but a fault.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.ranks.frames import CAPTURED, Code, Frame, Frames, code_of
from tlparse_bundle.statements.ranks.rank_sets import are_moved

# The first signature in a printed graph (torch/fx/graph.py); an input is `L_x_: "f32[16, 8][8, 1]cpu"`.
_SIGNATURE = re.compile(rb"def forward\(self,?([^\n]*)\)(?: ->[^\n]*)?:\s*\n")
_INPUT = re.compile(rb'(\w+)\s*:\s*"(?!Sym)')


class Rank(NamedTuple):
    """What decides the role of a rank: the input names of each function's first graph, and its groups."""

    inputs: dict[Code, str | None]  # a hash; None: not recorded
    groups: frozenset[str]


def input_names(frames: Frames) -> list[str | None]:
    """Return a hash of the input names of the captured graph of each frame; None without a graph."""
    graphs = (_captured(frames, number) for number in range(len(frames)))
    return [None if graph is None else frames.contents.once(graph, _names) for graph in graphs]


def _captured(frames: Frames, number: int) -> Artifact | None:
    return next((artifact for artifact in frames.artifacts(number) if artifact.name in CAPTURED), None)


def _names(graph: Artifact) -> str | None:
    signature = _SIGNATURE.search(graph.bytes() or b"")
    if signature is None:
        return None
    return hashlib.sha256(b",".join(_INPUT.findall(signature[1]))).hexdigest()[:12]


def described(frames: Sequence[Frame], inputs: Sequence[str | None], groups: Iterable[str | None]) -> Rank:
    """Return what decides the role of a rank. ``inputs``: see ``input_names``; ``groups``: that it calls."""
    first: dict[Code, str | None] = {}
    for frame, names in zip(frames, inputs, strict=True):
        first.setdefault(code_of(frame), names)
    return Rank(first, frozenset(group for group in groups if group is not None))


def roles_of(ranks: Sequence[Rank]) -> list[list[int]]:
    """Return the roles as lists of positions in ``ranks``, in order. Ranks without compiles have none."""
    kinds: dict[tuple[object, ...], list[int]] = {}
    callers: dict[str, list[int]] = {}
    for number, rank in enumerate(ranks):
        for group in rank.groups:
            callers.setdefault(group, []).append(number)
        if rank.inputs:
            kinds.setdefault((frozenset(rank.inputs.items()), rank.groups), []).append(number)
    roles = _connected(ranks, list(kinds.values()), callers)
    while len(roles) > 1 and not _are_plausible(ranks, roles):
        joined = _with_odd_one_joined(ranks, roles)
        if joined is None:
            break
        roles = joined
    return sorted(map(sorted, roles))


def _connected(
    ranks: Sequence[Rank], kinds: list[list[int]], callers: Mapping[str, list[int]]
) -> list[list[int]]:
    roles: list[list[list[int]]] = []
    for kind in kinds:
        near = [role for role in roles if any(_have_one_role(ranks, kind, other, callers) for other in role)]
        roles = [
            *(role for role in roles if role not in near),
            [kind, *(other for role in near for other in role)],
        ]
    return [[number for kind in role for number in kind] for role in roles]


def _have_one_role(
    ranks: Sequence[Rank], kind: list[int], other: list[int], callers: Mapping[str, list[int]]
) -> bool:
    return _may_be_equal(ranks[kind[0]], ranks[other[0]]) and not _has_own_group(ranks, kind, other, callers)


def _may_be_equal(one: Rank, other: Rank) -> bool:
    """Return whether one rank compiled what the other did, or less of it, with equal inputs."""
    common = one.inputs.keys() & other.inputs.keys()
    if not common or min(len(one.inputs), len(other.inputs)) > len(common):
        return False
    return not any(_differ(one.inputs[code], other.inputs[code]) for code in common)


def _has_own_group(
    ranks: Sequence[Rank], kind: list[int], other: list[int], callers: Mapping[str, list[int]]
) -> bool:
    """Return whether the ranks that compiled more did so in a process group of their own.

    Ranks that only ended earlier compiled the beginning of what the others did.
    """
    less, more = sorted((kind, other), key=lambda one: len(ranks[one[0]].inputs))
    few, many = list(ranks[less[0]].inputs), list(ranks[more[0]].inputs)
    if many[: len(few)] == few:
        return False
    new = ranks[more[0]].groups - ranks[less[0]].groups
    return any(len(callers[group]) > 1 and set(callers[group]) == set(more) for group in new)


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _are_plausible(ranks: Sequence[Rank], roles: list[list[int]]) -> bool:
    """Return whether roles have the pattern of stages: each is the first one, moved by some ranks.

    Roles of one rank each must not call collectives with each other.
    """
    if not are_moved(sorted(map(sorted, roles))):
        return False
    if len(roles[0]) > 1:
        return True
    groups = [group for role in roles for group in ranks[role[0]].groups]
    return len(groups) == len(set(groups))


def _with_odd_one_joined(ranks: Sequence[Rank], roles: list[list[int]]) -> list[list[int]] | None:
    """Return the roles with the smallest joined to the most similar; None when no two are similar."""
    for odd in sorted(roles, key=lambda role: (len(role), -role[0])):
        others = [role for role in roles if role is not odd]
        likeness = [
            max(_likeness(ranks[number], ranks[other]) for number in odd[:1] for other in role[:1])
            for role in others
        ]
        best = max(range(len(others)), key=lambda place: (likeness[place], len(others[place])))
        if likeness[best] > (0, 0.0):
            return [*(role for role in others if role is not others[best]), [*others[best], *odd]]
    return None


def _likeness(one: Rank, other: Rank) -> tuple[int, float]:
    """Return (number of common process groups, share of common functions)."""
    common = one.inputs.keys() & other.inputs.keys()
    return len(one.groups & other.groups), len(common) / len(one.inputs.keys() | other.inputs.keys())
