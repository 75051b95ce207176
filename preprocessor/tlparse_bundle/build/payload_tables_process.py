"""The process that makes the tables that read payloads, of the events that another one sends it (see payload_tables_apart)."""

from __future__ import annotations

from pathlib import Path

from tlparse_bundle.build.helper import Link, serve
from tlparse_bundle.build.log_tables_pipe import RecentPayloads, event_of
from tlparse_bundle.build.payload_tables import PayloadTablesHere
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.format.codecs import CODECS


def main() -> None:
    serve(_make)


def _make(link: Link) -> tuple[dict[str, str], Diagnostics]:
    root, codec, log_id = link.receive()
    with FileSink(Path(root), CODECS[codec], threads=False) as sink:
        tables, recent = PayloadTablesHere(sink, log_id), RecentPayloads()
        while (message := link.receive()) is not None:
            events = []
            for compile_index, row in message:
                event = event_of(row, recent)
                event.compile_index = compile_index
                events.append(event)
            tables.observe(events)
        return tables.finish()
