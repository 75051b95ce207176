"""Takes out of a bundle, in its folder, what needs no other words: payloads, tables, metadata, the log as it was."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tlparse_bundle.format.codecs import Codec
from tlparse_bundle.format.json_codec import dumps, dumps_indented
from tlparse_bundle.format.layout import FORMAT_MINOR, MANIFEST
from tlparse_bundle.read.reader import Bundle, Log
from tlparse_bundle.redact.policy import Policy

TABLES = {"guards": ("guards", "expressions")}
_MEASURED = ("compilation_metrics", "bwd_compilation_metrics", "compilation_metrics_runtime", "bwd_compilation_metrics_runtime")


def drop(bundle: Bundle, folder: Path, policy: Policy) -> None:
    """``bundle`` lies in ``folder``. The manifest says afterwards what is gone."""
    if "payloads" in policy.dropped:
        _payloads(bundle, folder)
    for log in bundle.logs:
        _log(log, folder, policy.dropped, bundle.codec)
    manifest = {**bundle.manifest, "redacted": policy.as_row()}
    manifest["format"] = {**manifest["format"], "minor": FORMAT_MINOR}
    (folder / MANIFEST).write_bytes(dumps_indented(manifest))


def _payloads(bundle: Bundle, folder: Path) -> None:
    kept, all_paths = set(), set()
    for log in bundle.logs:
        paths = [log.blob_path(row) for row in range(len(log.blobs["sha256"]))]
        all_paths.update(paths)
        kept.update(paths[row] for row in log.directory["timeline"])
    for path in all_paths - kept:
        (folder / path).unlink()


def _log(log: Log, folder: Path, dropped: Collection[str], codec: Codec) -> None:
    directory = {**log.directory, "tables": dict(log.directory["tables"])}
    for chunk in directory["verbatim"]:
        (folder / chunk["path"]).unlink()
    directory["verbatim"] = []
    for name in (table for name in dropped for table in TABLES.get(name, ())):
        path = directory["tables"].pop(name, None)
        if path is not None:
            (folder / path).unlink()
    if "metadata" in dropped:
        for number, chunk in enumerate(directory["metadata"]):
            table = log.chunk("metadata", number)
            rows = [row if row and any(key in row for key in _MEASURED) else None for row in table["metadata"]]
            (folder / chunk["path"]).write_bytes(codec.encode(dumps({**table, "metadata": rows})))
    (folder / log.row["path"]).write_bytes(codec.encode(dumps(directory)))
