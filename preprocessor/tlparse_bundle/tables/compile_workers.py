"""Reports of Inductor's compile workers about jobs that take long (torch 2.15 and newer)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.newest_attempts import NewestAttempts
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.text.record_values import (
    count_or_none,
    microseconds,
    payload_json,
    text_of,
    text_or_none,
    unexpected,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import WorkerReportsRow

_REPORT = "compile_worker_status"  # torch/_inductor/compile_worker/subproc_pool.py


class CompileWorkers:
    name = "worker_reports"
    types = frozenset(("artifact", "dynamo_start"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._rows: Rows[WorkerReportsRow] = Rows()
        self._newest = NewestAttempts()  # a report names the id in its payload, and has no context

    @staticmethod
    def reads(event: Event) -> bool:
        return event.name == _REPORT

    def observe(self, event: Event) -> None:
        self._newest.note(event)
        if event.name == _REPORT:
            self._observe_report(event)

    def _observe_report(self, event: Event) -> None:
        report = payload_json(event)
        if type(report) is not dict:
            unexpected(self._diagnostics, event, "not a JSON object")
            return
        compile_id = text_or_none(report.get("compile_id"))
        compile, attempt = self._newest.of(compile_id)
        self._rows.append(
            {
                "event": event.index,
                "compile": compile,
                "attempt": attempt,
                "job": count_or_none(report.get("job_id")),
                "elapsed_us": microseconds(report.get("elapsed_s"), 1e6),
                "phase": text_of(report.get("phase")),
                "phase_elapsed_us": microseconds(report.get("phase_elapsed_s"), 1e6),
                "worker_pid": count_or_none(report.get("worker_pid")),
            }
        )

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "worker_reports", self._rows
