"""What analyses compare: the ranks, the columns, and where each rank has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeVar

from tlparse_bundle.statements.ranks.frames import Frame, Frames, align
from tlparse_bundle.statements.ranks.rank_sets import grouped, ranges
from tlparse_bundle.statements.ranks.runs import Run

RankTable = tuple[str, Sequence[dict]]  # name and rows
Tables = Mapping[str, Sequence[dict]]  # rows of the tables of the analyses before, by name
K = TypeVar("K", bound=Hashable)
_OPEN_LOGS = 4


class Member(NamedTuple):
    """A log that is compared."""

    rank: int
    row: dict  # its row in 'logs' of the manifest


class Comparison:
    """``members`` by rank; ``cells[member][column]`` is the number of the frame there, or -1.

    Members with the same frames share one list of cells and have one ``kind``. ``logs`` are the rows of all
    logs of the bundle, ``runs`` the runs that those with a rank are of, of which ``run`` is compared.
    ``open_frames(row)`` reads a log again, for the few of which an analysis shows more than its digest holds.
    """

    def __init__(
        self,
        members: Sequence[Member],
        frames: Sequence[list[Frame]],
        logs: Sequence[dict],
        open_frames: Callable[[dict], Frames],
        runs: Sequence[Run],
        run: int,
    ):
        self.members = members
        self.frames = frames
        self.logs = logs
        self.runs = runs
        self.run = run
        self._open = lru_cache(_OPEN_LOGS)(lambda number: open_frames(members[number].row))
        kinds = grouped((tuple(rows), (number,)) for number, rows in enumerate(frames))
        self.columns, placed = align([rows for rows, _ in kinds])
        place = {id(column): number for number, column in enumerate(self.columns)}
        self.orders: list[list[int]] = [[place[id(column)] for column in row] for row in placed]
        """For each kind the columns of its frames, in its own order."""
        self.kinds = [numbers for _, numbers in kinds]
        self.kind = {number: kind for kind, numbers in enumerate(self.kinds) for number in numbers}
        self._kind_cells = [_cells(order, len(self.columns)) for order in self.orders]
        self.cells = [self._kind_cells[self.kind[number]] for number in range(len(members))]

    @property
    def world_size(self) -> int | None:
        """Number of ranks of the job; None when no log says it."""
        return self.runs[self.run].world_size

    def ranks(self, members: Iterable[int]) -> list[list[int]]:
        """The ranks of some members, as bundles store them."""
        return ranges(self.members[number].rank for number in members)

    @cached_property
    def parts(self) -> list[set[int]]:
        """Members that compiled anything in common, as those of one stage of a pipeline; those without a
        compile are of every part.
        """
        parts: list[tuple[set[int], set[int]]] = []  # columns, members
        for order, members in zip(self.orders, self.kinds):
            columns, own = set(order), set(members)
            for other in [other for other in parts if other[0] & columns]:
                parts.remove(other)
                columns, own = columns | other[0], own | other[1]
            if order:
                parts.append((columns, own))
        idle = set(range(len(self.members))).difference(*(own for _, own in parts))
        return [own | idle for _, own in parts] or [idle]

    def part(self, column: int) -> set[int]:
        """The part in which a column was compiled."""
        members = set(self.having(column))
        return next(part for part in self.parts if part & members)

    def opened(self, member: int) -> Frames:
        """The log of a member, read again."""
        return self._open(member)

    def usual(self, column: int, value: Callable[[Frame], K]) -> K | None:
        """The most frequent value of the frames of a column; of several the one of the lowest rank."""
        counts: Counter[K] = Counter()
        for kind, numbers in enumerate(self.kinds):
            cell = self._kind_cells[kind][column]
            if cell >= 0:
                counts[value(self.frames[numbers[0]][cell])] += len(numbers)
        return max(counts, key=counts.__getitem__, default=None)

    def having(self, column: int) -> list[int]:
        """The members that have a column."""
        return sorted(
            n
            for kind, numbers in enumerate(self.kinds)
            if self._kind_cells[kind][column] >= 0
            for n in numbers
        )

    def frame(self, member: int, column: int) -> Frame | None:
        number = self.cells[member][column]
        return None if number < 0 else self.frames[member][number]

    def key(self, members: Sequence[int], column: int) -> str | None:
        """Key of the compile on the lowest of some members that has it."""
        found = (self.frame(member, column) for member in members)
        return next((frame.key for frame in found if frame is not None), None)

    def alike(self, digests: Sequence[Any]) -> list[list[int]]:
        """Members with the same digest and the same frames; what holds for one holds for the others."""
        return [
            numbers
            for _, numbers in grouped(((self.kind[n], id(digest)), (n,)) for n, digest in enumerate(digests))
        ]

    def by_column(
        self, digests: Sequence[Any], value: Callable[[Any, int], K | None]
    ) -> Iterator[tuple[int, list[tuple[K, list[int]]]]]:
        """(column, [(value, members)]) of the columns with any value; most members first.

        ``value(digest, number of the frame)`` is None where a member does not take part.
        """
        classes = self.alike(digests)
        for column in range(len(self.columns)):
            pairs = []
            for numbers in classes:
                cell = self.cells[numbers[0]][column]
                found = None if cell < 0 else value(digests[numbers[0]], cell)
                if found is not None:
                    pairs.append((found, numbers))
            if pairs:
                yield column, grouped(pairs)


def _cells(order: list[int], count: int) -> list[int]:
    cells = [-1] * count
    for frame, column in enumerate(order):
        cells[column] = frame
    return cells
