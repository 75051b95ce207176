"""The export table: calls of torch.export, the programs they gave, and what stood in the way."""

from __future__ import annotations

from tlparse_bundle.tables.columns import Interner, Strings, row_of
from tlparse_bundle.tables.shape_records import DEFINING, Definitions, fields_of, frame_context
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.trace.event import Event

_FAILURES = {
    "missing_fake_kernel": "missing_fake_kernel",
    "mismatched_fake_kernel": "mismatched_fake_kernel",
    "propagate_real_tensors_provenance": "data_dependent_error",
    "guard_on_data_dependent_error": "data_dependent_error",
    "guard_added": "guard_evaluated",
}
_TEXTS = ("expr", "result", "op", "reason")
_EXPECTED = {
    "missing_fake_kernel": ("op",),
    "mismatched_fake_kernel": ("op", "reason"),
}  # the symbol table checks the others


class Export:
    """The failures are those of tlparse's export mode, and guard_on_data_dependent_error, which it does not know."""

    name = "export"
    types = DEFINING | _FAILURES.keys() | {"export", "exported_program"}

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._strings, self._contexts = Strings(), Interner()
        self._definitions = Definitions()
        self._exports: list[dict] = []
        self._failures: list[tuple] = []

    def observe(self, event: Event) -> None:
        if event.type in DEFINING:
            self._definitions.observe(event)
        elif event.type == "export":
            self._add_export(event, start=event.index)
        elif event.type == "exported_program":
            if self._exports and self._exports[-1]["program_event_index"] is None:
                self._exports[-1]["program_event_index"] = event.index
            else:  # draft_export's own log has no start
                self._add_export(event, program=event.index)
        else:
            self._add_failure(event)

    def _add_export(self, event: Event, start: int | None = None, program: int | None = None) -> None:
        self._exports.append({"start_event_index": start, "program_event_index": program, "compile_index": event.compile_index})

    def _add_failure(self, event: Event) -> None:
        if event.type == "guard_added" and not (type(event.value) is dict and event.value.get("prefix") == "eval"):
            return  # an assertion at run time, or a guard of torch 2.6
        diagnosed = event.type in _EXPECTED
        value = fields_of(event, self._diagnostics, *_EXPECTED[event.type]) if diagnosed else event.value
        if type(value) is not dict:
            value = {}
        context = frame_context(value)
        node = value.get("expr_id" if event.type == "guard_on_data_dependent_error" else "expr_node_id")
        self._failures.append(
            (
                event.index,
                event.compile_index,
                event.type,
                *(self._strings.text(value.get(name)) for name in _TEXTS),
                row_of(value.get("stack_index")),
                row_of(value.get("user_stack_index")),
                self._definitions.find(node),
                self._contexts.by_json(context),
            )
        )

    def table(self) -> dict:
        return {"exports": self._exports, "failures": [self._failure(*cells) for cells in self._failures]}

    def _failure(self, event_index: int, compile_index: int, event_type: str, *cells: int) -> dict:
        *texts, stack, user_stack, expression, context = cells
        frame = {"loc": None, "locals": {}, "symbol_sources": {}} if context < 0 else self._contexts[context]
        return {
            "kind": _FAILURES[event_type],
            "event_index": event_index,
            "compile_index": compile_index,
            **{name: None if cell < 0 else self._strings[cell] for name, cell in zip(_TEXTS, texts)},
            "stack_index": None if stack < 0 else stack,
            "user_stack_index": None if user_stack < 0 else user_stack,
            "expression_event_index": None if expression < 0 else expression,
            **frame,
        }
