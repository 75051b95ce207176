"""The expression table: how torch built symbolic expressions, as a forest whose nodes are rows."""

from __future__ import annotations

from typing import Any

from tlparse_bundle.tables.columns import Columns, Strings, row_of
from tlparse_bundle.tables.shape_records import DEFINING, Definitions, defined_id, fields_of
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.trace.event import Event

_MAX_ARGUMENTS = 100  # torch/fx/experimental/sym_node.py, capture_provenance: one or two


class Expressions:
    """Unbacked symbols are rows too: they are the leaves."""

    name = "expressions"
    types = DEFINING

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._strings = Strings()
        self._rows = Definitions()
        self._columns = Columns(
            "event_index", "compile_index", "method", "result", "arguments", "argument_rows", "stack_index", "user_stack_index",
            lists=("arguments", "argument_rows"),
        )  # fmt: skip

    def observe(self, event: Event) -> None:
        created = event.type == "expression_created"
        if created:
            value = fields_of(event, self._diagnostics, "method", "result")
        else:  # the symbol table checks this one
            value = event.value if type(event.value) is dict else None
        if value is None:
            return
        row = self._columns.add(
            event_index=event.index,
            compile_index=event.compile_index,
            method=self._strings.text(value.get("method")) if created else -1,
            result=self._strings.text(value.get("result" if created else "symbol")),
            arguments=[self._strings.text(argument) for argument in _list(value.get("arguments"))] if created else (),
            argument_rows=[self._rows.find(argument) for argument in _list(value.get("argument_ids"))] if created else (),
            stack_index=row_of(value.get("stack_index")),
            user_stack_index=row_of(value.get("user_stack_index")),
        )
        self._rows.define(defined_id(event.type, value), row)

    def table(self) -> dict:
        return {"strings": self._strings.table(), "expressions": self._columns.table()}


def _list(value: Any) -> list:
    return value[:_MAX_ARGUMENTS] if type(value) is list else []
