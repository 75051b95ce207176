"""Autotuning of operators: how long it took, the candidates that torch logs, and those that failed.

torch logs statistics of the candidates (torch/_inductor/select_algorithm.py, _log_autotune_choices_stats):
the fastest, the fastest Triton kernel, and numbers. Times of the others are not in the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from tlparse_bundle.log.event import TIMELINE, Event
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.text.record_values import count_or_none, number_or_none, text_of, text_or_none

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import AutotuneChoicesRow, AutotuningsRow

ChoiceKind = Literal["extern", "triton", "cpp", "cutlass", "ck", "cutedsl", "other"]
_BENCHMARK, _PRECOMPILE = "_template_autotuning", "_template_precompiling"
_MAX_OPEN = 1000  # begins and precompiles that wait for what belongs to them
_MAX_EXCEPTIONS = 1000  # of one autotuning
# How the names of candidates begin (torch/_inductor: TritonTemplate, CppTemplate, CUTLASSTemplate …).
_PREFIXES: tuple[tuple[str, ChoiceKind], ...] = (
    ("triton_", "triton"),
    ("cpp_", "cpp"),
    ("cutlass", "cutlass"),
    ("cuda_", "cutlass"),
    ("rocm_", "ck"),
    ("ck_", "ck"),
    ("cutedsl_", "cutedsl"),
)
_NUMBERED = re.compile(r"_\d+\Z")


@dataclass(slots=True)
class _Span:
    """A begin with its end, or what is known of them."""

    operator: str
    compile: str | None
    attempt: int | None
    begin_event: int
    begin_us: float
    end_event: int | None = None
    duration_us: int | None = None
    args: Mapping[str, Any] = field(default_factory=dict)


class Autotuning:
    name = "autotunings"
    types = frozenset((TIMELINE,))
    timeline = frozenset((f"*{_BENCHMARK}", f"*{_PRECOMPILE}"))

    def __init__(self, context: TableContext):
        self._rows: Rows[AutotuningsRow] = Rows()
        self._choices: Rows[AutotuneChoicesRow] = Rows()
        self._open: list[tuple[str, _Span]] = []
        self._precompiled: list[_Span] = []  # whose benchmark has not come yet

    @staticmethod
    def wants(event: Event) -> bool:
        return event.trace_event is not None and event.trace_event["name"].endswith((_BENCHMARK, _PRECOMPILE))

    def observe(self, event: Event) -> None:
        record = event.trace_event
        if record is None or not self.wants(event):
            return
        name, phase = record["name"], record["ph"]
        if phase == "B":
            operator = text_of(name.removesuffix(_BENCHMARK).removesuffix(_PRECOMPILE))
            begun = _Span(operator, event.compile, event.attempt, event.index, record["ts"])
            self._open.append((name, begun))
            del self._open[:-_MAX_OPEN]
        elif phase == "E":
            self._end(event, name, record)

    def _end(self, event: Event, name: str, record: Mapping[str, Any]) -> None:
        place = next(
            (
                place
                for place in reversed(range(len(self._open)))
                if self._open[place][0] == name and self._open[place][1].compile == event.compile
            ),
            None,
        )
        if place is None:
            return
        span = self._open.pop(place)[1]
        span.end_event = event.index
        span.duration_us = max(0, int(record["ts"] - span.begin_us))
        span.args = record["args"] if type(record.get("args")) is dict else {}
        if name.endswith(_PRECOMPILE):
            self._precompiled.append(span)
            if len(self._precompiled) > _MAX_OPEN:
                self._add(None, self._precompiled.pop(0))
        else:
            self._add(span, self._precompile_of(span))

    def _precompile_of(self, span: _Span) -> _Span | None:
        """Return the newest precompile of the same operator and compile."""
        for place in reversed(range(len(self._precompiled))):
            candidate = self._precompiled[place]
            if (candidate.operator, candidate.compile) == (span.operator, span.compile):
                return self._precompiled.pop(place)
        return None

    def _add(self, benchmark: _Span | None, precompile: _Span | None) -> None:
        row, choices = _rows_of(len(self._rows), benchmark, precompile)
        self._rows.append(row)
        self._choices.extend(choices)

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        # Benchmarks of the last precompiles may come later in a log that still grows.
        rest = [
            _rows_of(len(self._rows) + number, None, precompile)
            for number, precompile in enumerate(self._precompiled)
        ]
        yield "autotunings", _joined(self._rows, [row for row, _ in rest])
        yield "autotune_choices", _joined(self._choices, [row for _, rows in rest for row in rows])


def _joined(rows: Rows[Any], more: list[Any]) -> Rows[Any]:
    return Rows(chain(rows, more)) if more else rows


def _rows_of(
    number: int, benchmark: _Span | None, precompile: _Span | None
) -> tuple[AutotuningsRow, list[AutotuneChoicesRow]]:
    """Return the row of an autotuning, which has a benchmark, a precompile or both, and its candidates."""
    span = benchmark or precompile
    assert span is not None
    args = benchmark.args if benchmark else {}
    stats = _object(args.get("autotune_choices_stats", args.get("autotune_choices")))
    best_us = _time_us(stats.get("best_time"))
    choices = [*_benchmarked(stats), *_failed(precompile.args if precompile else {})]
    runner_up = next((choice for choice in choices if choice["position"] == 1), None)
    row: AutotuningsRow = {
        "id": number,
        "compile": span.compile,
        "attempt": span.attempt,
        "operator": span.operator,
        "begin_event": benchmark.begin_event if benchmark else None,
        "end_event": benchmark.end_event if benchmark else None,
        "duration_us": benchmark.duration_us if benchmark else None,
        "precompile_event": precompile.end_event if precompile else None,
        "precompile_us": precompile.duration_us if precompile else None,
        "shapes": text_of(args.get("autotune_shape")),
        "strides": text_of(args.get("autotune_strides")),
        "dtypes": _listed(args.get("autotune_dtypes")),
        "choice_count": count_or_none(stats.get("num_choices")),
        "triton_choice_count": count_or_none(stats.get("num_triton_choices")),
        "best": text_of(text_or_none(stats.get("best_kernel"))),
        "best_kind": _kind(stats.get("best_kernel"), stats.get("best_kernel_desc")),
        "best_time_us": best_us,
        "runner_up_ratio": _ratio(runner_up["time_us"] if runner_up else None, best_us),
        "failed_count": sum(choice["position"] is None for choice in choices),
    }
    return row, [
        {
            "autotuning": number,
            "compile": span.compile,
            "attempt": span.attempt,
            "name": choice["name"],
            "kind": choice["kind"],
            "description": choice["description"],
            "position": choice["position"],
            "time_us": choice["time_us"],
            "error_type": choice["error_type"],
            "error": choice["error"],
            "ratio": _ratio(choice["time_us"], best_us),
        }
        for choice in choices
    ]


def _benchmarked(stats: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the candidates in the statistics: the fastest, and the fastest Triton kernel if it is another."""
    if type(stats.get("best_kernel")) is str:
        yield _choice(
            stats["best_kernel"], stats.get("best_kernel_desc"), 0, _time_us(stats.get("best_time"))
        )
    position = count_or_none(stats.get("best_triton_pos"))
    if position and type(stats.get("best_triton_kernel")) is str:
        yield _choice(
            stats["best_triton_kernel"],
            stats.get("best_triton_kernel_desc"),
            position,
            _time_us(stats.get("best_triton_time")),
        )


