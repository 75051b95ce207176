"""Matched compiles of two runs, and their differences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.ranks.frames import Frame, align
from tlparse_bundle.statements.runs.compare.cache_lookups import Lookup, changed_lookups
from tlparse_bundle.statements.runs.compare.change import Likeness
from tlparse_bundle.statements.runs.compare.moved_code import Move, Name, as_in_base, moves, name_of
from tlparse_bundle.statements.runs.compare.noise import Amounts, Noise, noise
from tlparse_bundle.statements.runs.compare.run import Run

SAME: Likeness = "same"
OTHER: Likeness = "other"
UNKNOWN: Likeness = "unknown"
_Codes = dict["_Code", list[str | None]]  # graphs by code object
_Name = tuple[str, str]  # function, file


class Compared(NamedTuple):
    """A compile of both runs, or of one. ``graph``, ``code``: whether captured graph and code are equal.

    ``ends_alike``: whether the status is equal. ``reached``: last step in each run (``Run.reached``), None if
    equal or unknown.
    """

    pair: Pair
    base_us: int | None
    new_us: int | None
    graph: Likeness
    code: Likeness
    lookups: list[Lookup]
    ends_alike: bool = False
    reached: tuple[str, str] | None = None

    @property
    def both(self) -> tuple[Frame, Frame] | None:
        """The compile in each run; None if one run lacks it."""
        return self.pair.both

    @property
    def cost_us(self) -> int | None:
        """The difference of compile time, new minus base; None: unknown."""
        before = 0 if self.pair.base is None else self.base_us
        now = 0 if self.pair.new is None else self.new_us
        return None if before is None or now is None else now - before

    @property
    def unchanged(self) -> bool:
        return (
            self.both is not None
            and self.ends_alike
            and self.graph == SAME
            and self.code != OTHER
            and not self.lookups
            and not self.reached
        )


class Side:
    """The runs of one side: the first represents them; of the others, only times are used."""

    def __init__(self, runs: Sequence[Run]):
        self.first, *self._others = runs
        self.runs = runs

    @cached_property
    def _of_others(self) -> list[dict[str, int]]:
        times = []
        for run in self._others:
            pairs = (pair.both for pair in matched(self.first.frames, run.frames))
            times.append({own[0].key: us for own in pairs if own and (us := run.time_us(own[1])) is not None})
        return times

    def times_us(self, frame: Frame) -> list[int]:
        """Return the times of a frame of the first run in all runs that record it."""
        first = self.first.time_us(frame)
        return (
            []
            if first is None
            else [first, *(times[frame.key] for times in self._of_others if frame.key in times)]
        )


class Pairs:
    """All compiles of two sides, matched."""

    def __init__(self, base: Side, new: Side):
        self.base, self.new = base, new
        self.moves: list[Move] = moves(base.first, new.first)
        self._moved = {move.new for move in self.moves}
        pairs = matched(base.first.frames, new.first.frames, self.moves)
        self.rows = [self._compared(pair) for pair in pairs]
        self.of_new = {row.pair.new.key: number for number, row in enumerate(self.rows) if row.pair.new}
        self.of_base = {row.pair.base.key: number for number, row in enumerate(self.rows) if row.pair.base}

    @property
    def same_torch(self) -> bool:
        return self.base.first.torch_version == self.new.first.torch_version

    @property
    def same_wording(self) -> bool:
        """Whether both logs record one torch version; a log without a version may have any wording."""
        return self.same_torch and self.new.first.torch_version is not None

    def numbers_of(self, side: Side, compiles: Collection[str]) -> list[int]:
        """Return the numbers of the pairs of compiles, given by keys in the first run of a side."""
        numbers = self.of_base if side is self.base else self.of_new
        return [numbers[frame.key] for frame in side.first.frames_of(compiles)]

    @property
    def moved_places(self) -> dict[Name, tuple[str | None, int | None, list[int]]]:
        """File, line and pairs of each function of ``moves``, by its name in the new run."""
        places: dict[Name, tuple[str | None, int | None, list[int]]] = {}
        for number, row in enumerate(self.rows):
            frame = row.pair.new
            if frame is not None and (name := name_of(frame)) in self._moved:
                places.setdefault(name, (name.file, frame.first_line, []))[2].append(number)
        return places

    def _compared(self, pair: Pair) -> Compared:
        base, new = self.base.first, self.new.first
        one, two = pair.base, pair.new
        if one is None or two is None:
            base_us = None if one is None else base.time_us(one)
            new_us = None if two is None else new.time_us(two)
            return Compared(pair, base_us, new_us, UNKNOWN, UNKNOWN, [])
        graph = (
            UNKNOWN if one.graph is None or two.graph is None else SAME if one.graph == two.graph else OTHER
        )
        if graph == OTHER and name_of(two) in self._moved and base.structure(one) == new.structure(two):
            graph = SAME  # comments in a graph name the function and its file
        lookups = list(changed_lookups(base, new, one, two))
        last, now = base.reached(one), new.reached(two)
        reached = (last, now) if last and now and last != now else None
        return Compared(
            pair,
            base.time_us(one),
            new.time_us(two),
            graph,
            self._code(one, two),
            lookups,
            base.compile(one)["status"] == new.compile(two)["status"],
            reached,
        )

    def _code(self, one: Frame, two: Frame) -> Likeness:
        ours, theirs = self.base.first.generated(one), self.new.first.generated(two)
        if (
            not self._ended(one, two)
            or not ours
            or not theirs
            or (len(ours) != len(theirs) and self.base.first.pieces.pieces and self.new.first.pieces.pieces)
        ):
            return UNKNOWN  # one run loaded vLLM pieces that the other compiled
        pairs = zip(ours, theirs, strict=False)
        if any(a.sha256 != b.sha256 and (a.is_left_out or b.is_left_out) for a, b in pairs):
            return UNKNOWN
        return (
            SAME if len(ours) == len(theirs) and all(map(self.base.first.texts.same, ours, theirs)) else OTHER
        )

    def _ended(self, one: Frame, two: Frame) -> bool:
        return all(
            run.compile(frame)["status"] != "unfinished"
            for run, frame in ((self.base.first, one), (self.new.first, two))
        )

    def ended(self, number: int) -> bool:
        """Return whether a compile finished in both runs."""
        both = self.rows[number].both
        return both is not None and self._ended(*both)

    @cached_property
    def noise(self) -> Noise:
        """The noise of the times of unchanged compiles."""
        names = [number for number, row in enumerate(self.rows) if row.unchanged]
        return noise(
            *(
                [self._amounts(run, side, names) for run in range(len(side.runs))]
                for side in (self.base, self.new)
            )
        )

    @property
    def unchanged_us(self) -> tuple[int, int]:
        """Total time of the unchanged compiles in the first run of each side; overlaps count once."""
        both = [
            row.both
            for row in self.rows
            if row.both and row.unchanged and row.base_us is not None and row.new_us is not None
        ]
        base_us = self.base.first.together_us([base for base, _ in both])
        return base_us, self.new.first.together_us([new for _, new in both])

    def _amounts(self, run: int, side: Side, names: Sequence[int]) -> Amounts:
        amounts: dict[int, int] = {}
        for name in names:
            times = self.times_us(side, name)
            if run < len(times):
                amounts[name] = times[run]
        return amounts

    def times_us(self, side: Side, number: int) -> list[int]:
        """Return the times of a compile in the runs of a side; empty if unknown."""
        pair = self.rows[number].pair
        frame = pair.base if side is self.base else pair.new
        return side.times_us(frame) if frame else []

    @property
    def _several(self) -> bool:
        return len(self.base.runs) > 1 and len(self.new.runs) > 1

    @property
    def timed_alike(self) -> bool:
        """Whether times of single compiles and spans are comparable: same torch, or several runs per side."""
        return self._several or self.same_torch

    def slower_or_faster(self) -> list[int]:
        """Return the compiles of both sides whose times differ by more than noise.

        With one run per side, only compiles with a different change count: a cold disk or a busy machine can
        slow a compile down tenfold. If the noise is not reliable, only those with cache changes count.
        """
        several = self._several
        numbers = []
        for number, row in enumerate(self.rows):
            is_comparable = (
                several
                or bool(row.lookups)
                or (self.noise.is_reliable and not row.unchanged and self.timed_alike)
            )
            if (
                row.both is not None
                and is_comparable
                and (ours := self.times_us(self.base, number))
                and (theirs := self.times_us(self.new, number))
                and self.noise.is_exceeded(ours, theirs)
            ):
                numbers.append(number)
        return numbers

    def cost_us(self, numbers: Sequence[int]) -> int | None:
        """Return the difference of total time, new minus base; overlaps count once. None: unknown for one."""
        rows = [self.rows[number] for number in dict.fromkeys(numbers)]
        if not rows or any(row.cost_us is None for row in rows):
            return None
        before = self.base.first.together_us([row.pair.base for row in rows if row.pair.base])
        return self.new.first.together_us([row.pair.new for row in rows if row.pair.new]) - before


class Pair(NamedTuple):
    """A compile of both runs, or of one of them."""

    base: Frame | None
    new: Frame | None

    @property
    def both(self) -> tuple[Frame, Frame] | None:
        return None if self.base is None or self.new is None else (self.base, self.new)

    @property
    def frame(self) -> Frame:
        """The compile in the new run, else in the base run."""
        frame = self.new or self.base
        assert frame is not None  # a pair has one of them
        return frame


class _Code(NamedTuple):
    """A code object, identified by path and first line."""

    path: str
    line: int


def matched(base: Sequence[Frame], new: Sequence[Frame], moved: Sequence[Move] = ()) -> list[Pair]:
    """Return all compiles of both runs once: in order of the new run, others at their place in base.

    ``moved``: functions with a different name or file in the new run.
    """
    sides = _same_names(base, as_in_base(new, moved))
    columns, (mine, other) = align([(0, side) for side in sides])
    of_base = {id(column): frame for column, frame in zip(mine, base, strict=True)}
    of_new = {id(column): frame for column, frame in zip(other, new, strict=True)}
    return [Pair(of_base.get(id(column)), of_new.get(id(column))) for column in columns]


def _same_names(base: Sequence[Frame], new: Sequence[Frame]) -> tuple[list[Frame], list[Frame]]:
    """Return the frames with names, files and line numbers replaced, so that the same code has equal ones."""
    sides = [_codes(frames) for frames in (base, new)]
    numbers: list[dict[tuple[_Name, _Code], int]] = [{}, {}]
    for name in {**sides[0], **sides[1]}:
        codes: list[_Codes] = [side.get(name, {}) for side in sides]
        for number, (one, two) in enumerate(_aligned(*codes)):
            if one is not None:
                numbers[0][name, one] = number
            if two is not None:
                numbers[1][name, two] = number
    ours, theirs = numbers
    return [_renamed(frame, ours) for frame in base], [_renamed(frame, theirs) for frame in new]


def _codes(frames: Sequence[Frame]) -> dict[_Name, _Codes]:
    """Return code objects in source order, by function and file name."""
    by_name: dict[_Name, _Codes] = {}
    for frame in frames:
        if frame.function is not None:
            by_name.setdefault(_name(frame), {}).setdefault(_code(frame), []).append(frame.graph)
    return {name: dict(sorted(codes.items())) for name, codes in by_name.items()}


def _aligned(ours: _Codes, theirs: _Codes) -> list[tuple[_Code | None, _Code | None]]:
    """Return pairs of code objects with one name, matched by graphs, then by order."""
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(
        None,
        [tuple(graphs) for graphs in ours.values()],
        [tuple(graphs) for graphs in theirs.values()],
        autojunk=False,
    )
    one, two = list(ours), list(theirs)
    pairs: list[tuple[_Code | None, _Code | None]] = []
    for _, start, end, first, last in matcher.get_opcodes():
        left, right = one[start:end], two[first:last]
        pairs += zip_longest(left, right)
    return pairs


def _renamed(frame: Frame, numbers: dict[tuple[_Name, _Code], int]) -> Frame:
    if frame.function is None:
        return frame
    function, file = _name(frame)
    return frame._replace(
        function=function, filename=file, first_line=numbers[(function, file), _code(frame)]
    )


def _name(frame: Frame) -> _Name:
    # The name of a resume function contains a line number, which edits elsewhere change.
    part = resume_function(frame.function)
    function = f"{part.before}{part.function}_at_*" if part else frame.function or ""
    return function, _path(frame).rpartition("/")[2]


def _code(frame: Frame) -> _Code:
    return _Code(_path(frame), frame.first_line if frame.first_line is not None else -1)


def _path(frame: Frame) -> str:
    return (frame.filename or "").replace("\\", "/")
