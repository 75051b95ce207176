"""Compile ids of a log: the attempts of each compile, with status, times and outcome."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.log.compile_id import compile_key
from tlparse_bundle.log.event import Event, Span
from tlparse_bundle.model.status import CANDIDATES, RESTARTED
from tlparse_bundle.model.times import phase_times
from tlparse_bundle.tables.captures import Captures
from tlparse_bundle.tables.rows import JsonList, Rows
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.text.record_text import RECOMPILE_LIMIT, class_name

# Frames that Dynamo's own frame conversion leaves at the end of a dynamo_start stack
# (torch/_dynamo/convert_frame.py); older releases of torch did not cut them off.
_CONVERT_FRAME = "torch/_dynamo/convert_frame.py"
_CONVERT_FUNCTIONS = frozenset(("catch_errors", "_convert_frame", "_convert_frame_assert", "__call__"))

# The function through which torch calls what is compiled: never what is compiled.
_EVAL_FRAME, _CALLER = "torch/_dynamo/eval_frame.py", "_fn"

# Of the metrics, which are 30 kB and more of a record, only these are kept until the end of the log.
_METRICS = (
    "co_name", "co_filename", "co_firstlineno", "start_time_us", "start_time", "dynamo_cumulative_compile_time_us", "entire_frame_compile_time_s",
    "aot_autograd_cumulative_compile_time_us", "backend_compile_time_s", "inductor_cumulative_compile_time_us", "inductor_compile_time_s",
    "graph_op_count", "graph_node_count", "graph_input_count", "guard_count", "recompile_reason",
    "dynamo_time_before_restart_s", "dynamo_compile_time_before_restart_us", "has_guarded_code",
)  # fmt: skip
# What lies above is no time: a moment of the year 2096, eleven days of compiling.
_MAX_EPOCH_US = 4 * 10**15
_MAX_DURATION_US = 10**12
_MAX_REASONS_BYTES = 1 << 20

_STATUSES = {"break": "ok", "error": "failed", "missing": "unfinished"}


class _FrameCompiles:
    """What all attempts of a frame compile share, by frame compile: numbers, -1 for none, and what few of
    them have.
    """

    def __init__(self) -> None:
        self.started, self.traced, self.guarded = bytearray(), bytearray(), bytearray()
        self.metrics_row, self.stack_index, self.backward_time_us = array("i"), array("i"), array("q")
        self.span_start_us, self.span_us = array("d"), array("d")
        self._columns = (
            self.metrics_row,
            self.stack_index,
            self.backward_time_us,
            self.span_start_us,
            self.span_us,
        )
        self.failures: dict[int, dict] = {}
        self.restart_reasons: dict[int, list[str]] = {}
        self.recompile_texts: dict[int, str | None] = {}
        self.with_graph_break: set[int] = set()

    def reach(self, number: int) -> None:
        while number >= len(self.started):
            for flags in (self.started, self.traced, self.guarded):
                flags.append(False)
            for column in self._columns:
                column.append(-1)

    @property
    def bare(self) -> bool:
        """Whether the log has neither metrics nor spans, as those of torch 2.3: that guards were written
        tells that a compile ended well.
        """
        return max(self.metrics_row, default=-1) < 0 and max(self.span_start_us, default=-1) < 0

    def status(self, number: int, metrics: dict) -> str | None:
        if not metrics and self.guarded[number] and self.bare:
            return "ok" if self.traced[number] else "empty"
        if not metrics:
            return "missing" if self.started[number] else None
        if number in self.failures:
            return "error"
        if not _count(metrics.get("graph_op_count")):
            return "empty"
        return "break" if self.restart_reasons.get(number) or number in self.with_graph_break else "ok"

    def observe_span(self, number: int, phase: str, time_us: float) -> None:
        if not 0 <= time_us < _MAX_EPOCH_US:
            return
        if phase == "B":
            self.span_start_us[number] = time_us
        elif phase == "E" and self.span_start_us[number] >= 0:
            duration_us = max(0, time_us - self.span_start_us[number])
            self.span_us[number] = duration_us if duration_us < _MAX_DURATION_US else -1

    def times(self, number: int, metrics: dict) -> dict[str, int | None]:
        start_us = _microseconds(metrics, "start_time_us", "start_time", _MAX_EPOCH_US)
        compile_us = _microseconds(
            metrics, "dynamo_cumulative_compile_time_us", "entire_frame_compile_time_s"
        )
        if compile_us is None:
            compile_us = _known(int(self.span_us[number]))
        if (
            compile_us is None and metrics.get("has_guarded_code") is False
        ):  # all of it was in vain (2.4: torch/_dynamo/convert_frame.py)
            compile_us = _microseconds(metrics, "", "dynamo_time_before_restart_s")
        return {
            "start_epoch_us": _known(int(self.span_start_us[number])) if start_us is None else start_us,
            "compile_time_us": compile_us,
            "backend_time_us": _microseconds(
                metrics, "aot_autograd_cumulative_compile_time_us", "backend_compile_time_s"
            ),
            "inductor_time_us": _microseconds(
                metrics, "inductor_cumulative_compile_time_us", "inductor_compile_time_s"
            ),
        }


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
        self._frame_compiles = _FrameCompiles()
        self._captures = Captures()
        self._metrics = JsonList()  # index of the event, and the values of _METRICS
        self._stack_indexes = array("i")  # of compiles, -1 for none
        self._graph_break_counts: dict[int, int] = {}

    def _number_of(self, compile_index: int) -> int:
        """The number of its frame compile."""
        number = self._tally.compiles[compile_index].frame_compile
        self._frame_compiles.reach(number)
        return number

    @staticmethod
    def reads(event: Event) -> bool:
        return event.name == "recompile_reasons"

    def observe_span(self, span: Span) -> None:
        _, compile_index, name, phase, time_us, _, _ = span
        number = None if self._tally.compiles[compile_index].id is None else self._number_of(compile_index)
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
                time_us = _backward_time_us(event.value)
                if time_us is not None:
                    times = self._frame_compiles.backward_time_us
                    times[number] = max(times[number], 0) + time_us

    def _observe_start(self, number: int, event: Event) -> None:
        while event.compile_index >= len(self._stack_indexes):
            self._stack_indexes.append(-1)
        row = self._without_convert_frames(event.value.get("stack_index"))
        self._frame_compiles.started[number] = True
        self._frame_compiles.stack_index[number] = self._stack_indexes[event.compile_index] = row

    def _observe_artifact(self, number: int, event: Event) -> None:
        if event.name == "dynamo_graph_break_reason":
            self._graph_break_counts[event.compile_index] = (
                self._graph_break_counts.get(event.compile_index, 0) + 1
            )
            self._frame_compiles.with_graph_break.add(number)
        elif event.name == "recompile_reasons" and event.payload:
            self._frame_compiles.recompile_texts[number] = _recompile_text(event.payload)

    def _observe_metrics(self, number: int, event_index: int, metrics: dict) -> None:
        known = self._metrics_of(number)
        if known.get("co_name") is not None and metrics.get("co_name") is None:
            # torch 2.7 writes a second record for one compile of AOTInductor, which tells a part of it only
            return
        self._frame_compiles.metrics_row[number] = len(self._metrics)
        self._metrics.append([event_index, *map(metrics.get, _METRICS)])
        if metrics.get("fail_type") is not None:
            line = metrics.get("fail_user_frame_lineno")
            self._frame_compiles.failures[number] = {
                "type": class_name(str(metrics["fail_type"])),
                "reason": _text(metrics.get("fail_reason")),
                "filename": _text(metrics.get("fail_user_frame_filename")),
                "line": line if type(line) is int else None,
            }
        reasons = metrics.get("restart_reasons")
        if type(reasons) is list:
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

    def _metrics_of(self, number: int) -> dict:
        """Its metrics and ``event_index``; empty when there are none."""
        row = self._frame_compiles.metrics_row[number]
        return {} if row < 0 else dict(zip(("event_index", *_METRICS), self._metrics[row]))

    def _outcome(self, number: int, metrics: dict) -> dict:
        """Status, times and failure of a frame compile."""
        known = {
            "status": (shared := self._frame_compiles).status(number, metrics),
            **shared.times(number, metrics),
            "failure": shared.failures.get(number),
        }
        return known if metrics or known["status"] is not None else known | self._captures.cells(number)

    def tables(self) -> Iterator[tuple[str, Rows]]:
        """Yield the attempts, and what each compile id turned out to be: 'candidates', of which
        ``model.compiles`` makes the final tables.
        """
        attempts_of: dict[int, list[int]] = {}
        for index, compile in enumerate(self._tally.compiles):
            if compile.id is not None:
                attempts_of.setdefault(compile.frame_compile, []).append(index)
        yield "attempts", self._attempts(attempts_of)
        yield CANDIDATES, self._candidates(attempts_of)

    def _attempts(self, attempts_of: dict[int, list[int]]) -> Rows:
        rows = Rows()
        event_counts, sizes, artifact_counts = self._tally.of_compiles()
        for index, compile in enumerate(self._tally.compiles):
            cid = compile.id
            if cid is None:
                continue
            number, shared = self._number_of(index), self._frame_compiles
            last, reasons = (
                attempts_of[compile.frame_compile][-1] == index,
                shared.restart_reasons.get(number, ()),
            )
            rows.append(
                {
                    "compile": compile_key(cid.frame_compile, compile.occurrence),
                    "attempt": cid.attempt,
                    "status": self._status(number) if last else RESTARTED,
                    "restart_reason": (
                        reasons[cid.attempt] if cid.attempt < len(reasons) and not last else None
                    ),
                    "stack": self._stack_of(index),
                    "graph_break_count": self._graph_break_counts.get(index, 0),
                    "first_event": compile.first_event_index,
                    "event_count": event_counts[index],
                    "size_bytes": sizes[index],
                    "artifact_count": artifact_counts[index],
                }
            )
        return rows

    def _candidates(self, attempts_of: dict[int, list[int]]) -> Rows:
        # A compile that fails early (at the recompile limit) does not say what it compiles; other
        # compiles with its frame id, the number of the code object, do.
        functions: dict[tuple, dict] = {}
        rows, counts = Rows(), self._tally.of_compiles()
        for indexes in attempts_of.values():
            cells = self._candidate(indexes, *(sum(column[index] for index in indexes) for column in counts))
            cid = self._tally.compiles[indexes[0]].id
            if cid.frame_id is not None:
                place = {key: cells[key] for key in ("function", "file", "line")}
                frame = (cid.compiled_autograd_id, cid.frame_id)
                if place["function"] is not None:
                    functions[frame] = place
                elif cid.frame_compile_id:
                    cells |= functions.get(frame, {})
                else:  # the first compile of a code object; before a reset the number was another's
                    functions.pop(frame, None)
            rows.append(cells)
        return rows

    def _status(self, number: int) -> str | None:
        status = self._outcome(number, self._metrics_of(number))["status"]
        return _STATUSES.get(status, status)

    def _stack_of(self, index: int) -> int | None:
        stack = _known(self._stack_indexes[index]) if index < len(self._stack_indexes) else None
        return _known(self._frame_compiles.stack_index[self._number_of(index)]) if stack is None else stack

    def _candidate(self, indexes: list[int], event_count: int, size_bytes: int, artifact_count: int) -> dict:
        first, last = (self._tally.compiles[indexes[position]] for position in (0, -1))
        number, shared, cid = self._number_of(indexes[-1]), self._frame_compiles, first.id
        metrics, stack = self._metrics_of(number), self._stack_of(indexes[-1])
        outcome, failure = self._outcome(number, metrics), self._outcome(number, metrics)["failure"] or {}
        restart_reasons = shared.restart_reasons.get(number, [])
        return {
            "compile": compile_key(cid.frame_compile, last.occurrence),
            "kind": "frame" if cid.compiled_autograd_id is None else "compiled_autograd",
            "compiled_autograd_id": cid.compiled_autograd_id,
            "frame_id": cid.frame_id,
            "frame_compile_id": cid.frame_compile_id,
            "occurrence": last.occurrence,
            "attempt_count": len(indexes),
            "status": _STATUSES.get(outcome["status"], outcome["status"]),
            **self._function(metrics, stack),
            "stack": stack,
            "start_epoch_us": outcome["start_epoch_us"],
            **phase_times(
                forward_us=outcome["compile_time_us"],
                backend_us=outcome["backend_time_us"],
                inductor_us=outcome["inductor_time_us"],
                backward_us=_known(shared.backward_time_us[number]),
                restart_us=_restart_us(metrics) if restart_reasons else None,
                measured=bool(metrics) or outcome["backend_time_us"] is not None,
            ),
            "graph_op_count": _count(metrics.get("graph_op_count")),
            "graph_node_count": _count(metrics.get("graph_node_count")),
            "graph_input_count": _count(metrics.get("graph_input_count")),
            "guard_count": _count(metrics.get("guard_count")),
            "graph_break_count": sum(self._graph_break_counts.get(index, 0) for index in indexes),
            "recompile_reason": _text(metrics.get("recompile_reason")) or shared.recompile_texts.get(number),
            "restart_reasons": restart_reasons,
            "failure_type": failure.get("type"),
            "failure_reason": failure.get("reason"),
            "failure_file": failure.get("filename"),
            "failure_line": failure.get("line"),
            "metrics_event": metrics.get("event_index"),
            "first_event": first.first_event_index,
            "event_count": event_count,
            "size_bytes": size_bytes,
            "artifact_count": artifact_count,
        }

    @cached_property
    def _ends_at_caller(self) -> bool:
        """Whether stacks of this log end at the caller of what is compiled, as torch 2.3 and 2.4 wrote them:
        no metrics name the innermost function, or there are none.
        """
        others = 0
        for number, stack_index in enumerate(self._frame_compiles.stack_index):
            name = self._metrics_of(number).get("co_name")
            if stack_index >= 0 and type(name) is str:
                if self._stacks.innermost(stack_index)[2] == name:
                    return False
                others += 1
        return others > 0 or (self._frame_compiles.bare and any(self._frame_compiles.guarded))

    def _function(self, metrics: dict, stack_index: int | None) -> dict:
        function, filename, line = (metrics.get(k) for k in ("co_name", "co_filename", "co_firstlineno"))
        if type(function) is not str:
            function = filename = line = None
            if stack_index is not None and not self._ends_at_caller:
                filename, line, function, _ = self._stacks.innermost(stack_index)
                if function == _CALLER and filename and filename.replace("\\", "/").endswith(_EVAL_FRAME):
                    function = filename = line = None
        return {"function": function, "file": _text(filename), "line": line if type(line) is int else None}


def _known(number: int) -> int | None:
    return None if number < 0 else number


def _backward_time_us(metrics: dict) -> int | None:
    if RECOMPILE_LIMIT.search(
        str(metrics.get("fail_type"))
    ):  # torch 2.6 tells of a recompile limit so: nothing was compiled
        return None
    for key in ("backward_cumulative_compile_time_us", "duration_us", "inductor_cumulative_compile_time_us"):
        time_us = _microseconds(
            metrics, key, "inductor_compile_time_s" if key.startswith("inductor") else None
        )
        if time_us is not None:
            return time_us
    return None


def _microseconds(
    metrics: dict, key_us: str, key_s: str | None, limit_us: int = _MAX_DURATION_US
) -> int | None:
    """A time in microseconds; older releases of torch wrote seconds under another name."""
    value = metrics.get(key_us)
    if type(value) is int and 0 <= value < limit_us:
        return value
    value = metrics.get(key_s)
    if type(value) in (int, float) and 0 <= value < limit_us / 1e6:
        return int(value * 1e6)
    return None


def _restart_us(metrics: dict) -> int | None:
    """Time of the attempts before the last one."""
    return _microseconds(metrics, "dynamo_compile_time_before_restart_us", "dynamo_time_before_restart_s")


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _text(value: Any) -> str | None:
    return value if type(value) is str else None


def _recompile_text(payload: bytes) -> str | None:
    """torch writes one reason as plain text and several as a JSON list, both labelled json."""
    text = payload[:_MAX_REASONS_BYTES].decode("utf-8", "replace")
    try:
        reasons = loads(text)
    except ValueError:
        return text or None
    if type(reasons) is list and all(type(reason) is str for reason in reasons):
        return "\n".join(reasons) or None
    return text
