"""A log as a whole: all of its tables, and where they refer to one another."""

from __future__ import annotations

from tlparse_bundle.format.shape import quoted
from tlparse_bundle.read.checks import check_slices, check_stacks, damaged
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
    sizes = row_counts(log)
    check_stacks(log.table("stacks"), f"log {log.id}")
    for name, path in directory["tables"].items():
        bundle.table(name, path, sizes)
    for name, entry in directory["tables"].items():
        for file in entry["files"]:
            bundle.file_rows(name, file, sizes)
    check_slices(log.table("artifacts"), "size_bytes", log.blobs, f"log {log.id} artifacts")
    for name in ("events", "metadata"):
        for number, file in enumerate(log.files(name)):
            rows = log.part(name, number)
            if name == "events":
                check_slices(rows, "payload_size_bytes", log.blobs, bundle.where(file["path"]))
    for chunk in directory["verbatim"]:
        verbatim_bytes(log, chunk)


def row_counts(log: Log) -> dict[str, int]:
    """How many rows there are of what the tables of a log refer to."""
    return {
        **log.sizes,
    }
