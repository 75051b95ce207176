"""Files of a bundle and its logs: decoded, checked, and cached."""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.recent_cache import Newest
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.checks import (
    CHECKED_WHOLE,
    check_directory,
    check_part,
    check_row_file,
    check_table,
    check_whole,
    damaged,
)
from tlparse_bundle.bundle.codecs import CODECS, MAX_FILE_BYTES
from tlparse_bundle.bundle.manifest import read_manifest
from tlparse_bundle.bundle.schema_check import quoted
from tlparse_bundle.bundle.schemas import row_tables
from tlparse_bundle.bundle.store import Store, once, read, read_json, read_rows

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import BlobsRow, LogTable

_CACHED_BYTES = (
    64_000_000  # in the order of the log payloads come in turn from as many as were open when it was split
)
_CACHED_FILES = 8
T = TypeVar("T")


class Blobs:
    """Reads blobs, thread-safe. ``verify``: check each blob against the hash in its name."""

    def __init__(self, store: Store, *, verify: bool):
        self._store = store
        self._verify = verify
        self._newest: Newest[str, bytes] = Newest(_CACHED_BYTES)
        self._sound: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Drop cached blobs."""
        with self._lock:
            self._newest = Newest(_CACHED_BYTES)

    def read(self, path: str, sha256: str, size_bytes: int | None = None) -> bytes:
        """Return the blob at a path, which must have this hash and size. Raise BundleError."""
        return once(self._store, (path, sha256, size_bytes), lambda: self._read(path, sha256, size_bytes))

    def _read(self, path: str, sha256: str, size_bytes: int | None) -> bytes:
        data = self._newest.get(path)
        if data is None:
            data = read(self._store, path, MAX_FILE_BYTES if size_bytes is None else size_bytes)
            with self._lock:
                if self._newest.get(path) is None:
                    self._newest.add(path, data, len(data))
        if self._verify and (path, sha256) not in self._sound:
            if hashlib.sha256(data).hexdigest() != sha256:
                raise damaged(f"{self._store.location}/{path}", "the hash of its content differs")
            self._sound.add((path, sha256))
        if size_bytes is not None and len(data) != size_bytes:
            raise damaged(
                f"{self._store.location}/{path}",
                f"it has {len(data)} bytes, but the blob table has {size_bytes}",
            )
        return data


class CheckedBundle:
    """Files of a bundle: ``location``, ``manifest``. ``trusted``: skip checks, since this program just wrote
    it.
    """

    def __init__(
        self,
        store: Store,
        manifest: dict[str, Any] | None = None,
        *,
        verify: bool = True,
        trusted: bool = False,
    ):
        self.store = store
        self.location = store.location
        self.trusted = trusted
        self.manifest: dict[str, Any] = read_manifest(store) if manifest is None else manifest
        self.codec = CODECS[self.manifest["codec"]]
        self.blobs = Blobs(store, verify=verify)

    def file_rows(
        self, name: str, file: dict[str, Any], sizes: Mapping[str, int] = {}
    ) -> list[dict[str, Any]]:
        """Return the rows of a table file, ``file`` its entry in 'files'; ``sizes`` as in check_table."""
        return self.once((name, file["path"], *sizes.items()), lambda: self._checked_rows(name, file, sizes))

    def _checked_rows(
        self, name: str, file: dict[str, Any], sizes: Mapping[str, int]
    ) -> list[dict[str, Any]]:
        rows = read_rows(self.store, file["path"])
        if not self.trusted:
            check_row_file(name, rows, file["rows"], self.where(file["path"]), sizes)
        return rows

    def once(self, what: Hashable, read_it: Callable[[], T]) -> T:
        """Return the result of ``read_it``; see ``store.once``."""
        return once(self.store, what, read_it)

    def where(self, path: str) -> str:
        """Return the name of a bundle file for messages."""
        return f"{self.store.location}/{path}"

    def json(self, path: str) -> Any:
        """Return a JSON file of the bundle by its path in the manifest or log directory."""
        return read_json(self.store, path)

    def read(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """Return any file of the bundle, decoded. Raise BundleError when it is larger than ``max_bytes``."""
        return read(self.store, path, max_bytes)

    def raw(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """Return any file of the bundle as stored. Raise BundleError when it is larger than ``max_bytes``."""
        return self.store.raw(path, max_bytes)

    def blob(self, sha256: str) -> bytes:
        """Return an uncompressed shared blob by name."""
        return self.blobs.read(layout.blob_path(sha256, self.codec), sha256)


class CheckedLog:
    """Files of one log: directory, tables and blobs."""

    def __init__(self, bundle: CheckedBundle, row: dict[str, Any]):
        self.bundle = bundle
        self.row = row
        self.id: str = row["id"]
        self.rank: int | None = row["rank"]
        self.source: str = row["source"]["name"]
        self._metadata_of = lru_cache(_CACHED_FILES)(self._read_metadata)

    def forget(self) -> None:
        """See ``Bundle.forget``."""
        self._metadata_of.cache_clear()
        for name in [
            name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)
        ]:
            del self.__dict__[name]

    @cached_property
    def directory(self) -> dict[str, Any]:
        """Return the log directory (schema: log)."""
        return self.bundle.once(("directory", self.id), self._read_directory)

    def _read_directory(self) -> dict[str, Any]:
        directory: dict[str, Any] = self.bundle.json(self.row["path"])
        if not self.bundle.trusted:
            check_table("log", directory, self.bundle.where(self.row["path"]))
            check_directory(directory, self.bundle.where(self.row["path"]))
        return directory

    if TYPE_CHECKING:
        table: LogTable
    else:

        def table(self, name: str) -> Any:
            """Return a table by the name of its schema, such as 'failures': a list of its rows, empty when it
            has none.

            Raises BundleError when there is no such table, or when it was left out of a redacted bundle.
            """
            entry = self.directory["tables"].get(name)
            if entry is not None:
                rows = list(self.stream(name))
                if name in CHECKED_WHOLE and not self.bundle.trusted:
                    self.bundle.once(
                        (self.id, name),
                        lambda: check_whole(
                            name, rows, f"{self.bundle.location}: table {name} of log {self.id}"
                        ),
                    )
                return rows
            if row_tables().get(name) == "log" and not self.is_missing(name):
                return []
            raise self._no_table(name)

    def stream(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table of rows, with one of its files in memory at a time.

        Raises BundleError as ``table`` does.
        """
        entry = self.directory["tables"].get(name)
        if entry is None:
            yield from self.table(name)
        else:
            for file in entry["files"]:
                yield from self.bundle.file_rows(name, file, self.sizes)

    def is_missing(self, name: str) -> bool:
        """Return whether a table was left out of a redacted bundle."""
        return name in self.directory.get("left_out", ())

    def _no_table(self, name: str) -> BundleError:
        redacted = ": the bundle is redacted" if self.is_missing(name) else ""
        return BundleError(
            f"log {self.id} has no table {quoted(name)}{redacted}",
            hint=f"Its tables: {', '.join(self.directory['tables'])}",
            code="not-found",
        )

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Return the row counts of tables that others refer to, from the directory."""
        counts = {
            name: self.directory["tables"].get(name, {"rows": 0})["rows"] for name in ("stacks", "blobs")
        }
        return {"events": self.directory["event_count"], **counts}

    @cached_property
    def blobs(self) -> dict[str, BlobsRow]:
        """Return the rows of blobs (schema: blobs), by path."""
        return {row["blob"]: row for row in self.table("blobs")}

    def is_left_out(self, blob: str) -> bool:
        """Return whether a blob is missing because the bundle is redacted."""
        dropped = self.bundle.manifest.get("redacted", {}).get("dropped", ())
        return blob in self.blobs and ("payloads" in dropped or self.blobs[blob]["kind"] in dropped)

    def blob(self, blob: str) -> bytes:
        """Return an uncompressed blob by path."""
        row = self.blobs.get(blob)
        if row is None:
            raise damaged(
                f"log {self.id}",
                f"it refers to the blob {quoted(blob)}, which is not in its table of blobs",
            )
        if self.is_left_out(blob):
            raise BundleError(
                f"log {self.id}: this payload was redacted",
                hint="Ask the author of the bundle for the payload.",
                code="redacted",
            )
        return self.bundle.blobs.read(blob, row["sha256"], row["size_bytes"])

    def payload(self, blob: str, offset: int, size_bytes: int) -> bytes:
        """Return a payload by its place in the blobs."""
        data = self.blob(blob)
        if not 0 <= offset <= offset + size_bytes <= len(data):
            raise damaged(f"log {self.id}", f"a payload is outside blob {quoted(blob)}")
        return data[offset : offset + size_bytes]

    def files(self, name: str) -> list[dict[str, Any]]:
        """Return the files of a table in order; empty for a table without rows."""
        files: list[dict[str, Any]] = self.directory["tables"].get(name, {"files": []})["files"]
        return files

    def part(self, name: str, number: int) -> list[dict[str, Any]]:
        """Return the rows of one file of 'events' or 'metadata', by its position in ``files``."""
        return self.bundle.once(
            (self.id, name, number), lambda: self._read_part(name, self.files(name)[number])
        )

    def _read_part(self, name: str, file: dict[str, Any]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.bundle.file_rows(name, file, self.sizes)
        if not self.bundle.trusted:
            check_part(name, rows, file, self.bundle.where(file["path"]))
        return rows

    def _read_metadata(self, number: int) -> dict[int, dict[str, Any]]:
        return {row["event"]: row["metadata"] for row in self.part("metadata", number)}

    def metadata(self, event: int) -> dict[str, Any] | None:
        """Return the metadata of a record (schema: metadata); None for {type: {}}."""
        if not 0 <= event < self.directory["event_count"]:
            raise BundleError(f"log {self.id} has no event {event}", code="not-found")
        number = bisect_right([file["first_event"] for file in self.files("metadata")], event) - 1
        return None if number < 0 else self._metadata_of(number).get(event)
