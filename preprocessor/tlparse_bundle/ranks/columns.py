"""Which frame compiles of different ranks are the same one: the columns of the matrix of ranks and compiles.

Compiles of one code are aligned by their graphs; where graphs differ, by their order. So one more
compile on a rank is a column of its own, and another graph in the place of one is the same column.
"""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.ranks.frames import Frame

_PATH_PARTS = 3  # that tell a file, so that a checkout may lie elsewhere on another machine


class Column:
    """One column. Two of them are never equal, whatever they hold."""

    def __init__(self, code: tuple, graph: str | None):
        self.code = code
        self.graph = graph  # of the first frame in it


def align(kinds: Sequence[Sequence[Frame]]) -> tuple[list[Column], list[list[Column]]]:
    """The columns in order, and for each kind of rank the column of each of its frames.

    ``kinds`` are the distinct lists of frames, the most usual first; the first is the yardstick.
    """
    of_code: dict[tuple, list[Column]] = {}
    order: list[Column] = []
    placed: list[list[Column]] = []
    for frames in kinds:
        mine: dict[tuple, list[int]] = {}
        for number, frame in enumerate(frames):
            mine.setdefault(_code(frame), []).append(number)
        columns: dict[int, Column] = {}
        for code, numbers in mine.items():
            known = of_code.setdefault(code, [])
            columns.update(zip(numbers, _align_code(code, known, [frames[number].graph for number in numbers])))
        row = [columns[number] for number in range(len(frames))]
        _insert(order, row)
        placed.append(row)
    return order, placed


def _code(frame: Frame) -> tuple:
    if frame.function is None:
        return (frame.key,)
    path = (frame.filename or "").replace("\\", "/").split("/")
    return (frame.function, "/".join(path[-_PATH_PARTS:]), frame.first_line)


def _align_code(code: tuple, known: list[Column], graphs: list[str | None]) -> list[Column]:
    """The columns of the compiles of one code; new ones are put into ``known``."""
    before = [column.graph for column in known]
    if not before or before == graphs:
        known[:] = known or [Column(code, graph) for graph in graphs]
        return list(known)
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, before, graphs, autojunk=False)
    row: list[Column] = []
    grown: list[Column] = []
    for _, start, end, first, last in matcher.get_opcodes():
        old = known[start:end]
        new = [Column(code, graph) for graph in graphs[first + len(old) : last]]
        grown += [*old, *new]
        row += [*old[: last - first], *new]
    known[:] = grown
    return row


def _insert(order: list[Column], row: list[Column]) -> None:
    """Put the columns that are new behind the one that came before them."""
    places = {id(column): place for place, column in enumerate(order)}
    behind: dict[int, list[Column]] = {}
    last = -1
    for column in row:
        place = places.get(id(column))
        if place is None:
            behind.setdefault(last, []).append(column)
        else:
            last = place
    if behind:
        order[:] = [*behind.get(-1, ()), *(c for place, column in enumerate(order) for c in (column, *behind.get(place, ())))]
