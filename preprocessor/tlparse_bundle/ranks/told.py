"""What a log tells of the run that it is of."""

from __future__ import annotations

from tlparse_bundle.ranks.calls import WORLD
from tlparse_bundle.ranks.frame_calls import calls_of_frame
from tlparse_bundle.ranks.frames import Frames


def told(frames: Frames) -> tuple[int | None, int | None, int | None]:
    """(world size, time of the first record, time of the last one), microseconds since 1970-01-01 UTC; None where it does not tell."""
    clock, chunks = frames.log.directory["clock"], frames.log.directory["events"]
    origin = clock["origin_epoch_us"]
    last = None if origin is None or not chunks else origin + max(frames.log.chunk("events", len(chunks) - 1)["time_us"])
    return _world_size(frames), origin, last


def _world_size(frames: Frames) -> int | None:
    """From tables of estimates, and from calls that name the size of the default group."""
    sizes = {row["world_size"] for row in frames.table("runtime")["estimate_tables"]}
    for number in range(len(frames)):
        sizes |= {call.group_size for call in calls_of_frame(frames, number)[0] or () if call.group == WORLD}
    return max(sizes - {None, 0}, default=None)
