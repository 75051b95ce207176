"""Where in the program a recorded call was made, and which compile has that code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from tlparse_bundle.base.machine_text import CACHE_NAME
from tlparse_bundle.statements.ranks.collective_calls import Call
from tlparse_bundle.statements.ranks.flight_recorder.signatures import fits
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.recorded_calls import calls_of_frame
from tlparse_bundle.statements.source_places import is_generated, is_of_program

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FlightRecorderCallsRow, FlightRecorderStacksFrames

_CODE_FILE = re.compile(CACHE_NAME + r"\.py\Z")  # that Inductor writes
_GRAPH = "<eval_with_key>"  # code of a graph that is not compiled further
_RUNS_GRAPH = re.compile(r"[/\\]torch[/\\]_dynamo[/\\]eval_frame\.py\Z")  # around the code that Dynamo calls
_PATH_PARTS = 3

Origin = Literal["compiled", "eager"]
JoinedBy = Literal["generated_code", "function", "sizes", "order"]


class Place(NamedTuple):
    """Where a call was made. ``compile`` and ``joined_by`` are None outside compiled code."""

    origin: Origin | None = None
    function: str | None = None
    file: str | None = None
    line: int | None = None
    compile: str | None = None
    joined_by: JoinedBy | None = None


class Code:
    """The compiled code of one log, by what stacks show of it. ``frames``: None without a log."""

    def __init__(self, frames: Frames | None):
        self._frames = frames
        self._of_file: dict[str, str | None] = {}  # None: several compiles have this code
        self._of_function: dict[tuple[str, str], list[int]] = {}
        self._calls: dict[int, list[Call]] = {}
        if frames is None:
            return
        for row in frames.table("generated_code"):
            if row["role"] == "output" and row["filename"] and row["compile"]:
                name, compile_key = _name(row["filename"]), row["compile"]
                is_other = self._of_file.get(name, compile_key) != compile_key
                self._of_file[name] = None if is_other else compile_key
        for number, compile in enumerate(frames.compiles):
            if compile["function"] and compile["file"]:
                key = compile["function"], _tail(compile["file"])
                self._of_function.setdefault(key, []).append(number)

    def key(self, number: int) -> str:
        """Return the key of a compile."""
        assert self._frames is not None
        return self._frames.compiles[number]["compile"]

    def all_calls(self) -> list[list[Call]]:
        """Return the calls of each compile, in order."""
        return [self.calls(number) for number in range(len(self._frames or ()))]

    def calls(self, number: int) -> list[Call]:
        """Return the calls of a compile, in order; empty when the log does not have them."""
        if number not in self._calls:
            assert self._frames is not None
            started = calls_of_frame(self._frames, number)[0] or []
            self._calls[number] = [one.call for one in started]
        return self._calls[number]

    def place(self, stack: Sequence[FlightRecorderStacksFrames], call: FlightRecorderCallsRow) -> Place:
        """Return the place of a call with a stack, innermost frame first."""
        code = next((n for n, frame in enumerate(stack) if _CODE_FILE.search(frame["file"])), None)
        if code is not None:
            compile = self._of_file.get(_name(stack[code]["file"]))
            source = _of_program(stack, code + 1)
            frame = None if source is None else stack[source]
            return _place("compiled", frame, compile, "generated_code")
        user = _of_program(stack, 0)
        if user is None:
            return Place()
        inner = stack[:user]
        if not (
            (inner and _RUNS_GRAPH.search(inner[-1]["file"]))
            or any(frame["file"].startswith(_GRAPH) for frame in inner)
        ):
            return _place("eager", stack[user])
        return self._of_frame(stack[user], call)

    def _of_frame(self, frame: FlightRecorderStacksFrames, call: FlightRecorderCallsRow) -> Place:
        """Return the place of a call that the compiled code of a function makes."""
        numbers = self._of_function.get((frame["function"], _tail(frame["file"])), [])
        if len(numbers) == 1:
            return _place("compiled", frame, self.key(numbers[0]), "function")
        fitting = [number for number in numbers if any(fits(call, one) for one in self.calls(number))]
        if len(fitting) == 1:
            return _place("compiled", frame, self.key(fitting[0]), "sizes")
        return _place("compiled", frame)

    def place_of(self, number: int) -> Place:
        """Return the place of a compile that was found by the order of calls; its line is unknown."""
        assert self._frames is not None
        row = self._frames.compiles[number]
        return Place("compiled", row["function"], row["file"], None, row["compile"], "order")


def _place(
    origin: Origin,
    frame: FlightRecorderStacksFrames | None,
    compile: str | None = None,
    joined_by: JoinedBy | None = None,
) -> Place:
    joined_by = joined_by if compile else None
    if frame is None:
        return Place(origin, compile=compile, joined_by=joined_by)
    return Place(origin, frame["function"], frame["file"], frame["line"], compile, joined_by)


def _of_program(stack: Sequence[FlightRecorderStacksFrames], start: int) -> int | None:
    """Return the innermost frame of the program from a number on."""
    return next(
        (
            number
            for number in range(start, len(stack))
            if not is_generated(stack[number]["file"]) and is_of_program(stack[number]["file"])
        ),
        None,
    )


def _name(file: str) -> str:
    return re.split(r"[/\\]", file)[-1]


def _tail(file: str) -> str:
    return "/".join(re.split(r"[/\\]", file)[-_PATH_PARTS:])
