"""What findings are made from: the tables of one log, read when they are asked for, and what is counted from
several of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tlparse_bundle.bundle.row_objects import id_of
from tlparse_bundle.model.functions import function_of
from tlparse_bundle.model.status import ASKED, CANDIDATES
from tlparse_bundle.model.times import compiling_us, covered_us, forward_us
from tlparse_bundle.statements.source_places import Shortener, is_generated, is_of_program
from tlparse_bundle.statements.timeline import Span, Timeline

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import LogTable, MetricsRow, SpansRow, StacksRow

FunctionKey = tuple[str | None, str | None, int | None]  # file, name, line
FrameKey = tuple[str | None]  # see Facts.frame_key
# Outermost spans of the timeline in which torch compiles (torch/_dynamo/utils.py: dynamo_timed). What else
# has no span around it, such as autotuning of a compiled function that runs, is not compiling.
COMPILE_SPANS = frozenset(
    (
        *("dynamo", "_compile.compile_inner", "entire_frame_compile", "entire_backward_compile"),
        *("compile_fx_aot", "create_aot_dispatcher_function", "fullgraph_capture", "compiled_autograd"),
    )
)
CAPTURE_SPAN = "fullgraph_capture"  # torch.export captures a graph, or a function is compiled ahead of time
STREAMED = frozenset(
    ("export_failures", "functorch_configs", "kernels", "metrics", "spans")
)  # the largest tables, of which findings keep little: they need not be in memory whole
Made = TypeVar("Made")
_OUTSIDE: dict[str, Any] = {
    **dict.fromkeys(("id", "compile", "attempt", "status", "function", "file", "line", "stack")),
    **dict.fromkeys(("start_epoch_us", "total_us", "backward_us", "metrics_event", "first_event")),
    **dict.fromkeys(("frame_id", "compiled_autograd_id", "frame_compile_id")),
    **dict.fromkeys(("failure_type", "failure_reason", "recompile_reason")),
    "restart_reasons": [],
    "graph_break_count": 0,
}
_LIMIT = re.compile(
    r"RecompileLimit|(?:recompile|cache_size)_limit reached|recompile limit exceeded", re.IGNORECASE
)


class RowList(Protocol):
    """Rows of a table, in memory whole or piece by piece."""

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> Any: ...


class LogFiles(Protocol):
    """The log that findings are made of."""

    directory: dict[str, Any]  # its log.json

    def table(self, name: str) -> list[dict[str, Any]]: ...

    def lists(self, name: str) -> RowList | None:
        """A table that STREAMED names, in memory piece by piece; None where it has only the file."""

    def last_epoch_us(self) -> int | None:
        """When its last record was written, in microseconds since 1970; None when the log does not tell."""


@dataclass(frozen=True, slots=True)
class FrameCompile:
    """One frame that was compiled, with all attempts: ``rows`` of the compile table, of which ``row`` is the
    last.
    """

    rows: tuple[int, ...]
    row: dict[str, Any]


def total(parts: Iterable[int | None]) -> int | None:
    """The sum of what is known; None when nothing is."""
    values = [part for part in parts if part is not None]
    return sum(values) if values else None


class Facts:
    """Everything is made once, when it is asked for first."""

    def __init__(self, log: LogFiles):
        self._log = log
        self._tables: dict[str, list[dict[str, Any]]] = {}
        self._made: dict[Callable[[Facts], Any], Any] = {}

    @property
    def directory(self) -> dict[str, Any]:
        return self._log.directory

    if TYPE_CHECKING:
        table: LogTable
    else:

        def table(self, name: str) -> list[dict[str, Any]]:
            """A table of the log by its name; kept."""
            if name not in self._tables:
                self._tables[name] = self._log.table(name)
            return self._tables[name]

    def lists(self, name: str) -> RowList:
        """A table that STREAMED names. To iterate over it costs as much each time."""
        kept = self._log.lists(name)
        return self.table(name) if kept is None else kept

    def row_count(self, name: str) -> int:
        """How many rows a table has."""
        count: int = self.directory["tables"].get(name, {"rows": 0})["rows"]
        return count

    def once(self, make: Callable[[Facts], Made]) -> Made:
        """What a function makes of these facts; kept."""
        if make not in self._made:
            self._made[make] = make(self)
        result: Made = self._made[make]
        return result

    def kind_count(self, *types: str) -> int:
        """How many records of these types the log has."""
        return sum(kind["event_count"] for kind in self.directory["kinds"] if kind["type"] in types)

    @cached_property
    def compiles(self) -> list[dict[str, Any]]:
        """Each attempt, with what its compile turned out to be: rows of 'attempts' on top of those of
        'candidates'. The last stands for records outside any compile.
        """
        of_compile = {row["compile"]: row for row in self.table(CANDIDATES)}
        rows = [
            {
                **of_compile[row["compile"]],
                **row,
                "status": of_compile[row["compile"]]["status"],
                "id": id_of(row),
            }
            for row in self.table("attempts")
        ]
        return [*rows, _OUTSIDE]

    @cached_property
    def _numbers(self) -> dict[tuple[str | None, int | None], int]:
        """Rows of ``compiles`` by compile and attempt."""
        return {(row["compile"], row["attempt"]): number for number, row in enumerate(self.compiles)}

    def key_of(self, number: int) -> str | None:
        """The key of the compile that a row of ``compiles`` is an attempt of; None outside any compile."""
        key: str | None = self.compiles[number]["compile"]
        return key

    def number_of(self, row: Mapping[str, Any]) -> int:
        """The row of ``compiles`` that a row of another table belongs to."""
        return self._numbers[row["compile"], row["attempt"]]

    @cached_property
    def short(self) -> Shortener:
        called = {row["file"]: None for row in self.table("stacks")}
        return Shortener(
            file
            for file in (*(row["file"] for row in self.compiles), *called)
            if file and is_of_program(file)
        )

    @cached_property
    def refused(self) -> set[int]:
        """Rows of compiles that the recompile limit refused. torch 2.6 tells of them in metrics of a backward
        compile.
        """
        limits = {self.number_of(row) for row in self.table(ASKED) if row["at_limit"]}
        rows = self.table("failures")
        return limits | {
            self.number_of(row)
            for row in rows
            if _LIMIT.search(row["type"] or "") or _LIMIT.search((row["reason"] or "")[:200])
        }

    @cached_property
    def tells_ends(self) -> bool:
        """Whether this torch writes how a compile ended: since 2.4, in metrics; newer ones also have a
        timeline.
        """
        kinds = {kind["type"] for kind in self.directory["kinds"]}
        return "dynamo_guards" not in kinds or not kinds.isdisjoint(("compilation_metrics", "chromium_event"))

    @cached_property
    def tells_recompiles(self) -> bool:
        """Whether this torch writes why something was compiled again: since 2.5, which also began to write a
        timeline.
        """
        has_records = any(
            kind["type"] == "chromium_event" or kind["name"] == "recompile_reasons"
            for kind in self.directory["kinds"]
        )
        return has_records or self.tells_breaks

    @cached_property
    def tells_breaks(self) -> bool:
        """Whether this torch writes graph breaks: since 2.6, metrics of which have new times; True of a log
        without metrics.
        """
        if not self.tells_ends:
            return False
        rows = self.lists("metrics")
        new = any(
            "dynamo_cumulative_compile_time_us" in row["values"] or "start_time_us" in row["values"]
            for row in rows
        )
        return (
            new
            or not len(rows)
            or any(kind["name"] == "dynamo_graph_break_reason" for kind in self.directory["kinds"])
        )

    @cached_property
    def frames(self) -> list[FrameCompile]:
        """Frames of functions that were compiled, or should have been.

        Not what compiled autograd captures, nor what ended well and has no function.
        """
        failed = {
            self.number_of(row) for row in self.table("failures") if row["kind"] in ("compile", "exception")
        }
        by_key: dict[FrameKey, list[int]] = {}
        for index, row in enumerate(self.compiles):
            if row["frame_id"] is not None and (
                row["status"] is not None or row["metrics_event"] is not None or index in failed
            ):
                by_key.setdefault(self.frame_key(row), []).append(index)
        frames = []
        for rows in by_key.values():
            last = self.compiles[rows[-1]]
            named = last["function"] is not None or last["file"] is not None
            if named or last["status"] == "unfinished" or not failed.isdisjoint(rows) or not self.tells_ends:
                frames.append(FrameCompile(tuple(rows), last))
        return frames

    @cached_property
    def frame_keys(self) -> set[str]:
        """Keys of the compiles that are frames."""
        return {frame.row["compile"] for frame in self.frames}

    @cached_property
    def frame_of(self) -> dict[FrameKey, FrameCompile]:
        """The frames by their key."""
        return {self.frame_key(frame.row): frame for frame in self.frames}

    @staticmethod
    def frame_key(row: Mapping[str, Any]) -> FrameKey:
        """The same for all attempts of one frame compile."""
        return (row["compile"],)

    @cached_property
    def compiled(self) -> list[FrameCompile]:
        """Frames that torch began to compile: without those that the recompile limit refused, or
        error_on_recompile forbade.
        """
        return [frame for frame in self.frames if self.not_begun.isdisjoint(frame.rows)]

    @cached_property
    def function_keys(self) -> dict[int, FunctionKey]:
        """What is the same for all compiles of one function of the program, by row of the compile table.

        A resumed part belongs to its function.
        """
        # Line of a function by file and name, where the function itself was compiled.
        first: dict[tuple[str | None, str | None], int | None] = {}
        for row in self.compiles:
            if row["function"] is not None and function_of(row["function"]) == row["function"]:
                first.setdefault((row["file"], row["function"]), row["line"])
        keys = {}
        for index, row in enumerate(self.compiles):
            name = function_of(row["function"])
            line = row["line"] if name == row["function"] else first.get((row["file"], name))
            unknown = row["file"] is None and name is None  # a frame is a function, whatever it is called
            keys[index] = (row["file"], name, row["frame_id"] if unknown else line)
        return keys

    @cached_property
    def functions(self) -> set[FunctionKey]:
        """Functions of the program: not those that torch generates."""
        return {
            self.function_keys[frame.rows[0]]
            for frame in self.compiled
            if not is_generated(frame.row["file"])
        }

    def place_of(self, compile_index: int) -> tuple[str | None, str | None, int | None]:
        """(function, file, line) of the function of a compile."""
        row = self.compiles[compile_index]
        return row["function"], row["file"] and self.short(row["file"]), row["line"]

    @cached_property
    def timeline(self) -> Timeline:
        return Timeline(self.lists("spans"), self.number_of)

    def span_row(self, span: Span) -> SpansRow:
        """The row of a span in its table."""
        row: SpansRow = self.lists("spans")[span.number]
        return row

    @cached_property
    def compile_spans(self) -> list[Span]:
        """The outermost spans in which torch compiles."""
        return self.timeline.outermost(COMPILE_SPANS)

    @cached_property
    def last_us(self) -> int | None:
        """The last moment that the log tells of."""
        return max(self.timeline.last_us, self._log.last_epoch_us() or 0) or None

    @cached_property
    def compile_us(self) -> int | None:
        """Forward and backward, each attempt once, no overlap twice; what has no end lasts as long as the
        log.

        None when unknown.
        """
        if not self.compile_spans:
            return compiling_us(frame.row for frame in self.frames)
        return covered_us((span.start_us, self.end_us(span)) for span in self.compile_spans)

    def end_us(self, span: Span) -> int:
        """When a span ended; the last moment of the log when it did not."""
        return (
            span.start_us + span.duration_us
            if span.duration_us is not None
            else max(self.last_us or 0, span.start_us)
        )

    @cached_property
    def wall_us(self) -> int | None:
        """From the first to the last moment of compiling. None when the timeline does not tell."""
        if not self.compile_spans:
            return None
        return max(map(self.end_us, self.compile_spans)) - min(span.start_us for span in self.compile_spans)

    @cached_property
    def forbidden(self) -> set[int]:
        """Rows of compiles that error_on_recompile forbade: an error was raised instead."""
        return {
            index
            for index, row in enumerate(self.compiles)
            if "RecompileError" in (row["failure_type"] or "")
        }

    @cached_property
    def not_begun(self) -> set[int]:
        """Rows of compiles that torch did not begin: refused or forbidden."""
        return self.refused | self.forbidden

    def innermost(self, stack: int | None) -> StacksRow | None:
        """The innermost frame of a stack: a row of the stacks, with file, line, function and code; None for
        no stack.
        """
        return None if stack is None or stack < 0 else self.table("stacks")[stack]

    @cached_property
    def metrics(self) -> list[MetricsRow]:
        """The rows of the metrics table."""
        return self.table("metrics")

    def metrics_with(self, *fields: str) -> Iterator[MetricsRow]:
        """The rows of the metrics table, one after another; none if all of them have null for each of these
        fields.
        """
        return iter(
            self.lists("metrics")
            if any(field["name"] in fields for field in self.table("metric_fields"))
            else ()
        )

    @cached_property
    def metrics_of(self) -> dict[int, dict[str, Any]]:
        """The values of each metrics record, by its event."""
        return {row["event"]: row["values"] for row in self.metrics}

    def time_of(self, frame: FrameCompile) -> int | None:
        """Forward and backward; None when neither is known."""
        return total((forward_us(frame.row), frame.row["backward_us"]))
