"""The manifest of a bundle: reading it and checking its format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.checks import check_table, damaged
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.bundle.schema_check import quoted
from tlparse_bundle.bundle.store import Store, read_json


def read_manifest(store: Store) -> dict[str, Any]:
    """Return the manifest. Raise BundleError when it is missing or damaged, or has a different major
    version.
    """
    where = f"{store.location}/{layout.MANIFEST}"
    try:
        manifest: dict[str, Any] = read_json(store, layout.MANIFEST)
    except BundleError as error:
        raise BundleError(
            f"{store.location} is not a bundle: {error.message}",
            hint=(
                "Pass the folder that tlparse-bundle wrote, which has a manifest.json. To build a bundle"
                " from a trace: tlparse-bundle TRACE"
            ),
            code="not-a-bundle",
        ) from None
    try:
        name, major, minor = (manifest["format"][key] for key in ("name", "major", "minor"))
    except (TypeError, KeyError):
        name = major = minor = None
    if type(name) is not str or type(major) is not int or type(minor) is not int:
        raise BundleError(
            f"{where} is not the manifest of a bundle",
            hint="Pass the folder that tlparse-bundle wrote.",
            code="not-a-bundle",
        )
    if name != layout.FORMAT_NAME or major != layout.FORMAT_MAJOR:
        raise BundleError(
            f"{store.location} has the format {quoted(name, quotes='')} {major}.{minor}; "
            f"this version reads {layout.FORMAT_NAME} {layout.FORMAT_MAJOR}.{layout.FORMAT_MINOR}",
            hint="Use the version of tlparse-bundle that wrote it, or rebuild it from the logs.",
            code="format-version",
        )
    check_table("manifest", manifest, where)
    ids = {row["id"] for row in manifest["logs"]}
    if len(ids) < len(manifest["logs"]):
        raise damaged(where, "two logs have the same id")
    if manifest["codec"] not in CODECS:
        raise damaged(where, f"unknown codec {quoted(manifest['codec'])}")
    return manifest


def rank_paths(manifest: dict[str, Any]) -> Iterator[str]:
    """Return the paths of the files of tables about several ranks."""
    for entry in manifest.get("rank_tables", {}).values():
        yield from (file["path"] for file in entry["files"])
