"""The input of findings: the tables of one log, loaded on first use, and values derived from them."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tlparse_bundle.model.compiles import ASKED, CANDIDATES, compiling_us, covered_us, forward_us
from tlparse_bundle.model.functions import function_of
from tlparse_bundle.statements.attempt_list import (
    AttemptList,
    FrameCompile,
    FrameKey,
    FrameList,
    RowList,
    by_compile,
)
from tlparse_bundle.statements.source_places import Shortener, is_generated, is_of_program
from tlparse_bundle.statements.timeline import Span, SpanList, Timeline

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import LogTable, MetricsRow, SpansRow, StacksRow

FunctionKey = tuple[str | None, str | None, int | None]  # file, name, line
# Outermost spans in which torch compiles (torch/_dynamo/utils.py: dynamo_timed). Others, such as autotuning
# during a call of a compiled function, are not compile time.
COMPILE_SPANS = frozenset(
    (
        *("dynamo", "_compile.compile_inner", "entire_frame_compile", "entire_backward_compile"),
        *("compile_fx_aot", "create_aot_dispatcher_function", "fullgraph_capture", "compiled_autograd"),
    )
)
CAPTURE_SPAN = "fullgraph_capture"  # graph capture of torch.export or of an ahead-of-time compile
STREAMED = frozenset(
    ("export_failures", "functorch_configs", "kernels", "metrics", "spans")
)  # the largest tables: findings read them in chunks
Result = TypeVar("Result")
_LIMIT = re.compile(
    r"RecompileLimit|(?:recompile|cache_size)_limit reached|recompile limit exceeded", re.IGNORECASE
)


class LogFiles(Protocol):
    """The files of one log, as ``Facts`` reads them."""

    directory: dict[str, Any]  # its log.json

    def table(self, name: str) -> RowList:
        """Return a table, in memory or in chunks."""

    def lists(self, name: str) -> RowList | None:
        """Return a table of STREAMED that is held in chunks; None when it is only on disk."""

    def last_epoch_us(self) -> int | None:
        """Return the time of the last record in microseconds since 1970; None when not recorded."""


def total(parts: Iterable[int | None]) -> int | None:
    """Return the sum of the values that are not None; None when all are."""
    values = [part for part in parts if part is not None]
    return sum(values) if values else None


class Facts:
    """The tables of one log and what is derived from them. Each is computed once, on first use."""

    def __init__(self, log: LogFiles):
        self._log = log
        self._tables: dict[str, RowList] = {}
        self._cache: dict[Callable[[Facts], Any], Any] = {}

    @property
    def directory(self) -> dict[str, Any]:
        return self._log.directory

    if TYPE_CHECKING:
        table: LogTable
    else:

        def table(self, name: str) -> RowList:
            """Return a table of the log, cached. A large one has chunks, with what a RowList has."""
            if name not in self._tables:
                self._tables[name] = self._log.table(name)
            return self._tables[name]

    def lists(self, name: str) -> RowList:
        """Return a table of STREAMED. Each iteration reads it again."""
        kept = self._log.lists(name)
        return self.table(name) if kept is None else kept

    def row_count(self, name: str) -> int:
        """Return the number of rows of a table."""
        count: int = self.directory["tables"].get(name, {"rows": 0})["rows"]
        return count

    def once(self, compute: Callable[[Facts], Result]) -> Result:
        """Return the result of a function of these facts, cached."""
        if compute not in self._cache:
            self._cache[compute] = compute(self)
        result: Result = self._cache[compute]
        return result

    def kind_count(self, *types: str) -> int:
        """Return the number of records of these types."""
        return sum(kind["event_count"] for kind in self.directory["kinds"] if kind["type"] in types)

    @cached_property
    def compiles(self) -> AttemptList:
        """The attempts, and at the end a row for records outside any compile."""
        return AttemptList(self.table("attempts"), self.table(CANDIDATES))

    def key_of(self, number: int) -> str | None:
        """Return the compile key of a row of ``compiles``; None outside any compile."""
        key: str | None = self.compiles[number]["compile"]
        return key

    def number_of(self, row: Mapping[str, Any]) -> int:
        """Return the row number in ``compiles`` of the attempt that a row of another table belongs to."""
        return self.compiles.number_of(row)

    def is_of_last_attempt(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of a table belongs to the last attempt of its compile: others are discarded."""
        frame = self.compiled.get((row["compile"],)) if row["compile"] is not None else None
        return frame is None or self.number_of(row) == frame.rows[-1]

    @cached_property
    def short(self) -> Shortener:
        stack_files = {row["file"]: None for row in self.table("stacks")}
        return Shortener(
            file
            for file in (*(row["file"] for row in self.compiles), *stack_files)
            if file and is_of_program(file)
        )

    @cached_property
    def refused(self) -> set[int]:
        """Rows of compiles that the recompile limit refused. torch 2.6 logs them in metrics of a backward."""
        limits = {self.number_of(row) for row in self.table(ASKED) if row["at_limit"]}
        rows = self.table("failures")
        return limits | {
            self.number_of(row)
            for row in rows
            if _LIMIT.search(row["type"] or "") or _LIMIT.search((row["reason"] or "")[:200])
        }

    @cached_property
    def records_outcomes(self) -> bool:
        """Whether this torch logs how a compile ended: since 2.4, in metrics or the timeline."""
        kinds = {kind["type"] for kind in self.directory["kinds"]}
        return "dynamo_guards" not in kinds or not kinds.isdisjoint(("compilation_metrics", "chromium_event"))

    @cached_property
    def records_recompiles(self) -> bool:
        """Whether this torch logs recompile reasons: since 2.5, which also introduced the timeline."""
        has_records = any(
            kind["type"] == "chromium_event" or kind["name"] == "recompile_reasons"
            for kind in self.directory["kinds"]
        )
        return has_records or self.records_breaks

    @cached_property
    def records_breaks(self) -> bool:
        """Whether this torch logs graph breaks: since 2.6, which has new times in its metrics.

        True for a log without metrics.
        """
        if not self.records_outcomes:
            return False
        return (
            self.records_skips
            or not len(self.lists("metrics"))
            or any(kind["name"] == "dynamo_graph_break_reason" for kind in self.directory["kinds"])
        )

    @cached_property
    def records_skips(self) -> bool:
        """Whether this torch logs the graph breaks after which it skips a function: since 2.6."""
        return any(
            "dynamo_cumulative_compile_time_us" in row["values"] or "start_time_us" in row["values"]
            for row in self.lists("metrics")
        )

    @cached_property
    def keeps_floats(self) -> bool:
        """Whether floats are constants with ``dynamic=True``: before torch 2.8 (torch/_dynamo/variables/
        builder.py, wrap_symfloat), which has the version of Python in its metrics.
        """
        fields = {field["name"] for field in self.table("metric_fields")}
        return bool(fields) and "python_version" not in fields

    @cached_property
    def frames(self) -> FrameList:
        """Frames that were compiled or failed to compile.

        Excludes captures of compiled autograd, and successful compiles without a function.
        """
        failed = {
            self.number_of(row) for row in self.table("failures") if row["kind"] in ("compile", "exception")
        }
        wanted = (
            index
            for index, row in enumerate(self.compiles)
            if row["frame_id"] is not None
            and (row["status"] is not None or row["metrics_event"] is not None or index in failed)
        )

        def is_compile(rows: tuple[int, ...]) -> bool:
            last = self.compiles[rows[-1]]
            named = last["function"] is not None or last["file"] is not None
            return (
                named
                or last["status"] == "unfinished"
                or not failed.isdisjoint(rows)
                or not self.records_outcomes
            )

        return FrameList(self.compiles, filter(is_compile, by_compile(self.compiles, wanted)))

    def frame_of(self, key: FrameKey) -> FrameCompile | None:
        """Return the frame with a key; None when there is none."""
        return self.frames.get(key)

    def frame_with(self, number: int) -> FrameCompile | None:
        """Return the frame that a row of ``compiles`` is an attempt of, or None."""
        frame = self.frame_of(self.frame_key(self.compiles[number]))
        return frame if frame is not None and number in frame.rows else None

    @staticmethod
    def frame_key(row: Mapping[str, Any]) -> FrameKey:
        """Return a key that all attempts of one frame compile share."""
        return (row["compile"],)

    @cached_property
    def compiled(self) -> FrameList:
        """Frames that torch began to compile, without those in ``not_begun``."""
        return self.frames.where(self.not_begun.isdisjoint) if self.not_begun else self.frames

    @cached_property
    def _first_lines(self) -> dict[tuple[str | None, str | None], dict[int | None, None]]:
        """Lines of functions by file and name, where the functions themselves were compiled."""
        first: dict[tuple[str | None, str | None], dict[int | None, None]] = {}
        for row in self.compiles:
            if row["function"] is not None and function_of(row["function"]) == row["function"]:
                first.setdefault((row["file"], row["function"]), {})[row["line"]] = None
        return first

    def _first_line(self, file: str | None, name: str | None, line: int | None) -> int | None:
        """Return the first line of the function that has a line. Methods of several classes share a name."""
        lines = self._first_lines.get((file, name), {})
        above = [first for first in lines if first is not None and line is not None and first <= line]
        return max(above, default=next(iter(lines), None))

    def function_key(self, number: int) -> FunctionKey:
        """Return the key of the function of a row of ``compiles``. A resume function has the key of its
        function.
        """
        row = self.compiles[number]
        name = function_of(row["function"])
        line = row["line"]
        if name != row["function"]:
            line = self._first_line(row["file"], name, line)
        unknown = row["file"] is None and name is None  # each nameless frame counts as a function
        return row["file"], name, row["frame_id"] if unknown else line

    def function_count(self) -> int:
        """Return the number of functions of the program, without those that torch generates."""
        program = (frame for frame in self.compiled if not is_generated(frame.row["file"]))
        return len({self.function_key(frame.rows[0]) for frame in program})

    def place_of(self, compile_index: int) -> tuple[str | None, str | None, int | None]:
        """Return the place of the function of a compile: (function, file, line)."""
        row = self.compiles[compile_index]
        return row["function"], row["file"] and self.short(row["file"]), row["line"]

    @cached_property
    def timeline(self) -> Timeline:
        return Timeline(self.lists("spans"), self.number_of)

    def span_row(self, span: Span) -> SpansRow:
        """Return the row of a span in its table."""
        row: SpansRow = self.lists("spans")[span.number]
        return row

    @cached_property
    def compile_spans(self) -> SpanList:
        """The outermost spans in which torch compiles."""
        return self.timeline.outermost(COMPILE_SPANS)

    @cached_property
    def last_us(self) -> int | None:
        """Time of the last record or span end, in microseconds since 1970; None when not recorded."""
        return max(self.timeline.last_us, self._log.last_epoch_us() or 0) or None

    @cached_property
    def compile_us(self) -> int | None:
        """Compile time of forward and backward, overlaps counted once; None when not recorded.

        A span without an end lasts until the end of the log.
        """
        if not self.compile_spans:
            return compiling_us(frame.row for frame in self.frames)
        return covered_us((span.start_us, self.end_us(span)) for span in self.compile_spans)

    def end_us(self, span: Span) -> int:
        """Return the end of a span, or of the log when the span has no end."""
        return (
            span.start_us + span.duration_us
            if span.duration_us is not None
            else max(self.last_us or 0, span.start_us)
        )

    @cached_property
    def wall_us(self) -> int | None:
        """Time from the first compile span's start to the last one's end; None without a timeline."""
        if not self.compile_spans:
            return None
        return max(map(self.end_us, self.compile_spans)) - min(span.start_us for span in self.compile_spans)

    @cached_property
    def forbidden(self) -> set[int]:
        """Rows of compiles that failed with RecompileError because error_on_recompile is set."""
        return {
            index
            for index, row in enumerate(self.compiles)
            if "RecompileError" in (row["failure_type"] or "")
        }

    @cached_property
    def not_begun(self) -> set[int]:
        """Rows of compiles that torch did not begin, because of the recompile limit or error_on_recompile."""
        return self.refused | self.forbidden

    def innermost(self, stack: int | None) -> StacksRow | None:
        """Return the row of the innermost frame of a stack; None without a stack."""
        return None if stack is None or stack < 0 else self.table("stacks")[stack]

    def metrics_with(self, *fields: str) -> Iterator[MetricsRow]:
        """Iterate over the metrics table; over no rows when it has none of these fields."""
        return iter(
            self.lists("metrics")
            if any(field["name"] in fields for field in self.table("metric_fields"))
            else ()
        )

    @cached_property
    def _metrics_events(self) -> array[int]:
        return array("q", (row["event"] for row in self.lists("metrics")))  # in file order

    def metrics_of(self, event: int | None) -> MetricsRow | None:
        """Return the row of a metrics record by its event, or None."""
        events = self._metrics_events
        place = 0 if event is None else bisect_left(events, event)
        if place >= len(events) or events[place] != event:
            return None
        row: MetricsRow = self.lists("metrics")[place]
        return row

    def time_of(self, frame: FrameCompile) -> int | None:
        """Return the time of forward and backward; None when neither is recorded."""
        return total((forward_us(frame.row), frame.row["backward_us"]))
