"""What is made of the events of a log, and needs nothing else of it: chunks of the event table and the metadata, tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.events.kinds import Kind
from tlparse_bundle.trace.event import Event


@dataclass(slots=True)
class TablesSummary:
    """What the log directory and the manifest need to know."""

    paths: dict[str, str]  # of the tables, by name
    events: list[dict]  # 'events', 'metadata', 'kinds' and 'ranks' of the log directory (schema: log)
    metadata: list[dict]
    kinds: list[dict]
    ranks: list[dict]
    descriptors: dict[str, Kind]  # by key
    torch_version: str | None
    compiles: dict  # 'compile_count' to 'compile_time_us' of the row in the manifest
    diagnostics: Diagnostics


class LogTables(Protocol):
    """``observe`` the events in file order, then ``finish``; ``close`` in any case."""

    def observe(self, event: Event) -> None: ...

    def finish(self) -> TablesSummary: ...

    def close(self) -> None: ...
