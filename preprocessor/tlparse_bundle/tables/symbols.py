"""The symbol table: symbols of dynamic shapes, and what torch learned about them."""

from __future__ import annotations

from tlparse_bundle.tables.columns import Columns, Interner, Strings, row_of, text_of
from tlparse_bundle.tables.shape_records import DEFINING, MAX_NAMES, Definitions, fields_of, frame_context, names_in, scope_of
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.trace.event import Event

# ShapeEnv._log_guard and ShapeEnv._log_real_tensor_propagation write a short record with whole stacks, and with
# TORCH_DTRACE also a full one with locals and sources, but at most three frames. This is the short one of each.
_SHORT = {"guard_added": "guard_added_fast", "propagate_real_tensors_provenance": "propagate_real_tensors"}
_EVENT = ("event_index", "compile_index")
_STACKS = ("stack_index", "user_stack_index")
_MAX_SEARCHED = 20_000  # characters of an expression in which names of symbols are looked for


class _Conditions:
    """Guards, or conditions decided by a real value: one row for a short and a full record of the same."""

    def __init__(self, full_type: str, detail: str):
        self._full_type, self._detail = full_type, detail
        self._open: dict[tuple | None, tuple[int, str]] = {}  # by scope: row and type of a first record
        self.columns = Columns(
            "event_index", "pair_event_index", "compile_index", "expr", detail, "symbol_index",
            "expression_event_index", "context_index", *_STACKS,
            lists=("symbol_index",),
            changeable=True,
        )  # fmt: skip

    def close(self, scope: tuple | None) -> None:
        """Another record of this scope: what stands open has no partner."""
        self._open.pop(scope, None)

    def observe(self, event: Event, scope: tuple | None, cells: dict) -> None:
        columns, full = self.columns, event.type == self._full_type
        row, first_type = self._open.pop(scope, (-1, None))
        if row < 0 or first_type == event.type or columns["expr"][row] != cells["expr"]:
            self._open[scope] = columns.add(pair_event_index=-1, **cells), event.type
            return
        columns["pair_event_index"][row] = event.index
        for name in (self._detail, "expression_event_index", "context_index"):
            if columns[name][row] < 0:
                columns[name][row] = cells[name]
        for name in _STACKS:
            if cells[name] >= 0 and (columns[name][row] < 0 or not full):
                columns[name][row] = cells[name]


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
        self._strings, self._contexts = Strings(), Interner()
        self._definitions = Definitions()
        self._rows: dict[tuple | None, dict[str, int]] = {}  # by scope: name -> newest row
        self._symbols = Columns(*_EVENT, "name", "unbacked", "value", "range", "source", *_STACKS)
        self._guards = _Conditions("guard_added", "prefix")
        self._real_values = _Conditions("propagate_real_tensors_provenance", "result")
        self._errors = Columns(
            *_EVENT, "expr", "unhinted_expr", "symbol_index", "expression_event_index", "stack_index", lists=("symbol_index",)
        )
        self._specializations = Columns(*_EVENT, "name", "symbol_index", "value", "reason", "sources", *_STACKS, lists=("sources",))

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
            self._real_values.close(scope)
        value = fields_of(event, self._diagnostics, "symbol" if "symbol" in event.type else "expr")
        if value is None:
            return
        if event.type in ("create_symbol", "create_unbacked_symbol"):
            self._definitions.observe(event)
            self._add_symbol(event, scope, value)
        elif event.type == "symbolic_shape_specialization":
            self._add_specialization(event, scope, value)
        elif is_guard:
            cells = self._condition(event, scope, value)
            self._guards.observe(event, scope, {**cells, "prefix": self._strings.text(value.get("prefix"))})
        elif is_real_value:
            cells = self._condition(event, scope, value)
            self._real_values.observe(event, scope, {**cells, "result": self._strings.text(value.get("result"))})
        else:
            cells = self._condition(event, scope, value)
            cells["expression_event_index"] = self._definitions.find(value.get("expr_id"))
            self._errors.add(**cells, unhinted_expr=self._strings.text(value.get("unhinted_expr")))

    def _event_cells(self, event: Event, value: dict) -> dict:
        return {"event_index": event.index, "compile_index": event.compile_index, **{name: row_of(value.get(name)) for name in _STACKS}}

    def _add_symbol(self, event: Event, scope: tuple | None, value: dict) -> None:
        text, name = self._strings.text, value.get("symbol")
        row = self._symbols.add(
            **self._event_cells(event, value),
            name=text(name),
            unbacked=event.type == "create_unbacked_symbol",
            value=text(value.get("val")),
            range=text(value.get("vr") or None),  # "" for a nested int
            source=text(value.get("source")),
        )
        if type(name) is str:
            self._rows.setdefault(scope, {})[name] = row

    def _add_specialization(self, event: Event, scope: tuple | None, value: dict) -> None:
        text, name, sources = self._strings.text, value.get("symbol"), value.get("sources")
        self._specializations.add(
            **self._event_cells(event, value),
            name=text(name),
            symbol_index=self._rows.get(scope, {}).get(name, -1) if type(name) is str else -1,
            value=text(value.get("value")),
            reason=text(value.get("reason")),
            sources=[text(source) for source in (sources[:MAX_NAMES] if type(sources) is list else ()) if source is not None],
        )

    def _condition(self, event: Event, scope: tuple | None, value: dict) -> dict:
        """The cells that guards, real values and errors have in common."""
        expr = self._strings.text(value.get("expr"))
        known = self._rows.get(scope, {})
        names = names_in(text_of(value.get("expr"), _MAX_SEARCHED) or "") if known else ()
        context = frame_context(value)
        return {
            **self._event_cells(event, value),
            "expr": expr,
            "symbol_index": [known[name] for name in names if name in known],
            "expression_event_index": self._definitions.find(value.get("expr_node_id")),
            "context_index": self._contexts.by_json(context),
        }

    def table(self) -> dict:
        return {
            "strings": self._strings.table(),
            "contexts": self._contexts.table(),
            "symbols": self._symbols.table(),
            "guards": self._guards.columns.table(),
            "real_values": self._real_values.columns.table(),
            "data_dependent_errors": self._errors.table(),
            "specializations": self._specializations.table(),
        }
