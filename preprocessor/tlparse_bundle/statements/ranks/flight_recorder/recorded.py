"""The content of all dumps of a job, before it is joined to the logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.log.flight_recorder.dump import Dump, RecordedGroup
from tlparse_bundle.statements.ranks.rank_sets import ranks_in
from tlparse_bundle.statements.ranks.wording import size

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        FlightRecorderCallsRow,
        FlightRecorderDumpsRow,
        FlightRecorderStacksFrames,
    )

MAX_CALLS = 200_000  # of all ranks
MAX_RANKS = 100_000  # of a group
DUMPS, GROUPS, POSITIONS = "flight_recorder_dumps", "flight_recorder_groups", "flight_recorder_positions"
CALLS, STACKS = "flight_recorder_calls", "flight_recorder_stacks"
TABLES = (DUMPS, GROUPS, POSITIONS, CALLS, STACKS)


class Recorded(NamedTuple):
    """Rows of all dumps, by rank. ``stack`` of a call is a number in ``stacks``."""

    dumps: list[FlightRecorderDumpsRow]
    groups: list[RecordedGroup]
    calls: list[FlightRecorderCallsRow]
    stacks: list[list[FlightRecorderStacksFrames]]


def most_calls(ranks: int) -> int:
    """Return the number of calls that are kept of each of so many ranks."""
    return max(1, MAX_CALLS // max(1, ranks))


def joined(dumps: Iterable[Dump]) -> Recorded:
    """Return the content of dumps of different ranks."""
    all_dumps = sorted(dumps, key=lambda dump: dump.row["rank"])
    most = most_calls(len(all_dumps))
    recorded = Recorded([], [], [], [])
    numbers: dict[tuple[Any, ...], int] = {}
    for dump in all_dumps:
        kept = dump.calls[-most:]
        recorded.dumps.append({**dump.row, "log": None, "call_count": len(kept)})
        recorded.groups.extend(dump.groups)
        of_dump: dict[int, int] = {}
        for call in kept:
            stack = call["stack"]
            if stack is not None and stack not in of_dump:
                key = tuple(tuple(frame.values()) for frame in dump.stacks[stack])
                if key not in numbers:
                    numbers[key] = len(numbers)
                    recorded.stacks.append(dump.stacks[stack])
                of_dump[stack] = numbers[key]
            recorded.calls.append({**call, "stack": None if stack is None else of_dump[stack]})
    return recorded


def dumps_of_tables(tables: Mapping[str, Sequence[Any]]) -> list[Dump]:
    """Return the dumps that the tables of a bundle were built from. Raise LookupError, TypeError or
    ValueError for tables that disagree.
    """
    groups = {row["id"]: row for row in tables[GROUPS]}
    if any(size(row["ranks"]) > MAX_RANKS for row in groups.values()):
        raise ValueError("a group has too many ranks")
    stacks = [row["frames"] for row in tables[STACKS]]
    of_rank: dict[int, list[RecordedGroup]] = {}
    for row in tables[POSITIONS]:
        group = groups[row["group"]]
        of_rank.setdefault(row["rank"], []).append(
            RecordedGroup(
                row["rank"],
                group["group"],
                group["description"],
                tuple(ranks_in(group["ranks"])) if group["ranks_from"] == "recorded" else None,
                row["last_enqueued"],
                row["last_started"],
                row["last_completed"],
            )
        )
    calls: dict[int, list[FlightRecorderCallsRow]] = {}
    for call in tables[CALLS]:
        calls.setdefault(call["rank"], []).append(call)
    return [
        Dump(row, of_rank.get(row["rank"], []), calls.get(row["rank"], []), stacks, [])
        for row in tables[DUMPS]
    ]
