"""Takes out of a bundle, in its folder, what needs no other words: payloads, tables, metadata, the log as it
was.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tlparse_bundle.bundle.codecs import Codec
from tlparse_bundle.bundle.json_codec import dumps, dumps_indented
from tlparse_bundle.bundle.layout import FORMAT_MINOR, MANIFEST
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.schemas import row_tables
from tlparse_bundle.redact.policy import PARTS, RANK_PARTS, Policy

_MEASURED = (
    "compilation_metrics",
    "bwd_compilation_metrics",
    "compilation_metrics_runtime",
    "bwd_compilation_metrics_runtime",
)


def drop(bundle: Bundle, folder: Path, policy: Policy) -> None:
    """``bundle`` lies in ``folder``. The manifest says afterwards what is gone."""
    gone = {kind for kind in ("payloads", "timeline") if kind in policy.dropped}
    if gone:
        _payloads(bundle, folder, gone)
    for log in bundle.logs:
        _log(log, folder, policy.dropped, bundle.codec)
    manifest = _without_ranks({**bundle.manifest, "redacted": policy.as_row()}, folder, policy.dropped)
    manifest["format"] = {**manifest["format"], "minor": FORMAT_MINOR}
    (folder / MANIFEST).write_bytes(dumps_indented(manifest))


def _without_ranks(manifest: dict, folder: Path, dropped: Collection[str]) -> dict:
    """Remove the files of the tables about several ranks that go: all, or those that say what a part says.

    Return the manifest without them.
    """
    entries = manifest.get("rank_tables", {})
    gone = (
        {name for name, where in row_tables().items() if where == "ranks"} | set(entries)
        if "ranks" in dropped
        else {name for part in dropped for name in RANK_PARTS.get(part, ())}
    )
    for name in gone & set(entries):
        for file in entries[name]["files"]:
            (folder / file["path"]).unlink()
    changed = {
        **manifest,
        "rank_tables": {name: entry for name, entry in entries.items() if name not in gone},
    }
    if not changed["rank_tables"]:
        del changed["rank_tables"]
    if "rank_findings" in gone:
        changed.pop("job", None)  # its text is that of the first findings
    if gone:
        changed["redacted"] = {**changed["redacted"], "left_out": sorted(gone)}
    return changed


def _payloads(bundle: Bundle, folder: Path, gone: Collection[str]) -> None:
    of_timeline, others = set(), set()
    for log in bundle.logs:
        timeline = {path for path, row in log.blobs.items() if row["kind"] == "timeline"}
        of_timeline |= timeline
        others |= log.blobs.keys() - timeline
    kept = (set() if "timeline" in gone else of_timeline) | (set() if "payloads" in gone else others)
    for path in (of_timeline | others) - kept:
        (folder / path).unlink()


def _log(log: Log, folder: Path, dropped: Collection[str], codec: Codec) -> None:
    directory = {**log.directory, "tables": dict(log.directory["tables"]), "left_out": []}
    for chunk in directory["verbatim"]:
        (folder / chunk["path"]).unlink()
    directory["verbatim"] = []
    for name in (table for part in dropped for table in PARTS.get(part, ())):
        entry = directory["tables"].pop(name, {"files": ()})
        for file in entry["files"]:
            (folder / file["path"]).unlink()
        directory["left_out"].append(name)
    if "metadata" in dropped:
        files = []
        for number, file in enumerate(log.files("metadata")):
            rows = [
                row
                for row in log.part("metadata", number)
                if any(key in row["metadata"] for key in _MEASURED)
            ]
            if not rows:
                (folder / file["path"]).unlink()
                continue
            (folder / file["path"]).write_bytes(codec.encode(b"".join(dumps(row) + b"\n" for row in rows)))
            files.append({"path": file["path"], "rows": len(rows), "first_event": rows[0]["event"]})
        directory["tables"].pop("metadata", None)
        if files:
            directory["tables"]["metadata"] = {"rows": sum(file["rows"] for file in files), "files": files}
    (folder / log.row["path"]).write_bytes(codec.encode(dumps(directory)))
