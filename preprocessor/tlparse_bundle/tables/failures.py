"""Failures and restarts in log order: from metrics, restart reasons and exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.text.breaks import without_advice
from tlparse_bundle.tables.text.record_values import (
    Frame,
    class_name,
    cut,
    exception_in,
    frames_in,
    payload_text,
    text_or_none,
    unexpected,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import FailuresRow

    _Kind = Literal[
        "compile",
        "backward",
        "restart",
        "exception",
        "eager_backward",
        "fx_interpreter",
        "make_fx",
        "compile_worker",
    ]

_METRICS: dict[str, _Kind] = {
    "compilation_metrics": "compile",
    "bwd_compilation_metrics": "backward",
    "aot_autograd_backward_compilation_metrics": "backward",  # before torch 2.6
}
_EXCEPTIONS: dict[str, _Kind] = {
    "dynamo_error": "exception",
    "eager_compile_backwards_failure": "eager_backward",
    "fx_interpreter_error": "fx_interpreter",
    "make_fx_fail_partial": "make_fx",
    "compile_worker_sidecar_death": "compile_worker",
}
_MAX_RESTARTS = 1000  # of one compile
_FROM_USER_CODE = "\nfrom user code:\n"
# torch/fx/graph.py, _ParsedStackTrace.get_summary_str: the comment before the nodes of a line
_NODE_PLACE = re.compile(r" *# File: (?P<file>.+):(?P<line>\d{1,9}) in (?P<function>.+?), code: (?P<code>.*)")
_MAX_LINE = 4000


class Failures:
    name = "failures"
    types = frozenset(("artifact", *_METRICS))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._rows: Rows[FailuresRow] = Rows()

    @staticmethod
    def wants(event: Event) -> bool:
        return event.type != "artifact" or event.name in _EXCEPTIONS

    reads = wants

    def observe(self, event: Event) -> None:
        if event.type != "artifact":
            if type(event.value) is dict:
                self._observe_metrics(event, event.value)
        elif event.name == "fx_interpreter_error":
            self._fx_interpreter(event)
        elif event.name == "make_fx_fail_partial":
            self._make_fx(event)
        elif event.name == "compile_worker_sidecar_death":
            self._add(event, "compile_worker", None, payload_text(event).strip(), None)
        elif event.name in _EXCEPTIONS:
            self._exception(event, _EXCEPTIONS[event.name])

    def _add(
        self,
        event: Event,
        kind: _Kind,
        type_: str | None,
        reason: str | None,
        frame: Frame | None,
        user_traceback: str | None = None,
    ) -> None:
        # Without a compile id, torch logs the caller, the only hint at the place.
        stack_index = event.metadata.get("stack_index") if event.metadata else None
        self._rows.append(
            {
                "event": event.index,
                "compile": event.compile,
                "attempt": event.attempt,
                "kind": kind,
                "type": cut(type_),
                "reason": cut(reason) or None,
                "file": frame and frame.file,
                "line": frame and frame.line,
                "function": frame and frame.function,
                "source_line": frame and frame.source_line,
                "user_traceback": cut(user_traceback) or None,
                "stack": stack_index if type(stack_index) is int else None,
            }
        )

    def _observe_metrics(self, event: Event, metrics: dict[str, Any]) -> None:
        reasons = metrics.get("restart_reasons")
        for reason in reasons[:_MAX_RESTARTS] if type(reasons) is list else ():
            self._add(event, "restart", None, _any_text(reason), None)
        if metrics.get("fail_type") is not None:
            file, line = metrics.get("fail_user_frame_filename"), metrics.get("fail_user_frame_lineno")
            reason = text_or_none(metrics.get("fail_reason"))
            frame = (
                Frame(cut(file), line if type(line) is int else None, None, None)
                if type(file) is str
                else _last_frame(_user_code(reason or ""))  # a strict export logs no frame beside the reason
            )
            kind, type_ = _METRICS[event.type], class_name(_any_text(metrics["fail_type"]))
            self._add(event, kind, type_, reason, frame)

    def _exception(self, event: Event, kind: _Kind) -> None:
        text = payload_text(event)
        error = exception_in(text)
        if error is None:
            unexpected(self._diagnostics, event, "not a traceback")
            self._add(event, kind, None, text, None)
            return
        user_code = _user_code(error[1])
        reason = without_advice(error[1])
        self._add(event, kind, error[0], reason, _last_frame(user_code), user_code.strip() and user_code)

    def _fx_interpreter(self, event: Event) -> None:
        """Parse an error of torch/fx/interpreter.py, Interpreter.run: message, node, 'Original traceback:',
        graph.
        """
        text = payload_text(event).partition("\nGraphModule: ")[0]
        message, _, traceback = text.partition("\nOriginal traceback:\n")
        frame = _last_frame(traceback)
        user_traceback = traceback.strip("\n") if frame else None
        self._add(event, "fx_interpreter", None, message.strip(), frame, user_traceback)

    def _make_fx(self, event: Event) -> None:
        """Parse the graph up to the failure (torch/fx/experimental/proxy_tensor.py). The exception is not
        logged.
        """
        lines = reversed(payload_text(event).split("\n"))
        place = next(
            (m for m in (_NODE_PLACE.match(line) for line in lines if len(line) <= _MAX_LINE) if m), None
        )
        frame = place and Frame(
            cut(place["file"]), int(place["line"]), cut(place["function"]), cut(place["code"])
        )
        self._add(event, "make_fx", None, None, frame)

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "failures", self._rows


def _user_code(message: str) -> str:
    """Return the traceback of the program in the message of an exception; empty without one."""
    _, separator, user_code = message.partition(_FROM_USER_CODE)
    return "  " + without_advice("\n" + user_code).strip() if separator else ""


def _last_frame(traceback: str) -> Frame | None:
    frames = frames_in(traceback)
    return frames[-1] if frames else None


def _any_text(value: Any) -> str:
    return cut(value if type(value) is str else str(value))
