"""Trends of all bundles: the document for a server or site, and a folder with the page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic.folder import new_folder
from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.bundle.layout import guards
from tlparse_bundle.bundle.regular_file import read_regular
from tlparse_bundle.serve.catalogue import bundle_url
from tlparse_bundle.serve.publish.bundle_copies import INDEX, LEADS, STATIC
from tlparse_bundle.serve.publish.export import COMPARISON_VIEWER
from tlparse_bundle.serve.viewers import LIB, TREND, copy_viewers, viewers_folder
from tlparse_bundle.statements.runs.trend.document import NAME, document
from tlparse_bundle.statements.runs.trend.run import Location, read_runs

FILE = "trend.json"
_PARTS = {FILE, INDEX, STATIC, "viewers"}
_MAX_BYTES = 256 << 20


def trend_of(locations: Sequence[Location], viewers: Collection[str] = ()) -> dict[str, Any]:
    """The document of bundles that lie as in the list of bundles; ``viewers``: those of a server, which
    compares bundles when it is asked.
    """
    runs, broken = read_runs(locations)
    urls = {location.name: bundle_url(location.name) for location in locations}
    return document(
        runs, broken, urls, f"viewers/{COMPARISON_VIEWER}/" if COMPARISON_VIEWER in viewers else None
    )


def write_trend(
    trend: Mapping[str, Any], locations: Sequence[Location], target: Path, *, overwrite: bool = False
) -> None:
    """Write the page of a document into a new folder, for any static server; in place of one that was written
    so with ``overwrite``.

    Nobody can read it who cannot read the bundles at ``locations``. Raises BundleError when the folder may
    not be written.
    """
    replaces = overwrite and target.is_dir() and any(target.iterdir())
    sources = [
        path for location in locations if "://" not in location.place for path in guards(location.place)
    ]
    with new_folder(
        target, may_replace=_check_page if replaces else None, readers_of=sources, last=INDEX
    ) as new:
        copy_viewers({name: viewers_folder() / name for name in (LIB, TREND)}, new / "viewers")
        (new / FILE).write_bytes(dumps(trend))
        (new / INDEX).write_text(LEADS.format(url=f"viewers/{TREND}/", text="To the page"), encoding="utf-8")
        (new / STATIC).write_bytes(b"")


def _check_page(folder: Path) -> None:
    """Raise BundleError unless a folder holds a page of ours and nothing else that would be lost."""
    try:
        trend = loads(read_regular(folder, FILE, _MAX_BYTES))
        is_page = trend["format"]["name"] == NAME and {path.name for path in folder.iterdir()} <= _PARTS
    except (OSError, ValueError, TypeError, KeyError):
        is_page = False
    if not is_page:
        raise BundleError(
            f"'{shown(folder)}' exists and is not a page of trend, or contains other files",
            hint="Choose a different path. Only pages of trend are replaced.",
            code="exists",
        )
