"""The artifact table: what there is to look at, in the order torch wrote it."""

from __future__ import annotations

from tlparse_bundle.events.registry import artifact_name, is_artifact
from tlparse_bundle.tables.json_list import JsonColumns
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.trace.event import Event


class Artifacts:
    name = "artifacts"
    types = None
    timeline: frozenset[str] = frozenset()

    def __init__(self, context: TableContext):
        self._columns = JsonColumns("event_index", "compile_index", "kind_index", "name", "hash", "blob_index", "blob_offset", "size_bytes")

    @staticmethod
    def reads(event: Event) -> bool:
        return False

    def observe(self, event: Event) -> None:
        if event.trace_event is not None or not is_artifact(event.type, event.payload_size_bytes is not None):
            return
        size_bytes = event.payload_size_bytes or 0
        name = artifact_name(event.type, event.name)
        self._columns.add(event.index, event.compile_index, event.kind_index, name, event.hash, event.blob_index, event.blob_offset, size_bytes)

    def table(self) -> dict:
        return self._columns.table()
