"""Bundles and viewers as a folder for any static host."""

from __future__ import annotations

import html
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tlparse_bundle.commit.folder import check_new, new_folder
from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.format.layout import guards, is_own
from tlparse_bundle.format.regular_file import NotRegular, open_regular
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.serve.catalogue import bundle_row, viewer_row
from tlparse_bundle.serve.server import url_names
from tlparse_bundle.serve.viewer_files import HOME, LIB, copy_tree, viewers_folder, viewers_with
from tlparse_bundle.shown import shown as visible

_INDEX = "index.html"
_NO_LINKS = "A bundle holds files only; copy it with 'cp -rL', if its links are your own."
_PAGE = """<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta http-equiv="refresh" content="0; url={url}" />
  <title>tlparse-bundle</title>
  <p><a href="{url}">To the bundles</a></p>
</html>
"""


def write_site(bundles: Sequence[Path], target: Path, viewers: Sequence[Path] = ()) -> int:
    """Writes the site into a new folder; returns its size in bytes.

    viewers/<name>/, bundles/<name>/, bundles.json, and an index.html that leads to the only bundle or to the list.
    Raises BundleError when the folder is not empty, or when a page could not decode one of the bundles.
    """
    check_new(target)
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
    with new_folder(target, readers_of=sources, last=_INDEX) as new:
        for name, folder in {LIB: packaged / LIB, HOME: packaged / HOME, **shown}.items():
            copy_tree(folder, new / "viewers" / name)
        rows = []
        for name, (path, bundle) in opened.items():
            _copy_bundle(path, new / "bundles" / name)
            rows.append(bundle_row(name, bundle.manifest))
        listed = {"bundles": rows, "viewers": [viewer_row(name, folder) for name, folder in shown.items()]}
        (new / "bundles.json").write_bytes(dumps(listed))
        url = f"viewers/{next(iter(shown)) if own else 'default'}/?bundle=../../{rows[0]['url']}" if len(rows) == 1 else "viewers/home/"
        (new / _INDEX).write_text(_PAGE.format(url=html.escape(url)), encoding="utf-8")
        (new / ".nojekyll").write_bytes(b"")  # GitHub Pages: take the files as they are
    return sum(path.stat().st_size for path in target.rglob("*") if path.is_file())


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
