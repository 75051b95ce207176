"""The attempts of a log, and the frames that they compile, as numbers with rows made on use."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tlparse_bundle.base.key_numbers import KeyNumbers
from tlparse_bundle.bundle.row_objects import id_of

FrameKey = tuple[str | None]  # see Facts.frame_key
_ALL_ROWS = 4096  # of a log with at most so many attempts, as most have, all rows are at hand
_SOME_ROWS = 512  # of other logs
_OUTSIDE: dict[str, Any] = {
    **dict.fromkeys(("id", "compile", "attempt", "status", "function", "file", "line", "stack")),
    **dict.fromkeys(("start_epoch_us", "total_us", "backward_us", "metrics_event", "first_event")),
    **dict.fromkeys(("frame_id", "compiled_autograd_id", "frame_compile_id")),
    **dict.fromkeys(("failure_type", "failure_reason", "recompile_reason")),
    "restart_reasons": [],
    "graph_break_count": 0,
}


class RowList(Protocol):
    """Rows of a table, in memory as a whole or in chunks."""

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> Any: ...


class AttemptList:
    """Each attempt: its row of 'attempts' merged over the row of 'candidates' of its compile.

    The last row stands for records outside any compile. ``compile_of``: the candidate of each attempt.
    """

    def __init__(self, attempts: RowList, candidates: RowList):
        self._attempts, self._candidates = attempts, candidates
        self.compile_of = array("i")
        self.compiles, self._numbers = KeyNumbers(), KeyNumbers()  # of candidates, and of attempts
        for number, row in enumerate(candidates):
            self.compiles[row["compile"]] = number
        for number, row in enumerate(attempts):
            compile = self.compiles.get(row["compile"])
            assert compile is not None  # both tables have the same compiles
            self.compile_of.append(compile)
            self._numbers[_attempt_key(row)] = number
        self._rows: dict[int, dict[str, Any]] = {}  # the newest
        self._most_rows = _ALL_ROWS if len(self.compile_of) <= _ALL_ROWS else _SOME_ROWS

    def __len__(self) -> int:
        return len(self.compile_of) + 1

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> dict[str, Any]:
        if number < 0:
            number += len(self)
        if number == len(self.compile_of):
            return _OUTSIDE
        row = self._rows.get(number)
        if row is None:
            if len(self._rows) >= self._most_rows:
                self._rows.clear()
            own, compile = self._attempts[number], self._candidates[self.compile_of[number]]
            row = {**compile, **own, "status": compile["status"], "id": id_of(own)}
            self._rows[number] = row
        return row

    def number_of(self, row: Mapping[str, Any]) -> int:
        """Return the number of the attempt that a row of another table belongs to. Raise KeyError."""
        if row["compile"] is None:
            return len(self.compile_of)
        number = self._numbers.get(_attempt_key(row))
        if number is None:
            raise KeyError((row["compile"], row["attempt"]))
        return number


def _attempt_key(row: Mapping[str, Any]) -> str:
    key: str = row["compile"]
    return f"{key}_{row['attempt']}" if row["attempt"] else key


@dataclass(frozen=True, slots=True)
class FrameCompile:
    """One compiled frame: its attempts (``rows`` of ``Facts.compiles``) and the last one (``row``)."""

    rows: tuple[int, ...]
    row: dict[str, Any]


class FrameList:
    """Compiled frames, in order of their first attempt."""

    def __init__(self, attempts: AttemptList, frames: Iterable[tuple[int, ...]]):
        self._attempts = attempts
        self._rows, self._ends = array("i"), array("i", [0])
        self._frame_of = array("i", [-1]) * len(attempts)  # by candidate
        for rows in frames:
            self._frame_of[attempts.compile_of[rows[0]]] = len(self)
            self._rows.extend(rows)
            self._ends.append(len(self._rows))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[FrameCompile]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> FrameCompile:
        rows = self._rows_of(number)
        return FrameCompile(rows, self._attempts[rows[-1]])

    def _rows_of(self, number: int) -> tuple[int, ...]:
        return tuple(self._rows[self._ends[number] : self._ends[number + 1]])

    def get(self, key: FrameKey) -> FrameCompile | None:
        """Return the frame with a key, or None."""
        compile = None if key[0] is None else self._attempts.compiles.get(key[0])
        number = -1 if compile is None else self._frame_of[compile]
        return None if number < 0 else self[number]

    def where(self, wanted: Callable[[tuple[int, ...]], bool]) -> FrameList:
        """Return the frames whose attempts are wanted."""
        return FrameList(self._attempts, filter(wanted, map(self._rows_of, range(len(self)))))


def by_compile(attempts: AttemptList, rows: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Group numbers of attempts, in order, by their compile."""
    next_, first, last = (array("i", [-1]) * len(attempts) for _ in range(3))
    order = array("i")
    for row in rows:
        compile = attempts.compile_of[row]
        if first[compile] < 0:
            first[compile] = row
            order.append(compile)
        else:
            next_[last[compile]] = row
        last[compile] = row
    for compile in order:
        group, row = [], first[compile]
        while row >= 0:
            group.append(row)
            row = next_[row]
        yield tuple(group)
