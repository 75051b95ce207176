"""Compile times and cache lookups by rank, and the ranks that others waited for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median, median_low
from typing import TYPE_CHECKING, TypedDict

from tlparse_bundle.base.wording import duration, listed
from tlparse_bundle.model.compiles import forward_us
from tlparse_bundle.statements.ranks.comparison import Comparison, Member, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import grouped, ranges, ranks_among, ranks_in
from tlparse_bundle.statements.ranks.wording import Templates, Words, long_time
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankCacheTotalsRow, RankSkewRow, RanksRow

_MAX_REASON = 2000  # characters
Time = tuple[int | None, int | None]  # start and length in microseconds


class CachesDigest(TypedDict):
    counts: dict[str, int]  # lookups of the log by cache and outcome
    frames: list[list[list[str]]]  # for each frame: outcomes, and recorded reasons


class Skew:
    name = "skew"

    def digest(self, frames: Frames) -> list[Time]:
        """Return (start, length) of each frame."""
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


class Caches:
    name = "caches"

    def digest(self, frames: Frames) -> CachesDigest:
        counts: Counter[str] = Counter()
        lookups: list[list[list[str]]] = [[[], []] for _ in range(len(frames))]
        for row in frames.table("caches"):
            text = f"{row['cache']} {row['outcome']}"
            counts[text] += 1
            number = frames.number_of(row)
            if number is not None:
                outcomes, reasons = lookups[number]
                outcomes.append(text)
                if row["reason"]:
                    reasons.append(row["reason"][:_MAX_REASON])
        return {"counts": dict(sorted(counts.items())), "frames": lookups}

    def tables(
        self, comparison: Comparison, digests: Sequence[CachesDigest], tables: Tables
    ) -> Iterator[RankTable]:
        totals = grouped(
            (tuple(digest["counts"].items()), (number,)) for number, digest in enumerate(digests)
        )
        yield (
            "rank_cache_totals",
            [{"ranks": comparison.ranks(members), "counts": dict(counts)} for counts, members in totals],
        )
        yield (
            "rank_caches",
            [
                {
                    "rank_compile": column,
                    "ranks": comparison.ranks(members),
                    "outcomes": list(outcomes),
                    "reasons": list(reasons),
                }
                for column, groups in comparison.by_column(
                    digests, lambda digest, frame: tuple(map(tuple, digest["frames"][frame]))
                )
                if len(groups) > 1
                for (outcomes, reasons), members in groups
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
    """Return how many microseconds after the median each member started its first compile."""
    starts = [min((start for start, _ in digest if start is not None), default=None) for digest in digests]
    recorded = [start for start in starts if start is not None]
    usual = median_low(recorded) if len(recorded) > 1 else None
    return [None if start is None or usual is None else start - usual for start in starts]


# Equal compiles differ by a fraction of a second, or by more if processes share cores. Only a much slower
# rank delays the others.
MIN_LOST_US = 3_000_000
MIN_LOST_PART = 0.25  # of the median length of the compile
MIN_LATE_US = 10_000_000


def findings(finder: Finder) -> Iterator[RankFinding]:
    yield from _stragglers(finder)
    for row in finder.table("ranks"):
        if (row["late_us"] or 0) > MIN_LATE_US:
            ranks = [[row["rank"], row["rank"]]]
            yield finder.finding("late-start", "info", ranks, "ranks", {"late_us": row["late_us"]})
    yield from _cached_before(finder)


def _stragglers(finder: Finder) -> Iterator[RankFinding]:
    """Yield ranks that delayed the others, with the compile that cost most."""
    skew = finder.table("rank_skew")
    worst: dict[int, tuple[int, int]] = {}  # rank -> (time lost, minus the column)
    lost: dict[int, int] = {}
    for column, row in enumerate(skew):
        rank = row["slowest_rank"]
        if rank is not None and row["lost_us"] > max(MIN_LOST_US, MIN_LOST_PART * (row["median_us"] or 0)):
            lost[rank] = lost.get(rank, 0) + row["lost_us"]
            worst[rank] = max(worst.get(rank, (0, 0)), (row["lost_us"], -column))
    for rank, (_, negative) in sorted(worst.items()):
        column = -negative
        lengths = {
            row["rank"]: length
            for row in finder.table("rank_times")
            if (length := row["length_us"][column]) is not None
        }
        others = [other for other in lengths if other != rank]
        details = {
            "lost_us": lost[rank],
            "slowest_us": skew[column]["slowest_us"],
            "median_us": skew[column]["median_us"],
            "cache": _cache_outcomes(finder, column, rank),
            "compared_count": len(lengths),
            "other_us": lengths[others[0]] if others else None,
        }
        finding = finder.finding(
            "straggler",
            "info",
            [[rank, rank]],
            "rank_skew",
            details,
            others=ranges(others),
            column=column,
            facts={"few": len(lengths) < 3},
        )
        finding.cost_us = lost[rank]
        finding.cost_of = "time above the median of the ranks, summed over its slow compiles"
        yield finding


def _cache_outcomes(finder: Finder, column: int, rank: int) -> list[str] | None:
    """Return the cache outcomes of a rank in a column; None if they are equal on all ranks."""
    rows = (row for row in finder.table("rank_caches") if row["rank_compile"] == column)
    return next((row["outcomes"] for row in rows if ranks_among(row["ranks"], [rank])), None)


def _cached_before(finder: Finder) -> Iterator[RankFinding]:
    """Yield ranks with cache hits where other ranks had misses."""
    totals = finder.table("rank_cache_totals")
    hits, misses = ([_lookups(row, outcome) for row in totals] for outcome in ("hit", "miss"))
    warm = [number for number in range(len(totals)) if hits[number] and not misses[number]]
    cold = [number for number in range(len(totals)) if misses[number] and not hits[number]]
    if warm and cold:
        ranks, others = (
            ranges(rank for number in numbers for rank in ranks_in(totals[number]["ranks"]))
            for numbers in (warm, cold)
        )
        details = {"hit_count": hits[warm[0]], "miss_count": misses[cold[0]]}
        yield finder.finding("cached-before", "info", ranks, "rank_cache_totals", details, others=others)


def _lookups(row: RankCacheTotalsRow, outcome: str) -> int:
    return sum(count for key, count in row["counts"].items() if key.endswith(f" {outcome}"))


def _straggler(words: Words) -> tuple[str, str]:
    details = words.details
    cache = f" Its cache lookups: {listed(details['cache'], 8)}." if details["cache"] else ""
    took = f"{words.ranks} took {duration(details['slowest_us'])} to compile {words.mine}"
    if words.facts["few"]:
        return (
            f"{took}, {words.others} took {duration(details['other_us'])}",
            f"With two ranks, it is unknown which one is unusual.{cache}",
        )
    return (
        f"{took}; the median is {duration(details['median_us'])}",
        f"The other ranks wait up to {duration(details['lost_us'])}, if all ranks synchronize after each"
        f" compile.{cache}",
    )


def _late_start(words: Words) -> str:
    return f"{words.ranks} started compiling {long_time(words.details['late_us'])} after the others"


def _cached(words: Words) -> tuple[str, str]:
    return (
        f"{words.ranks} loaded from caches what {words.others} had to compile",
        "These ranks started with warm caches, so their times do not measure compilation.",
    )


TEMPLATES: Templates = {"straggler": _straggler, "late-start": _late_start, "cached-before": _cached}

REFERENCE: dict[str, KindReference] = {
    "straggler": KindReference(
        "Slow compile on one rank",
        "One rank took much longer than the median to compile: over 3 s and over 25% more. The other "
        "ranks may wait for it.",
        "Look at its cache lookups and at what else runs on that machine.",
        "Smaller differences are treated as noise. With two ranks, it is unknown which one is unusual.",
    ),
    "late-start": KindReference(
        "Late start",
        "One rank started its first compile over 10 s after half of the ranks.",
        "Look at what the rank does before its first compile, such as loading data.",
        "Clocks of different machines can differ; the start is taken from the log.",
    ),
    "cached-before": KindReference(
        "Different cache state",
        "Some ranks only had cache hits where other ranks only had misses.",
        "Share the cache directory between the ranks, or warm it on all machines.",
        "Ranks with both hits and misses are not counted.",
    ),
}
