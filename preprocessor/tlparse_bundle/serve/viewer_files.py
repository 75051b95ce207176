"""The files of viewers: where they are, and copies of them that run elsewhere."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.schemas import shared_files
from tlparse_bundle.serve.viewer_modules import needed

LIB = "lib"
ICON = f"{LIB}/page/icon.svg"
HOME = "home"  # the page that lists bundles and viewers
TREND = "trend"  # the page that shows all bundles over time
OPEN = "open"  # the page that opens logs and bundles of the reader's machine
PAGES = (HOME, TREND, OPEN)  # they show no single bundle
_SKIPPED = {"node_modules", "dist"}
TEXT = {".css", ".html", ".js", ".json", ".jsx", ".md", ".mjs", ".svg", ".ts", ".tsx"}
_UP = re.compile(r"(?:\.\./)+[\w./-]+")


def viewers_folder() -> Path:
    return (shared_files() / "viewers").resolve()


def forkable() -> list[str]:
    """Names of the viewers that come with the package, those that must be built included."""
    return sorted(
        path.parent.name for path in viewers_folder().glob("*/index.html") if path.parent.name not in PAGES
    )


def viewers_with(own: Mapping[str, Path]) -> dict[str, Path]:
    """Viewers that run as they are, by name: one's own, then those of the package whose names are not taken."""
    folders = {name: viewers_folder() / name for name in forkable() if name not in own}
    return {
        **own,
        **{name: folder for name, folder in folders.items() if not (folder / "package.json").exists()},
    }


def viewer_folder(name_or_folder: str | Path) -> Path:
    """A viewer of the package by its name, or a folder with an index.html. Raises BundleError."""
    named = viewers_folder() / str(name_or_folder)
    for folder in (
        (named, Path(name_or_folder)) if str(name_or_folder) in forkable() else (Path(name_or_folder),)
    ):
        if (folder / "index.html").is_file():
            return folder.resolve()
    hint = (
        f"The viewers of the package are: {', '.join(forkable())}. A viewer of your own is a folder with an"
        " index.html."
    )
    raise BundleError(f"there is no viewer {str(name_or_folder)!r}", hint=hint, code="not-found")


def files(folder: Path) -> Iterator[Path]:
    """Every file of a viewer, in order; not what is hidden, installed or built."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in _SKIPPED:
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def copy_tree(source: Path, target: Path) -> None:
    for path in files(source):
        to = target / path.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)


def copy_alone(viewer: Path, target: Path) -> None:
    """Copies a viewer of the package so that it runs on its own: with what it needs of ``lib/``, and the
    types.

    Paths such as ``../lib/page/dom.js`` in its files become those of the copy.
    """
    viewers = viewers_folder()
    own = list(files(viewer))
    moved = {
        viewers / LIB: target / LIB,
        viewers.parent / "schema" / "bundle.d.ts": target / "bundle.d.ts",
        viewer: target,
    }
    for folder, paths in {viewer: own, viewers / LIB: _of_lib(own)}.items():
        for path in paths:
            to = moved[folder] / path.relative_to(folder)
            to.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix in TEXT:
                text = path.read_text(encoding="utf-8")
                to.write_text(
                    _UP.sub(lambda match, at=(path, to): _moved(match[0], *at, moved), text), encoding="utf-8"
                )
            else:
                shutil.copyfile(path, to)
    types = viewers.parent / "schema" / "bundle.d.ts"
    if types.is_file():
        shutil.copyfile(types, target / "bundle.d.ts")


def _of_lib(own: list[Path]) -> list[Path]:
    """The files of ``lib/`` that the files of a viewer need, the licences of those of others, and the README
    of each folder.
    """
    lib = viewers_folder() / LIB
    modules = {path for path in needed(own) if path.is_relative_to(lib)}
    beside = {path.with_suffix(".LICENSE") for path in modules} | {
        path.with_name("README.md") for path in modules
    }
    return sorted(modules | {path for path in beside if path.is_file()})


def _moved(reference: str, source: Path, copy: Path, moved: dict[Path, Path]) -> str:
    """A relative path in a file, as it must be in the copy of the file; unchanged when it leads to nothing
    that was copied.
    """
    wanted = Path(os.path.normpath(source.parent / reference))
    for old, new in moved.items():
        if wanted == old or wanted.is_relative_to(old):
            path = Path(os.path.relpath(new / wanted.relative_to(old), copy.parent)).as_posix()
            return (path if path.startswith("../") else f"./{path}") + (
                "/" if reference.endswith("/") else ""
            )
    return reference