def _choice(name: str, description: Any, position: int, time_us: float | None) -> dict[str, Any]:
    return {
        "name": text_of(name),
        "kind": _kind(name, description),
        "description": text_of(description) or None,
        "position": position,
        "time_us": time_us,
        "error_type": None,
        "error": None,
    }


def _failed(args: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the candidates that did not compile (_log_autotune_exceptions). torch logs no name of them."""
    exceptions = _object(args.get("metadata")).get("exceptions", args.get("exceptions"))
    for failed in exceptions[:_MAX_EXCEPTIONS] if type(exceptions) is list else ():
        if type(failed) is dict:
            yield {
                "name": None,
                "kind": "triton" if failed.get("choice_type") == "triton" else "other",
                "description": text_of(failed.get("choice")) or None,
                "position": None,
                "time_us": None,
                "error_type": text_of(failed.get("exception")),
                "error": text_of(failed.get("exception_message")),
            }


def _object(value: Any) -> Mapping[str, Any]:
    """Return an object that torch wrote as JSON in a text; empty when it is not one."""
    try:
        parsed = parse_json(value.encode()) if type(value) is str else value
    except ValueError:
        parsed = None
    return parsed if type(parsed) is dict else {}


def _kind(name: Any, description: Any) -> ChoiceKind | None:
    if type(name) is not str:
        return None
    for prefix, kind in _PREFIXES:
        if name.startswith(prefix):
            return kind
    # A call of a library has the plain name of an operator; torch numbers the candidates it generates.
    return "other" if description or _NUMBERED.search(name) else "extern"


def _time_us(milliseconds: Any) -> float | None:
    number = number_or_none(milliseconds)
    return None if number is None or number < 0 else round(number * 1e3, 3)


def _ratio(time_us: float | None, best_us: float | None) -> float | None:
    return round(time_us / best_us, 4) if time_us is not None and best_us else None


def _listed(value: Any) -> list[str]:
    text = text_of(value)
    return text.split(", ") if text else []
