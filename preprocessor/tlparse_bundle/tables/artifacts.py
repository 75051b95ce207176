"""The artifact table: what there is to look at, in the order torch wrote it."""

from __future__ import annotations

import sys
from array import array
from typing import TYPE_CHECKING

from tlparse_bundle.events.registry import artifact_name, is_artifact
from tlparse_bundle.trace.envelope import Event

if TYPE_CHECKING:
    from tlparse_bundle.tables.registry import TableContext

_COLUMNS = ("event_index", "compile_index", "kind_index", "name", "hash", "blob_index", "blob_offset", "size_bytes")


class Artifacts:
    name = "artifacts"
    types = None

    def __init__(self, context: TableContext):
        self._numbers = {key: array("q") for key in _COLUMNS if key not in ("name", "hash")}
        self._texts: dict[str, list[str | None]] = {"name": [], "hash": []}

    def observe(self, event: Event) -> None:
        if event.trace_event is not None or not is_artifact(event.type, event.payload_size_bytes is not None):
            return
        size_bytes = event.payload_size_bytes or 0
        numbers = (event.index, event.compile_index, event.kind_index, event.blob_index, event.blob_offset, size_bytes)
        for column, number in zip(self._numbers.values(), numbers):
            column.append(number)
        self._texts["name"].append(sys.intern(artifact_name(event.type, event.name)))
        self._texts["hash"].append(event.hash)

    def table(self) -> dict:
        columns = {key: column.tolist() for key, column in self._numbers.items()} | self._texts
        return {key: columns[key] for key in _COLUMNS}
