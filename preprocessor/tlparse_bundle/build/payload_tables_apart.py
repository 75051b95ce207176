"""The tables that read payloads, made in a process of their own beside that of the other tables: half of the work again."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.build.helper import Batches, Helper
from tlparse_bundle.build.log_tables_pipe import RecentPayloads, row_of
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.trace.event import Event


class PayloadTablesApart:
    """See PayloadTables."""

    def __init__(self, sink: FileSink, log_id: str):
        head = sink.root, sink.codec.name, log_id
        self._helper = Helper("tlparse_bundle.build.payload_tables_process:main", head, nested=True)
        from tlparse_bundle.tables.registry import PAYLOAD_TABLES, TableContext, Tables  # it starts while their modules are read
        from tlparse_bundle.tables.tally import Tally
        from tlparse_bundle.trace.stacks import StackTable

        self._want = Tables(PAYLOAD_TABLES, TableContext(StackTable(), Diagnostics(), Tally())).want
        self._recent = RecentPayloads()
        self._rows = Batches(self._helper.send)

    def observe(self, events: Sequence[Event]) -> None:
        for event in filter(self._want, events):
            row, size_bytes = row_of(event, self._recent, whole=False)
            self._rows.add((event.compile_index, row), size_bytes)

    def end(self) -> None:
        self._rows.flush()
        self._helper.send(None)

    def finish(self) -> tuple[dict[str, str], Diagnostics]:
        return self._helper.receive()

    def close(self) -> None:
        self._helper.close()
