"""The input of findings: the tables of one log, loaded on first use, and values derived from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tlparse_bundle.bundle.row_objects import id_of
from tlparse_bundle.model.compiles import ASKED, CANDIDATES, compiling_us, covered_us, forward_us
from tlparse_bundle.model.functions import function_of
from tlparse_bundle.statements.source_places import Shortener, is_generated, is_of_program
from tlparse_bundle.statements.timeline import Span, Timeline

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import LogTable, MetricsRow, SpansRow, StacksRow

FunctionKey = tuple[str | None, str | None, int | None]  # file, name, line
FrameKey = tuple[str | None]  # see Facts.frame_key
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
    """Rows of a table, in memory as a whole or in chunks."""

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> Any: ...


class LogFiles(Protocol):
    """The files of one log, as ``Facts`` reads them."""

    directory: dict[str, Any]  # its log.json

    def table(self, name: str) -> list[dict[str, Any]]: ...

    def lists(self, name: str) -> RowList | None:
        """Return a table of STREAMED that is held in chunks; None when it is only on disk."""

    def last_epoch_us(self) -> int | None:
        """Return the time of the last record in microseconds since 1970; None when not recorded."""


@dataclass(frozen=True, slots=True)
class FrameCompile:
    """One compiled frame: its attempts (``rows`` of ``Facts.compiles``) and the last one (``row``)."""

    rows: tuple[int, ...]
    row: dict[str, Any]


def total(parts: Iterable[int | None]) -> int | None:
    """Return the sum of the values that are not None; None when all are."""
    values = [part for part in parts if part is not None]
    return sum(values) if values else None


class Facts:
    """The tables of one log and what is derived from them. Each is computed once, on first use."""

    def __init__(self, log: LogFiles):
        self._log = log
        self._tables: dict[str, list[dict[str, Any]]] = {}
        self._cache: dict[Callable[[Facts], Any], Any] = {}

    @property
    def directory(self) -> dict[str, Any]:
        return self._log.directory

    if TYPE_CHECKING:
        table: LogTable
    else:

        def table(self, name: str) -> list[dict[str, Any]]:
            """Return a table of the log, cached."""
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
    def compiles(self) -> list[dict[str, Any]]:
        """Each attempt: its row of 'attempts' merged over the row of 'candidates' of its compile.

        The last row stands for records outside any compile.
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
        """Row numbers of ``compiles`` by compile and attempt."""
        return {(row["compile"], row["attempt"]): number for number, row in enumerate(self.compiles)}

    def key_of(self, number: int) -> str | None:
        """Return the compile key of a row of ``compiles``; None outside any compile."""
        key: str | None = self.compiles[number]["compile"]
        return key

    def number_of(self, row: Mapping[str, Any]) -> int:
        """Return the row number in ``compiles`` of the attempt that a row of another table belongs to."""
        return self._numbers[row["compile"], row["attempt"]]

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
        """Frames that were compiled or failed to compile.

        Excludes captures of compiled autograd, and successful compiles without a function.
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
            if (
                named
                or last["status"] == "unfinished"
                or not failed.isdisjoint(rows)
                or not self.records_outcomes
            ):
                frames.append(FrameCompile(tuple(rows), last))
        return frames

    @cached_property
    def frame_keys(self) -> set[str]:
        """Compile keys of the frames."""
        return {frame.row["compile"] for frame in self.frames}

    @cached_property
    def frame_of(self) -> dict[FrameKey, FrameCompile]:
        """Frames by their key."""
        return {self.frame_key(frame.row): frame for frame in self.frames}

    @staticmethod
    def frame_key(row: Mapping[str, Any]) -> FrameKey:
        """Return a key that all attempts of one frame compile share."""
        return (row["compile"],)

    @cached_property
    def compiled(self) -> list[FrameCompile]:
        """Frames that torch began to compile, without those in ``not_begun``."""
        return [frame for frame in self.frames if self.not_begun.isdisjoint(frame.rows)]

    @cached_property
    def function_keys(self) -> dict[int, FunctionKey]:
        """Key of the function of each row of ``compiles``. A resume function has the key of its function."""
        # Line of a function by file and name, where the function itself was compiled.
        first: dict[tuple[str | None, str | None], int | None] = {}
        for row in self.compiles:
            if row["function"] is not None and function_of(row["function"]) == row["function"]:
                first.setdefault((row["file"], row["function"]), row["line"])
        keys = {}
        for index, row in enumerate(self.compiles):
            name = function_of(row["function"])
            line = row["line"] if name == row["function"] else first.get((row["file"], name))
            unknown = row["file"] is None and name is None  # each nameless frame counts as a function
            keys[index] = (row["file"], name, row["frame_id"] if unknown else line)
        return keys

    @cached_property
    def functions(self) -> set[FunctionKey]:
        """Functions of the program, without those that torch generates."""
        return {
            self.function_keys[frame.rows[0]]
            for frame in self.compiled
            if not is_generated(frame.row["file"])
        }

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
    def compile_spans(self) -> list[Span]:
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

    @cached_property
    def metrics(self) -> list[MetricsRow]:
        """Rows of the metrics table."""
        return self.table("metrics")

    def metrics_with(self, *fields: str) -> Iterator[MetricsRow]:
        """Iterate over the metrics table; over no rows when it has none of these fields."""
        return iter(
            self.lists("metrics")
            if any(field["name"] in fields for field in self.table("metric_fields"))
            else ()
        )

    @cached_property
    def metrics_of(self) -> dict[int, dict[str, Any]]:
        """Values of each metrics record, by event."""
        return {row["event"]: row["values"] for row in self.metrics}

    def time_of(self, frame: FrameCompile) -> int | None:
        """Return the time of forward and backward; None when neither is recorded."""
        return total((forward_us(frame.row), frame.row["backward_us"]))
