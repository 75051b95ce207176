"""Process groups as axes of a job, and the order in which ranks call collectives of several groups.

A mesh of 2 x 2 ranks has four groups: two along one axis, two along the other. Their names differ between
ranks, so the ranks of a role are compared by axis. Calls in a different order across groups can deadlock even
where the calls of each group match: a wait in one group keeps a rank from the call that another waits for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from tlparse_bundle.statements.ranks.collective_calls import Call
from tlparse_bundle.statements.ranks.comparison import Comparison
from tlparse_bundle.statements.ranks.rank_sets import are_moved
from tlparse_bundle.statements.ranks.recorded_calls import CallsDigest, call_of

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GroupOrdersRow


class Step(NamedTuple):
    """A call in the order of a rank. ``later``: see Started."""

    call: Call
    column: int
    later: int | None


class RankCalls(NamedTuple):
    """The calls of members with the same calls."""

    members: list[int]
    steps: list[Step]


Node = tuple[object, ...]


def axes_of(callers: Mapping[str | None, Sequence[int]]) -> dict[str | None, int]:
    """Return the axis of each process group, numbered from 0 in order of the groups.

    ``callers``: the ranks that call collectives in a group. Groups of one axis are disjoint, and each is
    another one moved by some ranks: {0, 1} and {2, 3}, or {0, 2} and {1, 3}.
    """
    axes: dict[str | None, int] = {}
    members: list[list[Sequence[int]]] = []
    for group, ranks in callers.items():
        own = sorted(ranks)
        axis = next((number for number, others in enumerate(members) if _continues(own, others)), None)
        if axis is None:
            axis = len(members)
            members.append([])
        members[axis].append(own)
        axes[group] = axis
    return axes


def _continues(ranks: Sequence[int], others: Sequence[Sequence[int]]) -> bool:
    first = others[0]
    return (
        len(first) > 1 and are_moved([first, ranks]) and all(set(ranks).isdisjoint(other) for other in others)
    )


def sequences_of(comparison: Comparison, digests: Sequence[CallsDigest]) -> list[RankCalls]:
    """Return the calls of the ranks: as graphs ran, or, if that is not recorded, of each function's first
    compile.
    """
    sequences = []
    for members in comparison.alike(digests):
        digest, order = digests[members[0]], comparison.orders[comparison.kind[members[0]]]
        ran = digest["ran"]
        frames = [frame for frame, _ in comparison.first_compiles(members[0])] if ran is None else ran
        steps = [
            Step(call_of(digest["calls"][number]), order[frame], later)
            for frame in frames
            for number, later in zip(digest["frames"][frame] or (), digest["later"][frame], strict=True)
        ]
        sequences.append(RankCalls(members, steps))
    return sequences


def crossed(
    comparison: Comparison,
    sequences: Sequence[RankCalls],
    axes: Mapping[str | None, int],
    calls: dict[Call, int],
) -> list[GroupOrdersRow]:
    """Return the first place where ranks of a role call collectives of several groups in different orders.

    There is one row per order, the most frequent first. The calls of each group must match.
    """
    for role in range(len(comparison.roles)):
        own = [one for one in sequences if one.steps and comparison.role_of(one.members[0]) == role]
        orders: Counter[tuple[int, ...]] = Counter()
        for one in own:
            orders[_order(one, axes)] += len(one.members)
        if len(orders) < 2 or len({frozenset(Counter(order).items()) for order in orders}) > 1:
            continue
        effect: Literal["hang", "may_hang"] = "hang" if _hangs(sequences) else "may_hang"
        usual = max(orders, key=lambda order: (orders[order], -_first_member(own, axes, order)))
        return list(_rows(comparison, own, axes, usual, effect, calls))
    return []


def _order(one: RankCalls, axes: Mapping[str | None, int]) -> tuple[int, ...]:
    return tuple(axes[step.call.group] for step in one.steps)


def _first_member(own: Sequence[RankCalls], axes: Mapping[str | None, int], order: tuple[int, ...]) -> int:
    return min(one.members[0] for one in own if _order(one, axes) == order)


def _rows(
    comparison: Comparison,
    own: Sequence[RankCalls],
    axes: Mapping[str | None, int],
    usual: tuple[int, ...],
    effect: Literal["hang", "may_hang"],
    calls: dict[Call, int],
) -> Iterator[GroupOrdersRow]:
    by_order: dict[tuple[int, ...], list[RankCalls]] = {}
    for one in own:
        by_order.setdefault(_order(one, axes), []).append(one)
    places = {order: _first_difference(order, usual) for order in by_order if order != usual}
    first = min(places.values())
    for order in (usual, *(order for order, place in places.items() if place == first)):
        step = min(by_order[order], key=lambda one: one.members).steps[first]
        yield {
            "position": first,
            "effect": effect,
            "ranks": comparison.ranks(member for one in by_order[order] for member in one.members),
            "rank_compile": step.column,
            "collective_call": calls.setdefault(step.call, len(calls)),
        }


def _first_difference(order: tuple[int, ...], usual: tuple[int, ...]) -> int:
    pairs = enumerate(zip(order, usual, strict=True))
    return next(place for place, (here, there) in pairs if here != there)


def _hangs(sequences: Sequence[RankCalls]) -> bool:
    """Return whether no order of events is possible.

    A call ends when all its callers have issued it, and a rank issues a call only after its waits before it.
    """
    after: dict[Node, set[Node]] = {}
    for number, one in enumerate(sequences):
        counts: Counter[str | None] = Counter()
        for place, step in enumerate(one.steps):
            issued: Node = (number, place)
            completed: Node = ("completed", step.call.group, counts[step.call.group])
            counts[step.call.group] += 1
            after.setdefault(issued, set()).update({completed, (number, place + 1)})
            if step.later is not None:  # the rank waits before it goes on
                after.setdefault(completed, set()).add((number, place + 1 + step.later))
    return _has_cycle(after)


def _has_cycle(after: Mapping[Node, set[Node]]) -> bool:
    left: Counter[Node] = Counter(node for nodes in after.values() for node in nodes)
    ready = [node for node in after if not left[node]]
    seen = 0
    while ready:
        node = ready.pop()
        seen += 1
        for following in after.get(node, ()):
            left[following] -= 1
            if not left[following]:
                ready.append(following)
    return seen < len({*after, *left})
