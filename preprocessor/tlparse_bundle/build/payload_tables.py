"""The stage of the tables that read metadata and payloads of a few kinds, and nothing else of the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.format.codecs import CODECS
from tlparse_bundle.tables.registry import PAYLOAD_TABLES, Tables
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.tables.tally import Tally
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.stacks import StackTable


class PayloadTables:
    """See Stage. Its result: the paths of the tables by name, and what there is to say about the payloads."""

    def __init__(self, root: Path, codec: str, log_id: str):
        self._root = root
        self._codec = CODECS[codec]
        self._log_id = log_id
        self._diagnostics = Diagnostics()
        self._tables = Tables(PAYLOAD_TABLES, TableContext(StackTable(), self._diagnostics, Tally()))

    @staticmethod
    def wants() -> Callable[[Event], bool]:
        """Says of an event whether any of the tables needs it."""
        return Tables(PAYLOAD_TABLES, TableContext(StackTable(), Diagnostics(), Tally())).want

    def feed(self, events: Sequence[Event]) -> None:
        self._tables.observe(events)

    def end(self) -> None:
        pass

    def finish(self) -> tuple[dict[str, str], Diagnostics]:
        with FileSink(self._root, self._codec, threads=False) as sink:
            # One after another, so that no two are in memory at once.
            return {table.name: sink.put_table(self._log_id, table.name, table.table()) for table in self._tables}, self._diagnostics
