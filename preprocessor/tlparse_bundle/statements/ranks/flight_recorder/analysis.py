"""The tables of Flight Recorder dumps, with the compile of each call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable
from tlparse_bundle.statements.ranks.flight_recorder.groups import group_tables
from tlparse_bundle.statements.ranks.flight_recorder.order import compiles_by_order
from tlparse_bundle.statements.ranks.flight_recorder.places import Code, Place
from tlparse_bundle.statements.ranks.flight_recorder.recorded import (
    CALLS,
    DUMPS,
    GROUPS,
    MAX_RANKS,
    POSITIONS,
    STACKS,
    Recorded,
)
from tlparse_bundle.statements.ranks.rank_sets import ranks_in

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FlightRecorderCallsRow, FlightRecorderStacksFrames


def flight_recorder_tables(
    recorded: Recorded, comparison: Comparison, tables: Mapping[str, Sequence[Any]]
) -> Iterator[RankTable]:
    """Yield (name, rows) of each table. ``tables``: those of the analyses, by name."""
    members = {member.rank: number for number, member in enumerate(comparison.members)}
    calls: dict[int, list[FlightRecorderCallsRow]] = {}
    for call in recorded.calls:
        calls.setdefault(call["rank"], []).append(call)
    for dump in recorded.dumps:
        member = members.get(dump["rank"])
        dump["log"] = None if member is None else comparison.members[member].row["id"]
        _join(calls.get(dump["rank"], []), recorded.stacks, comparison, member)
    ranks = {*members, *(dump["rank"] for dump in recorded.dumps)}
    named = {rank for group in recorded.groups for rank in group.ranks or ()}
    size = max(comparison.world_size or 0, max(ranks | named) + 1)
    callers = {
        row["group"]: ranks_in(row["ranks"]) for row in tables.get("process_groups", ()) if row["group"]
    }
    groups, positions = group_tables(recorded, range(size) if size <= MAX_RANKS else ranks, callers)
    yield DUMPS, recorded.dumps
    yield GROUPS, groups
    yield POSITIONS, positions
    yield CALLS, recorded.calls
    yield STACKS, [{"id": number, "frames": frames} for number, frames in enumerate(recorded.stacks)]


def _join(
    calls: Sequence[FlightRecorderCallsRow],
    stacks: Sequence[Sequence[FlightRecorderStacksFrames]],
    comparison: Comparison,
    member: int | None,
) -> None:
    """Set the fields of the calls of a rank that say where they were made."""
    code = Code(None if member is None else comparison.opened(member))
    columns: dict[str, int] = {}
    if member is not None:
        order = comparison.orders[comparison.kind[member]]
        columns = {frame.key: column for frame, column in zip(comparison.frames[member], order, strict=True)}
    without_stack = [call for call in calls if call["stack"] is None]
    by_order = dict(
        zip(
            (call["record"] for call in without_stack),
            compiles_by_order(without_stack, code.all_calls()) if without_stack else (),
            strict=True,
        )
    )
    for call in calls:
        if call["stack"] is not None:
            place = code.place(stacks[call["stack"]], call)
        else:
            number = by_order[call["record"]]
            place = Place() if number is None else code.place_of(number)
        call.update(place._asdict())  # type: ignore[typeddict-item]
        call["rank_compile"] = None if place.compile is None else columns.get(place.compile)
