"""The ranks, the columns (matched compiles), and the place of each column on each rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tlparse_bundle.statements.ranks.frames import Frame, Frames, align
from tlparse_bundle.statements.ranks.rank_sets import Ranges, grouped, ranges
from tlparse_bundle.statements.ranks.runs import Run

if TYPE_CHECKING:
    from tlparse_bundle.bundle import row_types

RankTable = tuple[str, Sequence[Mapping[str, Any]]]  # name and rows
Tables = Mapping[str, Sequence[Mapping[str, Any]]]  # rows of the tables of earlier analyses, by name
ManifestRow = dict[str, Any]  # of 'logs' of the manifest
K = TypeVar("K", bound=Hashable)
_OPEN_LOGS = 4


class Member(NamedTuple):
    """A log that is compared."""

    rank: int
    row: ManifestRow


class Comparison:
    """Members by rank, and the frame of each in each column: ``cells[member][column]``, -1 for none.

    ``roles``: members that are compared with each other, by role. Members with the same frames share one
    list of cells and have one ``kind``. ``logs``: rows of all logs of the bundle. ``runs``: runs of the logs
    with a rank; ``run`` is the index of the compared one. ``open_frames(row)`` rereads a log, for details
    that its digest lacks.
    """

    def __init__(
        self,
        members: Sequence[Member],
        frames: Sequence[list[Frame]],
        logs: Sequence[ManifestRow],
        open_frames: Callable[[ManifestRow], Frames],
        runs: Sequence[Run],
        run: int,
        roles: Sequence[Sequence[int]],
    ):
        self.members = members
        self.frames = frames
        self.logs = logs
        self.runs = runs
        self.run = run
        self._open = lru_cache(_OPEN_LOGS)(lambda number: open_frames(members[number].row))
        self.roles = roles
        self._role_of = {member: role for role, its in enumerate(roles) for member in its}
        kinds = grouped(
            ((self.role_of(number), tuple(rows)), (number,)) for number, rows in enumerate(frames)
        )
        self.columns, placed = align([kind for kind, _ in kinds])
        place = {id(column): number for number, column in enumerate(self.columns)}
        self.orders: list[list[int]] = [[place[id(column)] for column in row] for row in placed]
        """For each kind, the columns of its frames in order."""
        self.kinds = [numbers for _, numbers in kinds]
        self.kind = {number: kind for kind, numbers in enumerate(self.kinds) for number in numbers}
        self._kind_cells = [_cells(order, len(self.columns)) for order in self.orders]
        self.cells = [self._kind_cells[self.kind[number]] for number in range(len(members))]

    @property
    def world_size(self) -> int | None:
        """Number of ranks; None if no log records it."""
        return self.runs[self.run].world_size

    def ranks(self, members: Iterable[int]) -> Ranges:
        """Return the ranks of members as ranges."""
        return ranges(self.members[number].rank for number in members)

    @cached_property
    def parts(self) -> list[set[int]]:
        """The members of each role. Idle members are in each."""
        idle = set(range(len(self.members))).difference(*self.roles)
        return [{*role} | idle for role in self.roles] or [idle]

    def part(self, column: int) -> set[int]:
        """Return the members that are expected to have a column."""
        return self.parts[self.columns[column].role]

    def role_of(self, member: int) -> int:
        """Return the role of a member; the first one for a member without compiles."""
        return self._role_of.get(member, 0)

    def part_of(self, member: int) -> set[int]:
        """Return the members that a member is compared with, and itself."""
        return self.parts[self.role_of(member)]

    def usual_order(self, role: Sequence[int]) -> list[int]:
        """Return the columns of the most frequent kind of a role, in order."""
        return self.orders[min(self.kind[member] for member in role)]

    def first_compiles(self, member: int) -> Iterator[tuple[int, int]]:
        """Yield (frame, column) of the first compile of each function of a member."""
        seen = set()
        for frame, column in enumerate(self.orders[self.kind[member]]):
            code = self.columns[column].code
            if code not in seen:
                seen.add(code)
                yield frame, column

    def opened(self, member: int) -> Frames:
        """Return the frames of a member, reread from its log."""
        return self._open(member)

    def usual(self, column: int, value: Callable[[Frame], K]) -> K | None:
        """Return the most frequent value of the frames of a column; of equals, that of the lowest rank."""
        counts: Counter[K] = Counter()
        for kind, numbers in enumerate(self.kinds):
            cell = self._kind_cells[kind][column]
            if cell >= 0:
                counts[value(self.frames[numbers[0]][cell])] += len(numbers)
        return max(counts, key=counts.__getitem__, default=None)

    def having(self, column: int) -> list[int]:
        """Return the members that have a column."""
        return sorted(
            n
            for kind, numbers in enumerate(self.kinds)
            if self._kind_cells[kind][column] >= 0
            for n in numbers
        )

    def frame(self, member: int, column: int) -> Frame | None:
        number = self.cells[member][column]
        return None if number < 0 else self.frames[member][number]

    def graph(self, member: int, column: int) -> str | None:
        """Return the hash of the captured graph of a member in a column; None: no graph."""
        frame = self.frame(member, column)
        return None if frame is None else frame.graph

    def key(self, members: Sequence[int], column: int) -> str | None:
        """Return the key of the compile on the first of some members that has it."""
        frames = (self.frame(member, column) for member in members)
        return next((frame.key for frame in frames if frame is not None), None)

    def alike(self, digests: Sequence[Any]) -> list[list[int]]:
        """Return members grouped by equal digests and frames."""
        return [
            numbers
            for _, numbers in grouped(((self.kind[n], id(digest)), (n,)) for n, digest in enumerate(digests))
        ]

    def by_column(
        self, digests: Sequence[Any], value: Callable[[Any, int], K | None]
    ) -> Iterator[tuple[int, list[tuple[K, list[int]]]]]:
        """Yield (column, [(value, members)]) for columns with any value; most members first.

        ``value(digest, number of the frame)`` is None for a member to leave out.
        """
        classes = self.alike(digests)
        for column in range(len(self.columns)):
            pairs = []
            for numbers in classes:
                cell = self.cells[numbers[0]][column]
                its_value = None if cell < 0 else value(digests[numbers[0]], cell)
                if its_value is not None:
                    pairs.append((its_value, numbers))
            if pairs:
                yield column, grouped(pairs)


def typed(tables: Tables) -> row_types.RankTable:
    """Return a function from the name of a table to its rows."""

    def rows(name: str) -> Any:
        return tables[name]

    return rows


def _cells(order: list[int], count: int) -> list[int]:
    cells = [-1] * count
    for frame, column in enumerate(order):
        cells[column] = frame
    return cells
