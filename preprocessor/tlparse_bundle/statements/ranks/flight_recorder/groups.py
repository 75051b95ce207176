"""The process groups of all dumps, the call that each rank is in, and which ranks have not made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from tlparse_bundle.log.flight_recorder.dump import DEFAULT_GROUP, RecordedGroup
from tlparse_bundle.statements.ranks.flight_recorder.recorded import Recorded
from tlparse_bundle.statements.ranks.flight_recorder.signatures import must_agree
from tlparse_bundle.statements.ranks.rank_sets import ranges

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        FlightRecorderCallsRow,
        FlightRecorderGroupsRow,
        FlightRecorderPositionsRow,
    )

State = Literal["differs", "missing", "waiting", "unknown", "finished"]
_STATES: tuple[State, ...] = ("differs", "missing", "waiting", "unknown", "finished")
UNDEFINED = "undefined"
Members = tuple[int, ...]
Key = tuple[str, Members | None]  # the name of a group, and its ranks if they are recorded


class _Group:
    def __init__(self, key: Key):
        self.name, self.members = key
        self.description = UNDEFINED
        self.recorded: dict[int, RecordedGroup] = {}
        self.calls: dict[int, list[FlightRecorderCallsRow]] = {}  # by rank

    def sequences(self, rank: int) -> dict[int, FlightRecorderCallsRow]:
        """Return the collectives of a rank by number; coalesced calls share a number, the last one stays."""
        return {call["sequence"]: call for call in self.calls.get(rank, ()) if not call["p2p"]}


class Verdict(NamedTuple):
    """What the ranks of a group do."""

    state: State
    sequence: int | None = None
    waiting: frozenset[int] = frozenset()
    missing: frozenset[int] = frozenset()


def group_tables(
    recorded: Recorded, world: Iterable[int], callers: Mapping[str, Iterable[int]]
) -> tuple[list[FlightRecorderGroupsRow], list[FlightRecorderPositionsRow]]:
    """Return the rows of both tables.

    ``world``: all ranks of the job. ``callers``: ranks whose compiled code calls in a group, by its name.
    """
    world = sorted(world)
    dumped = {row["rank"] for row in recorded.dumps}
    made = []
    for group in _groups(recorded):
        members, ranks_from = _members(group, world, callers)
        verdict = _verdict(group, members & dumped, bool(members - dumped))
        made.append((group, members, ranks_from, verdict))
    made.sort(key=lambda one: (_STATES.index(one[3].state), one[0].name, one[0].members or ()))
    groups: list[FlightRecorderGroupsRow] = []
    positions: list[FlightRecorderPositionsRow] = []
    for number, (group, members, ranks_from, verdict) in enumerate(made):
        operations = [
            call["operation"]
            for rank in sorted(members)
            if verdict.sequence is not None and (call := group.sequences(rank).get(verdict.sequence))
        ]
        groups.append(
            {
                "id": number,
                "group": group.name,
                "description": group.description,
                "ranks": ranges(members),
                "ranks_from": ranks_from,
                "state": verdict.state,
                "sequence": verdict.sequence,
                "operation": max(operations, key=operations.count, default=None),
                "waiting": ranges(verdict.waiting),
                "missing": ranges(verdict.missing),
                "no_dump": ranges(members - dumped),
            }
        )
        positions += [_position(number, group, rank) for rank in sorted(members & dumped)]
    return groups, positions


def _groups(recorded: Recorded) -> list[_Group]:
    """Return the groups; those of one name are one group unless their recorded ranks differ."""
    known: dict[str, set[Members]] = {}
    for one in recorded.groups:
        if one.ranks is not None:
            known.setdefault(one.group, set()).add(one.ranks)
    groups: dict[Key, _Group] = {}
    of_rank: dict[tuple[int, str], _Group] = {}
    for one in recorded.groups:
        members = one.ranks
        if members is None:
            fitting = [ranks for ranks in known.get(one.group, ()) if one.rank in ranks]
            members = fitting[0] if len(fitting) == 1 else None
        group = groups.setdefault((one.group, members), _Group((one.group, members)))
        if group.description in (UNDEFINED, ""):
            group.description = one.description or UNDEFINED
        group.recorded[one.rank] = one
        of_rank[one.rank, one.group] = group
    for call in recorded.calls:
        found = of_rank.get((call["rank"], call["group"]))
        if found is not None:
            found.calls.setdefault(call["rank"], []).append(call)
    return list(groups.values())


def _members(
    group: _Group, world: Sequence[int], callers: Mapping[str, Iterable[int]]
) -> tuple[set[int], Literal["recorded", "all", "callers"]]:
    if group.members is not None:
        return set(group.members), "recorded"
    if group.description == DEFAULT_GROUP:
        return {*world, *group.recorded}, "all"
    return {*group.recorded, *callers.get(group.name, ())}, "callers"


def _verdict(group: _Group, ranks: set[int], lacks_dumps: bool) -> Verdict:
    """Return what the ranks with a dump do in a group."""
    sequences = {rank: group.sequences(rank) for rank in ranks}
    differing = _first_difference(sequences)
    open_calls = {
        rank: min(unfinished)
        for rank, calls in sequences.items()
        if (unfinished := [number for number, call in calls.items() if not call["finished"]])
    }
    if differing is not None and (not open_calls or differing <= min(open_calls.values())):
        here = frozenset(rank for rank, number in open_calls.items() if number >= differing)
        return Verdict("differs", differing, here)
    if not open_calls:
        return Verdict("finished", max((max(calls) for calls in sequences.values() if calls), default=None))
    number = min(open_calls.values())
    missing = frozenset(
        rank for rank, calls in sequences.items() if max(calls, default=0) < number and rank not in open_calls
    )
    state: State = "missing" if missing else "unknown" if lacks_dumps else "waiting"
    return Verdict(state, number, frozenset(open_calls), missing)


def _first_difference(sequences: Mapping[int, Mapping[int, FlightRecorderCallsRow]]) -> int | None:
    """Return the number of the first call in which ranks made different calls."""
    for number in sorted({number for calls in sequences.values() for number in calls}):
        here = {must_agree(calls[number]) for calls in sequences.values() if number in calls}
        if len(here) > 1:
            return number
    return None


def _position(number: int, group: _Group, rank: int) -> FlightRecorderPositionsRow:
    calls = group.calls.get(rank, [])
    collectives = [call for call in calls if not call["p2p"]]
    unfinished = [call for call in (*collectives, *calls) if not call["finished"]]
    call = unfinished[0] if unfinished else calls[-1] if calls else None
    recorded = group.recorded.get(rank)
    return {
        "group": number,
        "rank": rank,
        "state": "none" if call is None else "finished" if call["finished"] else "waiting",
        "record": call and call["record"],
        "p2p": call is not None and call["p2p"],
        "sequence": call and call["sequence"],
        "operation": call and call["operation"],
        "recorded_state": call and call["state"],
        "since_epoch_us": call and call["created_epoch_us"],
        "last_enqueued": recorded and recorded.last_enqueued,
        "last_started": recorded and recorded.last_started,
        "last_completed": recorded and recorded.last_completed,
        "origin": call and call["origin"],
        "compile": call and call["compile"],
        "rank_compile": call and call["rank_compile"],
        "function": call and call["function"],
        "file": call and call["file"],
        "line": call and call["line"],
    }
