"""The JSON Schemas, and where the other files are that come with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.json_codec import loads


@cache
def shared_files() -> Path:
    """Folder that holds schema/, viewers/ and docs/: in the package, or the checkout it runs from."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_shared", package.parent.parent):
        if (folder / "schema" / "manifest.schema.json").is_file():
            return folder
    raise BundleError(
        "the data files of tlparse-bundle are missing", hint="Reinstall tlparse-bundle.", code="installation"
    )


def schema_names() -> list[str]:
    """The names of the files and tables of a bundle."""
    return list(_schemas("."))


def document_names() -> list[str]:
    """The names of the documents that are made from bundles, such as a comparison."""
    return list(_schemas("documents"))


@cache
def _schemas(folder: str) -> dict[str, Path]:
    paths = sorted((shared_files() / "schema" / folder).glob("*.schema.json"))
    return {path.name.removesuffix(".schema.json"): path for path in paths}


def schema(name: str) -> dict[str, Any]:
    """The schema of a table or a document. Raises BundleError when there is none."""
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
    """The tables of rows: their names, and whether a 'log' has them or the 'ranks' together."""
    return {name: where for name in schema_names() if (where := schema(name).get("x-table"))}


def format_document() -> str:
    """docs/json-format.md."""
    return (shared_files() / "docs" / "json-format.md").read_text(encoding="utf-8")


def core_document() -> str:
    """docs/format-core.md."""
    return (shared_files() / "docs" / "format-core.md").read_text(encoding="utf-8")


def table_names() -> list[str]:
    """The tables that have a page of their own."""
    return sorted(path.stem for path in (shared_files() / "docs" / "tables").glob("*.md"))


def table_page(name: str) -> str:
    """docs/tables/<name>.md. Raises BundleError when there is none."""
    if name not in table_names():
        raise BundleError(
            f"unknown table {name!r}", hint=f"Use one of: {', '.join(table_names())}", code="not-found"
        )
    return (shared_files() / "docs" / "tables" / f"{name}.md").read_text(encoding="utf-8")
