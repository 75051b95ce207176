"""The tables of the anatomy: what the bytes of the log are, by kind of event, by compile and by place in the
source.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext

_SUMS = ("event_count", "size_bytes", "payload_size_bytes")


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
        if event.hash is None:  # no payload, or one of the timeline, each of which is stored
            return
        # A payload that was seen before refers to the place where it was stored then.
        ends, blob = self._blob_ends, event.blob_index
        while len(ends) <= blob:
            ends.append(0)
        if event.blob_offset >= ends[blob]:
            ends[blob] = event.blob_offset + event.payload_size_bytes
        else:
            self._repeated[event.kind_index] = (
                self._repeated.get(event.kind_index, 0) + event.payload_size_bytes
            )

    def tables(self) -> Iterator[tuple[str, Rows]]:
        yield "kinds", Rows(self._kinds())
        yield "origins", Rows(self._origins())
        yield "kind_compiles", Rows(self._kind_compiles())

    def _kinds(self) -> Iterator[dict]:
        tally = self._tally
        for number, ((event_type, name), kind, sums) in enumerate(
            zip(tally.kind_names, tally.kinds, tally.kind_sums())
        ):
            yield {
                "type": event_type,
                "name": name,
                "descriptor": kind.key,
                "language": kind.language,
                "event_count": sums.event_count,
                "size_bytes": sums.size_bytes,
                "payload_size_bytes": sums.payload_size_bytes,
                "distinct_payload_size_bytes": sums.payload_size_bytes - self._repeated.get(number, 0),
            }

    def _origins(self) -> Iterator[dict]:
        for (level, path, line), sums in zip(self._tally.origins, self._tally.origin_sums()):
            yield {"level": level, "path": path, "line": line, **{key: getattr(sums, key) for key in _SUMS}}

    def _kind_compiles(self) -> Iterator[dict]:
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
