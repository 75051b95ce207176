"""Events on their way to another process: as rows of plain values, which pickle quickly.

They arrive with what tables that read payloads use. A payload that was sent a short while ago is not
sent again, nor is metadata parsed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from tlparse_bundle.build.helper import sent_apart
from tlparse_bundle.format.json_codec import loads
from tlparse_bundle.trace.compile_id import CompileId
from tlparse_bundle.trace.event import Event
from tlparse_bundle.trace.newest import Newest

_MAX_RECENT_BYTES = 4 << 20
_MAX_KNOWN_METADATA_BYTES = 400  # of one that is remembered
_MAX_KNOWN_METADATA = 1024

_compile_id = lru_cache(1024)(CompileId)  # plain tuples are pickled in half of the time


class EventsSent:
    """The sending end."""

    def __init__(self) -> None:
        self._recent: Newest[str, bytes] = Newest(_MAX_RECENT_BYTES)

    def rows(self, events: Iterable[Event]) -> tuple[list[tuple], int]:
        """Rows for ``EventsReceived.events``, in order; and about how many bytes they take."""
        rows, size_bytes, recent = [], 0, self._recent
        for event in events:
            payload, sha256, metadata = event.payload, event.sha256, event.metadata_json
            if sha256 is not None:
                if recent.get(sha256) is not None:
                    payload = None
                else:
                    recent.add(sha256, payload, len(payload))
                    size_bytes += len(payload)
                    payload = sent_apart(payload)
            size_bytes += len(metadata)
            cid = event.compile_id
            rows.append(
                (
                    event.index, event.compile_index, event.type, event.name, None if cid is None else tuple(cid), event.occurrence,
                    event.line, event.byte_offset, sha256, payload, metadata, event.trace_event,
                )
            )  # fmt: skip
        return rows, size_bytes


class EventsReceived:
    """The other end. It holds the payloads that the first one holds."""

    def __init__(self) -> None:
        self._recent: Newest[str, bytes] = Newest(_MAX_RECENT_BYTES)
        self._known: dict[bytes, dict] = {}

    def events(self, rows: Sequence[tuple]) -> list[Event]:
        events, recent = [], self._recent
        for row in rows:
            event = Event()
            (
                event.index, event.compile_index, event.type, event.name, cid, event.occurrence,
                event.line, event.byte_offset, event.sha256, payload, metadata, event.trace_event,
            ) = row  # fmt: skip
            event.compile_id = None if cid is None else _compile_id(*cid)
            sha256 = event.sha256
            if sha256 is not None:
                if payload is None:
                    payload = recent.get(sha256)
                else:
                    recent.add(sha256, payload, len(payload))
            event.payload = payload
            event.payload_size_bytes = None if payload is None else len(payload)
            event.metadata_json = metadata
            event.metadata = self._metadata(metadata)
            event.value = {} if event.metadata is None else event.metadata.get(event.type)
            events.append(event)
        return events

    def _metadata(self, text: bytes) -> Any:
        known = self._known.get(text)
        if known is None:
            known = loads(text)
            if known is not None and len(text) <= _MAX_KNOWN_METADATA_BYTES:
                if len(self._known) >= _MAX_KNOWN_METADATA:
                    self._known.clear()
                self._known[text] = known
        return known
