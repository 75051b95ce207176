"""Shared by sites and comparison folders: copying bundles, and checking what may be replaced."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic.folder import check_new
from tlparse_bundle.bundle.layout import is_own
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.regular_file import NotRegular, open_regular
from tlparse_bundle.serve.viewers import LIB, viewers_folder

INDEX, STATIC = "index.html", ".nojekyll"  # the last: GitHub Pages takes the files as they are
LEADS = """<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta http-equiv="refresh" content="0; url={url}" />
  <link rel="icon" href="data:," />
  <title>tlparse-bundle</title>
  <p><a href="{url}">{text}</a></p>
</html>
"""
_NO_LINKS = "A bundle must not contain links. If the links are your own, copy it with: cp -rL"


def check_decodable(bundles: Mapping[Path, Bundle]) -> None:
    """Raise BundleError when a page could not decode one of the bundles, by where they lie."""
    zstd = [path for path, bundle in bundles.items() if bundle.manifest["codec"] == "zstd"]
    if zstd and not (viewers_folder() / LIB / "vendor" / "fzstd.js").exists():
        raise BundleError(
            f"{shown(zstd[0])} is compressed with zstd, which pages on a static host cannot decode with"
            " this installation",
            hint="Rebuild it with --codec gzip, or reinstall tlparse-bundle where Node is installed.",
            code="no-decoder",
        )


def check_free(target: Path, mark: str, what: str) -> None:
    """Raise BundleError unless a new folder can be written. ``mark``: file that marks such a folder;
    ``what``: its name for people.
    """
    try:
        check_new(target)
    except BundleError as error:
        if error.code == "exists" and (target / mark).is_file():
            error.hint = f"Pass a new or an empty folder. --overwrite replaces only {what}."
        raise


def check_nothing_lost(
    folder: Path, what: str, parts: Collection[str], bundles: Iterable[Path], strays: Collection[str] = ()
) -> None:
    """Raise BundleError when a folder has extra parts, or a bundle in it extra files. ``strays``: further
    files that would be lost.
    """
    others = [*strays, *(entry.name for entry in folder.iterdir() if entry.name not in parts)]
    for bundle in bundles:
        paths = (
            (path for path in bundle.rglob("*") if not path.is_dir() or path.is_symlink())
            if bundle.is_dir()
            else [bundle]
        )
        others += [
            path.relative_to(folder).as_posix()
            for path in paths
            if not is_own(path.relative_to(bundle).as_posix()) or path.is_symlink()
        ]
    if others:
        hint = "Move them away first, or they would be lost."
        raise BundleError(
            f"'{shown(folder)}' contains files that are not part of {what}: "
            f"{', '.join(map(shown, sorted(others)[:5]))}",
            hint=hint,
            code="exists",
        )


def copy_bundle(source: Path, target: Path) -> None:
    """Copy the files of a bundle. Raise BundleError for one that is not regular, so that no link target is
    published.
    """
    for folder, below, names in os.walk(source):
        for name in sorted(
            (*names, *(entry for entry in below if os.path.islink(os.path.join(folder, entry))))
        ):
            path = os.path.relpath(os.path.join(folder, name), source).replace(os.sep, "/")
            if not is_own(path) and name in names:
                continue
            try:
                with open_regular(source, path) as stream:
                    (target / path).parent.mkdir(parents=True, exist_ok=True)
                    with open(target / path, "xb") as copy:
                        shutil.copyfileobj(stream, copy, 1 << 20)
            except NotRegular as error:
                raise BundleError(
                    f"'{shown(source / path)}' cannot be published: {error.strerror}",
                    hint=_NO_LINKS,
                    code="bad-file",
                ) from None


def size_of(folder: Path) -> int:
    """Return the size of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
