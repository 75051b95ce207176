"""The anatomy table: what the bytes of the log are, by kind of event, by compile and by place in the source."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from tlparse_bundle.trace.envelope import Event

if TYPE_CHECKING:
    from tlparse_bundle.tables.registry import TableContext


class Anatomy:
    name = "anatomy"
    types = None

    def __init__(self, context: TableContext):
        self._cells: dict[tuple[int, int, tuple], int] = {}  # (kind, compile, origin) -> row of the next three
        self._events, self._bytes, self._payload_bytes = array("q"), array("q"), array("q")
        self._distinct: list[int] = []  # per kind, bytes of payloads that were not there before
        self._blob_ends = array("q")  # per blob, the end of what was stored in it so far

    def observe(self, event: Event) -> None:
        key = event.kind_index, event.compile_index, event.origin
        row = self._cells.get(key)
        if row is None:
            row = self._cells[key] = len(self._cells)
            for column in (self._events, self._bytes, self._payload_bytes):
                column.append(0)
            if event.kind_index == len(self._distinct):
                self._distinct.append(0)
        self._events[row] += 1
        self._bytes[row] += event.size_bytes
        if event.payload:
            size_bytes = len(event.payload)
            self._payload_bytes[row] += size_bytes
            # A payload that was seen before refers to the place where it was stored then.
            ends, blob, offset = self._blob_ends, event.blob_index, event.blob_offset
            while len(ends) <= blob:
                ends.append(0)
            if offset >= ends[blob]:
                self._distinct[event.kind_index] += size_bytes
                ends[blob] = offset + size_bytes

    def table(self) -> dict:
        kinds, origins, cells = {}, {}, {}
        for (kind, compile_index, origin), row in self._cells.items():
            sums = self._events[row], self._bytes[row], self._payload_bytes[row]
            for groups, key in ((kinds, kind), (origins, origin), (cells, (compile_index, kind))):
                total = groups.setdefault(key, [0, 0, 0])
                for number, size in enumerate(sums):
                    total[number] += size
        # Kinds and origins come in order of appearance, as in log.json.
        places = sorted(cells)
        return {
            "kinds": {
                "payload_size_bytes": [sums[2] for sums in kinds.values()],
                "distinct_payload_size_bytes": self._distinct,
            },
            "origins": _columns(list(origins.values())),
            "cells": {
                "kind_index": [kind for _, kind in places],
                "compile_index": [compile_index for compile_index, _ in places],
                **_columns([cells[place] for place in places]),
            },
        }


def _columns(sums: list[list[int]]) -> dict[str, list[int]]:
    return {
        "event_count": [row[0] for row in sums],
        "size_bytes": [row[1] for row in sums],
        "payload_size_bytes": [row[2] for row in sums],
    }
