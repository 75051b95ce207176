"""Rows of the tables of a log, with what they lead to: compiles, artifacts, events."""

from __future__ import annotations

from typing import Any, Protocol

from tlparse_bundle.format.json_codec import loads
from tlparse_bundle.format.shape import quoted
from tlparse_bundle.read.checks import damaged, row_of


class Log(Protocol):
    """What rows need of the log that they are of: see ``reader.Log``."""

    id: str
    bundle: Any

    @property
    def directory(self) -> dict: ...
    @property
    def compiles(self) -> list[Compile]: ...
    @property
    def artifacts_by_compile(self) -> dict[int, list[Artifact]]: ...
    def stack(self, id: int) -> list[dict]: ...
    def metadata(self, event_index: int) -> dict | None: ...
    def payload(self, blob_index: int, offset: int, size_bytes: int) -> bytes: ...

class Compile:
    """One row of the compile table: ``id``, ``key``, ``status``, ``row`` (dict), ``artifacts``, ``metrics``."""

    def __init__(self, log: Log, index: int, row: dict):
        self.log = log
        self.index = index
        self.row = row
        self.key: str = row["key"]
        self.id: str | None = row["id"]
        self.status: str | None = row["status"]

    @property
    def metrics(self) -> dict | None:
        """All fields of its compilation metrics, or None."""
        index = self.row["metrics_event_index"]
        if index is None:
            return None
        metrics = (self.log.metadata(index) or {}).get("compilation_metrics")
        if type(metrics) is not dict:
            raise damaged(f"log {self.log.id}", f"event {index} has no compilation metrics, which compile {self.key} names")
        return metrics

    @property
    def artifacts(self) -> list[Artifact]:
        return self.log.artifacts_by_compile.get(self.index, [])

    @property
    def stack(self) -> list[dict]:
        """Frames that led to the compile, outermost first; empty when the log has none."""
        index = self.row["stack_index"]
        return [] if index is None else self.log.stack(index)

    def __repr__(self) -> str:
        return f"<Compile {self.key} {self.row['function']} {self.status}>"


class _HasPayload:
    log: Log
    row: dict
    _size_key: str

    @property
    def size_bytes(self) -> int:
        """Size of the payload; 0 when there is none."""
        return self.row[self._size_key]

    def bytes(self) -> bytes | None:
        """The payload, byte for byte as torch wrote it; None when there is none."""
        if self.row["blob_index"] < 0:
            return None
        return self.log.payload(self.row["blob_index"], self.row["blob_offset"], self.size_bytes)

    def text(self) -> str | None:
        """The payload as text; bytes that are no UTF-8 become U+FFFD."""
        data = self.bytes()
        return None if data is None else data.decode("utf-8", "replace")


class Artifact(_HasPayload):
    """One row of the artifact table: ``name``, ``type``, ``language``, ``bytes()``, ``text()``, ``json()``."""

    _size_key = "size_bytes"

    def __init__(self, log: Log, row: dict):
        self.log = log
        self.row = row
        self.name: str = row["name"]
        self.hash: str | None = row["hash"]
        self.compile_index: int = row["compile_index"]
        self.event_index: int = row["event_index"]

    @property
    def is_left_out(self) -> bool:
        """Whether its payload is not there because the bundle is redacted."""
        return self.row["blob_index"] >= 0 and self.log.is_left_out(self.row["blob_index"])

    @property
    def kind(self) -> dict:
        return self.log.directory["kinds"][self.row["kind_index"]]

    @property
    def type(self) -> str:
        return self.kind["type"]

    @property
    def language(self) -> str:
        return self.kind["language"]

    @property
    def phase(self) -> str:
        descriptor = self.log.bundle.manifest["descriptors"].get(self.kind["descriptor"])
        if descriptor is None:
            raise damaged(f"log {self.log.id}", f"the manifest has no descriptor {quoted(self.kind['descriptor'])}")
        return descriptor["phase"]

    def json(self) -> Any:
        """The payload parsed; without a payload the metadata of the event. Raises ValueError."""
        data = self.bytes()
        if data is not None:
            return loads(data)
        metadata = self.log.metadata(self.event_index) or {}
        return metadata.get(self.type, {})

    def __repr__(self) -> str:
        return f"<Artifact {self.name} {self.size_bytes} B>"


class Event(_HasPayload):
    """One event: ``index``, ``type``, ``name``, ``row`` (dict of its columns), ``metadata``, ``bytes()``.

    ``payload_form`` says how the payload stood in the log: 'lf', 'crlf', 'verbatim'; None without one.
    """

    _size_key = "payload_size_bytes"

    def __init__(self, log: Log, index: int, row: dict, payload_form: str):
        self.log = log
        self.index = index
        self.row = row
        self.payload_form: str | None = payload_form if row["blob_index"] >= 0 else None
        kind = log.directory["kinds"][row["kind_index"]]
        self.type: str = kind["type"]
        self.name: str | None = kind["name"]

    @property
    def compile(self) -> Compile:
        return row_of(self.log.compiles, self.row["compile_index"], "compiles", self.log.id)

    @property
    def metadata(self) -> dict:
        """The metadata object, {type: {}} written out."""
        metadata = self.log.metadata(self.index)
        return {self.type: {}} if metadata is None else metadata

    def __repr__(self) -> str:
        return f"<Event {self.index} {self.type}>"
