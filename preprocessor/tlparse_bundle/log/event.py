"""A decoded record."""

from __future__ import annotations

from typing import Any

from tlparse_bundle.log.compile_id import CompileId
from tlparse_bundle.log.payload import Payload

TIMELINE = "chromium_event"  # the type of its events

# An event of the timeline: event index, compile index, name, phase, time and duration in microseconds,
# compile id as torch wrote it there.
Span = tuple[int, int, str, str, float, Any, Any]


class Event:
    """A decoded record, from which tables are built.

    ``value`` is the metadata under the event's own key; ``metadata`` the whole object, None for ``{type:
    {}}``. Events may share both. ``trace_event`` is the parsed payload of a chromium event.
    """

    __slots__ = (
        "blob_index",
        "blob_offset",
        "byte_offset",
        "compile_id",
        "compile_index",
        "content",
        "index",
        "kind_index",
        "line",
        "metadata",
        "metadata_json",
        "name",
        "occurrence",
        "origin_index",
        "payload",
        "payload_form",
        "payload_size_bytes",
        "pid_index",
        "rank",
        "sha256",
        "size_bytes",
        "time_us",
        "trace_event",
        "type",
        "value",
    )  # fmt: skip

    index: int
    type: str
    name: str | None
    value: Any
    metadata: dict[str, Any] | None
    compile_id: CompileId | None
    occurrence: int
    rank: int | None
    line: int
    byte_offset: int
    size_bytes: int
    time_us: int
    origin_index: int
    pid_index: int
    payload: bytes | None
    content: Payload | None  # the same with its hashes; None for events that came from another process
    payload_size_bytes: int | None
    payload_form: str  # lf, crlf or verbatim
    trace_event: dict[str, Any] | None
    sha256: str | None  # of the payload, except of trace events
    metadata_json: bytes
    # Set by pipeline/blob_writer.py:
    blob_index: int
    blob_offset: int
    # Set by pipeline/batches.py:
    kind_index: int
    compile_index: int

    @property
    def compile(self) -> str | None:
        """Return the key of its compile, such as '0/1'; None outside any compile."""
        return None if self.compile_id is None else self.compile_id.key(self.occurrence)

    @property
    def attempt(self) -> int | None:
        """Return the attempt of that compile, from 0; None outside any compile."""
        return None if self.compile_id is None else self.compile_id.attempt

    @property
    def hash(self) -> str | None:
        """Return the first half of the payload's SHA-256, as 32 hex digits."""
        return self.sha256 and self.sha256[:32]
