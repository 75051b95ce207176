"""The files that a bundle names: all that a finished one has, and those of one state of a bundle that grows."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.manifest import rank_paths
from tlparse_bundle.bundle.reader import Bundle


def named_files(bundle: Bundle) -> Iterator[str]:
    """Their paths, the manifest first."""
    manifest = bundle.manifest
    yield layout.MANIFEST
    yield manifest["schemas"]
    yield from rank_paths(manifest)
    for log in bundle.logs:
        directory = log.directory
        yield log.row["path"]
        yield from (file["path"] for entry in directory["tables"].values() for file in entry["files"])
        yield from (chunk["path"] for chunk in directory["verbatim"])
        yield from log.blobs
        log.forget()
