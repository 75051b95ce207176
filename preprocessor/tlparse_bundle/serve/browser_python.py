"""The files that a browser loads to run this package (see in_browser.py): Python (Pyodide, which the installation puts beside the viewers), and the package."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tlparse_bundle.format.schemas import shared_files

FOLDER = "vendor/python"  # below viewers/
_EPOCH = (1980, 1, 1, 0, 0, 0)  # equal files make equal archives
_LEFT_OUT = {"node_modules", "dist", "vendor", "__pycache__"}


def python_folder() -> Path | None:
    """Where Pyodide lies; None when this installation has none, since it was made without npm."""
    folder = shared_files() / "viewers" / FOLDER
    return folder if (folder / "pyodide.asm.wasm").is_file() else None


@cache
def package_archive() -> bytes:
    """A zip of the package with its schemas."""
    root = Path(__file__).resolve().parent.parent
    schemas = shared_files() / "schema"
    return _zipped(
        [(f"tlparse_bundle/{path.relative_to(root).as_posix()}", path) for path in _files(root, ".py")]
        + [(f"tlparse_bundle/_shared/schema/{path.relative_to(schemas).as_posix()}", path) for path in _files(schemas, ".schema.json")]
    )


@cache
def viewers_archive() -> bytes:
    """A zip of the viewers, which only an export needs."""
    root = shared_files() / "viewers"
    pages = [path for ending in (".js", ".css", ".html") for path in _files(root, ending)]
    decoders = (root / "lib" / "vendor").glob("*.js")
    return _zipped([(f"tlparse_bundle/_shared/viewers/{path.relative_to(root).as_posix()}", path) for path in (*pages, *decoders)])


ARCHIVES = {"tlparse_bundle.zip": package_archive, "viewers.zip": viewers_archive}  # what lies in FOLDER besides Pyodide


def copy_python(viewers: Path) -> bool:
    """Puts all of it where a site has its viewers; whether there is any."""
    source = python_folder()
    if source is None:
        return False
    target = viewers / FOLDER
    shutil.copytree(source, target)
    for name, made in ARCHIVES.items():
        (target / name).write_bytes(made())
    return True


def _files(folder: Path, ending: str) -> Iterable[Path]:
    found = (path for path in folder.rglob(f"*{ending}") if not _LEFT_OUT & set(path.relative_to(folder).parts))
    return (path for path in found if "_shared" not in path.relative_to(folder).parts)


def _zipped(files: Iterable[tuple[str, Path]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, path in sorted(files):
            made.writestr(zipfile.ZipInfo(name, _EPOCH), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()
