"""Sets of ranks as bundles store them, and grouping of equal values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypedDict, TypeVar

Ranges = list[list[int]]  # [first, last] of each run of consecutive ranks, ascending


class _OfCompile(TypedDict):
    rank_compile: int


class _OfRanks(TypedDict):
    ranks: Ranges


K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=_OfCompile)
G = TypeVar("G", bound=_OfRanks)

MAX_GROUPS = 12  # groups of one place with a finding each


def ranges(ranks: Iterable[int]) -> Ranges:
    """Return ranks as ascending [first, last] ranges."""
    out: Ranges = []
    for rank in sorted(set(ranks)):
        if out and out[-1][1] == rank - 1:
            out[-1][1] = rank
        else:
            out.append([rank, rank])
    return out


def ranks_in(runs: Iterable[Iterable[int]]) -> list[int]:
    """Return the ranks in ranges."""
    return [rank for first, last in runs for rank in range(first, last + 1)]


def ranks_among(runs: Iterable[Iterable[int]], ranks: Sequence[int]) -> Sequence[int]:
    """Return those of some ascending ranks that are in ranges (maybe long: a log may claim any rank)."""
    return [
        rank for first, last in runs for rank in ranks[bisect_left(ranks, first) : bisect_right(ranks, last)]
    ]


def odd_groups(groups: Sequence[G]) -> Iterator[tuple[G, Ranges, dict[str, int]]]:
    """Yield (row, ranks, additional details) of the groups that differ from the first.

    More than MAX_GROUPS, as when each rank has its own constants, are joined.
    """
    if len(groups) <= MAX_GROUPS:
        yield from ((group, group["ranks"], {}) for group in groups[1:])
    else:
        ranks = ranges(rank for group in groups[1:] for rank in ranks_in(group["ranks"]))
        yield groups[1], ranks, {"group_count": len(groups) - 1}


def are_moved(sets: Sequence[Sequence[int]]) -> bool:
    """Return whether each set of ranks is the first one, moved by some ranks.

    So are [0, 1] and [2, 3], or [0, 2] and [1, 3]. The ranks of each are ascending.
    """
    first, *others = sets
    return all(
        len(ranks) == len(first) and len({b - a for a, b in zip(first, ranks, strict=True)}) == 1
        for ranks in others
    )


def within(runs: Iterable[Sequence[int]], others: Sequence[Sequence[int]]) -> bool:
    """Return whether ranges, which may be long, are a subset of others."""
    return all(any(first <= low and high <= last for first, last in others) for low, high in runs)


def gaps(ranks: Iterable[int], end: int) -> Ranges:
    """Return the numbers from 0 to ``end`` (exclusive) that are not in ``ranks``, as ranges."""
    out: Ranges = []
    expected = 0
    for rank in [*sorted(set(ranks)), end]:
        if expected < rank <= end:
            out.append([expected, rank - 1])
        expected = max(expected, rank + 1)
    return out


def of_compiles(rows: Iterable[R]) -> dict[int, list[R]]:
    """Return rows by their ``rank_compile``, in order."""
    by_compile: dict[int, list[R]] = {}
    for row in rows:
        by_compile.setdefault(row["rank_compile"], []).append(row)
    return by_compile


def grouped(pairs: Iterable[tuple[K, Iterable[int]]]) -> list[tuple[K, list[int]]]:
    """Return (value, members with it): most members first, in a tie by lowest member."""
    groups: dict[K, list[int]] = {}
    for value, members in pairs:
        groups.setdefault(value, []).extend(members)
    rows = [(value, sorted(members)) for value, members in groups.items()]
    return sorted(rows, key=lambda row: (-len(row[1]), row[1][0]))
