"""The JSON Schemas, and where the other files are that come with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.json_codec import loads


@cache
def shared_files() -> Path:
    """Folder that holds schema/, viewers/ and docs/: in the package, or the checkout it runs from."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_shared", package.parent.parent):
        if (folder / "schema" / "manifest.schema.json").is_file():
            return folder
    raise BundleError("the files that belong to tlparse-bundle are missing", hint="Install it again.", code="installation")


def schema_names() -> list[str]:
    return list(_names())


@cache
def _names() -> list[str]:
    return sorted(path.name.removesuffix(".schema.json") for path in (shared_files() / "schema").glob("*.schema.json"))


def schema(name: str) -> dict:
    """The schema of a table. Raises BundleError when there is none."""
    path = shared_files() / "schema" / f"{name}.schema.json"
    if name not in _names():
        raise BundleError(f"there is no schema {name!r}", hint=f"The schemas are: {', '.join(schema_names())}", code="not-found")
    return loads(path.read_bytes())


def format_document() -> str:
    """docs/json-format.md."""
    return (shared_files() / "docs" / "json-format.md").read_text(encoding="utf-8")
