"""Copies to start from: a viewer with all that it needs, or the template of a plug-in."""

from __future__ import annotations

import shutil
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.atomic.folder import new_folder
from tlparse_bundle.bundle.schemas import shared_files
from tlparse_bundle.serve.viewer_files import copy_alone, forkable, viewers_folder

PLUGIN = "plugin"  # the name of the template
_README = "README.md"
_TYPES = "jsconfig.json"  # editors check the types with it
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
            f"there is no viewer {name!r}", hint=f"There are: {', '.join(names())}.", code="not-found"
        )
    with new_folder(target) as new:
        if name == PLUGIN:
            shutil.copytree(shared_files() / PLUGIN, new, ignore=_CACHES, dirs_exist_ok=True)
        else:
            _copy_viewer(name, new)


def _copy_viewer(name: str, new: Path) -> None:
    copy_alone(viewers_folder() / name, new)
    if not (new / "package.json").exists():  # what is built brings its own
        shutil.copyfile(viewers_folder() / _TYPES, new / _TYPES)
    if not (new / _README).exists():
        text = (viewers_folder() / "FORK.md").read_text(encoding="utf-8")
        (new / _README).write_text(text.replace("VIEWER", name), encoding="utf-8")
