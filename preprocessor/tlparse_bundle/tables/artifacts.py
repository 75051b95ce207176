"""The artifact table, in the order torch wrote the artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tlparse_bundle.log.event import Event
from tlparse_bundle.log.events.registry import artifact_name, is_artifact
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ArtifactsRow


class Artifacts:
    name = "artifacts"
    types = None
    timeline: frozenset[str] = frozenset()
    blobs = True

    def __init__(self, context: TableContext):
        self._kinds = context.tally.kinds
        self._rows: Rows[ArtifactsRow] = Rows()

    @staticmethod
    def reads(event: Event) -> bool:
        return False

    def observe(self, event: Event) -> None:
        has_payload = event.payload_size_bytes is not None
        if event.trace_event is not None or not is_artifact(event.type, has_payload):
            return
        kind = self._kinds[event.kind_index]
        self._rows.append(
            {
                "event": event.index,
                "compile": event.compile,
                "attempt": event.attempt,
                "type": event.type,
                "name": artifact_name(event.type, event.name),
                "language": kind.language,  # type: ignore[typeddict-item]  # one of LANGUAGES
                "descriptor": kind.key,
                "blob": event.blob_index if has_payload else None,  # type: ignore[typeddict-item]  # see `blobs`
                "offset": event.blob_offset if has_payload else None,
                "size_bytes": event.payload_size_bytes,
                "sha256": event.sha256,
            }
        )

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "artifacts", self._rows
