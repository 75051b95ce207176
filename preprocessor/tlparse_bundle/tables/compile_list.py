"""The compiles of a log by number, as columns of numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from tlparse_bundle.log.compile_id import CompileId, compile_key


class Compile(NamedTuple):
    """One occurrence of a compile id, or all records outside any compile.

    All attempts of a frame compile share a ``frame_compile``, numbered from 0 without gaps.
    """

    id: CompileId | None
    occurrence: int
    first_event_index: int
    frame_compile: int

    @property
    def key(self) -> str | None:
        """Return the key of the compile, such as '0/1'; None outside any compile."""
        return None if self.id is None else compile_key(self.id.frame_compile, self.occurrence)

    @property
    def attempt(self) -> int | None:
        """Return the attempt of that compile, from 0; None outside any compile."""
        return None if self.id is None else self.id.attempt


class CompileList:
    """Compiles in order of appearance, in about 50 bytes each.

    ``frame_compiles``: number of the frame compile of each; ``has_id``: 0 for the records outside any
    compile.
    """

    def __init__(self) -> None:
        self.frame_compiles, self.has_id = array("i"), bytearray()
        self._ids = tuple(array("q") for _ in CompileId._fields)  # -1 for None
        self._occurrences, self._first_events = array("i"), array("q")
        self.frame_compile_count = 0

    def append(
        self, id: CompileId | None, occurrence: int, first_event_index: int, frame_compile: int
    ) -> None:
        """Add a compile."""
        self.frame_compiles.append(frame_compile)
        self.frame_compile_count = max(self.frame_compile_count, frame_compile + 1)
        self.has_id.append(id is not None)
        for column, value in zip(self._ids, id or (None,) * len(self._ids), strict=True):
            column.append(-1 if value is None else value)
        self._occurrences.append(occurrence)
        self._first_events.append(first_event_index)

    def __len__(self) -> int:
        return len(self.has_id)

    def __getitem__(self, index: int) -> Compile:
        id = None
        if self.has_id[index]:
            autograd, frame, compile, attempt = (column[index] for column in self._ids)
            id = CompileId(
                None if autograd < 0 else autograd,
                None if frame < 0 else frame,
                None if compile < 0 else compile,
                attempt,
            )
        return Compile(id, self._occurrences[index], self._first_events[index], self.frame_compiles[index])

    def __iter__(self) -> Iterator[Compile]:
        return map(self.__getitem__, range(len(self)))
