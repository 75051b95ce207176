"""The anatomy table: what the bytes of the log are, by kind of event, by compile and by place in the source."""

from __future__ import annotations

from array import array

from tlparse_bundle.tables.json_list import JsonColumns
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.trace.event import Event

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
            self._repeated[event.kind_index] = self._repeated.get(event.kind_index, 0) + event.payload_size_bytes

    def table(self) -> dict:
        kinds = self._tally.kind_sums()
        cells = JsonColumns("kind_index", "compile_index", *_SUMS)
        for compile_index, rows in self._tally.cells():
            cells.add_rows([(kind, compile_index, event_count, size_bytes, payload) for kind, event_count, size_bytes, _, payload in rows])
        return {
            "kinds": {
                "payload_size_bytes": [sums.payload_size_bytes for sums in kinds],
                "distinct_payload_size_bytes": [sums.payload_size_bytes - self._repeated.get(kind, 0) for kind, sums in enumerate(kinds)],
            },
            "origins": {key: [getattr(sums, key) for sums in self._tally.origin_sums()] for key in _SUMS},
            "cells": cells.table(),
        }
