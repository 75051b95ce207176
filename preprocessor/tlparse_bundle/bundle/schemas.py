"""JSON Schemas and other files that come with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.json_codec import loads


@cache
def shared_files() -> Path:
    """Return the folder with schema/, viewers/ and docs/: in the package, or the checkout it runs from."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_shared", package.parent.parent):
        if (folder / "schema" / "manifest.schema.json").is_file():
            return folder
    raise BundleError(
        "the data files of tlparse-bundle are missing", hint="Reinstall tlparse-bundle.", code="installation"
    )


def schema_names() -> list[str]:
    """Return the names of the files and tables of a bundle."""
    return list(_schemas("."))


def document_names() -> list[str]:
    """Return the names of documents that are built from bundles, such as a comparison."""
    return list(_schemas("documents"))


@cache
def _schemas(folder: str) -> dict[str, Path]:
    paths = sorted((shared_files() / "schema" / folder).glob("*.schema.json"))
    return {path.name.removesuffix(".schema.json"): path for path in paths}


def schema(name: str) -> dict[str, Any]:
    """Return the schema of a table or document. Raise BundleError without one."""
    path = _schemas(".").get(name) or _schemas("documents").get(name)
    if path is None:
        raise BundleError(
            f"unknown schema {name!r}",
            hint=f"Use one of: {', '.join([*schema_names(), *document_names()])}",
            code="not-found",
        )
    document: dict[str, Any] = loads(path.read_bytes())
    return document


@cache
def row_tables() -> dict[str, str]:
    """Return the tables by name: 'log' for tables of a log, 'ranks' for tables about several ranks."""
    return {name: where for name in schema_names() if (where := schema(name).get("x-table"))}


def format_document() -> str:
    """Return docs/json-format.md."""
    return (shared_files() / "docs" / "json-format.md").read_text(encoding="utf-8")


def core_document() -> str:
    """Return docs/format-core.md."""
    return (shared_files() / "docs" / "format-core.md").read_text(encoding="utf-8")


def table_names() -> list[str]:
    """Return the tables with their own page."""
    return sorted(path.stem for path in (shared_files() / "docs" / "tables").glob("*.md"))


def table_page(name: str) -> str:
    """Return docs/tables/<name>.md. Raise BundleError without one."""
    if name not in table_names():
        raise BundleError(
            f"unknown table {name!r}", hint=f"Use one of: {', '.join(table_names())}", code="not-found"
        )
    return (shared_files() / "docs" / "tables" / f"{name}.md").read_text(encoding="utf-8")
