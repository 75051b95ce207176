"""Ranks that wait for each other in different groups, and the rank whose order of calls differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tlparse_bundle.statements.ranks.flight_recorder.groups import UNDEFINED
from tlparse_bundle.statements.ranks.rank_sets import ranks_in

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FlightRecorderCallsRow, FlightRecorderGroupsRow


class Divergence(NamedTuple):
    """The first call of ``ranks`` that differs from that of ``others`` at the same place."""

    ranks: list[int]
    others: list[int]
    here: FlightRecorderCallsRow  # of the lowest rank of each side
    there: FlightRecorderCallsRow


def waiting_cycle(groups: Sequence[FlightRecorderGroupsRow]) -> set[int]:
    """Return the ranks that wait, over other ranks, for themselves."""
    waits_for: dict[int, set[int]] = {}
    for group in groups:
        for rank in ranks_in(group["waiting"]):
            waits_for.setdefault(rank, set()).update(ranks_in(group["missing"]))
    # Remove ranks that wait for nobody left, until only cycles and those that wait for them are left; then
    # remove those for whom nobody waits.
    left = set(waits_for)
    while stay := {rank for rank in left if not waits_for[rank] & left}:
        left -= stay
    while stay := {rank for rank in left if not any(rank in waits_for[other] for other in left)}:
        left -= stay
    return left


def first_divergence(calls: Mapping[int, Sequence[FlightRecorderCallsRow]]) -> Divergence | None:
    """Return the first call of a minority that differs from the order of most ranks; None without a majority.

    ``calls``: collectives by rank, in order. Groups with the same description, such as those of one dimension
    of a mesh, are alike.
    """
    first: dict[str, int] = {}  # the first number that all ranks with calls in such a group have
    for own in calls.values():
        starts: dict[str, int] = {}
        for call in own:
            starts.setdefault(_role(call), call["sequence"])
        for role, start in starts.items():
            first[role] = max(first.get(role, 0), start)
    orders = {
        rank: [call for call in own if call["sequence"] >= first[_role(call)]] for rank, own in calls.items()
    }
    ranks = list(orders)
    for place in range(max(map(len, orders.values()), default=0)):
        there = [rank for rank in ranks if len(orders[rank]) > place]
        roles = Counter(_role(orders[rank][place]) for rank in there)
        if len(roles) < 2:
            continue
        (usual, most), (_, second) = roles.most_common(2)
        if most == second:
            return None
        others = [rank for rank in there if _role(orders[rank][place]) == usual]
        odd = [rank for rank in there if rank not in others]
        return Divergence(odd, others, orders[odd[0]][place], orders[others[0]][place])
    return None


def _role(call: FlightRecorderCallsRow) -> str:
    """Return what groups with the same purpose have in common."""
    return call["group"] if call["description"] in (UNDEFINED, "") else call["description"]
