"""Rows of log tables, with links to compiles, artifacts and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from tlparse_bundle.bundle.checks import damaged
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.bundle.schema_check import quoted

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import ArtifactsRow, CompilesRow, EventsRow


class StackFrame(TypedDict):
    """A frame of a stack; ``code`` is the text of its line."""

    file: str | None
    line: int
    function: str
    code: str | None


class Log(Protocol):
    """The part of ``reader.Log`` that rows need."""

    id: str
    bundle: Any

    @property
    def directory(self) -> dict[str, Any]: ...
    @property
    def compiles(self) -> list[Compile]: ...
    @property
    def artifacts_by_compile(self) -> dict[str | None, list[Artifact]]: ...
    def stack(self, id: int) -> list[StackFrame]: ...
    def metadata(self, event: int) -> dict[str, Any] | None: ...
    def payload(self, blob: str, offset: int, size_bytes: int) -> bytes: ...
    def is_left_out(self, blob: str) -> bool: ...


class Compile:
    """One row of compiles: ``key``, ``status``, ``row`` (dict), ``artifacts``, ``metrics``."""

    def __init__(self, log: Log, row: CompilesRow):
        self.log = log
        self.row = row
        self.key: str = row["compile"]
        self.status: str = row["status"]

    @property
    def metrics(self) -> dict[str, Any] | None:
        """Return all fields of its compilation metrics, or None."""
        index = self.row["metrics_event"]
        if index is None:
            return None
        metrics = (self.log.metadata(index) or {}).get("compilation_metrics")
        if type(metrics) is not dict:
            raise damaged(
                f"log {self.log.id}",
                f"compile {self.key} refers to event {index}, which has no compilation metrics",
            )
        return metrics

    @property
    def artifacts(self) -> list[Artifact]:
        return self.log.artifacts_by_compile.get(self.key, [])

    @property
    def stack(self) -> list[StackFrame]:
        """Return the frames that led to the compile, outermost first; empty when not recorded."""
        index = self.row["stack"]
        return [] if index is None else self.log.stack(index)

    def __repr__(self) -> str:
        return f"<Compile {self.key} {self.row['function']} {self.status}>"


class _HasPayload:
    log: Log
    row: ArtifactsRow | EventsRow

    @property
    def size_bytes(self) -> int:
        """Return the size of the payload; 0 without one."""
        raise NotImplementedError

    def bytes(self) -> bytes | None:
        """Return the payload, byte for byte; None without one."""
        blob, offset = self.row["blob"], self.row["offset"]
        return None if blob is None or offset is None else self.log.payload(blob, offset, self.size_bytes)

    def text(self) -> str | None:
        """Return the payload as text; invalid UTF-8 becomes U+FFFD."""
        data = self.bytes()
        return None if data is None else data.decode("utf-8", "replace")


class Artifact(_HasPayload):
    """One row of the artifacts: ``event``, ``compile``, ``attempt``, ``type``, ``name``, ``language``,
    ``sha256``, ``bytes()``, ``text()``, ``json()``.
    """

    row: ArtifactsRow

    def __init__(self, log: Log, row: ArtifactsRow):
        self.log = log
        self.row = row
        self.event: int = row["event"]
        self.compile: str | None = row["compile"]
        self.attempt: int | None = row["attempt"]
        self.type: str = row["type"]
        self.name: str = row["name"]
        self.language: str = row["language"]
        self.sha256: str | None = row["sha256"]

    @property
    def size_bytes(self) -> int:
        return self.row["size_bytes"] or 0

    @property
    def is_left_out(self) -> bool:
        """Return whether its payload is missing because the bundle is redacted."""
        return self.row["blob"] is not None and self.log.is_left_out(self.row["blob"])

    @property
    def phase(self) -> str:
        descriptor = self.log.bundle.manifest["descriptors"].get(self.row["descriptor"])
        if descriptor is None:
            raise damaged(
                f"log {self.log.id}", f"the manifest has no descriptor {quoted(self.row['descriptor'])}"
            )
        return str(descriptor["phase"])

    def json(self) -> Any:
        """Return the payload parsed as JSON, or without one the metadata of the event. Raise ValueError."""
        data = self.bytes()
        if data is not None:
            return loads(data)
        metadata = self.log.metadata(self.event) or {}
        return metadata.get(self.type, {})

    def __repr__(self) -> str:
        return f"<Artifact {self.name} {self.size_bytes} B>"


class Event(_HasPayload):
    """One record: ``index``, ``compile``, ``attempt``, ``type``, ``name``, ``row`` (dict), ``metadata``,
    ``bytes()``.

    ``byte_offset`` is its start in the uncompressed log. ``payload_form`` is how the log stores the
    payload: 'lf', 'crlf', 'verbatim'; None without one.
    """

    row: EventsRow

    def __init__(self, log: Log, row: EventsRow, byte_offset: int):
        self.log = log
        self.row = row
        self.byte_offset = byte_offset
        self.index: int = row["event"]
        self.compile: str | None = row["compile"]
        self.attempt: int | None = row["attempt"]
        self.type: str = row["type"]
        self.name: str | None = row["name"]
        self.payload_form: str | None = row["payload_form"]

    @property
    def size_bytes(self) -> int:
        return self.row["payload_size_bytes"] or 0

    @property
    def metadata(self) -> dict[str, Any]:
        """Return the metadata object, with {type: {}} filled in."""
        metadata = self.log.metadata(self.index)
        return {self.type: {}} if metadata is None else metadata

    def __repr__(self) -> str:
        return f"<Event {self.index} {self.type}>"


def id_of(row: Mapping[str, Any]) -> str:
    """Return the compile id of an attempt as torch writes it, '0/1' or '0/1_1', from a row with its
    ``compile`` and ``attempt``.
    """
    key = row["compile"].partition("@")[0]
    return f"{key}_{row['attempt']}" if row["attempt"] else key
