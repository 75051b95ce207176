"""Attempts of each compile, with status, times and outcome."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from tlparse_bundle.base.key_numbers import KeyNumbers
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.log.compile_id import CompileId, compile_key
from tlparse_bundle.log.event import Event, Span
from tlparse_bundle.model.compiles import CANDIDATES, RESTARTED, phase_times
from tlparse_bundle.tables.compile_list import Compile
from tlparse_bundle.tables.frame_compiles import (
    Captures,
    FrameCompiles,
    Outcome,
    microseconds,
    or_none,
)
from tlparse_bundle.tables.rows import JsonList, Rows
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.text.breaks import RepeatedBreaks
from tlparse_bundle.tables.text.record_values import class_name, count_or_none, payload_text

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import AttemptsRow, CompilesRow

# Frames that Dynamo's own frame conversion leaves at the end of a dynamo_start stack
# (torch/_dynamo/convert_frame.py); older releases of torch did not cut them off.
_CONVERT_FRAME = "torch/_dynamo/convert_frame.py"
_CONVERT_FUNCTIONS = frozenset(("catch_errors", "_convert_frame", "_convert_frame_assert", "__call__"))

# torch calls compiled functions through this one, which is never compiled itself.
_EVAL_FRAME, _CALLER = "torch/_dynamo/eval_frame.py", "_fn"

# Metrics take 30 kB or more per record, so only these are kept until the end of the log.
_METRICS = (
    "co_name",
    "co_filename",
    "co_firstlineno",
    "start_time_us",
    "start_time",
    "dynamo_cumulative_compile_time_us",
    "entire_frame_compile_time_s",
    "aot_autograd_cumulative_compile_time_us",
    "backend_compile_time_s",
    "inductor_cumulative_compile_time_us",
    "inductor_compile_time_s",
    "graph_op_count",
    "graph_node_count",
    "graph_input_count",
    "guard_count",
    "recompile_reason",
    "dynamo_time_before_restart_s",
    "dynamo_compile_time_before_restart_us",
    "has_guarded_code",
)
_MAX_REASONS_BYTES = 1 << 20


class _Function(NamedTuple):
    name: str | None = None
    file: str | None = None
    line: int | None = None


class _Attempt(NamedTuple):
    compile_index: int
    id: CompileId
    compile: Compile


class Compiles:
    name = "compiles"
    types = frozenset(
        (
            "artifact",
            "dynamo_start",
            "dynamo_output_graph",
            "dynamo_guards",
            "compilation_metrics",
            "bwd_compilation_metrics",
        )
    )

    def __init__(self, context: TableContext):
        self._stacks = context.stacks
        self._tally = context.tally
        self._frame_compiles = FrameCompiles()
        self._captures = Captures()
        self._metrics: JsonList[list[Any]] = JsonList()  # index of the event, and the values of _METRICS
        self._stack_indexes = array("i")  # of compiles, -1 for none
        self._graph_break_counts = array("i")  # of compiles
        self._repeated = RepeatedBreaks()

    def _number_of(self, compile_index: int) -> int:
        """Return the number of the frame compile."""
        number = self._tally.compiles.frame_compiles[compile_index]
        self._frame_compiles.reach(number)
        return number

    @staticmethod
    def reads(event: Event) -> bool:
        return event.name in ("recompile_reasons", "dynamo_graph_break_reason")

    def observe_span(self, span: Span) -> None:
        _, compile_index, name, phase, time_us, _, _ = span
        number = self._number_of(compile_index) if self._tally.compiles.has_id[compile_index] else None
        if name == "dynamo" and number is not None:
            self._frame_compiles.observe_span(number, phase, time_us)
        self._captures.observe_span(number, name, phase, time_us)

    def observe(self, event: Event) -> None:
        if event.compile_id is None:
            self._captures.observe_metrics(event)
            return
        number = self._number_of(event.compile_index)
        if event.type == "artifact":
            self._observe_artifact(number, event)
        elif event.type == "dynamo_output_graph":
            self._frame_compiles.traced[number] = True
        elif event.type == "dynamo_guards":
            self._frame_compiles.guarded[number] = True
        elif type(event.value) is dict:
            if event.type == "dynamo_start":
                self._observe_start(number, event)
            elif event.type == "compilation_metrics":
                self._observe_metrics(number, event.index, event.value)
            elif event.type == "bwd_compilation_metrics":
                self._frame_compiles.add_backward_time(number, event.value)

    def _observe_start(self, number: int, event: Event) -> None:
        while event.compile_index >= len(self._stack_indexes):
            self._stack_indexes.append(-1)
        row = self._without_convert_frames(event.value.get("stack_index"))
        self._frame_compiles.started[number] = True
        self._frame_compiles.stack_index[number] = self._stack_indexes[event.compile_index] = row

    def _observe_artifact(self, number: int, event: Event) -> None:
        if event.name == "dynamo_graph_break_reason":
            missing = event.compile_index + 1 - len(self._graph_break_counts)
            self._graph_break_counts.extend([0] * missing)
            if not self._repeated.is_repeated(event.compile_index, event.compile, payload_text(event)):
                self._graph_break_counts[event.compile_index] += 1
        elif event.name == "recompile_reasons" and event.payload:
            self._frame_compiles.recompile_texts[number] = _recompile_text(event.payload)

    def _observe_metrics(self, number: int, event_index: int, metrics: dict[str, Any]) -> None:
        if metrics.get("co_name") is None and self._metrics_of(number).get("co_name") is not None:
            # torch 2.7 writes a second record for one compile of AOTInductor, which has a part of it only
            return
        self._frame_compiles.metrics_row[number] = len(self._metrics)
        self._metrics.append([event_index, *map(metrics.get, _METRICS)])
        if metrics.get("fail_type") is not None:
            line = metrics.get("fail_user_frame_lineno")
            self._frame_compiles.failures[number] = (
                class_name(str(metrics["fail_type"])),
                _text(metrics.get("fail_reason")),
                _text(metrics.get("fail_user_frame_filename")),
                line if type(line) is int else None,
            )
        reasons = metrics.get("restart_reasons")
        if type(reasons) is list and (reasons or number in self._frame_compiles.restart_reasons):
            self._frame_compiles.restart_reasons[number] = [str(reason) for reason in reasons]

    def _without_convert_frames(self, stack_index: Any) -> int:
        row = stack_index if type(stack_index) is int else -1
        while row >= 0:
            file, _, name, _ = self._stacks.innermost(row)
            if (
                file is None
                or name not in _CONVERT_FUNCTIONS
                or not file.replace("\\", "/").endswith(_CONVERT_FRAME)
            ):
                break
            row = self._stacks.parent(row)
        return row

    def _metrics_of(self, number: int) -> dict[str, Any]:
        """Return the metrics of a frame compile and ``event_index``; empty when there are none."""
        row = self._frame_compiles.metrics_row[number]
        return {} if row < 0 else dict(zip(("event_index", *_METRICS), self._metrics[row], strict=True))

    def _outcome(self, number: int, metrics: dict[str, Any]) -> Outcome:
        outcome = self._frame_compiles.outcome(number, metrics)
        if metrics or outcome.status is not None:
            return outcome
        return self._captures.outcome(number) or outcome

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        """Yield the attempts, and the frame compiles from which ``statements.derived_tables`` builds the
        final tables.
        """
        yield "attempts", self._attempts()
        yield CANDIDATES, self._candidates()

    def _attempts_of(self) -> Iterator[list[_Attempt]]:
        """Yield the attempts of each frame compile, in order of appearance."""
        compiles = self._tally.compiles
        first, last = (array("i", [-1]) * compiles.frame_compile_count for _ in range(2))
        next_ = array("i", [-1]) * len(compiles)
        for index, (has_id, number) in enumerate(zip(compiles.has_id, compiles.frame_compiles, strict=True)):
            if has_id:
                if first[number] < 0:
                    first[number] = index
                else:
                    next_[last[number]] = index
                last[number] = index
        for index in first:
            attempts = []
            while index >= 0:
                compile = compiles[index]
                assert compile.id is not None
                attempts.append(_Attempt(index, compile.id, compile))
                index = next_[index]
            if attempts:
                yield attempts

    def _attempts(self) -> Rows[AttemptsRow]:
        rows: Rows[AttemptsRow] = Rows()
        event_counts, sizes, artifact_counts = self._tally.of_compiles()
        last = array("i", [-1]) * self._tally.compiles.frame_compile_count
        for index, number in enumerate(self._tally.compiles.frame_compiles):
            last[number] = index
        for index, compile in enumerate(self._tally.compiles):
            cid = compile.id
            if cid is None:
                continue
            number = self._number_of(index)
            is_last = last[number] == index
            reasons = self._frame_compiles.restart_reasons.get(number) or ()
            rows.append(
                {
                    "compile": compile_key(cid.frame_compile, compile.occurrence),
                    "attempt": cid.attempt,
                    "status": (
                        self._outcome(number, self._metrics_of(number)).status if is_last else RESTARTED
                    ),
                    "restart_reason": (
                        reasons[cid.attempt] if cid.attempt < len(reasons) and not is_last else None
                    ),
                    "stack": self._stack_of(index),
                    "graph_break_count": self._graph_breaks_of(index),
                    "first_event": compile.first_event_index,
                    "event_count": event_counts[index],
                    "size_bytes": sizes[index],
                    "artifact_count": artifact_counts[index],
                }
            )
        return rows

    def _candidates(self) -> Rows[CompilesRow]:
        # A compile that fails early (at the recompile limit) does not say what it compiles; other
        # compiles with its frame id, the number of the code object, do.
        functions = KeyNumbers()  # of each frame, the row with its function + 1; 0 for none
        rows: Rows[CompilesRow] = Rows()
        counts = self._tally.of_compiles()
        for attempts in self._attempts_of():
            indexes = [attempt.compile_index for attempt in attempts]
            row = self._candidate(attempts, *(sum(column[index] for index in indexes) for column in counts))
            cid = attempts[0].id
            if cid.frame_id is not None:
                frame = CompileId(cid.compiled_autograd_id, cid.frame_id, None, 0).key(1)
                if row["function"] is not None:
                    functions[frame] = len(rows) + 1
                elif cid.frame_compile_id:
                    if number := functions.get(frame):
                        named = rows[number - 1]
                        row["function"], row["file"], row["line"] = (
                            named["function"],
                            named["file"],
                            named["line"],
                        )
                else:  # the first compile of a code object; before a reset the number was another's
                    functions[frame] = 0
            rows.append(row)
        return rows

    def _graph_breaks_of(self, index: int) -> int:
        return self._graph_break_counts[index] if index < len(self._graph_break_counts) else 0

    def _stack_of(self, index: int) -> int | None:
        stack = or_none(self._stack_indexes[index]) if index < len(self._stack_indexes) else None
        return or_none(self._frame_compiles.stack_index[self._number_of(index)]) if stack is None else stack

    def _candidate(
        self, attempts: list[_Attempt], event_count: int, size_bytes: int, artifact_count: int
    ) -> CompilesRow:
        """Return the row of a frame compile, with a status of None when the log does not show that it was
        compiled.
        """
        first, last = attempts[0], attempts[-1]
        number, shared, cid = self._number_of(last.compile_index), self._frame_compiles, first.id
        metrics, stack = self._metrics_of(number), self._stack_of(last.compile_index)
        outcome = self._outcome(number, metrics)
        function, failure = self._function(metrics, stack), outcome.failure
        restart_reasons = shared.restart_reasons.get(number) or []
        times = phase_times(
            forward_us=outcome.compile_time_us,
            backend_us=outcome.backend_time_us,
            inductor_us=outcome.inductor_time_us,
            backward_us=or_none(shared.backward_time_us[number]),
            restart_us=_restart_us(metrics) if restart_reasons else None,
            measured=bool(metrics) or outcome.backend_time_us is not None,
        )
        return {
            "compile": compile_key(cid.frame_compile, last.compile.occurrence),
            "kind": "frame" if cid.compiled_autograd_id is None else "compiled_autograd",
            "compiled_autograd_id": cid.compiled_autograd_id,
            "frame_id": cid.frame_id,
            "frame_compile_id": cid.frame_compile_id,
            "occurrence": last.compile.occurrence,
            "attempt_count": len(attempts),
            "status": outcome.status,  # type: ignore[typeddict-item]  # None in candidates only
            "function": function.name,
            "file": function.file,
            "line": function.line,
            "stack": stack,
            "start_epoch_us": outcome.start_epoch_us,
            "total_us": times["total_us"],
            "dynamo_us": times["dynamo_us"],
            "aot_us": times["aot_us"],
            "inductor_us": times["inductor_us"],
            "backward_us": times["backward_us"],
            "restart_us": times["restart_us"],
            "graph_op_count": count_or_none(metrics.get("graph_op_count")),
            "graph_node_count": count_or_none(metrics.get("graph_node_count")),
            "graph_input_count": count_or_none(metrics.get("graph_input_count")),
            "guard_count": count_or_none(metrics.get("guard_count")),
            "graph_break_count": sum(self._graph_breaks_of(attempt.compile_index) for attempt in attempts),
            "recompile_reason": _text(metrics.get("recompile_reason")) or shared.recompile_texts.get(number),
            "restart_reasons": restart_reasons,
            "failure_type": failure and failure.type,
            "failure_reason": failure and failure.reason,
            "failure_file": failure and failure.file,
            "failure_line": failure and failure.line,
            "metrics_event": metrics.get("event_index"),
            "first_event": first.compile.first_event_index,
            "event_count": event_count,
            "size_bytes": size_bytes,
            "artifact_count": artifact_count,
        }

    @cached_property
    def _ends_at_caller(self) -> bool:
        """Return whether stacks end at the caller of the compiled function, as in torch 2.3 and 2.4.

        That is so when no metrics name the innermost function, or there are no metrics.
        """
        differs = False
        for number, stack_index in enumerate(self._frame_compiles.stack_index):
            name = self._metrics_of(number).get("co_name")
            if stack_index >= 0 and type(name) is str:
                if self._stacks.innermost(stack_index)[2] == name:
                    return False
                differs = True
        return differs or (self._frame_compiles.bare and any(self._frame_compiles.guarded))

    def _function(self, metrics: dict[str, Any], stack_index: int | None) -> _Function:
        function, file, line = (metrics.get(key) for key in ("co_name", "co_filename", "co_firstlineno"))
        if type(function) is str:
            return _Function(function, _text(file), line if type(line) is int else None)
        if stack_index is None or self._ends_at_caller:
            return _Function()
        file, line, function, _ = self._stacks.innermost(stack_index)
        if function == _CALLER and file and file.replace("\\", "/").endswith(_EVAL_FRAME):
            return _Function()
        return _Function(function, file, line)


def _restart_us(metrics: dict[str, Any]) -> int | None:
    """Return the time of all attempts but the last, in microseconds."""
    return microseconds(metrics, "dynamo_compile_time_before_restart_us", "dynamo_time_before_restart_s")


def _text(value: Any) -> str | None:
    return value if type(value) is str else None


def _recompile_text(payload: bytes) -> str | None:
    """Return the recompile reasons as text. torch writes one as plain text, several as a JSON list, both
    labeled json.
    """
    text = payload[:_MAX_REASONS_BYTES].decode("utf-8", "replace")
    try:
        reasons: Any = loads(text)
    except ValueError:
        return text or None
    if type(reasons) is list and all(type(reason) is str for reason in reasons):
        return "\n".join(reasons) or None
    return text
