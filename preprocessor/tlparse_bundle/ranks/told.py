"""What a log tells of the run that it is of."""

from __future__ import annotations

from collections.abc import Iterable

from tlparse_bundle.ranks.calls import WORLD, Call
from tlparse_bundle.ranks.frames import Frames


def told(frames: Frames, calls: Iterable[Call]) -> tuple[int | None, int | None, int | None]:
    """(world size, time of the first record, time of the last one), microseconds since 1970-01-01 UTC; None where it does not tell.

    ``calls`` are the distinct calls of collectives of the log. Those of the default group may name its size, as tables of estimates do.
    """
    clock, chunks = frames.log.directory["clock"], frames.log.files("events")
    origin = clock["origin_epoch_us"]
    last = None if origin is None or not chunks else origin + max(row["time_us"] for row in frames.log.part("events", len(chunks) - 1))
    sizes = {row["world_size"] for row in frames.table("estimate_tables")} | {call.group_size for call in calls if call.group == WORLD}
    return max(sizes - {None, 0}, default=None), origin, last
