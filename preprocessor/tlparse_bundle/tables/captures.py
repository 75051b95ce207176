"""Compiles ahead of time: torch writes what Dynamo captured under a compile id, all that comes after under
none.

Their metrics have no id and a wrong duration; begin, end and outcome are told by the span around all of it.
What torch.export captures has such a span too, with no backend in it: that is no compile.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.text.record_text import class_name, text_or_none

_CAPTURE = "fullgraph_capture"
_INDUCTOR = "inductor_compile"
_BACKENDS = ("vllm_backend", "create_aot_dispatcher_function", _INDUCTOR)  # the outermost first
_NEAR_US = 10_000  # between the begin of a span and what the metrics say of it
_MAX_OPEN = 64


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
    def __init__(self) -> None:
        self._open: list[_Capture] = []
        self._ended: dict[int, _Capture] = {}
        self._metrics: list[tuple[int, dict | None]] = []  # begin and failure of metrics without a compile id

    def observe_span(self, number: int | None, name: str, phase: str, time_us: float) -> None:
        """``number`` is that of the frame compile; None for spans without a compile id."""
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
        """Metrics of a compile without an id."""
        value = event.value
        if (
            event.type != "compilation_metrics"
            or type(value) is not dict
            or type(value.get("start_time_us")) is not int
        ):
            return
        failure = None
        if value.get("fail_type") is not None:
            failure = {
                "type": class_name(str(value["fail_type"])),
                "reason": text_or_none(value.get("fail_reason")),
                "filename": None,
                "line": None,
            }
        self._metrics.append((value["start_time_us"], failure))

    def cells(self, number: int) -> dict:
        """What is known of a compile: cells of its row in the table; empty for what was not compiled ahead of
        time.
        """
        found = self._ended.get(number)
        if found is None:
            return {}
        told = [failure for start_us, failure in self._metrics if abs(start_us - found.start_us) < _NEAR_US]
        status = None if not told else "ok" if told[0] is None else "error"
        return {
            "status": status,
            "start_epoch_us": int(found.start_us),
            "compile_time_us": found.duration_us,
            "backend_time_us": next(found.times[name] for name in _BACKENDS if name in found.times),
            "inductor_time_us": found.times.get(_INDUCTOR),
            "failure": told[0] if told else None,
        }
