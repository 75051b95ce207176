"""A log as a whole: all of its tables, and where they refer to one another."""

from __future__ import annotations

from typing import Any

from tlparse_bundle.format.shape import quoted
from tlparse_bundle.read.checks import check_slices, damaged
from tlparse_bundle.read.reader import Log
from tlparse_bundle.read.restore import verbatim_bytes


def check_log(log: Log) -> None:
    """Raises BundleError unless readers can rely on all tables of a log. The blobs are not read."""
    directory, bundle = log.directory, log.bundle
    for key in ("id", "rank", "source", "event_count"):
        if directory[key] != log.row[key]:
            raise damaged(f"log {log.id}", f"{key} differs between manifest and log.json")
    for kind in directory["kinds"]:
        if kind["descriptor"] not in bundle.manifest["descriptors"]:
            raise damaged(f"log {log.id}", f"the manifest has no descriptor {quoted(kind['descriptor'])}")
    for name in directory["tables"]:
        log.table(name)
    artifacts: list[Any] = log.table("artifacts")
    check_slices(artifacts, "size_bytes", log.blobs, f"log {log.id} artifacts")
    for name in ("events", "metadata"):
        for number, file in enumerate(log.files(name)):
            rows = log.part(name, number)
            if name == "events":
                check_slices(rows, "payload_size_bytes", log.blobs, bundle.where(file["path"]))
    for chunk in directory["verbatim"]:
        verbatim_bytes(log, chunk)
