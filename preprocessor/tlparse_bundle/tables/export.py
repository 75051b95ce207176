"""Records of torch.export: starts, programs, and obstacles to exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from tlparse_bundle.log.event import Event
from tlparse_bundle.model.compiles import EXPORT_RECORDS
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.shape_records import (
    DEFINING,
    Definitions,
    fields_of,
    frame_context,
    stacks_of,
)
from tlparse_bundle.tables.table import TableContext, place_of
from tlparse_bundle.tables.text.record_values import text_of

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ExportFailuresRow
    from tlparse_bundle.tables.shape_records import FrameContext

    _FailureKind = Literal[
        "missing_fake_kernel", "mismatched_fake_kernel", "data_dependent_error", "guard_evaluated"
    ]

_FAILURES: dict[str, _FailureKind] = {
    "missing_fake_kernel": "missing_fake_kernel",
    "mismatched_fake_kernel": "mismatched_fake_kernel",
    "propagate_real_tensors_provenance": "data_dependent_error",
    "guard_on_data_dependent_error": "data_dependent_error",
    "guard_added": "guard_evaluated",
}
_EXPECTED = {
    "missing_fake_kernel": ("op",),
    "mismatched_fake_kernel": ("op", "reason"),
}  # the symbol tables check the others
_NO_CONTEXT: FrameContext = {"loc": None, "locals": {}, "symbol_sources": {}}


class Export:
    """Export tables. Failures are those of tlparse's export mode, and guard_on_data_dependent_error."""

    name = EXPORT_RECORDS
    types = DEFINING | _FAILURES.keys() | {"export", "exported_program"}

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._definitions = Definitions()
        self._exports: list[dict[str, Any]] = []  # of statements/export_table.py
        self._failures: Rows[ExportFailuresRow] = Rows()

    def observe(self, event: Event) -> None:
        if event.type in DEFINING:
            self._definitions.observe(event)
        elif event.type == "export":
            self._add_export(event, start=event.index)
        elif event.type == "exported_program":
            if self._exports and self._exports[-1]["program_event"] is None:
                self._exports[-1]["program_event"] = event.index
            else:  # draft_export's own log has no start
                self._add_export(event, program=event.index)
        else:
            self._add_failure(event)

    def _add_export(self, event: Event, start: int | None = None, program: int | None = None) -> None:
        self._exports.append(
            {
                "start_event": start,
                "program_event": program,
                "compile": event.compile,
                "attempt": event.attempt,
            }
        )

    def _add_failure(self, event: Event) -> None:
        if event.type == "guard_added" and not (
            type(event.value) is dict and event.value.get("prefix") == "eval"
        ):
            return  # an assertion at run time, or a guard of torch 2.6
        diagnosed = event.type in _EXPECTED
        value = fields_of(event, self._diagnostics, *_EXPECTED[event.type]) if diagnosed else event.value
        if type(value) is not dict:
            value = {}
        node = value.get("expr_id" if event.type == "guard_on_data_dependent_error" else "expr_node_id")
        self._failures.append(
            {
                **place_of(event),
                "kind": _FAILURES[event.type],
                "expr": text_of(value.get("expr")),
                "result": text_of(value.get("result")),
                "op": text_of(value.get("op")),
                "reason": text_of(value.get("reason")),
                **stacks_of(value),
                "expression_event": self._definitions.find(node),
                **(frame_context(value) or _NO_CONTEXT),
            }
        )

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield EXPORT_RECORDS, Rows(self._exports)
        yield "export_failures", self._failures
