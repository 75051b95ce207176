"""Sets of ranks as bundles store them, and grouping: what is alike stands in one row."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def ranges(ranks: Iterable[int]) -> list[list[int]]:
    """Ranks as [first, last] of each run of numbers, ascending."""
    out: list[list[int]] = []
    for rank in sorted(set(ranks)):
        if out and out[-1][1] == rank - 1:
            out[-1][1] = rank
        else:
            out.append([rank, rank])
    return out


def ranks_in(runs: Iterable[Iterable[int]]) -> list[int]:
    """The ranks of what ``ranges`` made."""
    return [rank for first, last in runs for rank in range(first, last + 1)]


def ranks_among(runs: Iterable[Iterable[int]], known: Sequence[int]) -> Sequence[int]:
    """Those of the ``known`` ranks, ascending, that ``ranges`` made runs of.

    Runs may be long: a log may claim any rank.
    """
    return [
        rank for first, last in runs for rank in known[bisect_left(known, first) : bisect_right(known, last)]
    ]


def within(runs: Iterable[Sequence[int]], others: Sequence[Sequence[int]]) -> bool:
    """Whether all ranks of what ``ranges`` made are among others.

    Runs may be long: a log may claim any rank.
    """
    return all(any(first <= low and high <= last for first, last in others) for low, high in runs)


def gaps(ranks: Iterable[int], end: int) -> list[list[int]]:
    """What is lacking from 0 up to ``end`` (exclusive), as [first, last] of each run."""
    out: list[list[int]] = []
    expected = 0
    for rank in [*sorted(set(ranks)), end]:
        if expected < rank <= end:
            out.append([expected, rank - 1])
        expected = max(expected, rank + 1)
    return out


def of_compiles(rows: Iterable[dict]) -> dict[int, list[dict]]:
    """Rows by their ``rank_compile``, in order."""
    found: dict[int, list[dict]] = {}
    for row in rows:
        found.setdefault(row["rank_compile"], []).append(row)
    return found


def grouped(pairs: Iterable[tuple[K, Iterable[int]]]) -> list[tuple[K, list[int]]]:
    """(value, members with it), most members first, of equally many the one with the lowest member."""
    groups: dict[K, list[int]] = {}
    for value, members in pairs:
        groups.setdefault(value, []).extend(members)
    rows = [(value, sorted(members)) for value, members in groups.items()]
    return sorted(rows, key=lambda row: (-len(row[1]), row[1][0]))
