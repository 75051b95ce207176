"""The anatomy table: what the bytes of the log are, by kind of event, by compile and by place in the source."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from typing import TYPE_CHECKING

from tlparse_bundle.tables.tally import Sums
from tlparse_bundle.trace.envelope import Event

if TYPE_CHECKING:
    from tlparse_bundle.tables.registry import TableContext


class Anatomy:
    name = "anatomy"
    types = None

    def __init__(self, context: TableContext):
        self._tally = context.tally
        self._repeated: dict[int, int] = {}  # per kind, bytes of payloads that were there before
        self._blob_ends = array("q")  # per blob, the end of what was stored in it so far

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
        kinds, cells = self._tally.by("kind_index"), self._tally.by("compile_index", "kind_index")
        places = sorted(cells)
        return {
            "kinds": {
                "payload_size_bytes": [sums.payload_size_bytes for sums in kinds.values()],
                "distinct_payload_size_bytes": [sums.payload_size_bytes - self._repeated.get(kind, 0) for kind, sums in kinds.items()],
            },
            "origins": _columns(self._tally.by("origin_index").values()),
            "cells": {
                "kind_index": [kind for _, kind in places],
                "compile_index": [compile_index for compile_index, _ in places],
                **_columns([cells[place] for place in places]),
            },
        }


def _columns(rows: Collection[Sums]) -> dict[str, list[int]]:
    return {key: [getattr(sums, key) for sums in rows] for key in ("event_count", "size_bytes", "payload_size_bytes")}
