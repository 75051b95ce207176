"""The artifact table: what there is to look at, in the order torch wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlparse_bundle.events.registry import artifact_name, is_artifact
from tlparse_bundle.trace.envelope import Event

if TYPE_CHECKING:
    from tlparse_bundle.tables.registry import TableContext


class Artifacts:
    name = "artifacts"
    types = None

    def __init__(self, context: TableContext):
        self._rows: list[tuple] = []

    def observe(self, event: Event) -> None:
        if not is_artifact(event.type, event.payload is not None):
            return
        size_bytes = len(event.payload) if event.payload is not None else 0
        name = artifact_name(event.type, event.name)
        self._rows.append(
            (event.index, event.compile_index, event.kind_index, name, event.hash, event.blob_index, event.blob_offset, size_bytes)
        )

    def table(self) -> dict:
        columns = ("event_index", "compile_index", "kind_index", "name", "hash", "blob_index", "blob_offset", "size_bytes")
        return dict(zip(columns, zip(*self._rows) if self._rows else ((),) * len(columns)))
