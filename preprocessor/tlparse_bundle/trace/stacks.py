"""Frames and stacks of one log, each stored once; the stacks form a trie."""

from __future__ import annotations

from collections.abc import Iterator


class StackTable:
    """Interns stacks, outermost frame first, and hands out their ids."""

    def __init__(self) -> None:
        self._frames: dict[tuple, int] = {}
        self._stacks: dict[tuple[int, int], int] = {}
        self._frame_rows: list[tuple] = []
        self._stack_rows: list[tuple[int, int]] = []

    def intern(self, frames: list[tuple[str | None, int, str, str | None]]) -> int | None:
        """Row of a stack of (file, line, function, text of the line); None for an empty stack."""
        row = -1
        for frame in frames:
            frame_index = self._frames.get(frame)
            if frame_index is None:
                frame_index = self._frames[frame] = len(self._frame_rows)
                self._frame_rows.append(frame)
            key = (row, frame_index)
            row = self._stacks.get(key, -1)
            if row < 0:
                row = self._stacks[key] = len(self._stack_rows)
                self._stack_rows.append(key)
        return row if row >= 0 else None

    def parent(self, row: int) -> int:
        """The stack without its innermost frame, or -1."""
        return self._stack_rows[row][0]

    def innermost(self, row: int) -> tuple[str | None, int, str, str | None]:
        """(file, line, function, text of the line) of the innermost frame."""
        return self._frame_rows[self._stack_rows[row][1]]

    def rows_since(self, counts: tuple[int, int]) -> tuple[tuple[list, list], tuple[int, int]]:
        """The frames and stacks behind so many of them, for ``extend`` of another table; and how many there are now."""
        frames, stacks = counts
        return (self._frame_rows[frames:], self._stack_rows[stacks:]), (len(self._frame_rows), len(self._stack_rows))

    def extend(self, rows: tuple[list, list]) -> None:
        """Add rows of another table. What is interned after that is none of theirs."""
        frames, stacks = rows
        self._frame_rows += frames
        self._stack_rows += stacks

    def rows(self) -> Iterator[dict]:
        """Yield the rows of the table (schema: stacks)."""
        for id, (parent, frame) in enumerate(self._stack_rows):
            file, line, function, code = self._frame_rows[frame]
            yield {"id": id, "parent": None if parent < 0 else parent, "file": file, "line": line, "function": function, "code": code}
