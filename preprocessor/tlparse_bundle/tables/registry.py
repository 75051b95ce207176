"""Registry of the tables of a log. A new table is a module and a line here, or a plug-in's entry point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.base.plugins import PLUGIN_FAILED, Guard, Loaded, Plugin, need, own_name, plugins
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.bundle.layout import is_own, log_path
from tlparse_bundle.bundle.schemas import schema_names
from tlparse_bundle.log.event import TIMELINE, Event, Span
from tlparse_bundle.log.stacks import StackTable
from tlparse_bundle.tables.anatomy import Anatomy
from tlparse_bundle.tables.artifacts import Artifacts
from tlparse_bundle.tables.autotuning import Autotuning
from tlparse_bundle.tables.caches import Caches
from tlparse_bundle.tables.communication import Communication
from tlparse_bundle.tables.compile_workers import CompileWorkers
from tlparse_bundle.tables.compiles import Compiles
from tlparse_bundle.tables.cuda_graphs import CudaGraphs
from tlparse_bundle.tables.export import Export
from tlparse_bundle.tables.failures import Failures
from tlparse_bundle.tables.graph_breaks import GraphBreaks
from tlparse_bundle.tables.graphs import Graphs
from tlparse_bundle.tables.guards import Guards
from tlparse_bundle.tables.kernels import Kernels
from tlparse_bundle.tables.metrics import Metrics
from tlparse_bundle.tables.modules import Modules
from tlparse_bundle.tables.native_compiles import NativeCompiles
from tlparse_bundle.tables.partition import Partition
from tlparse_bundle.tables.provenance.table import Provenance
from tlparse_bundle.tables.recompiles import Recompiles
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.runtime import Runtime
from tlparse_bundle.tables.sources import Sources
from tlparse_bundle.tables.spans import Spans
from tlparse_bundle.tables.symbols import Expressions, Symbols
from tlparse_bundle.tables.table import Table, TableContext
from tlparse_bundle.tables.tally import Tally
from tlparse_bundle.tables.tensors import Tensors
from tlparse_bundle.tables.vllm.table import Vllm

# Tables that need the stacks of the log, or data of every event.
STREAM_TABLES: tuple[type[Table], ...] = (Compiles, Artifacts, Spans, Anatomy, Recompiles, Vllm)
# Tables that only read metadata and payloads of a few kinds: most of the work, which a different process
# can do.
PAYLOAD_TABLES: tuple[type[Table], ...] = (
    Symbols,
    Expressions,
    Tensors,
    Modules,
    Export,
    Metrics,
    Caches,
    GraphBreaks,
    Failures,
    CompileWorkers,
    NativeCompiles,
    Guards,
    Communication,
    Graphs,
    Kernels,
    Autotuning,
    CudaGraphs,
    Provenance,
    Partition,
    Runtime,
    Sources,
)
TABLES = (*STREAM_TABLES, *PAYLOAD_TABLES)
ENTRY_POINTS = "tlparse_bundle.tables"  # those of other packages, which may use all that STREAM_TABLES use
_OPTIONAL = ("observe_span", "settle", "timeline")  # see Table


def _always(event: Event) -> bool:
    return True


def _nothing() -> None:
    pass


class Tables:
    """Tables of one log by name. Dispatches events to the tables that need them."""

    def __init__(self, classes: Iterable[Callable[[TableContext], Table]], context: TableContext):
        self._tables = {table.name: table for table in (cls(context) for cls in classes)}
        self._read: dict[tuple[str, str | None], bool] = {}
        self._span_observers = [table.observe_span for table in self if hasattr(table, "observe_span")]

    def _of_type(self, event_type: str) -> list[Table]:
        return [table for table in self if table.types is None or event_type in table.types]

    def timeline(self) -> frozenset[str] | None:
        """Return names of timeline events that any table needs besides spans; None for all."""
        names: set[str] = set()
        for table in self._of_type(TIMELINE):
            timeline: frozenset[str] | None = getattr(table, "timeline", None)
            if timeline is None:
                return None
            names |= timeline
        return frozenset(names)

    def read(self, event: Event) -> bool:
        """Return whether any table needs the payload."""
        kind = event.type, event.name
        is_read = self._read.get(kind)
        if is_read is None:
            is_read = self._read[kind] = any(
                getattr(table, "reads", _always)(event) for table in self._of_type(event.type)
            )
        return is_read

    def observe(self, events: Sequence[Event]) -> None:
        """Pass on the next events of the log."""
        by_type: dict[str, list[Event]] = {}
        for event in events:
            by_type.setdefault(event.type, []).append(event)
        for table in self._tables.values():
            observe = table.observe
            types = by_type.keys() if table.types is None else by_type.keys() & table.types
            selected: Iterable[Event]
            if len(types) == 1:
                selected = by_type[next(iter(types))]
            elif len(types) == len(by_type):
                selected = events
            else:
                selected = [event for event in events if event.type in types] if types else ()
            for event in selected:
                observe(event)

    def observe_spans(self, spans: Sequence[Span]) -> None:
        """Pass on the next events of the timeline."""
        for observe in self._span_observers:
            for span in spans:
                observe(span)

    def settle(self) -> None:
        """See Table: prepare to write a log that still grows."""
        for table in self:
            getattr(table, "settle", _nothing)()

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __iter__(self) -> Iterator[Table]:
        return iter(self._tables.values())


@dataclass(frozen=True)
class _PluginClass:
    make: Callable[[TableContext], Table]
    name: str
    types: frozenset[str] | None


class PluginTable:
    """A table of a plug-in, used like a built-in one.

    When the plug-in fails, a diagnostic is added and the table sees no more events.
    """

    def __init__(self, plugin: Plugin, context: TableContext):
        self.name, self.types = plugin.object.name, plugin.object.types
        self._plugin, self._guard = plugin, Guard(plugin)
        self._diagnostics = context.diagnostics
        self._table = self._call(plugin.object.make, context)
        for name in _OPTIONAL:
            member = getattr(self._table, name, None)
            if member is not None:
                setattr(self, name, partial(self._call, member) if callable(member) else member)

    def _call(self, function: Callable[..., Any], *arguments: Any, event_index: int | None = None) -> Any:
        failed_before = self._guard.fault is not None
        result = self._guard(function, *arguments)
        if self._guard.fault is not None and not failed_before:
            self._diagnostics.add(PLUGIN_FAILED, self._guard.fault, event_index=event_index)
        return result

    def observe(self, event: Event) -> None:
        if self._guard.fault is None:
            self._call(self._table.observe, event, event_index=event.index)

    def reads(self, event: Event) -> bool:
        """Return whether the plug-in needs the payload of an event, also when the plug-in fails here."""
        return Guard(self._plugin)(getattr(self._table, "reads", _always), event) is not False

    def tables(self) -> Iterable[tuple[str, Rows[Any]]]:
        """Return its tables; empty when the plug-in failed."""
        return (
            self._call(lambda: [(self._own(name), _rows(name, rows)) for name, rows in self._table.tables()])
            or ()
        )

    def _own(self, name: Any) -> str:
        """Return the name of a plug-in table. Raise ValueError when another table has it."""
        if type(name) is not str or (
            name != self.name and not (name.startswith(f"{self.name}_") and name.isidentifier())
        ):
            raise ValueError(
                f"tables() gave a table {name!r}, whose name is not {self.name!r} and does not begin with"
                f" '{self.name}_'"
            )
        return name


def plugin_tables() -> Loaded:
    """Load the tables of plug-ins: the object of each has ``make``, ``name`` and ``types``."""
    taken = {"log", *schema_names()}

    def prepare(cls: Any) -> _PluginClass:
        table = cls(TableContext(StackTable(), Diagnostics(), Tally()))
        need(table, "observe", "tables", of="the table")
        timeline, types = getattr(table, "timeline", None), table.types
        for name, value in (("types", types), ("timeline", timeline)):
            if value is not None and (isinstance(value, str) or not all(type(item) is str for item in value)):
                raise TypeError(f"{name!r} of the table is not a set of names")
        name = own_name(
            table.name, taken, lambda name: is_own(log_path("log", f"{name}.jsonl", CODECS["none"]))
        )
        return _PluginClass(cls, name, None if types is None else frozenset(types))

    return plugins(ENTRY_POINTS, prepare)


def _rows(name: str, rows: Iterable[Any]) -> Rows[Any]:
    """Encode the rows of a table. Raises TypeError when something is not an object of JSON."""
    if isinstance(rows, Rows):
        return rows
    listed = list(rows)
    for row in listed:
        if type(row) is not dict:
            raise TypeError(f"a row of {name!r} is {type(row).__name__!r}, not dict")
    return Rows(listed)
