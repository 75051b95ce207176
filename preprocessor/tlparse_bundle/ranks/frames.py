"""The frame compiles of one log: what ranks are compared by."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from tlparse_bundle.ranks.identity import Contents
from tlparse_bundle.read.reader import Log
from tlparse_bundle.read.rows import Artifact, Compile
from tlparse_bundle.trace.compile_id import compile_key

# The graph as captured: torch/_dynamo/output_graph.py, torch/_dynamo/compiled_autograd.py.
CAPTURED = ("dynamo_output_graph", "compiled_autograd_graph")


class Frame(NamedTuple):
    """One frame compile: the rows of its attempts in the compile table, as JSON has it."""

    key: str  # of the last attempt
    compile_id: str
    function: str | None
    filename: str | None
    first_line: int | None
    graph: str | None  # what stands for its captured graph
    compile_index: int = -1  # row of the last attempt


class Frames:
    """The frame compiles of a log in order of first appearance; attempts of one are one."""

    def __init__(self, log: Log, contents: Contents):
        self.log = log
        self.table = cache(log.table)  # several analyses read the same
        self.contents = contents
        groups: dict[tuple, list[Compile]] = {}
        for compile in log.compiles:
            row = compile.row
            if row["id"] is not None and (row["status"] is not None or row["artifact_count"]):
                id_ = (row["compiled_autograd_id"], row["frame_id"], row["frame_compile_id"], row["occurrence"])
                groups.setdefault(id_, []).append(compile)
        self.compiles: list[list[Compile]] = list(groups.values())
        self._of_key = {compile_key(key[:3], key[3]): number for number, key in enumerate(groups)}
        self._numbers = {compile.index: number for number, group in enumerate(self.compiles) for compile in group}

    def __len__(self) -> int:
        return len(self.compiles)

    def number(self, compile_index: int | None) -> int | None:
        """The frame compile that a row of the compile table belongs to; None for rows without an id."""
        return self._numbers.get(compile_index)

    def number_of(self, row: dict) -> int | None:
        """The frame compile that a row of a table belongs to; None outside of all."""
        return self.number_of_compile(row["compile"])

    def number_of_compile(self, compile: str | None) -> int | None:
        """The frame compile with this key; None when there is none."""
        return self._of_key.get(compile)

    def artifacts(self, number: int) -> list[Artifact]:
        """The artifacts of the last attempt that has any, in order."""
        return next((c.artifacts for c in reversed(self.compiles[number]) if c.artifacts), [])

    def rows(self) -> list[Frame]:
        return [self._frame(number, group[-1].row) for number, group in enumerate(self.compiles)]

    def _frame(self, number: int, row: dict) -> Frame:
        captured = next((a for a in self.artifacts(number) if a.name in CAPTURED), None)
        graph = None if captured is None else self.contents(captured)
        return Frame(row["key"], row["id"], row["function"], row["filename"], row["first_line"], graph, self.compiles[number][-1].index)
