"""Copies of viewers with their dependencies, or of the plug-in template."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.atomic.folder import new_folder
from tlparse_bundle.bundle.schemas import shared_files
from tlparse_bundle.serve.viewers import LIB, TEXT, files, forkable, needed, viewers_folder

PLUGIN = "plugin"  # the name of the template
_README = "README.md"
_TYPES = "jsconfig.json"  # editors check the types with it
_UP = re.compile(r"(?:\.\./)+[\w./-]+")
_CACHES = shutil.ignore_patterns("__pycache__", ".*")


def names() -> list[str]:
    """Return the names of everything that ``fork`` copies."""
    return [*forkable(), PLUGIN]


def fork(name: str, target: Path) -> None:
    """Copy a viewer of the package into a new folder, with the modules of lib/ that it needs, types and a
    README; or the template of a plug-in, for the name ``plugin``.

    Raises BundleError for an unknown name, and when the folder exists and is not empty.
    """
    if name not in names():
        raise BundleError(
            f"unknown viewer {name!r}", hint=f"Use one of: {', '.join(names())}.", code="not-found"
        )
    with new_folder(target) as new:
        if name == PLUGIN:
            _copy_plugin(shared_files() / PLUGIN, new)
        else:
            _copy_viewer(name, new)


def _copy_plugin(plugin: Path, new: Path) -> None:
    """Copy a folder without caches. Unlike shutil.copytree, stop at the first error."""
    for folder, folders, names in os.walk(plugin):
        skipped = _CACHES(folder, [*folders, *names])
        folders[:] = [name for name in folders if name not in skipped]
        to = new / Path(folder).relative_to(plugin)
        to.mkdir(exist_ok=True)
        for name in names:
            if name not in skipped:
                shutil.copyfile(Path(folder, name), to / name)


def _copy_viewer(name: str, new: Path) -> None:
    copy_alone(viewers_folder() / name, new)
    if not (new / "package.json").exists():  # what is built brings its own
        shutil.copyfile(viewers_folder() / _TYPES, new / _TYPES)
    if not (new / _README).exists():
        text = (viewers_folder() / "FORK.md").read_text(encoding="utf-8")
        (new / _README).write_text(text.replace("VIEWER", name), encoding="utf-8")


def copy_alone(viewer: Path, target: Path) -> None:
    """Copy a viewer of the package so that it runs on its own: with what it needs of ``lib/``, and the
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
                to.write_text(_UP.sub(_mover(path, to, moved), text), encoding="utf-8")
            else:
                shutil.copyfile(path, to)
    types = viewers.parent / "schema" / "bundle.d.ts"
    if types.is_file():
        shutil.copyfile(types, target / "bundle.d.ts")


def _mover(source: Path, copy: Path, moved: Mapping[Path, Path]) -> Callable[[re.Match[str]], str]:
    return lambda match: _moved(match[0], source, copy, moved)


def _of_lib(own: list[Path]) -> list[Path]:
    """Return the ``lib/`` files that a viewer needs, licenses of third parties, and the README of each
    folder.
    """
    lib = viewers_folder() / LIB
    modules = {path for path in needed(own) if path.is_relative_to(lib)}
    beside = {path.with_suffix(".LICENSE") for path in modules} | {
        path.with_name("README.md") for path in modules
    }
    return sorted(modules | {path for path in beside if path.is_file()})


def _moved(reference: str, source: Path, copy: Path, moved: Mapping[Path, Path]) -> str:
    """Return a relative path adjusted for the copy; unchanged when its target is not copied."""
    target = Path(os.path.normpath(source.parent / reference))
    for old, new in moved.items():
        if target == old or target.is_relative_to(old):
            path = Path(os.path.relpath(new / target.relative_to(old), copy.parent)).as_posix()
            return (path if path.startswith("../") else f"./{path}") + (
                "/" if reference.endswith("/") else ""
            )
    return reference
