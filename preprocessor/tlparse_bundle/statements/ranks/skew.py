"""When each rank compiled and how long that took: which rank held up the others, and the time lost to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median, median_low

from tlparse_bundle.bundle.row_types import RankSkewRow, RanksRow
from tlparse_bundle.model.times import forward_us
from tlparse_bundle.statements.ranks.comparison import Comparison, Member, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames

Time = tuple[int | None, int | None]  # start and length in microseconds


class Skew:
    name = "skew"

    def digest(self, frames: Frames) -> list[Time]:
        """Return start and length of each frame."""
        return [(row["start_epoch_us"], forward_us(row)) for row in frames.compiles]

    def tables(
        self, comparison: Comparison, digests: Sequence[list[Time]], tables: Tables
    ) -> Iterator[RankTable]:
        def cell(member: int, column: int) -> Time:
            number = comparison.cells[member][column]
            return (None, None) if number < 0 else digests[member][number]

        cells = [
            [cell(member, column) for column in range(len(comparison.columns))]
            for member in range(len(comparison.members))
        ]
        compiles = [
            _compile(comparison, column, [row[column] for row in cells])
            for column in range(len(comparison.columns))
        ]
        held_up = dict.fromkeys((member.rank for member in comparison.members), 0)
        for row in compiles:
            if row["lost_us"] and row["slowest_rank"] is not None:
                held_up[row["slowest_rank"]] += row["lost_us"]
        late = _late(digests)
        ranks = [
            _rank(member, digests[number], held_up[member.rank], late[number])
            for number, member in enumerate(comparison.members)
        ]
        yield "ranks", ranks
        yield "rank_skew", compiles
        yield (
            "rank_times",
            [
                {
                    "rank": row["rank"],
                    "first_start_epoch_us": row["first_start_epoch_us"],
                    "start_offset_us": [
                        None if start is None else start - (row["first_start_epoch_us"] or 0)
                        for start, _ in own
                    ],
                    "length_us": [length for _, length in own],
                }
                for row, own in zip(ranks, cells, strict=True)
            ],
        )


def _compile(comparison: Comparison, column: int, cells: list[Time]) -> RankSkewRow:
    lengths = {member: length for member, (_, length) in enumerate(cells) if length is not None}
    ends = {
        member: start + length
        for member, (start, length) in enumerate(cells)
        if start is not None and length is not None
    }
    slowest = max(lengths, key=lengths.__getitem__, default=None)
    last = max(ends, key=ends.__getitem__, default=None)
    usual = round(median(lengths.values())) if lengths else 0
    return {
        "rank_compile": column,
        "median_us": usual if lengths else None,
        "slowest_rank": None if slowest is None else comparison.members[slowest].rank,
        "slowest_us": None if slowest is None else lengths[slowest],
        "lost_us": 0 if slowest is None else lengths[slowest] - usual,
        "last_rank": None if last is None else comparison.members[last].rank,
        "wait_us": None if last is None else ends[last] - round(median(ends.values())),
    }


def _rank(member: Member, digest: list[Time], held_up_us: int, late_us: int | None) -> RanksRow:
    ends = [start + (length or 0) for start, length in digest if start is not None]
    return {
        "rank": member.rank,
        "log": member.row["id"],
        "first_start_epoch_us": min((start for start, _ in digest if start is not None), default=None),
        "last_end_epoch_us": max(ends, default=None),
        "compile_time_us": sum(length for _, length in digest if length is not None),
        "held_up_us": held_up_us,
        "late_us": late_us,
    }


def _late(digests: Sequence[list[Time]]) -> list[int | None]:
    """Return by how many microseconds each member began its first compile later than half of them."""
    starts = [min((start for start, _ in digest if start is not None), default=None) for digest in digests]
    recorded = [start for start in starts if start is not None]
    usual = median_low(recorded) if len(recorded) > 1 else None
    return [None if start is None or usual is None else start - usual for start in starts]
