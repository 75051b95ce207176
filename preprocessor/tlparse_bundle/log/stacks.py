"""Frames and stacks of one log, each stored once; the stacks form a trie. Reading them from envelopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tlparse_bundle.log.event import Event
from tlparse_bundle.log.json_text import is_index

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import StacksRow

# File, line, function, text of the line.
FrameRow = tuple[str | None, int, str, str | None]
# Rows of frames and of stacks: (stack of the outer frames or -1, innermost frame).
StackRows = tuple[list[FrameRow], list[tuple[int, int]]]
_FRAME_KEYS = frozenset(("filename", "line", "name", "loc", "uninterned_filename"))


class StackTable:
    """Interns stacks, outermost frame first, and returns their ids."""

    def __init__(self) -> None:
        self._frames: dict[FrameRow, int] = {}
        self._stacks: dict[tuple[int, int], int] = {}
        self._frame_rows: list[FrameRow] = []
        self._stack_rows: list[tuple[int, int]] = []

    def intern(self, frames: list[FrameRow]) -> int | None:
        """Return the row of a stack; None for an empty stack."""
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
        """Return the stack without its innermost frame, or -1."""
        return self._stack_rows[row][0]

    def innermost(self, row: int) -> FrameRow:
        """Return the innermost frame of a stack."""
        return self._frame_rows[self._stack_rows[row][1]]

    def rows_since(self, counts: tuple[int, int]) -> tuple[StackRows, tuple[int, int]]:
        """Return the frames and stacks after these counts, for ``extend`` of a table, and the new counts."""
        frames, stacks = counts
        return (self._frame_rows[frames:], self._stack_rows[stacks:]), (
            len(self._frame_rows),
            len(self._stack_rows),
        )

    def extend(self, rows: StackRows) -> None:
        """Add rows of another table, which must not be mixed with later interned ones."""
        frames, stacks = rows
        self._frame_rows += frames
        self._stack_rows += stacks

    def rows(self) -> Iterator[StacksRow]:
        """Yield the rows of the table (schema: stacks)."""
        for id, (parent, frame) in enumerate(self._stack_rows):
            file, line, function, code = self._frame_rows[frame]
            yield {
                "id": id,
                "parent": None if parent < 0 else parent,
                "file": file,
                "line": line,
                "function": function,
                "code": code,
            }


class StackReader:
    """Adds the stacks of envelopes to a stack table. ``note`` gets problems: (event, code, message).

    ``others``: strings from other logs of the process, for undefined numbers.
    """

    def __init__(
        self, stacks: StackTable, note: Callable[[Event, str, str], None], others: Mapping[int, str]
    ):
        self._stacks = stacks
        self._note = note
        self._others = others
        self.strings: dict[int, str] = {}
        self._undefined: set[int] = set()
        self._unknown_frame_keys: set[str] = set()

    def define_string(self, event: Event, value: Any) -> None:
        if type(value) is list and len(value) == 2 and type(value[0]) is str and is_index(value[1]):
            text, number = value
            if self.strings.setdefault(number, text) != text:
                self._note(event, "string-redefined", f"string {number} is defined twice")
                self.strings[number] = text
        else:
            self._note(event, "string-invalid", f"str {value!r:.60}")

    def replace(self, event: Event, holder: dict[str, Any], key: str) -> None:
        """Replace holder[key], a list of frames, by a row of the stack table."""
        if type(holder.get(f"{key}_index")) is int:  # would read as a row of the stack table
            holder[f"{key}_index"] = str(holder[f"{key}_index"])
            self._note(
                event,
                "stack-invalid",
                f"{key}_index is not written by torch; its number was converted to text",
            )
        frames = holder.get(key)
        if type(frames) is not list or f"{key}_index" in holder:
            return
        rows = []
        for frame in frames:
            try:
                number, line, name, loc = frame["filename"], frame["line"], frame["name"], frame.get("loc")
                file = frame.get("uninterned_filename")
            except (TypeError, KeyError, AttributeError):
                break
            if type(line) is not int or type(name) is not str or not (loc is None or type(loc) is str):
                break
            if not frame.keys() <= _FRAME_KEYS | self._unknown_frame_keys:
                unknown = frame.keys() - _FRAME_KEYS - self._unknown_frame_keys
                self._unknown_frame_keys |= unknown
                self._note(
                    event, "frame-fields", f"unknown fields of frames: {', '.join(sorted(unknown)):.80}"
                )
            if file is None:
                try:
                    file = self.strings.get(number)
                    if file is None and self._others:
                        file = self._others.get(number)
                except TypeError:
                    break
                if file is None and number not in self._undefined and number != -1:  # -1: torch knows no file
                    self._undefined.add(number)
                    self._note(
                        event, "string-undefined", f"string id {number!r:.40} is not defined before its use"
                    )
            if file is not None and type(file) is not str:
                break
            rows.append((file, line, name, loc))
        if len(rows) < len(frames):
            self._note(event, "stack-invalid", f"{key} is not a list of frames")
            return
        # The key keeps its place, so that the event's own key stays where it was.
        items = list(holder.items())
        holder.clear()
        for k, v in items:
            if k == key:
                holder[f"{key}_index"] = self._stacks.intern(rows)
            else:
                holder[k] = v
