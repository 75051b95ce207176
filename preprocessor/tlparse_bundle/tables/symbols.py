"""Symbols of dynamic shapes, with their guards and values."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.shape_records import (
    DEFINING,
    MAX_NAMES,
    Definitions,
    Scope,
    fields_of,
    frame_context,
    names_in,
    scope_of,
    stacks_of,
)
from tlparse_bundle.tables.table import TableContext, place_of
from tlparse_bundle.tables.text.record_values import text_of

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        DataDependentErrorsRow,
        ExpressionsRow,
        SpecializationsRow,
        SymbolContextsRow,
        SymbolGuardsRow,
        SymbolsRow,
        SymbolValuesRow,
    )
    from tlparse_bundle.tables.shape_records import FrameContext, StackFields

    class _ConditionFields(StackFields):
        symbol_events: list[int]
        expression_event: int | None
        context: int | None


_Row = TypeVar("_Row", bound="SymbolGuardsRow | SymbolValuesRow")

_MAX_ARGUMENTS = 100  # torch/fx/experimental/sym_node.py, capture_provenance: one or two
# ShapeEnv._log_guard and ShapeEnv._log_real_tensor_propagation write a short record with whole stacks, and
# with TORCH_DTRACE also a full one with locals and sources, but at most three frames. This is the short one
# of each.
_SHORT = {"guard_added": "guard_added_fast", "propagate_real_tensors_provenance": "propagate_real_tensors"}
_MAX_SEARCHED = 20_000  # characters of an expression in which names of symbols are looked for
_MAX_WAITING = 256  # rows that wait for the second record of one of them; torch writes both in a row


@dataclass(slots=True)
class _Waiting(Generic[_Row]):
    row: _Row
    type: str  # of its first record
    scope: Scope | None
    is_open: bool = True  # its second record may follow


class _Conditions(Generic[_Row]):
    """Guards, or conditions decided by a real value: one row for a short and a full record.

    ``join`` takes the fields specific to this kind of row from the second record.
    """

    def __init__(self, full_type: str, join: Callable[[_Row, _Row], None]):
        self._full_type, self._join_own = full_type, join
        self._open: dict[Scope | None, _Waiting[_Row]] = {}  # by scope
        self._waiting: deque[_Waiting[_Row]] = deque()  # the newest rows, in the order of the log
        self._rows: Rows[_Row] = Rows()

    def close(self, scope: Scope | None) -> None:
        """Close an open row, since a different record of this scope follows instead of its second record."""
        waiting = self._open.pop(scope, None)
        if waiting is not None:
            waiting.is_open = False
            self._write()

    def observe(self, event: Event, scope: Scope | None, row: _Row) -> None:
        first = self._open.pop(scope, None)
        if first is not None:
            first.is_open = False
        if first is not None and first.type != event.type and first.row["expr"] == row["expr"]:
            self._join(first.row, row, event)
        else:
            self._open[scope] = waiting = _Waiting(row, event.type, scope)
            self._waiting.append(waiting)
        self._write()

    def _join(self, row: _Row, second: _Row, event: Event) -> None:
        row["pair_event"] = event.index
        self._join_own(row, second)
        if row["expression_event"] is None:
            row["expression_event"] = second["expression_event"]
        if row["context"] is None:
            row["context"] = second["context"]
        has_whole_stacks = event.type != self._full_type
        if second["stack"] is not None and (row["stack"] is None or has_whole_stacks):
            row["stack"] = second["stack"]
        if second["user_stack"] is not None and (row["user_stack"] is None or has_whole_stacks):
            row["user_stack"] = second["user_stack"]

    def _write(self) -> None:
        """Write the oldest rows that are complete."""
        waiting = self._waiting
        while waiting and (not waiting[0].is_open or len(waiting) > _MAX_WAITING):
            oldest = waiting.popleft()
            if oldest.is_open:
                del self._open[oldest.scope]
            self._rows.append(oldest.row)

    def rows(self) -> Rows[_Row]:
        """Return all rows at the end of the log."""
        self._rows.extend(waiting.row for waiting in self._waiting)
        self._waiting.clear()
        self._open.clear()
        return self._rows


def _join_prefix(row: SymbolGuardsRow, second: SymbolGuardsRow) -> None:
    if row["prefix"] is None:
        row["prefix"] = second["prefix"]


def _join_result(row: SymbolValuesRow, second: SymbolValuesRow) -> None:
    if row["result"] is None:
        row["result"] = second["result"]


class _Contexts:
    """Distinct places in user code where a condition was evaluated."""

    def __init__(self) -> None:
        self.rows: Rows[SymbolContextsRow] = Rows()
        self._ids: dict[bytes, int] = {}  # by a hash of their JSON, which is large

    def id_of(self, context: FrameContext | None) -> int | None:
        if context is None:
            return None
        key = hashlib.blake2b(dumps(context), digest_size=16).digest()
        number = self._ids.setdefault(key, len(self.rows))
        if number == len(self.rows):
            self.rows.append({"id": number, **context})
        return number


class Symbols:
    name = "symbols"
    types = (
        DEFINING
        | _SHORT.keys()
        | frozenset(_SHORT.values())
        | {"create_symbol", "symbolic_shape_specialization", "guard_on_data_dependent_error"}
    )

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._contexts = _Contexts()
        self._definitions = Definitions()
        self._events: dict[Scope | None, dict[str, int]] = {}  # by scope: name -> record of the newest symbol
        self._symbols: Rows[SymbolsRow] = Rows()
        self._errors: Rows[DataDependentErrorsRow] = Rows()
        self._specializations: Rows[SpecializationsRow] = Rows()
        self._guards = _Conditions("guard_added", _join_prefix)
        self._values = _Conditions("propagate_real_tensors_provenance", _join_result)

    def observe(self, event: Event) -> None:
        if event.type == "expression_created":
            self._definitions.observe(event)
            return
        scope = scope_of(event)
        is_guard = event.type.startswith("guard_added")
        is_real_value = event.type.startswith("propagate_real_tensors")
        if not is_guard:
            self._guards.close(scope)
        if not is_real_value:
            self._values.close(scope)
        value = fields_of(event, self._diagnostics, "symbol" if "symbol" in event.type else "expr")
        if value is None:
            return
        if event.type in ("create_symbol", "create_unbacked_symbol"):
            self._definitions.observe(event)
            self._add_symbol(event, scope, value)
        elif event.type == "symbolic_shape_specialization":
            self._add_specialization(event, scope, value)
        elif is_guard:
            self._guards.observe(event, scope, self._guard_row(event, scope, value))
        elif is_real_value:
            self._values.observe(event, scope, self._value_row(event, scope, value))
        else:
            self._add_error(event, scope, value)

    def _add_symbol(self, event: Event, scope: Scope | None, value: dict[str, Any]) -> None:
        name = value.get("symbol")
        self._symbols.append(
            {
                **place_of(event),
                "name": text_of(name),
                "unbacked": event.type == "create_unbacked_symbol",
                "value": text_of(value.get("val")),
                "range": text_of(value.get("vr") or None),  # "" for a nested int
                "source": text_of(value.get("source")),
                **stacks_of(value),
            }
        )
        if type(name) is str:
            self._events.setdefault(scope, {})[name] = event.index

    def _add_specialization(self, event: Event, scope: Scope | None, value: dict[str, Any]) -> None:
        name, sources = value.get("symbol"), value.get("sources")
        self._specializations.append(
            {
                **place_of(event),
                "name": text_of(name),
                "symbol_event": self._events.get(scope, {}).get(name) if type(name) is str else None,
                "value": text_of(value.get("value")),
                "reason": text_of(value.get("reason")),
                "sources": [
                    text_of(source)
                    for source in (sources[:MAX_NAMES] if type(sources) is list else ())
                    if source is not None
                ],
                **stacks_of(value),
            }
        )

    def _add_error(self, event: Event, scope: Scope | None, value: dict[str, Any]) -> None:
        self._errors.append(
            {
                **place_of(event),
                "expr": text_of(value.get("expr")),
                "unhinted_expr": text_of(value.get("unhinted_expr")),
                "symbol_events": self._symbol_events(scope, value),
                "expression_event": self._definitions.find(value.get("expr_id")),
                "stack": stacks_of(value)["stack"],
            }
        )

    def _guard_row(self, event: Event, scope: Scope | None, value: dict[str, Any]) -> SymbolGuardsRow:
        return {
            "event": event.index,
            "pair_event": None,
            "compile": event.compile,
            "attempt": event.attempt,
            "expr": text_of(value.get("expr")),
            "prefix": text_of(value.get("prefix")),
            **self._condition_fields(scope, value),
        }

    def _value_row(self, event: Event, scope: Scope | None, value: dict[str, Any]) -> SymbolValuesRow:
        return {
            "event": event.index,
            "pair_event": None,
            "compile": event.compile,
            "attempt": event.attempt,
            "expr": text_of(value.get("expr")),
            "result": text_of(value.get("result")),
            **self._condition_fields(scope, value),
        }

    def _condition_fields(self, scope: Scope | None, value: dict[str, Any]) -> _ConditionFields:
        return {
            "symbol_events": self._symbol_events(scope, value),
            "expression_event": self._definitions.find(value.get("expr_node_id")),
            "context": self._contexts.id_of(frame_context(value)),
            **stacks_of(value),
        }

    def _symbol_events(self, scope: Scope | None, value: dict[str, Any]) -> list[int]:
        """Return the records of the symbols in the condition."""
        events = self._events.get(scope)
        names = names_in(text_of(value.get("expr"), _MAX_SEARCHED) or "") if events else ()
        return [events[name] for name in names if name in events] if events else []

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "symbols", self._symbols
        yield "symbol_guards", self._guards.rows()
        yield "symbol_values", self._values.rows()
        yield "data_dependent_errors", self._errors
        yield "specializations", self._specializations
        yield "symbol_contexts", self._contexts.rows


class Expressions:
    """Expressions, with unbacked symbols as leaves."""

    name = "expressions"
    types = DEFINING

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._definitions = Definitions()
        self._rows: Rows[ExpressionsRow] = Rows()

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
                **place_of(event),
                "method": text_of(value.get("method")) if created else None,
                "result": text_of(value.get("result" if created else "symbol")),
                "arguments": [text_of(argument) for argument in _list(value.get("arguments"))]
                if created
                else [],
                "argument_events": [
                    self._definitions.find(argument) for argument in _list(value.get("argument_ids"))
                ]
                if created
                else [],
                **stacks_of(value),
            }
        )
        self._definitions.observe(event)

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "expressions", self._rows


def _list(value: Any) -> list[Any]:
    return value[:_MAX_ARGUMENTS] if type(value) is list else []
