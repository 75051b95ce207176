"""Batches on their way to another process: plain values, which pickle quickly.

A payload is sent when a table reads it, and not again when it was sent a short while ago; nor is
metadata parsed again that came a short while ago.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tlparse_bundle.build.batches import Batch
from tlparse_bundle.build.helper import sent_apart
from tlparse_bundle.format.json_codec import loads
from tlparse_bundle.trace.compile_id import CompileId
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.newest import Newest

_MAX_RECENT_BYTES = 4 << 20
_MAX_KNOWN_METADATA_BYTES = 400  # of one that is remembered
_MAX_KNOWN_METADATA = 1024

_compile_id = lru_cache(1024)(CompileId)  # plain tuples are pickled in half of the time


class BatchesSent:
    """The sending end. ``reads`` says of an event whether a table needs its payload."""

    def __init__(self, reads: Callable[[Event], bool]):
        self._reads = reads
        self._recent: Newest[str, bytes] = Newest(_MAX_RECENT_BYTES)

    def message(self, batch: Batch) -> tuple:
        """For ``BatchesReceived.batch``, in order."""
        compiles = [(_plain(cid), occurrence, first) for cid, occurrence, first in batch.compiles]
        first = batch.first_event_index
        events = [
            (event.index - first, _plain(event.compile_id), event.occurrence, event.payload_form, event.sha256, event.payload_size_bytes, self._payload(event), event.trace_event)
            for event in batch.events
        ]
        return batch._replace(compiles=compiles, events=events)[:]

    def _payload(self, event: Event) -> Any:
        """None for one that is not needed, or that the other end has."""
        payload, sha256 = event.payload, event.sha256
        if payload is None or not self._reads(event):
            return None
        if sha256 is not None:
            if self._recent.get(sha256) is not None:
                return None
            self._recent.add(sha256, payload, len(payload))
        return sent_apart(payload)


class BatchesReceived:
    """The other end. It holds the payloads that the first one holds."""

    def __init__(self) -> None:
        self._recent: Newest[str, bytes] = Newest(_MAX_RECENT_BYTES)
        self._known: dict[bytes, dict] = {}
        self._kinds: list[tuple[str, str | None]] = []

    def batch(self, message: tuple) -> Batch:
        batch = Batch(*message)
        self._kinds += [(event_type, name) for event_type, name, _ in batch.kinds]
        compiles = [(cid and _compile_id(*cid), occurrence, first) for cid, occurrence, first in batch.compiles]
        return batch._replace(compiles=compiles, events=[self._event(row, batch) for row in batch.events])

    def _event(self, row: tuple, batch: Batch) -> Event:
        event = Event()
        position, cid, event.occurrence, event.payload_form, sha256, event.payload_size_bytes, payload, event.trace_event = row
        (
            event.kind_index, event.compile_index, event.rank, event.line, event.byte_offset, event.size_bytes, event.time_us,
            event.origin_index, event.pid_index, event.blob_index, event.blob_offset, _,
        ) = batch.rows[position]  # fmt: skip
        event.index = batch.first_event_index + position
        event.type, event.name = self._kinds[event.kind_index]
        event.compile_id = cid and _compile_id(*cid)
        event.sha256, event.content = sha256, None
        if sha256 is not None:
            if payload is None:
                payload = self._recent.get(sha256)
            else:
                self._recent.add(sha256, payload, len(payload))
        event.payload = payload
        event.metadata_json = batch.metadata[position]
        event.metadata = self._metadata(event.metadata_json)
        event.value = {} if event.metadata is None else event.metadata.get(event.type)
        return event

    def _metadata(self, text: bytes) -> Any:
        known = self._known.get(text)
        if known is None:
            known = loads(text)
            if known is not None and len(text) <= _MAX_KNOWN_METADATA_BYTES:
                if len(self._known) >= _MAX_KNOWN_METADATA:
                    self._known.clear()
                self._known[text] = known
        return known


def _plain(cid: CompileId | None) -> tuple | None:
    return None if cid is None else tuple(cid)
