"""Which compiles of two runs of a program are the same one.

A compile is known by what was compiled: the function, its file and the graph. Ids, lines and folders may differ,
since an edit moves lines, one compile more shifts ids, and the other run may be of another machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tlparse_bundle.model.functions import resumed
from tlparse_bundle.ranks.columns import align
from tlparse_bundle.ranks.frames import Frame


class Pair(NamedTuple):
    """A compile of both runs, or of one of them."""

    base: Frame | None
    new: Frame | None

    @property
    def frame(self) -> Frame:
        """That of the new run, where it has one."""
        return self.new or self.base


class _Code(NamedTuple):
    """What was compiled: one code object, as far as a log tells them apart."""

    path: str
    line: int


def matched(base: Sequence[Frame], new: Sequence[Frame]) -> list[Pair]:
    """All compiles of both runs, each once, in the order of the new run; one that it lacks stands where it was."""
    columns, (mine, other) = align(_same_names(base, new))
    of_base = {id(column): frame for column, frame in zip(mine, base)}
    of_new = {id(column): frame for column, frame in zip(other, new)}
    return [Pair(of_base.get(id(column)), of_new.get(id(column))) for column in columns]


def _same_names(base: Sequence[Frame], new: Sequence[Frame]) -> tuple[list[Frame], list[Frame]]:
    """The frames with names, files and numbers in place of lines that are equal in both runs for what is the same code."""
    sides = [_codes(frames) for frames in (base, new)]
    numbers: list[dict[tuple, int]] = [{}, {}]
    for name in {**sides[0], **sides[1]}:
        ours, theirs = (side.get(name, {}) for side in sides)
        for number, (one, two) in enumerate(_aligned(ours, theirs)):
            if one is not None:
                numbers[0][name, one] = number
            if two is not None:
                numbers[1][name, two] = number
    return tuple([_renamed(frame, own) for frame in frames] for frames, own in zip((base, new), numbers))


def _codes(frames: Sequence[Frame]) -> dict[tuple, dict[_Code, list[str | None]]]:
    """By function and name of the file: the codes of that name in the order of the source, with their graphs."""
    found: dict[tuple, dict[_Code, list[str | None]]] = {}
    for frame in frames:
        if frame.function is not None:
            found.setdefault(_name(frame), {}).setdefault(_code(frame), []).append(frame.graph)
    return {name: dict(sorted(codes.items())) for name, codes in found.items()}


def _aligned(ours: dict[_Code, list], theirs: dict[_Code, list]) -> list[tuple[_Code | None, _Code | None]]:
    """Pairs of codes of one name: by their graphs, and between those by their order."""
    if len(ours) == len(theirs):
        return list(zip(ours, theirs))
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, [tuple(graphs) for graphs in ours.values()], [tuple(graphs) for graphs in theirs.values()], autojunk=False)
    one, two = list(ours), list(theirs)
    pairs: list[tuple[_Code | None, _Code | None]] = []
    for _, start, end, first, last in matcher.get_opcodes():
        left, right = one[start:end], two[first:last]
        most = max(len(left), len(right))
        pairs += zip([*left, *[None] * (most - len(left))], [*right, *[None] * (most - len(right))])
    return pairs


def _renamed(frame: Frame, numbers: dict[tuple, int]) -> Frame:
    if frame.function is None:
        return frame
    function, file = _name(frame)
    return frame._replace(function=function, filename=file, first_line=numbers[(function, file), _code(frame)])


def _name(frame: Frame) -> tuple[str, str]:
    part = resumed(frame.function)  # its name has a line of the program in it, which an edit elsewhere changes
    return f"{part.before}{part.function}_at_*" if part else frame.function or "", _path(frame).rpartition("/")[2]


def _code(frame: Frame) -> _Code:
    return _Code(_path(frame), frame.first_line if frame.first_line is not None else -1)


def _path(frame: Frame) -> str:
    return (frame.filename or "").replace("\\", "/")
