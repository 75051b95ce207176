"""What is made of the events of a log, made in a process of its own while this one reads on.

It is half of the work, and needs nothing but the events and their stacks. So a large log gets another
process for it; what is written is the same.
"""

from __future__ import annotations

from tlparse_bundle.build.helper import Batches, Helper
from tlparse_bundle.build.log_tables import TablesSummary
from tlparse_bundle.build.log_tables_pipe import RecentPayloads, row_of
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.tables.plugins import plugin_tables
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.stacks import StackTable


class LogTablesApart:
    """See LogTables. ``payloads_apart``: the tables that read payloads get a process of their own too."""

    def __init__(self, sink: FileSink, log_id: str, stacks: StackTable, *, payloads_apart: bool):
        self._stacks = stacks
        self._known_stacks = (0, 0)
        head = sink.root, sink.codec.name, log_id, payloads_apart
        self._helper = Helper("tlparse_bundle.build.log_tables_process:main", head)
        self._whole = bool(plugin_tables())  # ours need little of the timeline
        self._recent = RecentPayloads()
        self._rows = Batches(self._hand_over)

    def observe(self, event: Event) -> None:
        self._rows.add(*row_of(event, self._recent, whole=self._whole))

    def _hand_over(self, rows: list[tuple]) -> None:
        stack_rows, self._known_stacks = self._stacks.rows_since(self._known_stacks)
        self._helper.send((stack_rows, rows))

    def finish(self) -> TablesSummary:
        self._rows.flush()
        self._helper.send(None)
        return self._helper.receive()

    def close(self) -> None:
        self._helper.close()
