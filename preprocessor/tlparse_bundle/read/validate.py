"""Checks a bundle: schemas, references between tables, sizes and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.layout import FORMAT_MINOR, blob_path
from tlparse_bundle.format.schemas import schema, schema_names
from tlparse_bundle.read.reader import Bundle, Log
from tlparse_bundle.read.restore import restored_bytes
from tlparse_bundle.trace.envelope import CONTEXT_KEYS

_MAX_PROBLEMS_A_FILE = 10
_STACK_KEYS = ("stack_index", "user_stack_index")


def validate(bundle: Bundle, progress: Callable[[str], None] = lambda what: None) -> list[str]:
    """Everything that is wrong with a bundle, one sentence each; empty when it is sound.

    ``progress`` is told the name of each log before it is checked.
    """
    newer = bundle.manifest["format"]["minor"] > FORMAT_MINOR
    checker = _Checker(bundle, relaxed=newer)
    checker.check_schema("manifest", bundle.manifest, "manifest.json")
    checker.check_schemas()
    checker.check_ranks()
    ids = [log.id for log in bundle.logs]
    checker.require(len(set(ids)) == len(ids), "manifest.json: two logs have one id")
    for row in bundle.manifest["logs"]:
        progress(str(row.get("id")))
        try:
            checker.check_log(Log(bundle, row))
        except BundleError as error:
            checker.problems.append(error.message)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            checker.problems.append(f"log {row.get('id')}: not readable any further ({type(error).__name__}: {error})")
    return checker.problems


class _Checker:
    def __init__(self, bundle: Bundle, *, relaxed: bool):
        self.bundle = bundle
        self.problems: list[str] = []
        self._relaxed = relaxed
        self._validators: dict[str, Any] = {}
        self._checked_blobs: set[str] = set()

    def check_schema(self, name: str, value: Any, path: str) -> None:
        from jsonschema import Draft202012Validator

        if name not in self._validators:
            document = schema(name)
            self._validators[name] = Draft202012Validator(_relax(document) if self._relaxed else document)
        for number, error in enumerate(self._validators[name].iter_errors(value)):
            if number == _MAX_PROBLEMS_A_FILE:
                self.problems.append(f"{path}: and more")
                break
            where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path).lstrip(".")
            message = error.message if len(error.message) <= 200 else error.message[:200] + "…"
            self.problems.append(f"{path}: {where or 'top level'}: {message}")

    def check_schemas(self) -> None:
        """A bundle carries the schemas of its tables."""
        try:
            path = self.bundle.manifest["schemas"]
            missing = set(schema_names()) - set(self.bundle.json(path))
        except (KeyError, TypeError):
            self.problems.append("manifest.json: no schemas")
        except BundleError as error:
            self.problems.append(error.message)
        else:
            self.require(self.bundle.manifest["format"]["minor"] != FORMAT_MINOR or not missing, f"{path}: lacks the schemas {', '.join(sorted(missing))}")

    def check_ranks(self) -> None:
        """The analyses of the ranks: their schemas, and that they tell of logs that there are."""
        for name, path in self.bundle.manifest.get("ranks", {}).items():
            try:
                table = self.table(f"ranks_{name}", path) if f"ranks_{name}" in schema_names() else self.bundle.json(path)
            except BundleError as error:
                self.problems.append(error.message)
                continue
            for member in table.get("members", ()) if name == "matching" else ():
                self.require(any(log.id == member["log_id"] for log in self.bundle.logs), f"{path}: no log {member['log_id']}")

    def table(self, name: str, path: str) -> Any:
        value = self.bundle.json(path)
        self.check_schema(name, value, path)
        return value

    def require(self, holds: bool, problem: str) -> None:
        if not holds:
            self.problems.append(problem)

    def check_log(self, log: Log) -> None:
        directory = self.table("log", log.row["path"])
        where = f"log {log.id}"
        for key in ("id", "rank", "source", "event_count"):
            self.require(directory[key] == log.row[key], f"{where}: {key} differs between manifest and log.json")
        known = schema_names()
        # Tables of other packages, or of a newer version, need only be JSON.
        tables = {name: self.table(name, path) if name in known else self.bundle.json(path) for name, path in directory["tables"].items()}
        descriptors = self.bundle.manifest["descriptors"]
        for kind in directory["kinds"]:
            self.require(kind["descriptor"] in descriptors, f"{where}: the manifest has no descriptor {kind['descriptor']!r}")
        self._check_stacks(tables["stacks"], where)
        blob_sizes = self._check_blobs(tables["blobs"], where)
        self._check_compiles(tables, directory, where)
        self._check_columns(tables["artifacts"], where + " artifacts")
        self._check_slices(tables["artifacts"], "size_bytes", blob_sizes, where + " artifacts")
        for row in directory["timeline"]:
            self.require(row < len(blob_sizes), f"{where}: timeline refers to blob {row}, which does not exist")
        self._check_events(directory, tables, blob_sizes, where)
        self._check_metadata(directory, tables, where)
        for chunk in directory["verbatim"]:
            self.require(len(self.bundle.read(chunk["path"])) == chunk["size_bytes"], f"{chunk['path']}: another size than log.json says")
        digest = hashlib.sha256()
        for data in restored_bytes(log):
            digest.update(data)
        self.require(digest.hexdigest() == directory["source"]["sha256"], f"{where}: what can be restored has another SHA-256 than the log had")

    def _check_columns(self, table: dict, where: str) -> int:
        lengths = {key: len(values) for key, values in table.items() if isinstance(values, list)}
        self.require(len(set(lengths.values())) <= 1, f"{where}: columns of different length: {lengths}")
        return min(lengths.values(), default=0)

    def _check_range(self, values: list, limit: int, what: str, *, lowest: int = 0) -> None:
        bad = next((v for v in values if v is not None and not lowest <= v < limit), None)
        self.require(bad is None, f"{what}: {bad} is out of range ({limit} rows)")

    def _check_stacks(self, table: dict, where: str) -> None:
        strings, frames, stacks = table["strings"], table["frames"], table["stacks"]
        frame_count = self._check_columns(frames, f"{where} frames")
        self._check_columns(stacks, f"{where} stacks")
        for key in ("file", "name", "loc"):
            self._check_range(frames[key], len(strings), f"{where} frames.{key}", lowest=-1)
        self._check_range(stacks["frame_index"], frame_count, f"{where} stacks.frame_index")
        late = next((i for i, parent in enumerate(stacks["parent_index"]) if parent >= i), None)
        self.require(late is None, f"{where} stacks: the parent of row {late} does not stand before it")

    def _check_blobs(self, table: dict, where: str) -> list[int]:
        self._check_columns(table, f"{where} blobs")
        paths = table.get("path") or [None] * len(table["sha256"])
        for sha256, size, stored, own in zip(table["sha256"], table["size_bytes"], table["stored_size_bytes"], paths):
            path = own or blob_path(sha256, self.bundle.codec)
            if path in self._checked_blobs:
                continue
            self._checked_blobs.add(path)
            try:
                raw = self.bundle.raw(path)
                data = self.bundle.codec.decode(raw)
            except BundleError as error:
                self.problems.append(error.message)
                continue
            except ValueError as error:
                self.problems.append(f"{path}: {error}")
                continue
            self.require(hashlib.sha256(data).hexdigest() == sha256, f"{path}: the content has another hash")
            self.require((len(data), len(raw)) == (size, stored), f"{path}: another size than the blob table says")
        return table["size_bytes"]

    def _check_compiles(self, tables: dict, directory: dict, where: str) -> None:
        rows = tables["compiles"]["compiles"]
        keys = [row["key"] for row in rows]
        self.require(len(set(keys)) == len(keys), f"{where}: a compile key comes twice")
        stack_count = len(tables["stacks"]["stacks"]["frame_index"])
        for column, limit in (("stack_index", stack_count), ("metrics_event_index", directory["event_count"]), ("first_event_index", directory["event_count"])):
            self._check_range([row[column] for row in rows], limit, f"{where} compiles.{column}")
        self._check_range(tables["artifacts"]["compile_index"], len(rows), f"{where} artifacts.compile_index")
        self._check_range(tables["artifacts"]["kind_index"], len(directory["kinds"]), f"{where} artifacts.kind_index")
        counts = [0] * len(rows)
        for index in tables["artifacts"]["compile_index"]:
            counts[index] += 1
        self.require(counts == [row["artifact_count"] for row in rows], f"{where}: artifact_count of the compiles is not that of the artifact table")

    def _check_slices(self, table: dict, size_key: str, blob_sizes: list[int], where: str) -> None:
        for blob, offset, size in zip(table["blob_index"], table["blob_offset"], table[size_key]):
            if blob >= len(blob_sizes) or blob >= 0 and offset + size > blob_sizes[blob]:
                self.problems.append(f"{where}: a payload lies outside of blob {blob}")
                return

    def _check_events(self, directory: dict, tables: dict, blob_sizes: list[int], where: str) -> None:
        limits = {
            "kind_index": len(directory["kinds"]),
            "compile_index": len(tables["compiles"]["compiles"]),
            "origin_index": len(directory["origins"]),
            "pid_index": len(directory["pids"]),
        }
        end = -1
        for chunk, table in self._chunks(directory, "events", where):
            count = self._check_columns(table, chunk["path"])
            self.require(count == chunk["count"], f"{chunk['path']}: {count} rows, log.json says {chunk['count']}")
            for column, limit in limits.items():
                self._check_range(table[column], limit, f"{chunk['path']} {column}")
            self._check_slices(table, "payload_size_bytes", blob_sizes, chunk["path"])
            for offset, size in zip(table["byte_offset"], table["size_bytes"]):
                if offset < end:
                    self.problems.append(f"{chunk['path']}: records overlap at byte {offset}")
                    break
                end = offset + size
        self.require(end <= directory["source"]["size_bytes"], f"{where}: the last record ends behind the end of the log")

    def _check_metadata(self, directory: dict, tables: dict, where: str) -> None:
        stack_count = len(tables["stacks"]["stacks"]["frame_index"])
        for chunk, table in self._chunks(directory, "metadata", where):
            self.require(len(table["metadata"]) == chunk["count"], f"{chunk['path']}: another number of rows than log.json says")
            used = [index for row in table["metadata"] if row for index in _stack_indexes(row)]
            self._check_range(used, stack_count, f"{chunk['path']} stack_index")

    def _chunks(self, directory: dict, name: str, where: str) -> Iterator[tuple[dict, dict]]:
        expected = 0
        for chunk in directory[name]:
            table = self.table(name, chunk["path"])
            same = table["first_event_index"] == chunk["first_event_index"] == expected
            self.require(same, f"{chunk['path']}: does not begin with event {expected}")
            expected += chunk["count"]
            yield chunk, table
        self.require(expected == directory["event_count"], f"{where}: the chunks of {name} hold {expected} of {directory['event_count']} events")


def _stack_indexes(metadata: dict) -> list[int]:
    """The rows of the stack table that a record refers to, at the top or in the metadata of its event."""
    type_ = next((key for key in metadata if key not in CONTEXT_KEYS and key not in _STACK_KEYS), None)
    holders = [metadata, metadata.get(type_)]
    return [holder[key] for holder in holders if type(holder) is dict for key in _STACK_KEYS if type(holder.get(key)) is int]


def _relax(document: Any) -> Any:
    """The schema for a bundle of a newer minor version: fields that we do not know are allowed."""
    if isinstance(document, dict):
        return {key: _relax(value) for key, value in document.items() if not (key == "additionalProperties" and value is False)}
    if isinstance(document, list):
        return [_relax(value) for value in document]
    return document
