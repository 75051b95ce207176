"""The process that makes tables of the events that another one sends it (see log_tables_apart)."""

from __future__ import annotations

import gc
import pickle
import sys
from pathlib import Path
from typing import BinaryIO

import orjson

from tlparse_bundle.bundle.layout import CODECS
from tlparse_bundle.bundle.log_tables import TablesSummary
from tlparse_bundle.bundle.log_tables_apart import RecentPayloads, read_message, write_message
from tlparse_bundle.bundle.log_tables_here import LogTablesHere
from tlparse_bundle.bundle.sink import FileSink
from tlparse_bundle.trace.envelope import Event
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
    stacks, recent = StackTable(), RecentPayloads()
    with FileSink(Path(root), CODECS[codec], threads=False) as sink:
        tables = LogTablesHere(sink, log_id, stacks)
        while (message := read_message(source)) is not None:
            batch = pickle.loads(message)
            if batch is None:
                return tables.finish()
            stack_rows, rows = batch
            stacks.extend(stack_rows)
            for row in rows:
                tables.observe(_event_of(row, recent))
    return None  # whoever sent them has ended


def _event_of(row: tuple, recent: RecentPayloads) -> Event:
    event = Event()
    (
        event.index, event.type, event.name, event.compile_id, event.occurrence, event.rank, event.line, event.byte_offset,
        event.size_bytes, event.time_us, event.origin_index, event.pid_index, event.payload, event.payload_size_bytes,
        event.payload_form, event.hash, event.blob_index, event.blob_offset, event.metadata_json, span,
    ) = row  # fmt: skip
    if event.hash is not None:
        if event.payload is None:
            event.payload = recent[event.hash]
        else:
            recent.add(event.hash, event.payload)
    if type(span) is tuple:
        name, phase, time_us, duration_us, compile_id = span
        span = {"name": name, "ph": phase, "ts": time_us, "dur": duration_us, "args": {"compile_id": compile_id}}
    event.trace_event = span
    if event.metadata_json == b"null":
        event.metadata, event.value = None, {}
    else:
        event.metadata = orjson.loads(event.metadata_json)
        event.value = event.metadata.get(event.type)
    return event
