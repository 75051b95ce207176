"""Steps of all ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames


class StepRanks:
    """The number of steps per rank."""

    name = "my_step_ranks"

    def digest(self, frames: Frames) -> int:
        written = "my_steps" in frames.log.directory["tables"]  # tables without rows are not written
        return len(frames.table("my_steps")) if written else 0

    def tables(self, comparison: Comparison, digests: Sequence[int], tables: Tables) -> Iterator[RankTable]:
        yield (
            self.name,
            [
                {"rank": member.rank, "steps": steps}
                for member, steps in zip(comparison.members, digests, strict=True)
            ],
        )
