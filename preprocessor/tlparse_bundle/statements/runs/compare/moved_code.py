"""Functions that have a different name or file in the new run, found by their graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tlparse_bundle.base.wording import code, function_name, listed, plural
from tlparse_bundle.model.functions import function_of, resume_function
from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare.change import Change
from tlparse_bundle.statements.runs.compare.run import Run

_MOST_NAMES = 3


class Name(NamedTuple):
    """A function without its line, which edits above it change."""

    function: str | None  # of a resume function: the function itself
    file: str  # its last part

    @property
    def text(self) -> str:
        return f"{self.function or '?'} in {self.file or '?'}"


class Move(NamedTuple):
    base: Name
    new: Name


def moves(base: Run, new: Run) -> list[Move]:
    """Return the functions of one run only that have equal graphs in the other run under a different name."""
    ours, theirs = _by_name(base.frames), _by_name(new.frames)
    gone = {name: frames for name, frames in ours.items() if name not in theirs}
    came = {name: frames for name, frames in theirs.items() if name not in ours}
    if not gone or not came:
        return []
    before = {name: graphs for name, frames in gone.items() if (graphs := _structures(base, frames))}
    found = []
    for name, frames in came.items():
        graphs = _structures(new, frames)
        fitting = [other for other, own in before.items() if graphs and _fits(other, own, name, graphs)]
        if fitting:
            best = max(fitting, key=lambda other: _likeness(other, before[other], name, graphs))
            del before[best]
            found.append(Move(best, name))
    return found


def _by_name(frames: Sequence[Frame]) -> dict[Name, list[Frame]]:
    by_name: dict[Name, list[Frame]] = {}
    for frame in frames:
        if frame.function is not None:
            by_name.setdefault(name_of(frame), []).append(frame)
    return by_name


def name_of(frame: Frame) -> Name:
    """Return the name of the function of a frame."""
    return Name(function_of(frame.function), (frame.filename or "").replace("\\", "/").rpartition("/")[2])


def _structures(run: Run, frames: Iterable[Frame]) -> tuple[str, ...]:
    return tuple(found for frame in frames if (found := run.structure(frame)) is not None)


def _fits(base: Name, ours: tuple[str, ...], new: Name, theirs: tuple[str, ...]) -> bool:
    """Return whether all graphs are equal, or the first ones and the name of the function or the file."""
    alike = base.function == new.function or base.file == new.file
    return ours == theirs or (alike and ours[0] == theirs[0])


def _likeness(
    base: Name, ours: tuple[str, ...], new: Name, theirs: tuple[str, ...]
) -> tuple[bool, bool, bool]:
    return base.function == new.function, base.file == new.file, ours == theirs


def as_in_base(frames: Sequence[Frame], moved: Sequence[Move]) -> list[Frame]:
    """Return the frames of the new run with the names that their functions have in the base run."""
    names = {move.new: move.base for move in moved}
    return [_renamed(frame, names.get(name_of(frame))) for frame in frames]


def _renamed(frame: Frame, name: Name | None) -> Frame:
    if name is None:
        return frame
    part = resume_function(frame.function)
    function = name.function if part is None else f"{part.before}{name.function}{part.after}"
    return frame._replace(function=function, filename=name.file)


def move_changes(
    moved: Sequence[Move], places: Mapping[Name, tuple[str | None, int | None, list[int]]]
) -> Iterator[Change]:
    """Yield a change for each file with a new name, and for each function with one.

    ``places``: file, line and pairs of a function of the new run.
    """
    files: dict[tuple[str, str], list[Move]] = {}
    for move in moved:
        if move.base.function == move.new.function:
            files.setdefault((move.base.file, move.new.file), []).append(move)
        else:
            yield _change(_renaming(move, places[move.new][1]), [move], places)
    for (before, now), own in files.items():
        names = listed([function_name(move.new.function) for move in own], _MOST_NAMES)
        yield _change(f"{names} moved from {code(before)} to {code(now)}", own, places)


def _renaming(move: Move, line: int | None) -> str:
    at = f" ({move.new.file}{'' if line is None else f':{line}'})"
    elsewhere = "" if move.base.file == move.new.file else f" in {code(move.base.file)}"
    return f"{function_name(move.new.function)}{at} was {function_name(move.base.function)}{elsewhere}"


def _change(
    title: str,
    own: Sequence[Move],
    places: Mapping[Name, tuple[str | None, int | None, list[int]]],
) -> Change:
    first = own[0].new
    file, line, _ = places[first]
    numbers = sorted(number for move in own for number in places[move.new][2])
    return Change(
        "compile",
        "info",
        title,
        text=f"Matched by {plural(len(numbers), 'graph')} with the same operators and shapes.",
        place=(first.function, file, line) if len(own) == 1 else (None, file, None),
        change="changed",
        pairs=numbers,
        count=len(own),
        details={"base": own[0].base.text, "new": first.text},
        key=("moved", *own[0]),
    )
