"""Functions that compile on their own only because a graph break or the recompile limit stopped inlining."""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.model.functions import function_of, resume_function
from tlparse_bundle.statements.break_groups import break_groups, break_key
from tlparse_bundle.statements.export_calls import Frame, stack
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.failure_groups import break_attempts
from tlparse_bundle.statements.source_places import is_of_program
from tlparse_bundle.statements.user_code import package_of
from tlparse_bundle.tables.text.record_values import frames_in

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphBreaksRow

_FUNCTORCH = re.compile(r"[/\\]torch[/\\]_functorch[/\\]")
# Code that runs eager calls it through a torch.compile of its own (torch/nn/attention/flex_attention.py).
COMPILED_BY_TORCH = frozenset(("_flex_attention_hop_wrapper",))
Line = tuple[str, int | None]


class _Break(NamedTuple):
    """A graph break: ``attempts``: those that it ended, rows of ``Facts.compiles``."""

    first_event: int
    attempts: list[int]
    key: tuple[str, int]


def callers(facts: Facts, number: int) -> list[Frame]:
    """Return the frames that led to a compile, outermost first. ``number``: row of ``Facts.compiles``."""
    row = facts.compiles[number]
    frames = stack(facts, row["stack"])
    is_own = bool(frames) and (frames[-1].file, frames[-1].name) == (row["file"], row["function"])
    return frames[:-1] if is_own else frames


def is_called_by_a_library(facts: Facts, number: int) -> bool:
    """Whether a package other than torch and Python calls the function: its arguments are not the user's."""
    packages = (package_of(frame.file) for frame in reversed(callers(facts, number)))
    return next((package for package in packages if package not in ("torch", "Python")), None) is not None


def is_below_a_dispatch(facts: Facts, number: int) -> bool:
    """Whether `__torch_dispatch__` of a tensor subclass calls the function. torch removes autograd's dispatch
    keys there (torch/utils/_python_dispatch.py).
    """
    return any(frame.name == "__torch_dispatch__" for frame in callers(facts, number))


def is_called_by_compiled_code(facts: Facts, number: int) -> bool:
    """Whether code that Dynamo compiles calls the function, below a graph break: it cannot mark the
    arguments, since Dynamo does not trace that. ``number``: row of ``Facts.compiles``.
    """
    frames = [frame for frame in callers(facts, number) if is_of_program(frame.file)]
    if resume_function(facts.compiles[number]["function"]) is not None:
        frames = frames[:-1]  # what it resumes
    return bool(frames) and _is_compiled(facts, frames[-1])


def _is_compiled(facts: Facts, frame: Frame) -> bool:
    """Whether Dynamo traces the function that a frame is in up to its line. Of several of that name, it is
    the one that begins last before the line.
    """
    own = facts.once(_traced_lines).get((frame.file, function_of(frame.name)), {})
    begins = [line for line in own if frame.line is not None and line <= frame.line]
    return bool(begins) and frame.line is not None and frame.line <= own[max(begins)]


def _traced_lines(facts: Facts) -> dict[tuple[str | None, str | None], dict[int, float]]:
    """Return the first lines of functions that Dynamo compiled, by file and name, and the last line that it
    traces in any call: that of a graph break after which it skips the function, else infinity.
    """
    breaks = facts.table("graph_breaks")
    skipping = {
        row["compile"]: breaks[row["graph_break"]]
        for row in facts.table("graph_break_records")
        if row["skips_frame"]
    }
    found: dict[tuple[str | None, str | None], dict[int, float]] = {}
    for frame in facts.compiled:
        row = frame.row
        if row["line"] is None or resume_function(row["function"]) is not None:
            continue
        end = inf if row["status"] == "ok" and row["compile"] not in skipping else 0.0
        ending = skipping.get(row["compile"])
        if ending is not None:
            end = _line_in(row["file"], row["function"], row["line"], ending)
        lines = found.setdefault((row["file"], row["function"]), {})
        lines[row["line"]] = max(lines.get(row["line"], 0.0), end)
    return found


def _line_in(file: str | None, function: str | None, begin: int, row: GraphBreaksRow) -> float:
    """Return the line of a function at which a graph break is, in it or in what it calls, or infinity.
    ``begin``: its first line, since others can have its name.
    """
    own = [(row["file"], row["function"], row["line"])]
    frames = frames_in(row["user_traceback"] or "")
    lines = [
        line
        for at, name, line in (*((one.file, one.function, one.line) for one in frames), *own)
        if line is not None and line >= begin and (at, function_of(name)) == (file, function)
    ]
    return max(lines, default=inf)


def break_before(facts: Facts, number: int) -> tuple[str, int] | None:
    """Return the key of a graph break without which this compile would not exist, None if not known: one
    below the same line of the program, in an earlier compile of a different function. If functions are
    between that line and this one, it is in one of them.
    """
    function, begin = facts.function_key(number), facts.compiles[number]["first_event"]
    between: set[tuple[str | None, str | None]] = set()

    def ends_another(one: _Break) -> bool:
        rows = ((other, facts.compiles[other]) for other in one.attempts if other < number)
        return any(
            facts.function_key(other) != function
            and (not between or (row["file"], function_of(row["function"])) in between)
            for other, row in rows
        )

    for frame in reversed(callers(facts, number)):
        breaks = facts.once(_breaks_by_line).get((frame.file, frame.line), ()) if frame.file else ()
        for one in breaks:
            if one.first_event < begin and ends_another(one):
                return one.key
        between.add((frame.file, function_of(frame.name)))
    return None


def limit_before(facts: Facts, number: int) -> tuple[Any, ...] | None:
    """Return the key of the recompile limit since which the caller of a compile runs eager, if it does."""
    frames = [frame for frame in callers(facts, number) if is_of_program(frame.file)]
    for refused in sorted(facts.refused) if frames else ():
        row = facts.compiles[refused]
        if refused < number and (row["file"], row["function"]) == (frames[-1].file, frames[-1].name):
            return "recompile-limit", *facts.function_key(refused)
    return None


def is_left_by_a_break(facts: Facts, number: int) -> bool:
    """Whether only a library, or torch.func, calls this function."""
    file = facts.compiles[number]["file"]
    return is_called_by_a_library(facts, number) or bool(file and _FUNCTORCH.search(file))


def _breaks_by_line(facts: Facts) -> dict[Line, list[_Break]]:
    """Return the breaks below each line of the program."""
    lines: dict[Line, list[_Break]] = {}
    for group in facts.once(break_groups).values():
        for row in group:
            one = _Break(row["events"][0], facts.once(break_attempts)[row["id"]], break_key(group))
            for frame in frames_in(row["user_traceback"] or ""):
                if is_of_program(frame.file):
                    lines.setdefault((frame.file, frame.line), []).append(one)
    for breaks in lines.values():
        breaks.sort()
    return lines
