"""A comparison as a folder for static hosts: document, both bundles, and viewers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import is_url
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic.folder import new_folder
from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.bundle.layout import guards
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.regular_file import read_regular
from tlparse_bundle.serve.publish.bundle_copies import (
    INDEX,
    LEADS,
    STATIC,
    check_decodable,
    check_free,
    check_nothing_lost,
    copy_bundle,
    size_of,
)
from tlparse_bundle.serve.publish.export import COMPARISON, COMPARISON_VIEWER, VIEWERS
from tlparse_bundle.serve.viewers import LIB, copy_viewers, viewers_folder
from tlparse_bundle.statements.runs.compare.document import FORMAT

SIDES = ("base", "new")
_PARTS = {INDEX, STATIC, COMPARISON, "viewers", *SIDES}
_MAX_DOCUMENT = 256 << 20


def check_target(target: Path, *, overwrite: bool) -> bool:
    """Return whether there is a comparison to replace. Raise BundleError for other content, before long
    work.
    """
    replaces = overwrite and target.is_dir() and any(target.iterdir())
    if replaces:
        _check_comparison(target)
    else:
        check_free(target, COMPARISON, "the folder of a comparison")
    return replaces


def write_comparison(
    document: Mapping[str, Any], base: Bundle, new: Bundle, target: Path, *, overwrite: bool = False
) -> int:
    """Write comparison.json, base/, new/, viewers/<name>/ and an index.html that leads to the page; returns
    the size in bytes.

    Into a new folder, or in place of one that was written so. Raises BundleError when the folder holds
    something else, when a bundle lies elsewhere, and when a page could not decode one.
    """
    replaces = check_target(target, overwrite=overwrite)
    sides = dict(zip(SIDES, (base, new), strict=True))
    for bundle in sides.values():
        if is_url(bundle.location):
            raise BundleError(
                f"{shown(bundle.location)} is not a local bundle",
                hint="Copy the bundle to this machine first.",
                code="remote",
            )
    check_decodable({Path(bundle.location): bundle for bundle in sides.values()})
    sources = [path for bundle in sides.values() for path in guards(bundle.location)]
    with new_folder(
        target, may_replace=_check_comparison if replaces else None, readers_of=sources, last=INDEX
    ) as folder:
        viewers = {name: viewers_folder() / name for name in (LIB, COMPARISON_VIEWER, *VIEWERS)}
        copy_viewers(viewers, folder / "viewers")
        for side, bundle in sides.items():
            copy_bundle(Path(bundle.location), folder / side)
        (folder / COMPARISON).write_bytes(dumps(document))
        (folder / INDEX).write_text(
            LEADS.format(url=f"viewers/{COMPARISON_VIEWER}/", text="To the comparison"), encoding="utf-8"
        )
        (folder / STATIC).write_bytes(b"")
    return size_of(target)


def open_comparison(folder: Path, *, verify: bool = True) -> tuple[dict[str, Any], dict[str, Bundle]] | None:
    """Return the document of a comparison folder, which its page checks, and the bundles of both sides; None
    without a comparison.

    Raises BundleError when its version differs, or when a side is not a bundle.
    """
    document = _read(folder)
    if document is None:
        return None
    if document["format"].get("major") != FORMAT["major"]:
        raise BundleError(
            f"{shown(folder / COMPARISON)} has a different version of the comparison format",
            hint="Compare the bundles again: tlparse-bundle compare BASE NEW --out DIR",
            code="format-version",
        )
    return document, {side: Bundle.open(folder / side, verify=verify) for side in SIDES}


def _read(folder: Path) -> dict[str, Any] | None:
    """The document of a folder; None when it has none."""
    try:
        document = loads(read_regular(folder, COMPARISON, _MAX_DOCUMENT))
    except (OSError, ValueError):
        return None
    form = document.get("format") if isinstance(document, dict) else None
    return document if isinstance(form, dict) and form.get("name") == FORMAT["name"] else None


def _check_comparison(folder: Path) -> None:
    """Raise BundleError unless a folder holds a comparison of ours, and nothing else that would be lost."""
    if _read(folder) is None:
        raise BundleError(
            f"'{shown(folder)}' exists and is not a comparison",
            hint="Choose a different path. Only comparisons are replaced.",
            code="exists",
        )
    check_nothing_lost(
        folder, "a comparison", _PARTS, (folder / side for side in SIDES if (folder / side).exists())
    )
