"""Bundles and viewers as a folder for any static host."""

from __future__ import annotations

import html
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tlparse_bundle.commit.folder import check_new, new_folder
from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.json_codec import dumps, loads
from tlparse_bundle.format.layout import MANIFEST, guards, is_own
from tlparse_bundle.format.regular_file import NotRegular, open_regular, read_regular
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.serve.catalogue import bundle_row, measures, viewer_row
from tlparse_bundle.serve.places import bytes_below
from tlparse_bundle.serve.server import url_names
from tlparse_bundle.serve.trend import FILE as OVER_TIME
from tlparse_bundle.serve.trend import trend_of
from tlparse_bundle.serve.viewer_files import LIB, PAGES, copy_tree, viewers_folder, viewers_with
from tlparse_bundle.shown import shown as visible
from tlparse_bundle.trend.run import Location

_INDEX, _LIST, _STATIC = "index.html", "bundles.json", ".nojekyll"  # the last: GitHub Pages takes the files as they are
_PARTS = {_INDEX, _LIST, OVER_TIME, _STATIC, "bundles", "viewers"}
_MAX_LIST = 64 << 20
_NO_LINKS = "A bundle holds files only; copy it with 'cp -rL', if its links are your own."
_PAGE = """<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta http-equiv="refresh" content="0; url={url}" />
  <title>tlparse-bundle</title>
  <p><a href="{url}">To the bundles</a></p>
</html>
"""


def write_site(bundles: Sequence[Path], target: Path, viewers: Sequence[Path] = (), *, overwrite: bool = False) -> int:
    """Writes the site into a new folder, or in place of a site that was written so; returns its size in bytes.

    viewers/<name>/, bundles/<name>/, bundles.json, and an index.html that leads to the only bundle or to the list.
    Raises BundleError when the folder is not empty, or when a page could not decode one of the bundles.
    """
    replaces = overwrite and target.is_dir() and any(target.iterdir())
    if replaces:
        _check_site(target)
    else:
        _check_new(target)
    opened = {name: (Path(path), Bundle.open(path)) for name, path in url_names(bundles).items()}
    packaged = viewers_folder()
    decoder = packaged / LIB / "vendor" / "fzstd.js"
    zstd = [str(path) for path, bundle in opened.values() if bundle.manifest["codec"] == "zstd"]
    if zstd and not decoder.exists():
        raise BundleError(
            f"{zstd[0]} is compressed with zstd, which the pages of a static host cannot decode in this installation",
            hint="Build it with '--codec gzip', or install tlparse-bundle with Node present.",
            code="no-decoder",
        )
    own = {name: Path(folder) for name, folder in url_names(viewers).items()}
    shown = viewers_with(own)
    sources = [path for location, _ in opened.values() for path in guards(location)]
    with new_folder(target, may_replace=_check_site if replaces else None, readers_of=sources, last=_INDEX) as new:
        for name, folder in {**{name: packaged / name for name in (LIB, *PAGES)}, **shown}.items():
            copy_tree(folder, new / "viewers" / name)
        rows = []
        for name, (path, bundle) in opened.items():
            _copy_bundle(path, new / "bundles" / name)
            files = measures(bytes_below(new / "bundles" / name), (path / MANIFEST).stat().st_mtime)
            rows.append(bundle_row(name, bundle.manifest, bundle.ranks("findings")) | files)
        listed = {"bundles": rows, "viewers": [viewer_row(name, folder) for name, folder in shown.items()]}
        (new / _LIST).write_bytes(dumps(listed))
        lying = [Location(name, Path(os.path.abspath(path)).parent.name, str(path)) for name, (path, _) in opened.items()]
        (new / OVER_TIME).write_bytes(dumps(trend_of(lying, own)))
        url = f"viewers/{next(iter(shown)) if own else 'default'}/?bundle=../../{rows[0]['url']}" if len(rows) == 1 else "viewers/home/"
        (new / _INDEX).write_text(_PAGE.format(url=html.escape(url)), encoding="utf-8")
        (new / _STATIC).write_bytes(b"")
    return sum(path.stat().st_size for path in target.rglob("*") if path.is_file())


def _check_new(target: Path) -> None:
    try:
        check_new(target)
    except BundleError as error:
        if error.code == "exists" and (target / _LIST).is_file():
            error.hint = "Name a new folder, or an empty one; --overwrite replaces a site."
        raise


def _check_site(folder: Path) -> None:
    """Raises BundleError unless a folder holds a site of ours, and nothing else that would be lost."""
    try:
        listed = loads(read_regular(folder, _LIST, _MAX_LIST))
        is_site = isinstance(listed, dict) and {"bundles", "viewers"} <= listed.keys()
    except (OSError, ValueError):
        is_site = False
    if not is_site:
        raise BundleError(f"{visible(folder)} exists and is no site", hint="Choose another place; only sites are ever replaced.", code="exists")
    others = [entry.name for entry in folder.iterdir() if entry.name not in _PARTS]
    for bundle in (folder / "bundles").iterdir():
        found = (path for path in bundle.rglob("*") if not path.is_dir() or path.is_symlink()) if bundle.is_dir() else [bundle]
        others += [path.relative_to(folder).as_posix() for path in found if not is_own(path.relative_to(bundle).as_posix()) or path.is_symlink()]
    if others:
        hint = "Move these away first; they would be lost."
        raise BundleError(f"{visible(folder)} holds more than a site: {', '.join(map(visible, sorted(others)[:5]))}", hint=hint, code="exists")


def _copy_bundle(source: Path, target: Path) -> None:
    """The files that a bundle may have. Raises BundleError when one is no regular file: whatever a link leads to would be published."""
    for folder, below, names in os.walk(source):
        for name in sorted((*names, *(entry for entry in below if os.path.islink(os.path.join(folder, entry))))):
            path = os.path.relpath(os.path.join(folder, name), source).replace(os.sep, "/")
            if not is_own(path) and name in names:
                continue
            try:
                with open_regular(source, path) as stream:
                    (target / path).parent.mkdir(parents=True, exist_ok=True)
                    with open(target / path, "xb") as copy:
                        shutil.copyfileobj(stream, copy, 1 << 20)
            except NotRegular as error:
                raise BundleError(f"{visible(source / path)} is not published: {error.strerror}", hint=_NO_LINKS, code="bad-file") from None
