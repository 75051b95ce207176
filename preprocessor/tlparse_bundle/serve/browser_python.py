"""Files with which a browser runs this package (see in_browser.py): Pyodide and the package."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tlparse_bundle.bundle.schemas import shared_files
from tlparse_bundle.serve.viewers import BUILT, copy_tree, files, viewers_folder

FOLDER = "vendor/python"  # below viewers/
_EPOCH = (1980, 1, 1, 0, 0, 0)  # equal files make equal archives
_SHOWN = {".css", ".html", ".js", ".svg"}


def python_folder() -> Path | None:
    """Return the folder of Pyodide; None in an installation that was built without npm."""
    folder = viewers_folder() / FOLDER
    return folder if (folder / "pyodide.asm.wasm").is_file() else None


@cache
def package_archive() -> bytes:
    """Return a zip of the package with its schemas."""
    root = Path(__file__).resolve().parent.parent
    schemas = shared_files() / "schema"
    return _zipped(
        [(f"tlparse_bundle/{path.relative_to(root).as_posix()}", path) for path in root.rglob("*.py")]
        + [
            (f"tlparse_bundle/_shared/schema/{path.relative_to(schemas).as_posix()}", path)
            for path in schemas.rglob("*.schema.json")
        ]
    )


@cache
def viewers_archive() -> bytes:
    """Return a zip of the viewers, which only an export needs."""
    root = viewers_folder()
    others = (root / FOLDER, root / BUILT)
    shown = [
        path
        for path in files(root)
        if path.suffix in _SHOWN and not any(path.is_relative_to(folder) for folder in others)
    ]
    return _zipped(
        [(f"tlparse_bundle/_shared/viewers/{path.relative_to(root).as_posix()}", path) for path in shown]
    )


ARCHIVES = {
    "tlparse_bundle.zip": package_archive,
    "viewers.zip": viewers_archive,
}  # files in FOLDER besides Pyodide


def copy_python(viewers: Path) -> None:
    """Copy Pyodide, if installed, and the archives into the viewers of a site."""
    source = python_folder()
    if source is not None:
        copy_tree(source, viewers / FOLDER)
        for name, make_archive in ARCHIVES.items():
            (viewers / FOLDER / name).write_bytes(make_archive())


def _zipped(files: Iterable[tuple[str, Path]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()
