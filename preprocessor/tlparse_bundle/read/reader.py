"""The Python reader of bundles. It needs nothing but the bundle."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format import layout
from tlparse_bundle.format.codecs import CODECS, MAX_FILE_BYTES
from tlparse_bundle.format.schemas import row_tables, schema, schema_names
from tlparse_bundle.format.shape import quoted
from tlparse_bundle.read.blobs import Blobs
from tlparse_bundle.read.checks import check_directory, check_fields, check_part, check_row_file, check_stacks, check_table, damaged, row_of
from tlparse_bundle.read.growing import findings_now, ranks_now
from tlparse_bundle.read.manifest import read_manifest
from tlparse_bundle.read.rows import Artifact, Compile, Event
from tlparse_bundle.read.store import Store, once, open_store, read, read_json, read_rows, read_without

_CACHED_FILES = 8
T = TypeVar("T")


class Bundle:
    """A bundle: ``location``, ``manifest`` (dict) and ``logs`` (list of Log). ``trusted``: this program has just written it, nothing is checked."""

    def __init__(self, store: Store, manifest: dict | None = None, *, verify: bool = True, trusted: bool = False):
        self.store = store
        self.location = store.location
        self.trusted = trusted
        self.manifest: dict = read_manifest(store) if manifest is None else manifest
        self.codec = CODECS[self.manifest["codec"]]
        self.logs = [Log(self, row) for row in self.manifest["logs"]]
        self.blobs = Blobs(store, verify=verify)

    @classmethod
    def open(cls, location: str | os.PathLike, *, verify: bool = True) -> Bundle:
        """Open the bundle in a folder, or at any URL that fsspec knows. ``verify``: blobs must have the hash that they are named by.

        Raises BundleError when there is none, when its major format version is another one, and later for what is damaged.
        """
        return cls(open_store(location if isinstance(location, str) else os.fspath(location)), verify=verify)

    def log(self, log_id: str) -> Log:
        """The log with this id. Raises BundleError when there is none."""
        for log in self.logs:
            if log.id == log_id:
                return log
        names = ", ".join(log.id for log in self.logs[:10])
        raise BundleError(f"{self.store.location} has no log {log_id!r}", hint=f"Its logs are: {names}", code="not-found")

    def ranks(self, name: str) -> dict | None:
        """What several ranks together say, by the name of the analysis, such as 'findings' (schema: ranks_findings); None when there is none."""
        path = self.manifest.get("ranks", {}).get(name)
        if path is None:
            return None
        table = self.table(f"ranks_{name}", path)
        return ranks_now(self.manifest, table) if name == "findings" else table

    def to_pandas(self, name: str) -> Any:
        """A table of all logs as a ``pandas.DataFrame``, by a name that 'tlparse-bundle sql BUNDLE' lists, such as 'compiles' or 'spans_by_name'.

        Raises BundleError when there is no such table, or no pandas.
        """
        from tlparse_bundle.read.dataframe import as_pandas, whole_columns  # few ask for it, and all commands read bundles

        return as_pandas(whole_columns(self, name))

    def to_arrow(self, name: str) -> Any:
        """The same as a ``pyarrow.Table``."""
        from tlparse_bundle.read.dataframe import as_arrow, whole_columns

        return as_arrow(whole_columns(self, name))

    def table(self, name: str, path: str, sizes: Mapping[str, int] = {}) -> Any:
        """A table by its path, which is as the schema of this name says; ``sizes``: see check_table."""
        if self.trusted or name not in schema_names():
            return self.json(path)
        return self.once((name, path, *sizes.items()), lambda: self._checked(name, path, sizes))

    def rows(self, name: str, file: dict, sizes: Mapping[str, int] = {}) -> list[dict]:
        """The rows of a file of a table: ``file`` is its entry in 'files'. ``sizes``: see check_table."""
        return self.once((name, file["path"], *sizes.items()), lambda: self._checked_rows(name, file, sizes))

    def _checked_rows(self, name: str, file: dict, sizes: Mapping[str, int]) -> list[dict]:
        rows = read_rows(self.store, file["path"])
        if not self.trusted:
            check_row_file(name, rows, file["rows"], self.where(file["path"]), sizes)
        return rows

    def _checked(self, name: str, path: str, sizes: Mapping[str, int]) -> Any:
        table = self.json(path)
        check_table(name, table, self.where(path), sizes)
        return table

    def forget(self) -> None:
        """Let go of what was read; it is read again when it is asked for. Bundle and logs refer to each other, so that they would wait for the garbage collector."""
        self.blobs.forget()
        for log in self.logs:
            log.forget()

    def once(self, what: Hashable, read_it: Callable[[], T]) -> T:
        """What ``read_it`` gives; see ``store.once``."""
        return once(self.store, what, read_it)

    def where(self, path: str) -> str:
        """A file of the bundle in a message."""
        return f"{self.store.location}/{path}"

    def json(self, path: str) -> Any:
        """A JSON file of the bundle, by the path that manifest or log directory give: anything, other than ``table``."""
        return read_json(self.store, path)

    def read(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """Any file of the bundle, decoded. Raises BundleError when it holds more than ``max_bytes``."""
        return read(self.store, path, max_bytes)

    def raw(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """Any file of the bundle as it is stored. Raises BundleError when it has more than ``max_bytes``."""
        return self.store.raw(path, max_bytes)

    def blob(self, sha256: str) -> bytes:
        """An uncompressed blob that logs share, by its name."""
        return self.blobs.read(layout.blob_path(sha256, self.codec), sha256)


class Log:
    """One log: ``id``, ``rank`` (int or None), ``source`` (file name as given), ``compiles``."""

    def __init__(self, bundle: Bundle, row: dict):
        self.bundle = bundle
        self.row = row
        self.id: str = row["id"]
        self.rank: int | None = row["rank"]
        self.source: str = row["source"]["name"]
        self._metadata_of = lru_cache(_CACHED_FILES)(self._read_metadata)

    def forget(self) -> None:
        """See ``Bundle.forget``."""
        self._metadata_of.cache_clear()
        for name in [name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)]:
            del self.__dict__[name]

    @cached_property
    def directory(self) -> dict:
        """The log directory (schema: log)."""
        return self.bundle.once(("directory", self.id), self._read_directory)

    def _read_directory(self) -> dict:
        directory = self.bundle.table("log", self.row["path"])
        if not self.bundle.trusted:
            check_directory(directory, self.bundle.where(self.row["path"]))
        return directory

    def table(self, name: str) -> Any:
        """Return a table by the name of its schema, such as 'failures': a list of its rows, empty when it has none.

        Raises BundleError when there is no such table, or when it was left out of a redacted bundle.
        """
        entry = self.directory["row_tables"].get(name)
        if entry is not None:
            return [row for file in entry["files"] for row in self.bundle.rows(name, file, self.sizes)]
        if row_tables().get(name) == "log" and name not in self.directory.get("left_out", ()):
            return []
        return self.bundle.table(name, self._path(name), self.sizes)

    def fields(self, name: str, *fields: str) -> dict:
        """Some fields of a table, for those who need no more: of a large one the rest is not checked. Raises BundleError when the log has no such table."""
        path = self._path(name)
        if self.bundle.trusted:
            return self.bundle.json(path)
        return self.bundle.once((self.id, name, *fields), lambda: check_fields(name, self._read_fields(name, path, fields), fields, self.bundle.where(path), self.sizes))

    def _read_fields(self, name: str, path: str, fields: Sequence[str]) -> Any:
        """A table, at best without what stands before the last of the fields: spans and metrics have their large lists there."""
        known = list(schema(name)["properties"])
        *others, last = sorted(map(known.index, fields))
        first = others[-1] + 1 if others else 0
        return self.bundle.json(path) if first == last else read_without(self.bundle.store, path, known[first], known[last])

    def _path(self, name: str) -> str:
        path = self.directory["tables"].get(name)
        if path is None:
            redacted = ": the bundle is redacted" if "redacted" in self.bundle.manifest and name in schema_names() else ""
            raise BundleError(f"log {self.id} has no table {quoted(name)}{redacted}", hint=f"Its tables: {', '.join((*self.directory['tables'], *self.directory['row_tables']))}", code="not-found")
        return path

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many rows there are of what tables refer to, as far as the directory says."""
        counts = {name: self.directory["row_tables"].get(name, {"rows": 0})["rows"] for name in ("stacks", "blobs")}
        return {"events": self.directory["event_count"], **counts, **{key: len(self.directory[key]) for key in ("kinds", "origins", "pids")}}

    def findings(self) -> dict:
        """Return what the log says (schema: findings); in a growing bundle, compiles that run are not findings.

        Raises BundleError for a bundle older than format 1.2, and for one that is redacted.
        """
        if "findings" not in self.directory["tables"] and "redacted" in self.bundle.manifest:
            raise BundleError(f"log {self.id} has no findings: the bundle is redacted", hint="Who made it has them.", code="redacted")
        if "findings" not in self.directory["tables"]:
            raise BundleError(f"log {self.id} has no findings: its bundle was built before they were part of it", hint="Build the bundle again.", code="not-found")
        return findings_now(self.bundle.manifest, self.row, self.table("findings"))

    @cached_property
    def compiles(self) -> list[Compile]:
        """The compiles in order of first appearance; the row of the records without an id included."""
        return [Compile(self, i, row) for i, row in enumerate(self.table("compiles")["compiles"])]

    def compile(self, key: str) -> Compile:
        """The compile with this key ('0/1', '0/0@2', '-'). Raises BundleError when there is none."""
        for compile in self.compiles:
            if compile.key == key:
                return compile
        raise self.unknown(key)

    def unknown(self, key: str) -> BundleError:
        """What there is instead of a compile that there is not."""
        return BundleError(f"log {self.id} has no compile {key!r}", hint=f"tlparse-bundle info lists them; here: {self._keys()}", code="not-found")

    def _keys(self) -> str:
        keys = [compile.key for compile in self.compiles]
        return ", ".join(keys[:20]) + (f" and {len(keys) - 20} more" if len(keys) > 20 else "")

    @cached_property
    def artifacts(self) -> list[Artifact]:
        """All artifacts of the log, in the order torch wrote them."""
        return [Artifact(self, row) for row in self.table("artifacts")]

    @cached_property
    def artifacts_by_compile(self) -> dict[tuple[str | None, int | None], list[Artifact]]:
        """The artifacts by compile and attempt."""
        groups: dict[tuple[str | None, int | None], list[Artifact]] = {}
        for artifact in self.artifacts:
            groups.setdefault((artifact.compile, artifact.attempt), []).append(artifact)
        return groups

    @cached_property
    def _numbers(self) -> dict[tuple[str | None, int | None], int]:
        return {compile.attempt_key: compile.index for compile in self.compiles}

    def number_of(self, row: dict) -> int:
        """The row of the compile table that a row of another table belongs to. Raises BundleError when there is none."""
        number = self._numbers.get((row["compile"], row["attempt"]))
        if number is None:
            raise damaged(f"log {self.id}", f"there is no compile {quoted(row['compile'])} with an attempt {quoted(row['attempt'])}")
        return number

    @cached_property
    def stacks(self) -> list[dict]:
        """The rows of the stacks (schema: stacks), by their ids."""
        return self.bundle.once((self.id, "stacks"), self._read_stacks)

    def _read_stacks(self) -> list[dict]:
        rows = self.table("stacks")
        if not self.bundle.trusted:
            check_stacks(rows, f"log {self.id}")
        return rows

    def stack(self, id: int) -> list[dict]:
        """Return the frames of a stack, outermost first: dicts of file (or None), line, function, code (text of the line, or None)."""
        frames: list[dict] = []
        parent: int | None = id
        while parent is not None:
            row = row_of(self.stacks, parent, "stacks", self.id)
            frames.append({key: row[key] for key in ("file", "line", "function", "code")})
            parent = row["parent"]
        return frames[::-1]

    @cached_property
    def blobs(self) -> dict[str, dict]:
        """The rows of the blobs (schema: blobs), by path."""
        return {row["blob"]: row for row in self.table("blobs")}

    def is_left_out(self, blob: str) -> bool:
        """Whether a blob is not there because the bundle is redacted."""
        dropped = self.bundle.manifest.get("redacted", {}).get("dropped")
        return bool(dropped) and blob in self.blobs and self.blobs[blob]["kind"] in dropped

    def blob(self, blob: str) -> bytes:
        """An uncompressed blob, by its path."""
        row = self.blobs.get(blob)
        if row is None:
            raise damaged(f"log {self.id}", f"it refers to the blob {quoted(blob)}, which its table of blobs does not have")
        if self.is_left_out(blob):
            raise BundleError(f"log {self.id}: this payload is not in the bundle, which is redacted", hint="Who made it has the payloads.", code="redacted")
        return self.bundle.blobs.read(blob, row["sha256"], row["size_bytes"])

    def payload(self, blob: str, offset: int, size_bytes: int) -> bytes:
        """A payload, by its place in the blobs."""
        data = self.blob(blob)
        if not 0 <= offset <= offset + size_bytes <= len(data):
            raise damaged(f"log {self.id}", f"a payload lies outside of blob {quoted(blob)}")
        return data[offset : offset + size_bytes]

    def files(self, name: str) -> list[dict]:
        """The files of a table of rows, in order; none for a table without rows."""
        return self.directory["row_tables"].get(name, {"files": []})["files"]

    def part(self, name: str, number: int) -> list[dict]:
        """The rows of one file of 'events' or 'metadata', by its position in ``files``."""
        return self.bundle.once((self.id, name, number), lambda: self._read_part(name, self.files(name)[number]))

    def _read_part(self, name: str, file: dict) -> list[dict]:
        rows = self.bundle.rows(name, file, self.sizes)
        if not self.bundle.trusted:
            check_part(name, rows, file, self.bundle.where(file["path"]))
        return rows

    def _read_metadata(self, number: int) -> dict[int, dict]:
        return {row["event"]: row["metadata"] for row in self.part("metadata", number)}

    def metadata(self, event: int) -> dict | None:
        """What the record holds besides its columns (schema: metadata); None for {type: {}}."""
        if not 0 <= event < self.directory["event_count"]:
            raise BundleError(f"log {self.id} has no event {event}", code="not-found")
        number = bisect_right([file["first_event"] for file in self.files("metadata")], event) - 1
        return None if number < 0 else self._metadata_of(number).get(event)

    def events(self, *, type: str | None = None, name: str | None = None, compile_id: str | None = None) -> Iterator[Event]:
        """The events in file order: all, or those of a type, a name and a compile id.

        ``compile_id`` is an id ('0/0': all its occurrences) or a key ('0/0@2').
        """
        attempts = None if compile_id is None else {compile.attempt_key for compile in self.compiles if compile_id in (compile.id, compile.key)}
        for number in range(len(self.files("events"))):
            for row in self.part("events", number):
                if type in (None, row["type"]) and name in (None, row["name"]) and (attempts is None or (row["compile"], row["attempt"]) in attempts):
                    yield Event(self, row)
