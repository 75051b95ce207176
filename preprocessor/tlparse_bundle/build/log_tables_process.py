"""The process that makes tables of the events that another one sends it (see log_tables_apart)."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tlparse_bundle.build.helper import Link, serve
from tlparse_bundle.build.log_tables import LogTables, TablesSummary
from tlparse_bundle.build.log_tables_pipe import RecentPayloads, event_of
from tlparse_bundle.build.payload_tables_apart import PayloadTablesApart
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.format.codecs import CODECS
from tlparse_bundle.trace.stacks import StackTable

if TYPE_CHECKING:
    from tlparse_bundle.build.payload_tables import PayloadTables


def main() -> None:
    serve(_make)


def _make(link: Link) -> TablesSummary:
    root, codec, log_id, payloads_apart = link.receive()
    stacks = StackTable()
    with FileSink(Path(root), CODECS[codec], threads=False) as sink:
        # The modules of all tables are read here: a process for some of them starts meanwhile.
        payload_tables = PayloadTablesApart(sink, log_id) if payloads_apart else _payload_tables(sink, log_id)
        from tlparse_bundle.build.log_tables_here import LogTablesHere

        with closing(LogTablesHere(sink, log_id, stacks, payload_tables)) as tables:
            _observe_all(link, stacks, tables)
            return tables.finish()


def _payload_tables(sink: FileSink, log_id: str) -> PayloadTables:
    if sys.platform == "linux":
        from tlparse_bundle.build.payload_tables_forked import PayloadTablesForked

        return PayloadTablesForked(sink, log_id)
    from tlparse_bundle.build.payload_tables import PayloadTablesHere

    return PayloadTablesHere(sink, log_id)


def _observe_all(link: Link, stacks: StackTable, tables: LogTables) -> None:
    recent = RecentPayloads()
    while (message := link.receive()) is not None:
        stack_rows, rows = message
        stacks.extend(stack_rows)
        for row in rows:
            tables.observe(event_of(row, recent))
