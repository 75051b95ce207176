"""How torch built symbolic expressions: a forest whose nodes are records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tlparse_bundle.tables.columns import text_of
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.shape_records import DEFINING, Definitions, fields_of, identity_of, stacks_of
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.trace.event import Event

_MAX_ARGUMENTS = 100  # torch/fx/experimental/sym_node.py, capture_provenance: one or two


class Expressions:
    """Unbacked symbols are rows too: they are the leaves."""

    name = "expressions"
    types = DEFINING

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._definitions = Definitions()
        self._rows = Rows()

    def observe(self, event: Event) -> None:
        created = event.type == "expression_created"
        if created:
            value = fields_of(event, self._diagnostics, "method", "result")
        else:  # the symbol tables check this one
            value = event.value if type(event.value) is dict else None
        if value is None:
            return
        self._rows.append(
            {
                **identity_of(event),
                "method": text_of(value.get("method")) if created else None,
                "result": text_of(value.get("result" if created else "symbol")),
                "arguments": [text_of(argument) for argument in _list(value.get("arguments"))] if created else [],
                "argument_events": [self._definitions.find(argument) for argument in _list(value.get("argument_ids"))] if created else [],
                **stacks_of(value),
            }
        )
        self._definitions.observe(event)

    def tables(self) -> Iterator[tuple[str, Rows]]:
        yield "expressions", self._rows


def _list(value: Any) -> list:
    return value[:_MAX_ARGUMENTS] if type(value) is list else []
