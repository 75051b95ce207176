"""Checks a bundle: schemas, references between tables, sizes and hashes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.checks import (
    CHECKED_WHOLE,
    check_directory,
    check_references,
    check_slices,
    check_whole,
    rows_schema,
    rows_shape,
    shape,
)
from tlparse_bundle.bundle.layout import CONTEXT_KEYS, FORMAT_MINOR, LIVE, blob_path
from tlparse_bundle.bundle.manifest import rank_paths
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.restore import restored_bytes, verbatim_bytes
from tlparse_bundle.bundle.schema_check import Check, Highest, Malformed, quoted, schema_problems
from tlparse_bundle.bundle.schemas import schema, schema_names
from tlparse_bundle.bundle.store import decoded, read_rows

_MAX_PROBLEMS = 300
_STACK_KEYS = ("stack_index", "user_stack_index")


def validate(bundle: Bundle, progress: Callable[[str], None] = lambda what: None) -> list[str]:
    """Return the problems of a bundle, one sentence each, a few hundred at most; empty for a valid bundle.

    ``progress`` gets the name of each log before it is checked.
    """
    checker = _Checker(bundle)
    checker.check_schema("manifest", bundle.manifest, "manifest.json")
    checker.check_live()
    checker.check_schemas()
    checker.check_ranks()
    for log in bundle.logs:
        progress(log.id)
        try:
            checker.check_log(log)
        except BundleError as error:
            checker.say(error.message)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            checker.say(f"log {log.id}: not readable any further ({type(error).__name__}: {error})")
        if len(checker.problems) >= _MAX_PROBLEMS:
            checker.problems.append("and more: the rest was not checked")
            break
    return checker.problems


class _Checker:
    def __init__(self, bundle: Bundle):
        self.bundle = bundle
        self.problems: list[str] = []
        self._relaxed = bundle.manifest["format"]["minor"] > FORMAT_MINOR
        self._checked_blobs: set[str] = set()
        self._keys: set[str | None] = set()  # of the compiles of the log that is checked
        self._attempts: set[tuple[str, int | None]] = set()  # of that log

    def check_schema(self, name: str, value: Any, path: str) -> Highest:
        """Report how a value violates its schema; return its largest reference to each target."""
        return self._check_shape(shape(name, closed=not self._relaxed), schema(name), value, path)

    def _check_shape(self, check: Check, document: dict[str, Any], value: Any, path: str) -> Highest:
        highest: Highest = {}
        try:
            check(value, highest)
        except Malformed as malformed:
            for problem in schema_problems(document, value, relaxed=self._relaxed) or [str(malformed)]:
                self.say(f"{path}: {problem}")
        return highest

    def check_schemas(self) -> None:
        """Check that the bundle contains the schemas of its tables."""
        path = self.bundle.manifest["schemas"]
        try:
            missing = set(schema_names()) - set(self.bundle.json(path))
        except TypeError:
            self.say(f"{path}: not an object of schemas")
        except BundleError as error:
            self.say(error.message)
        else:
            self.require(
                self.bundle.manifest["format"]["minor"] != FORMAT_MINOR or not missing,
                f"{path}: these schemas are missing: {', '.join(sorted(missing))}",
            )

    def check_live(self) -> None:
        """Check the live state: a growing bundle has one per log, a finished one has no state files."""
        manifest, where = self.bundle.manifest, "manifest.json"
        live, rows = manifest.get("live"), manifest["logs"]
        self.require(
            (live is None) == ("growing" not in manifest),
            f"{where}: only one of 'growing' and 'live' is present",
        )
        if live is None:
            paths = (manifest["schemas"], *(row["path"] for row in rows), *rank_paths(manifest))
            path = next((path for path in paths if path.startswith(f"{LIVE}/")), None)
            self.require(
                path is None, f"{where}: {path} is a file of a growing bundle, but this one is finished"
            )
            return
        self.require(
            [row["id"] for row in live["logs"]] == [row["id"] for row in rows],
            f"{where}: 'live' and 'logs' list different logs",
        )
        for state, row in zip(live["logs"], rows, strict=False):
            self.require(
                state["read_bytes"] >= row["source"]["size_bytes"],
                f"{where}: log {row['id']} has more bytes than were read",
            )
            last = state["last_record"]
            self.require(
                (last is None) == (row["event_count"] == 0),
                f"{where}: log {row['id']} has a last record without events, or events without a last record",
            )
            self.require(
                last is None or last["kind"] in manifest["descriptors"],
                f"{where}: the last record of log {row['id']} has no descriptor",
            )
            keys = [compile["compile"] for compile in state["running"] if compile["compile"] is not None]
            self.require(
                len(set(keys)) == len(keys),
                f"{where}: a compile of log {row['id']} is listed twice as running",
            )

    def check_ranks(self) -> None:
        """Check tables about several ranks: schemas and references to logs and rows."""
        ids = {log.id for log in self.bundle.logs}
        entries = self.bundle.manifest.get("rank_tables", {})
        sizes = {name: entry["rows"] for name, entry in entries.items()}
        for name, entry in entries.items():
            try:
                for path, rows, highest in self._row_files(name, entry, "manifest.json"):
                    self.sound(check_references, highest, sizes, path)
                    missing = (
                        next((row["log"] for row in rows if row["log"] not in ids), None)
                        if name == "ranks"
                        else None
                    )
                    self.require(missing is None, f"{path}: unknown log {missing}")
            except BundleError as error:
                self.say(error.message)
            except (LookupError, TypeError):
                self.say(f"the table {quoted(name)} about several ranks cannot be read further")

    def _check_row_tables(self, directory: dict[str, Any]) -> list[tuple[str, Highest]]:
        references = []
        for name, entry in directory["tables"].items():
            all_rows: list[Any] = []
            for path, rows, highest in self._row_files(name, entry, "log.json"):
                references.append((path, highest))
                unknown = next(
                    (
                        row["compile"]
                        for row in rows
                        if isinstance(row, dict) and row.get("compile", None) not in self._keys
                    ),
                    None,
                )
                self.require(unknown is None, f"{path}: unknown compile {quoted(unknown)}")
                places = (
                    (row.get("compile"), row["attempt"])
                    for row in rows
                    if isinstance(row, dict) and row.get("attempt") is not None
                )
                lost = next((place for place in places if place not in self._attempts), (None, None))
                self.require(
                    lost == (None, None),
                    f"{path}: compile {quoted(lost[0])} has no attempt {quoted(lost[1])}",
                )
                all_rows += rows if name in CHECKED_WHOLE else ()
            if all_rows and all(isinstance(row, dict) and {"id", "parent"} <= row.keys() for row in all_rows):
                self.sound(check_whole, name, all_rows, f"table {quoted(name)}")
        return references

    def _row_files(
        self, name: str, entry: dict[str, Any], source: str
    ) -> Iterator[tuple[str, list[Any], Highest]]:
        """Yield (path, rows, references) of each file of a table. ``source``: the file that has ``entry``."""
        self.require(
            sum(file["rows"] for file in entry["files"]) == entry["rows"],
            f"{source}: the files of {quoted(name)} do not add up to {entry['rows']} rows",
        )
        for file in entry["files"]:
            path: str = file["path"]
            rows = read_rows(self.bundle.store, path)
            self.require(
                len(rows) == file["rows"], f"{path}: it has {len(rows)} rows, but {source} has {file['rows']}"
            )
            yield (
                path,
                rows,
                self._check_shape(rows_shape(name, closed=not self._relaxed), rows_schema(name), rows, path),
            )

    def say(self, problem: str) -> None:
        """Add a problem, up to a few hundred."""
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(problem)

    def require(self, holds: bool, problem: str) -> None:
        if not holds:
            self.say(problem)

    def sound(self, check: Callable[..., object], *arguments: Any) -> bool:
        """Report the problem that a reader's check raises; return whether there was none."""
        try:
            check(*arguments)
        except BundleError as error:
            self.say(error.message)
            return False
        return True

    def check_log(self, log: Log) -> None:
        directory = self.bundle.json(log.row["path"])
        self.check_schema("log", directory, log.row["path"])
        where = f"log {log.id}"
        for key in ("id", "rank", "source", "event_count"):
            self.require(
                directory[key] == log.row[key], f"{where}: {key} differs between manifest and log.json"
            )
        if not self.sound(check_directory, directory, where):
            return  # it may name any number of files, or one any number of times
        descriptors = self.bundle.manifest["descriptors"]
        for kind in directory["kinds"]:
            self.require(
                kind["descriptor"] in descriptors,
                f"{where}: the manifest has no descriptor {quoted(kind['descriptor'])}",
            )
        self._check_blobs(log)
        self._attempts = {
            (row["compile"], row.get("attempt")) for row in self._rows_of(directory, "attempts")
        }
        self._check_compiles(log, where)
        self.sound(check_slices, log.table("artifacts"), "size_bytes", log.blobs, f"{where} artifacts")
        self._keys = {
            None,
            *(row["compile"] for name in ("compiles", "attempts") for row in self._rows_of(directory, name)),
        }
        references = self._check_row_tables(directory)
        self._check_events(log, where)
        references += self._check_metadata(log)
        sizes = log.sizes
        for path, highest in references:
            self.sound(check_references, highest, sizes, path)
        # Else restored_bytes refuses them.
        if sum(chunk["size_bytes"] for chunk in directory["verbatim"]) <= directory["source"]["size_bytes"]:
            all(self.sound(verbatim_bytes, log, chunk) for chunk in directory["verbatim"])
        if "redacted" in self.bundle.manifest:
            return
        digest = hashlib.sha256()
        for data in restored_bytes(log):
            digest.update(data)
        self.require(
            digest.hexdigest() == directory["source"]["sha256"],
            f"{where}: the restored log has a different SHA-256 than the original",
        )

    def _check_blobs(self, log: Log) -> None:
        for path, row in log.blobs.items():
            if path in self._checked_blobs or log.is_left_out(path):
                continue
            self._checked_blobs.add(path)
            own = re.sub(rf"^{LIVE}/\d+/", "", path).startswith(f"logs/{log.id}/")
            self.require(
                own or path == blob_path(row["sha256"], self.bundle.codec),
                f"{path}: the path does not match the hash of the blob",
            )
            try:
                raw = self.bundle.raw(path, self.bundle.codec.max_stored_bytes(row["size_bytes"]))
                data = decoded(raw, path, self.bundle.location, row["size_bytes"])
            except BundleError as error:
                self.say(error.message)
                continue
            self.require(
                hashlib.sha256(data).hexdigest() == row["sha256"], f"{path}: the hash of its content differs"
            )
            self.require(
                (len(data), len(raw)) == (row["size_bytes"], row["stored_size_bytes"]),
                f"{path}: its size differs from the blob table",
            )

    def _rows_of(self, directory: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table that are objects with a compile."""
        for file in directory["tables"].get(name, {"files": ()})["files"]:
            yield from (
                row
                for row in read_rows(self.bundle.store, file["path"])
                if isinstance(row, dict) and "compile" in row
            )

    def _check_compiles(self, log: Log, where: str) -> None:
        """Check that keys are unique, attempts belong to a compile, limit or capture, and artifact counts
        are right.
        """
        keys = [
            row["compile"]
            for name in ("compiles", "limits", "captures")
            for row in self._rows_of(log.directory, name)
        ]
        self.require(len(set(keys)) == len(keys), f"{where}: a compile key is not unique")
        attempts = Counter(row["compile"] for row in self._rows_of(log.directory, "attempts"))
        unknown = next((key for key in attempts if key is not None and key not in keys), None)
        self.require(
            unknown is None,
            f"{where}: {quoted(unknown)} has attempts, but is not a compile, a limit or a capture",
        )
        counts = {
            row["compile"]: row.get("attempt_count") for row in self._rows_of(log.directory, "compiles")
        }
        wrong = next(
            (key for key, count in counts.items() if key in attempts and attempts[key] != count), None
        )
        self.require(
            wrong is None, f"{where}: attempt_count of {quoted(wrong)} is not the number of its attempts"
        )
        artifacts: Counter[Any] = Counter()
        for row in self._rows_of(log.directory, "artifacts"):
            artifacts.update((row["compile"], (row["compile"], row.get("attempt"))))
        counted = [
            (row["compile"], row.get("artifact_count"), artifacts[row["compile"]])
            for row in self._rows_of(log.directory, "compiles")
        ]
        counted += [
            (row["compile"], row.get("artifact_count"), artifacts[row["compile"], row.get("attempt")])
            for row in self._rows_of(log.directory, "attempts")
        ]
        wrong = next((key for key, stated, count in counted if stated not in (None, count)), None)
        self.require(
            wrong is None, f"{where}: artifact_count of {quoted(wrong)} is not the number of its artifacts"
        )

    def _check_events(self, log: Log, where: str) -> None:
        end = 0
        for number, file in enumerate(log.files("events")):
            path, rows = file["path"], log.part("events", number)
            self.sound(check_slices, rows, "payload_size_bytes", log.blobs, path)
            for row in rows:
                end += row["gap_bytes"] + row["size_bytes"]
        self.require(
            end <= log.directory["source"]["size_bytes"],
            f"{where}: the last record ends after the end of the log",
        )

    def _check_metadata(self, log: Log) -> list[tuple[str, Highest]]:
        references = []
        for number, file in enumerate(log.files("metadata")):
            used = {id for row in log.part("metadata", number) for id in _stacks(row["metadata"])}
            self.require(min(used, default=0) >= 0, f"{file['path']}: a stack id is negative")
            references.append((file["path"], {"stacks": max(used, default=-1)}))
        return references


def _stacks(metadata: dict[str, Any]) -> list[int]:
    """Yield the stacks that a record refers to, at the top or in the event's metadata."""
    type_ = next((key for key in metadata if key not in CONTEXT_KEYS and key not in _STACK_KEYS), None)
    holders = [metadata, metadata.get(type_ or "")]
    return [
        holder[key]
        for holder in holders
        if type(holder) is dict
        for key in _STACK_KEYS
        if type(holder.get(key)) is int
    ]
