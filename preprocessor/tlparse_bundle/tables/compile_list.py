"""The compiles of a log by number, as columns of numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from tlparse_bundle.log.compile_id import CompileId, compile_key
from tlparse_bundle.tables.spill import NumberRows

_NO_ID = (None,) * len(CompileId._fields)


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
    """Compiles in order of appearance.

    ``frame_compiles``: number of the frame compile of each; ``has_id``: 0 for the records outside any
    compile. The rest is only read at the end of a log, so it does not stay in memory.
    """

    def __init__(self) -> None:
        self.frame_compiles, self.has_id = array("i"), bytearray()
        self._rows = NumberRows("qqqqiq")  # the id, with -1 for None; occurrence, first event
        self.frame_compile_count = 0

    def append(
        self, id: CompileId | None, occurrence: int, first_event_index: int, frame_compile: int
    ) -> None:
        """Add a compile."""
        self.frame_compiles.append(frame_compile)
        self.frame_compile_count = max(self.frame_compile_count, frame_compile + 1)
        self.has_id.append(id is not None)
        numbers = (-1 if number is None else number for number in id or _NO_ID)
        self._rows.add(*numbers, occurrence, first_event_index)

    def __len__(self) -> int:
        return len(self.has_id)

    def __getitem__(self, index: int) -> Compile:
        autograd, frame, compile, attempt, occurrence, first_event_index = self._rows[index]
        id = None
        if self.has_id[index]:
            id = CompileId(
                None if autograd < 0 else autograd,
                None if frame < 0 else frame,
                None if compile < 0 else compile,
                attempt,
            )
        return Compile(id, occurrence, first_event_index, self.frame_compiles[index])

    def __iter__(self) -> Iterator[Compile]:
        return map(self.__getitem__, range(len(self)))
