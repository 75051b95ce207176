"""The frame compiles of one log: what ranks are compared by."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from tlparse_bundle.ranks.identity import Contents
from tlparse_bundle.read.reader import Log
from tlparse_bundle.read.rows import Artifact

# The graph as captured: torch/_dynamo/output_graph.py, torch/_dynamo/compiled_autograd.py.
CAPTURED = ("dynamo_output_graph", "compiled_autograd_graph")


_NOT_COMPILED = dict.fromkeys(("status", "start_epoch_us", "total_us", "backward_us", "graph_node_count"))  # of what torch refused or only captured


class Frame(NamedTuple):
    """One compile id with all attempts, as JSON has it."""

    key: str
    function: str | None
    filename: str | None
    first_line: int | None
    graph: str | None  # what stands for its captured graph


class Frames:
    """The frame compiles of a log in order of first appearance; attempts of one are one."""

    def __init__(self, log: Log, contents: Contents):
        self.log = log
        self.table = cache(log.table)  # several analyses read the same
        self.contents = contents
        rows = [row for row in self.table("compiles") if row["event_count"] is not None]
        rows += ({**_NOT_COMPILED, **row} for name in ("limits", "captures") for row in self.table(name))
        self.compiles = sorted(rows, key=lambda row: row["first_event"])
        self._of_key = {row["compile"]: number for number, row in enumerate(self.compiles)}

    def __len__(self) -> int:
        return len(self.compiles)

    def number(self, compile: str | None) -> int | None:
        """The number of a compile by its key; None outside of all."""
        return self._of_key.get(compile)

    def number_of(self, row: dict) -> int | None:
        """The frame compile that a row of a table belongs to; None outside of all."""
        return self.number_of_compile(row["compile"])

    def number_of_compile(self, compile: str | None) -> int | None:
        """The frame compile with this key; None when there is none."""
        return self._of_key.get(compile)

    def artifacts(self, number: int) -> list[Artifact]:
        """The artifacts of the last attempt that has any, in order."""
        artifacts = self.log.artifacts_by_compile.get(self.compiles[number]["compile"], [])
        last = max((artifact.row["attempt"] for artifact in artifacts), default=0)
        return [artifact for artifact in artifacts if artifact.row["attempt"] == last]

    def rows(self) -> list[Frame]:
        return [self._frame(number, row) for number, row in enumerate(self.compiles)]

    def _frame(self, number: int, row: dict) -> Frame:
        captured = next((a for a in self.artifacts(number) if a.name in CAPTURED), None)
        graph = None if captured is None else self.contents(captured)
        return Frame(row["compile"], row["function"], row["file"], row["line"], graph)
