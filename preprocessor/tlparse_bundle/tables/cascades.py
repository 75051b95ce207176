"""Which recompile led to which: root causes and cascades.

A function that recompiles often makes others recompile: those that continue it after a graph break, and
those it calls. A recompile R was caused by an earlier recompile P when all of these hold:

1. P's call is still running: the callers of P (its dynamo_start stack without the last frame) are an
   inner part of the callers of R, and no compile in between says that P's call has ended.
2. P's function leads to R's: R is a resume function of P's function (torch_dynamo_resume_in_<fn>_at_<line>,
   same file), or R's function, or what it continues, was inlined where P's graph broke (the traceback of the graph break), or P's
   function is the next frame behind P's callers on R's stack.
3. The change is of the same sort. Sizes of intermediate tensors follow those of the inputs, so that any
   change of shape fits any other; else the guard expected and found the same.

Of several such P the last one counts. torch 2.13 leaves the two innermost callers out of the stack, so that
2 cannot rest on the stack alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tlparse_bundle.model.functions import function_of, resumed
from tlparse_bundle.tables.texts import Frame

_SHAPES = frozenset(("size", "stride", "rank", "shape"))
_MAX_OPEN = 256


class Recompile(NamedTuple):
    """``sort`` is what has to be equal between a recompile and one that it causes."""

    row: int
    sort: Any


class _Open:
    """A recompile whose call may still be running."""

    def __init__(self, recompile: Recompile, name: tuple, callers: list[tuple]):
        self.recompile = recompile
        self.name = name
        self.callers = callers
        self.inlined: set[tuple] = set()


class Cascades:
    def __init__(self) -> None:
        self._open: list[_Open] = []

    def start(self, function: str | None, file: str | None, callers: list[tuple], recompile: Recompile | None) -> Recompile | None:
        """A frame compile starts; ``callers`` are its frames (file, line, function, ...). Returns what caused the recompile."""
        self._open = [p for p in self._open if len(p.callers) < len(callers) and callers[: len(p.callers)] == p.callers]
        if recompile is None:
            return None
        name = (file, function_of(function))
        cause = None
        for earlier in reversed(self._open):
            below = callers[len(earlier.callers)]
            calls = name in earlier.inlined or (below[0], function_of(below[2])) == earlier.name
            continues = name == earlier.name and resumed(function) is not None
            if (calls or continues) and earlier.recompile.sort == recompile.sort:
                cause = earlier.recompile
                break
        self._open = [*self._open[-_MAX_OPEN:], _Open(recompile, name, callers)]
        return cause

    def graph_break(self, recompile: Recompile, frames: Iterable[Frame]) -> None:
        """The compile of ``recompile`` breaks; ``frames`` lead there through functions that it inlined."""
        earlier = next((p for p in reversed(self._open) if p.recompile is recompile), None)
        if earlier is None:
            return
        names = [(frame.file, function_of(frame.function)) for frame in frames]
        if earlier.name in names:
            last = len(names) - 1 - names[::-1].index(earlier.name)
            earlier.inlined.update(names[last + 1 :])


def sort_of(reasons: list[dict], event_index: int) -> Any:
    """Return the sort of a recompile, from its rows of 'recompile_reasons'."""
    if not reasons:
        return event_index  # equal to none
    first = reasons[0]
    if first["change"] in _SHAPES:
        return "shape"
    known = (first["expected"], first["actual"])
    return first["change"], first["guard"] if known == (None, None) else known
