"""The tables of a log. A new one is one module and one line here, or an entry point of another package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tlparse_bundle.tables.anatomy import Anatomy
from tlparse_bundle.tables.artifacts import Artifacts
from tlparse_bundle.tables.caches import Caches
from tlparse_bundle.tables.communication import Communication
from tlparse_bundle.tables.compiles import Compiles
from tlparse_bundle.tables.export import Export
from tlparse_bundle.tables.expressions import Expressions
from tlparse_bundle.tables.failures import Failures
from tlparse_bundle.tables.graph_breaks import GraphBreaks
from tlparse_bundle.tables.graphs import Graphs
from tlparse_bundle.tables.guards import Guards
from tlparse_bundle.tables.kernels import Kernels
from tlparse_bundle.tables.metrics import Metrics
from tlparse_bundle.tables.partition import Partition
from tlparse_bundle.tables.provenance import Provenance
from tlparse_bundle.tables.recompiles import Recompiles
from tlparse_bundle.tables.runtime import Runtime
from tlparse_bundle.tables.sources import Sources
from tlparse_bundle.tables.spans import Spans
from tlparse_bundle.tables.symbols import Symbols
from tlparse_bundle.tables.table import Table, TableContext
from tlparse_bundle.tables.tensors import Tensors
from tlparse_bundle.tables.vllm import Vllm
from tlparse_bundle.trace.event import TIMELINE, Event, Span

# Those that need the stacks of the log, or something of every event.
STREAM_TABLES: tuple[type[Table], ...] = (Compiles, Artifacts, Spans, Anatomy, Recompiles, Vllm)
# Those that read metadata and payloads of a few kinds, nothing else: most of the work, which another process can do.
PAYLOAD_TABLES: tuple[type[Table], ...] = (
    Symbols,
    Expressions,
    Tensors,
    Export,
    Metrics,
    Caches,
    GraphBreaks,
    Failures,
    Guards,
    Communication,
    Graphs,
    Kernels,
    Provenance,
    Partition,
    Runtime,
    Sources,
)
TABLES = (*STREAM_TABLES, *PAYLOAD_TABLES)
ENTRY_POINTS = "tlparse_bundle.tables"  # those of other packages, which may use all that STREAM_TABLES use


def _always(event: Event) -> bool:
    return True


def _nothing() -> None:
    pass


class Tables:
    """Tables of one log, by name; hands events to those that want them."""

    def __init__(self, classes: Iterable[type[Table]], context: TableContext):
        self._tables = {table.name: table for table in (cls(context) for cls in classes)}
        self._read: dict[tuple[str, str | None], bool] = {}
        self._span_observers = [table.observe_span for table in self if hasattr(table, "observe_span")]

    def _of_type(self, event_type: str) -> list[Table]:
        return [table for table in self if table.types is None or event_type in table.types]

    def timeline(self) -> frozenset[str] | None:
        """Names of the events of the timeline that any of them wants to see, besides their spans; None for all."""
        wanted = [getattr(table, "timeline", None) for table in self._of_type(TIMELINE)]
        return None if None in wanted else frozenset().union(*wanted)

    def read(self, event: Event) -> bool:
        """Whether any of them needs its payload."""
        kind = event.type, event.name
        found = self._read.get(kind)
        if found is None:
            found = self._read[kind] = any(getattr(table, "reads", _always)(event) for table in self._of_type(event.type))
        return found

    def observe(self, events: Sequence[Event]) -> None:
        """The next events of the log."""
        by_type: dict[str, list[Event]] = {}
        for event in events:
            by_type.setdefault(event.type, []).append(event)
        for table in self._tables.values():
            observe, types = table.observe, table.types
            wanted = by_type.keys() if types is None else by_type.keys() & types
            if len(wanted) == 1:
                some = by_type[next(iter(wanted))]
            elif len(wanted) == len(by_type):
                some = events
            else:
                some = [event for event in events if event.type in types] if wanted else ()
            for event in some:
                observe(event)

    def observe_spans(self, spans: Sequence[Span]) -> None:
        """The next events of the timeline."""
        for observe in self._span_observers:
            for span in spans:
                observe(span)

    def settle(self) -> None:
        """See Table: the log goes on, and is about to be written as it is."""
        for table in self:
            getattr(table, "settle", _nothing)()

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __iter__(self) -> Iterator[Table]:
        return iter(self._tables.values())
