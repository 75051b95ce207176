"""Status, times and failure of each frame compile, from its metrics and spans."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.latest_items import LatestItems
from tlparse_bundle.tables.text.record_values import (
    RECOMPILE_LIMIT,
    class_name,
    count_or_none,
    text_or_none,
)

# Larger values are not times: the year 2096, eleven days of compiling.
_MAX_EPOCH_US = 4 * 10**15
_MAX_DURATION_US = 10**12

_CAPTURE = "fullgraph_capture"
_INDUCTOR = "inductor_compile"
_BACKENDS = ("vllm_backend", "create_aot_dispatcher_function", _INDUCTOR)  # the outermost first
_NEAR_US = 10_000  # between the begin of a span and the begin that its metrics have
_MAX_OPEN = 64

Status = Literal["ok", "failed", "empty", "unfinished"]


class Failure(NamedTuple):
    type: str
    reason: str | None
    file: str | None
    line: int | None


class Outcome(NamedTuple):
    """Status and times of a frame compile; None when unknown."""

    status: Status | None
    start_epoch_us: int | None
    compile_time_us: int | None
    backend_time_us: int | None
    inductor_time_us: int | None
    failure: Failure | None


class FrameCompiles:
    """Properties that all attempts of a frame compile share, by its number.

    Missing numbers are -1.
    """

    def __init__(self) -> None:
        self.started, self.traced, self.guarded = bytearray(), bytearray(), bytearray()
        self.metrics_row, self.stack_index, self.backward_time_us = array("i"), array("i"), array("q")
        self._span_start_us, self._span_us = array("d"), array("d")
        self.failures: LatestItems[tuple[Any, ...]] = LatestItems()  # see Failure
        self.restart_reasons: LatestItems[list[str]] = LatestItems()
        self.recompile_texts: LatestItems[str | None] = LatestItems()

    def reach(self, number: int) -> None:
        """Add frame compiles up to this one."""
        while number >= len(self.started):
            for flags in (self.started, self.traced, self.guarded):
                flags.append(False)
            for column in (self.metrics_row, self.stack_index, self.backward_time_us):
                column.append(-1)
            for times in (self._span_start_us, self._span_us):
                times.append(-1)

    @property
    def bare(self) -> bool:
        """Return whether the log has neither metrics nor spans (torch 2.3). Then guards show that a compile
        succeeded.
        """
        return max(self.metrics_row, default=-1) < 0 and max(self._span_start_us, default=-1) < 0

    def add_backward_time(self, number: int, metrics: dict[str, Any]) -> None:
        """Add the time of a backward that was compiled later."""
        time_us = _backward_time_us(metrics)
        if time_us is not None:
            self.backward_time_us[number] = max(self.backward_time_us[number], 0) + time_us

    def observe_span(self, number: int, phase: str, time_us: float) -> None:
        if not 0 <= time_us < _MAX_EPOCH_US:
            return
        if phase == "B":
            self._span_start_us[number] = time_us
        elif phase == "E" and self._span_start_us[number] >= 0:
            duration_us = max(0, time_us - self._span_start_us[number])
            self._span_us[number] = duration_us if duration_us < _MAX_DURATION_US else -1

    def outcome(self, number: int, metrics: dict[str, Any]) -> Outcome:
        start_us = microseconds(metrics, "start_time_us", "start_time", _MAX_EPOCH_US)
        compile_us = microseconds(metrics, "dynamo_cumulative_compile_time_us", "entire_frame_compile_time_s")
        if compile_us is None:
            compile_us = or_none(int(self._span_us[number]))
        # All of it was lost (2.4: torch/_dynamo/convert_frame.py).
        if compile_us is None and metrics.get("has_guarded_code") is False:
            compile_us = microseconds(metrics, "", "dynamo_time_before_restart_s")
        failure = self.failures.get(number)
        return Outcome(
            self._status(number, metrics),
            or_none(int(self._span_start_us[number])) if start_us is None else start_us,
            compile_us,
            microseconds(metrics, "aot_autograd_cumulative_compile_time_us", "backend_compile_time_s"),
            microseconds(metrics, "inductor_cumulative_compile_time_us", "inductor_compile_time_s"),
            None if failure is None else Failure(*failure),
        )

    def _status(self, number: int, metrics: dict[str, Any]) -> Status | None:
        if not metrics and self.guarded[number] and self.bare:
            return "ok" if self.traced[number] else "empty"
        if not metrics:
            return "unfinished" if self.started[number] else None
        if number in self.failures:
            return "failed"
        return "ok" if count_or_none(metrics.get("graph_op_count")) else "empty"


@dataclass(slots=True)
class _Capture:
    start_us: float
    duration_us: int | None = None
    number: int | None = None  # of the frame compile
    begins: dict[str, float] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)  # of the spans of backends in it

    def observe(self, name: str, phase: str, time_us: float) -> None:
        if phase == "B":
            self.begins.setdefault(name, time_us)
        elif phase == "E" and name in self.begins:
            self.times[name] = self.times.get(name, 0) + max(0, int(time_us) - int(self.begins.pop(name)))


class Captures:
    """Ahead-of-time compiles: torch logs the capture under a compile id and everything after it under none.

    Their metrics have no id and a wrong duration, so start, end and outcome come from the enclosing span.
    A capture by torch.export has such a span without a backend, and is not a compile.
    """

    def __init__(self) -> None:
        self._open: list[_Capture] = []
        self._ended: dict[int, _Capture] = {}
        self._metrics: list[tuple[int, Failure | None]] = []  # begin and failure, without a compile id

    def observe_span(self, number: int | None, name: str, phase: str, time_us: float) -> None:
        """Observe a span. ``number`` is the frame compile, or None for a span without a compile id."""
        if name == _CAPTURE:
            if phase == "B" and len(self._open) < _MAX_OPEN:
                self._open.append(_Capture(time_us))
            elif phase == "E" and self._open:
                capture = self._open.pop()
                capture.duration_us = int(time_us) - int(capture.start_us)
                if capture.number is not None and capture.times and capture.duration_us >= 0:
                    self._ended[capture.number] = capture
        elif self._open:
            if self._open[-1].number is None:
                self._open[-1].number = number
            if name in _BACKENDS:
                self._open[-1].observe(name, phase, time_us)

    def observe_metrics(self, event: Event) -> None:
        """Observe metrics without a compile id."""
        value = event.value
        if (
            event.type != "compilation_metrics"
            or type(value) is not dict
            or type(value.get("start_time_us")) is not int
        ):
            return
        failure = None
        if value.get("fail_type") is not None:
            failure = Failure(
                class_name(str(value["fail_type"])), text_or_none(value.get("fail_reason")), None, None
            )
        self._metrics.append((value["start_time_us"], failure))

    def outcome(self, number: int) -> Outcome | None:
        """Return the outcome of a frame compile; None when it was not compiled ahead of time."""
        capture = self._ended.get(number)
        if capture is None:
            return None
        failures = [
            failure for start_us, failure in self._metrics if abs(start_us - capture.start_us) < _NEAR_US
        ]
        failure = failures[0] if failures else None
        return Outcome(
            None if not failures else "ok" if failure is None else "failed",
            int(capture.start_us),
            capture.duration_us,
            next(capture.times[name] for name in _BACKENDS if name in capture.times),
            capture.times.get(_INDUCTOR),
            failure,
        )


def _backward_time_us(metrics: dict[str, Any]) -> int | None:
    # torch 2.6 reports a recompile limit in such metrics: nothing was compiled.
    if RECOMPILE_LIMIT.search(str(metrics.get("fail_type"))):
        return None
    for key in ("backward_cumulative_compile_time_us", "duration_us", "inductor_cumulative_compile_time_us"):
        time_us = microseconds(
            metrics, key, "inductor_compile_time_s" if key.startswith("inductor") else None
        )
        if time_us is not None:
            return time_us
    return None


def microseconds(
    metrics: dict[str, Any], key_us: str, key_s: str | None, limit_us: int = _MAX_DURATION_US
) -> int | None:
    """Return a time in microseconds; older releases of torch wrote seconds in a different field."""
    value = metrics.get(key_us)
    if type(value) is int and 0 <= value < limit_us:
        return value
    value = None if key_s is None else metrics.get(key_s)
    if (type(value) is int or type(value) is float) and 0 <= value < limit_us / 1e6:
        return int(value * 1e6)
    return None


def or_none(number: int) -> int | None:
    """Return the number, or None for -1."""
    return None if number < 0 else number
