"""The Python reader of bundles. It needs nothing but the bundle."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format import layout
from tlparse_bundle.format.codecs import CODECS, MAX_FILE_BYTES
from tlparse_bundle.format.json_codec import loads
from tlparse_bundle.read.store import Store, open_store, read, read_json
from tlparse_bundle.trace.newest import Newest

_CACHED_BYTES = 64_000_000  # of blobs: in the order of the log payloads come in turn from as many as were open when it was split
_CACHED_CHUNKS = 8


class Bundle:
    """A bundle: ``manifest`` (dict) and ``logs`` (list of Log)."""

    def __init__(self, store: Store, manifest: dict | None = None):
        self._store = store
        self.manifest: dict = self._read_manifest() if manifest is None else manifest
        try:
            self.codec = CODECS[self.manifest["codec"]]
            self.logs = [Log(self, row) for row in self.manifest["logs"]]
        except (KeyError, TypeError):
            raise self._no_manifest() from None
        self._blobs: Newest[str, bytes] = Newest(_CACHED_BYTES)
        self._lock = threading.Lock()

    @classmethod
    def open(cls, location: str | os.PathLike) -> Bundle:
        """Open the bundle in a folder, or at any URL that fsspec knows.

        Raises BundleError when there is none, or when its major format version is another one.
        """
        return cls(open_store(location if isinstance(location, str) else os.fspath(location)))

    def log(self, log_id: str) -> Log:
        """The log with this id. Raises BundleError when there is none."""
        for log in self.logs:
            if log.id == log_id:
                return log
        names = ", ".join(log.id for log in self.logs[:10])
        raise BundleError(f"{self._store.location} has no log {log_id!r}", hint=f"Its logs are: {names}", code="not-found")

    def ranks(self, name: str) -> dict | None:
        """What several ranks together say, by the name of the analysis, such as 'verdict' (schema: ranks_verdict).

        None when the bundle has less than two ranks, or no such analysis.
        """
        path = self.manifest.get("ranks", {}).get(name)
        return None if path is None else self.json(path)

    def json(self, path: str) -> Any:
        """A JSON file of the bundle, by the path that manifest or log directory give."""
        return read_json(self._store, path)

    def read(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """Any file of the bundle, decoded. Raises BundleError when it holds more than ``max_bytes``."""
        return read(self._store, path, max_bytes)

    def read_cached(self, path: str) -> bytes:
        """The same of what is likely to be read again soon, from several threads too: blobs."""
        data = self._blobs.get(path)
        if data is None:
            data = self.read(path)
            with self._lock:
                if self._blobs.get(path) is None:
                    self._blobs.add(path, data, len(data))
        return data

    def raw(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """Any file of the bundle as it is stored. Raises BundleError when it has more than ``max_bytes``."""
        return self._store.raw(path, max_bytes)

    def blob(self, sha256: str) -> bytes:
        """An uncompressed blob that logs share, by its name."""
        return self.read_cached(layout.blob_path(sha256, self.codec))

    def _read_manifest(self) -> dict:
        try:
            manifest = loads(self._store.raw(layout.MANIFEST))
            name, major, minor = (manifest["format"][key] for key in ("name", "major", "minor"))
        except BundleError as error:
            raise BundleError(
                f"{self._store.location} is no bundle: {error.message}",
                hint="A bundle is the folder that tlparse-bundle wrote, with a manifest.json in it.",
                code="not-a-bundle",
            ) from None
        except (ValueError, TypeError, KeyError):
            raise self._no_manifest() from None
        if type(major) is not int or type(minor) is not int:
            raise self._no_manifest()
        if name != layout.FORMAT_NAME or major != layout.FORMAT_MAJOR:
            raise BundleError(
                f"{self._store.location} has the format {name} {major}.{minor}; "
                f"this reader knows {layout.FORMAT_NAME} {layout.FORMAT_MAJOR}.{layout.FORMAT_MINOR}",
                hint="Use the version of tlparse-bundle that made it, or build it again from the logs.",
                code="format-version",
            )
        return manifest

    def _no_manifest(self) -> BundleError:
        return BundleError(f"{self._store.location}/{layout.MANIFEST} is not the manifest of a bundle", code="not-a-bundle")


class Log:
    """One log: ``id``, ``rank`` (int or None), ``source`` (file name as given), ``compiles``."""

    def __init__(self, bundle: Bundle, row: dict):
        self.bundle = bundle
        self.row = row
        self.id: str = row["id"]
        self.rank: int | None = row["rank"]
        self.source: str = row["source"]["name"]
        self._chunk = lru_cache(_CACHED_CHUNKS)(bundle.json)

    @cached_property
    def directory(self) -> dict:
        """The log directory (schema: log)."""
        return self.bundle.json(self.row["path"])

    def table(self, name: str) -> dict:
        """A table by the name of its schema, such as 'diagnostics'."""
        return self.bundle.json(self.directory["tables"][name])

    @cached_property
    def compiles(self) -> list[Compile]:
        """The compiles in order of first appearance; the row of the records without an id included."""
        return [Compile(self, i, row) for i, row in enumerate(self.table("compiles")["compiles"])]

    def compile(self, key: str) -> Compile:
        """The compile with this key ('0/1', '0/0@2', '-'). Raises BundleError when there is none."""
        for compile in self.compiles:
            if compile.key == key:
                return compile
        raise BundleError(f"log {self.id} has no compile {key!r}", hint=f"tlparse-bundle info lists them; here: {self._keys()}", code="not-found")

    def _keys(self) -> str:
        keys = [compile.key for compile in self.compiles]
        return ", ".join(keys[:20]) + (f" and {len(keys) - 20} more" if len(keys) > 20 else "")

    @cached_property
    def artifacts(self) -> list[Artifact]:
        """All artifacts of the log, in the order torch wrote them."""
        table = self.table("artifacts")
        return [Artifact(self, dict(zip(table, values))) for values in zip(*table.values())]

    @cached_property
    def _artifacts_by_compile(self) -> dict[int, list[Artifact]]:
        groups: dict[int, list[Artifact]] = {}
        for artifact in self.artifacts:
            groups.setdefault(artifact.compile_index, []).append(artifact)
        return groups

    @cached_property
    def stacks(self) -> dict:
        """The string, frame and stack tables (schema: stacks)."""
        return self.table("stacks")

    def stack(self, stack_index: int) -> list[dict]:
        """Frames of a stack, outermost first: dicts of file (or None), line, name, loc (or None)."""
        strings, frames, stacks = (self.stacks[key] for key in ("strings", "frames", "stacks"))
        out = []
        while stack_index >= 0:
            row = stacks["frame_index"][stack_index]
            texts = {key: None if frames[key][row] < 0 else strings[frames[key][row]] for key in ("file", "name", "loc")}
            out.append({"file": texts["file"], "line": frames["line"][row], "name": texts["name"], "loc": texts["loc"]})
            stack_index = stacks["parent_index"][stack_index]
        return out[::-1]

    @cached_property
    def blobs(self) -> dict:
        """The blob table (schema: blobs)."""
        return self.table("blobs")

    def blob_path(self, blob_index: int) -> str:
        """Path of a blob, by its row in the blob table."""
        path = self.blobs["path"][blob_index] if "path" in self.blobs else None  # format 1.0 has no such column
        return path or layout.blob_path(self.blobs["sha256"][blob_index], self.bundle.codec)

    def blob(self, blob_index: int) -> bytes:
        """An uncompressed blob, by its row in the blob table."""
        return self.bundle.read_cached(self.blob_path(blob_index))

    def payload(self, blob_index: int, offset: int, size_bytes: int) -> bytes:
        """A payload, by its place in the blobs."""
        return self.blob(blob_index)[offset : offset + size_bytes]

    def metadata(self, event_index: int) -> dict | None:
        """What the record holds besides its columns (schema: metadata); None for {type: {}}."""
        for chunk in self.directory["metadata"]:
            position = event_index - chunk["first_event_index"]
            if 0 <= position < chunk["count"]:
                return self._chunk(chunk["path"])["metadata"][position]
        raise BundleError(f"log {self.id} has no event {event_index}", code="not-found")

    def events(self, *, type: str | None = None, name: str | None = None, compile_id: str | None = None) -> Iterator[Event]:
        """The events in file order: all, or those of a type, a name and a compile id.

        ``compile_id`` is an id ('0/0': all its occurrences) or a key ('0/0@2').
        """
        wanted = {i for i, kind in enumerate(self.directory["kinds"]) if type in (None, kind["type"]) and name in (None, kind["name"])}
        if compile_id is not None:
            rows = {c.index for c in self.compiles if compile_id in (c.id, c.key)}
        for chunk in self.directory["events"]:
            table = self._chunk(chunk["path"])
            columns = {key: values for key, values in table.items() if isinstance(values, list)}
            forms = table["payload_forms"]
            for row in range(chunk["count"]):
                if columns["kind_index"][row] in wanted and (compile_id is None or columns["compile_index"][row] in rows):
                    yield Event(self, table["first_event_index"] + row, {key: values[row] for key, values in columns.items()}, forms.get(str(row), "lf"))


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
        return None if index is None else self.log.metadata(index)["compilation_metrics"]

    @property
    def artifacts(self) -> list[Artifact]:
        return self.log._artifacts_by_compile.get(self.index, [])

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
        return self.log.bundle.manifest["descriptors"][self.kind["descriptor"]]["phase"]

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
        return self.log.compiles[self.row["compile_index"]]

    @property
    def metadata(self) -> dict:
        """The metadata object, {type: {}} written out."""
        metadata = self.log.metadata(self.index)
        return {self.type: {}} if metadata is None else metadata

    def __repr__(self) -> str:
        return f"<Event {self.index} {self.type}>"

