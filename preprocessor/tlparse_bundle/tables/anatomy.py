"""Tables of the log's bytes by kind of event, by compile and by source line."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import KindCompilesRow, KindsRow, OriginsRow


class Anatomy:
    name = "anatomy"
    types = None
    timeline: frozenset[str] = frozenset()

    def __init__(self, context: TableContext):
        self._tally = context.tally
        self._repeated: dict[int, int] = {}  # per kind, bytes of payloads that were there before
        self._blob_ends = array("q")  # per blob, the end of what was stored in it so far

    @staticmethod
    def reads(event: Event) -> bool:
        return False

    def observe(self, event: Event) -> None:
        size_bytes = event.payload_size_bytes
        if event.hash is None or size_bytes is None:  # no payload, or one of the timeline, always stored
            return
        # A repeated payload refers to its first stored place.
        ends, blob = self._blob_ends, event.blob_index
        while len(ends) <= blob:
            ends.append(0)
        if event.blob_offset >= ends[blob]:
            ends[blob] = event.blob_offset + size_bytes
        else:
            self._repeated[event.kind_index] = self._repeated.get(event.kind_index, 0) + size_bytes

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "kinds", Rows(self._kinds())
        yield "origins", Rows(self._origins())
        yield "kind_compiles", Rows(self._kind_compiles())

    def _kinds(self) -> Iterator[KindsRow]:
        tally = self._tally
        for number, ((event_type, name), kind, sums) in enumerate(
            zip(tally.kind_names, tally.kinds, tally.kind_sums(), strict=True)
        ):
            yield {
                "type": event_type,
                "name": name,
                "descriptor": kind.key,
                "language": kind.language,  # type: ignore[typeddict-item]  # one of LANGUAGES
                "event_count": sums.event_count,
                "size_bytes": sums.size_bytes,
                "payload_size_bytes": sums.payload_size_bytes,
                "distinct_payload_size_bytes": sums.payload_size_bytes - self._repeated.get(number, 0),
            }

    def _origins(self) -> Iterator[OriginsRow]:
        # Origins may be ahead of the events.
        origins = zip(self._tally.origins, self._tally.origin_sums(), strict=False)
        for (level, path, line), sums in origins:
            yield {
                "level": level,
                "path": path,
                "line": line,
                "event_count": sums.event_count,
                "size_bytes": sums.size_bytes,
                "payload_size_bytes": sums.payload_size_bytes,
            }

    def _kind_compiles(self) -> Iterator[KindCompilesRow]:
        names, compiles = self._tally.kind_names, self._tally.compiles
        for compile_index, rows in self._tally.cells():
            compile = compiles[compile_index]
            key, attempt = compile.key, compile.attempt
            for kind, event_count, size_bytes, _, payload_size_bytes in rows:
                event_type, name = names[kind]
                yield {
                    "type": event_type,
                    "name": name,
                    "compile": key,
                    "attempt": attempt,
                    "event_count": event_count,
                    "size_bytes": size_bytes,
                    "payload_size_bytes": payload_size_bytes,
                }
