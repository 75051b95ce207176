"""A viewer of one's own: a copy of one of ours, with all that it needs."""

from __future__ import annotations

import shutil
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.atomic.folder import new_folder
from tlparse_bundle.serve.viewer_files import copy_alone, forkable, viewers_folder

_README = "README.md"
_TYPES = "jsconfig.json"  # editors check the types with it


def fork(name: str, target: Path) -> None:
    """Copies the viewer ``name`` of the package into a new folder, with what it needs of lib/, types and a
    README.

    Raises BundleError for an unknown name, and when the folder exists and is not empty.
    """
    if name not in forkable():
        raise BundleError(
            f"there is no viewer {name!r}", hint=f"There are: {', '.join(forkable())}.", code="not-found"
        )
    with new_folder(target) as new:
        copy_alone(viewers_folder() / name, new)
        if not (new / "package.json").exists():  # what is built brings its own
            shutil.copyfile(viewers_folder() / _TYPES, new / _TYPES)
        if not (new / _README).exists():
            text = (viewers_folder() / "FORK.md").read_text(encoding="utf-8")
            (new / _README).write_text(text.replace("VIEWER", name), encoding="utf-8")
