"""The order in which compiled graphs ran, where a log has it."""

from __future__ import annotations

from tlparse_bundle.ranks.frames import Frames

_OF_ONE_STEP = "inductor_graph_execution"


def recorded_steps(frames: Frames) -> list[list] | None:
    """[frame, compile id] of each step; None without a record.

    The last record has the whole order (torch/_inductor/debug.py); older torch wrote one for each step.
    """
    records = frames.table("graph_executions")
    if not records:
        return None
    names = {artifact.event: artifact.name for artifact in frames.log.artifacts}
    of_steps = all(names.get(row["event"]) == _OF_ONE_STEP for row in records)
    taken = records if of_steps else records[-1:]
    return [[frames.number(compile), id_] for row in taken for id_, compile in zip(row["graphs"], row["graph_compiles"])]
