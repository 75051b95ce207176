"""The process that makes tables of the events that another one sends it (see log_tables_apart)."""

from __future__ import annotations

import gc
import pickle
import sys
from pathlib import Path
from typing import BinaryIO

from tlparse_bundle.bundle.layout import CODECS
from tlparse_bundle.bundle.log_tables import TablesSummary
from tlparse_bundle.bundle.log_tables_here import LogTablesHere
from tlparse_bundle.bundle.log_tables_pipe import RecentPayloads, event_of, read_message, write_message
from tlparse_bundle.bundle.sink import FileSink
from tlparse_bundle.trace.stacks import StackTable


def main() -> None:
    """The process: batches of events in, paths and diagnostics out."""
    gc.set_threshold(50_000)  # as in cli.main
    source, answer = sys.stdin.buffer, sys.stdout.buffer
    try:
        result = _fill(source)
    except Exception as error:
        result = error
    if result is not None:
        write_message(answer, pickle.dumps(result))


def _fill(source: BinaryIO) -> TablesSummary | None:
    head = read_message(source)
    if head is None:
        return None
    root, codec, log_id = pickle.loads(head)
    stacks = StackTable()
    with FileSink(Path(root), CODECS[codec], threads=False) as sink:
        tables = LogTablesHere(sink, log_id, stacks)
        return tables.finish() if _observe_all(source, stacks, tables) else None


def _observe_all(source: BinaryIO, stacks: StackTable, tables: LogTablesHere) -> bool:
    """Whether the log came to its end; it does not when the process that sends it has ended."""
    recent = RecentPayloads()
    while (message := read_message(source)) is not None:
        batch = pickle.loads(message)
        if batch is None:
            return True
        stack_rows, rows = batch
        stacks.extend(stack_rows)
        for row in rows:
            tables.observe(event_of(row, recent))
    return False
