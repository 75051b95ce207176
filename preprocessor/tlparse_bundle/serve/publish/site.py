"""Bundles and viewers as a folder for static hosts."""

from __future__ import annotations

import hashlib
import html
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic.folder import new_folder
from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.bundle.layout import MANIFEST, guards
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.regular_file import read_regular
from tlparse_bundle.serve.browser_python import copy_python
from tlparse_bundle.serve.bundle_places import bytes_below
from tlparse_bundle.serve.catalogue import bundle_row, measures, url_names, viewer_row
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
from tlparse_bundle.serve.publish.export import COMPARISON
from tlparse_bundle.serve.publish.trend import FILE as OVER_TIME
from tlparse_bundle.serve.publish.trend import trend_of
from tlparse_bundle.serve.viewers import LIB, OPEN, PAGES, copy_viewers, viewers_folder, viewers_with
from tlparse_bundle.statements.runs.compare.document import compare
from tlparse_bundle.statements.runs.trend.run import Location

FOLDER = "comparisons"
SERVICE_WORKER = "sw.js"  # at the root of the site, whose pages it is for
_KEPT = {".css", ".html", ".js", ".json", ".mjs", ".svg", ".wasm", ".zip"}  # by the service worker
_LIST = "bundles.json"
_PARTS = {INDEX, _LIST, OVER_TIME, STATIC, "bundles", "viewers", FOLDER, SERVICE_WORKER}
_MAX_LIST = 64 << 20


def write_site(
    bundles: Sequence[Path],
    target: Path,
    viewers: Sequence[Path] = (),
    *,
    overwrite: bool = False,
    python: bool = True,
    compare: Sequence[tuple[str, str]] = (),
    notes: list[str] | None = None,
) -> int:
    """Write the site into a new folder, or in place of a site that was written so; returns its size in
    bytes.

    viewers/<name>/, bundles/<name>/, comparisons/<base>/<new>/, bundles.json, sw.js, and an index.html that
    leads to the only bundle or to the list; without a bundle to the page that opens logs.
    ``python``: with Python for browsers, so that pages open raw logs.
    ``compare``: pairs of the bundles, by path or name, that are compared; without any, each with the one
    before it; in any case those around a jump over time. ``notes``: see comparisons_of. Raises BundleError
    when the folder is not empty, or when a page could not decode one of the bundles.
    """
    replaces = overwrite and target.is_dir() and any(target.iterdir())
    if replaces:
        _check_site(target)
    else:
        check_free(target, _LIST, "a site")
    opened = {name: (Path(path), Bundle.open(path)) for name, path in url_names(bundles).items()}
    check_decodable(dict(opened.values()))
    own = {name: Path(folder) for name, folder in url_names(viewers).items()}
    copied_viewers = viewers_with(own)
    locations = [
        Location(name, Path(os.path.abspath(path)).parent.name, str(path))
        for name, (path, _) in opened.items()
    ]
    over_time = trend_of(locations)
    jumps = [*over_time["jumps"], *over_time["latest"]]
    compared = comparisons_of(opened, compare, notes, [_around(jump, over_time["runs"]) for jump in jumps])
    compared_at = {(comparison.base, comparison.new): comparison.row()["url"] for comparison in compared}
    for jump in jumps:
        jump["comparison_url"] = compared_at.get(_around(jump, over_time["runs"]))
    sources = [path for location, _ in opened.values() for path in guards(location)]
    with new_folder(
        target, may_replace=_check_site if replaces else None, readers_of=sources, last=INDEX
    ) as new:
        pages = {name: viewers_folder() / name for name in (LIB, *PAGES)}
        copy_viewers(pages | copied_viewers, new / "viewers")
        if python:
            copy_python(new / "viewers")
        (new / SERVICE_WORKER).write_bytes(service_worker(new))
        rows = []
        for name, (path, bundle) in opened.items():
            copy_bundle(path, new / "bundles" / name)
            files = measures(bytes_below(new / "bundles" / name), (path / MANIFEST).stat().st_mtime)
            rows.append(bundle_row(name, {**bundle.manifest, "job": bundle.job}) | files)
        for comparison in compared:
            (new / comparison.path).parent.mkdir(parents=True)
            (new / comparison.path).write_bytes(comparison.document)
        listed = {
            "bundles": rows,
            "viewers": [viewer_row(name, folder) for name, folder in copied_viewers.items()],
            "comparisons": [comparison.row() for comparison in compared],
            "offline": SERVICE_WORKER,
        }
        (new / _LIST).write_bytes(dumps(listed))
        (new / OVER_TIME).write_bytes(dumps(over_time))
        if len(rows) == 1:
            url, text = (
                f"viewers/{next(iter(copied_viewers)) if own else 'default'}/?bundle=../../{rows[0]['url']}",
                "To the bundle",
            )
        else:
            url, text = ("viewers/home/", "To the bundles") if rows else ("viewers/open/", "Open a log")
        (new / INDEX).write_text(LEADS.format(url=html.escape(url), text=text), encoding="utf-8")
        (new / STATIC).write_bytes(b"")
    return size_of(target)


def service_worker(site: Path) -> bytes:
    """Return the service worker, which caches viewers and Python and opens logs offline.

    It is the viewers' own, with hashes of everything that pages load from ``viewers/`` in its first line.
    """
    paths = sorted(path for path in (site / "viewers").rglob("*") if path.suffix in _KEPT and path.is_file())
    hashes = {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths
    }
    template = (viewers_folder() / OPEN / "service-worker.js").read_bytes()
    return b"const FILES = " + dumps(hashes) + b";\n" + template.partition(b"\n")[2]


def _around(jump: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Yield the names of runs before and after jumps."""
    return runs[jump["base_run_index"]]["name"], runs[jump["run_index"]]["name"]


def _check_site(folder: Path) -> None:
    """Raise BundleError unless a folder holds a site of ours, and nothing else that would be lost."""
    try:
        listed = loads(read_regular(folder, _LIST, _MAX_LIST))
        is_site = isinstance(listed, dict) and {"bundles", "viewers"} <= listed.keys()
    except (OSError, ValueError):
        is_site = False
    if not is_site:
        raise BundleError(
            f"'{shown(folder)}' exists and is not a site",
            hint="Choose a different path. Only sites are replaced.",
            code="exists",
        )
    check_nothing_lost(folder, "a site", _PARTS, (folder / "bundles").glob("*"), strays(folder))


class Comparison(NamedTuple):
    """Two bundles by their names in the site, and the document as JSON."""

    base: str
    new: str
    document: bytes

    @property
    def path(self) -> str:
        """Return the path of the document in the site."""
        return f"{FOLDER}/{self.base}/{self.new}/{COMPARISON}"

    def row(self) -> dict[str, str]:
        """Return the list row: the address of the document's folder."""
        return {"base": self.base, "new": self.new, "url": f"{FOLDER}/{quote(self.base)}/{quote(self.new)}/"}


def comparisons_of(
    bundles: Mapping[str, tuple[Path, Bundle]],
    requested: Sequence[tuple[str, str]] = (),
    notes: list[str] | None = None,
    jumps: Sequence[tuple[str, str]] = (),
) -> list[Comparison]:
    """Of each two bundles that are asked for, by path or name; when none are, of each bundle with the one
    before it; and of those around ``jumps``, by name.

    Raises BundleError for what is asked for and cannot be compared; of the others ``notes`` gets a line for
    each that is left out.
    """
    names = list(bundles)
    named = dict.fromkeys((_name(base, bundles), _name(new, bundles)) for base, new in requested)
    comparisons = [_compare(bundles, *pair) for pair in named]
    others = dict.fromkeys([*([] if requested else pairwise(names)), *jumps])
    for pair in [pair for pair in others if pair not in named]:
        try:
            comparisons.append(_compare(bundles, *pair))
        except BundleError as error:
            if notes is not None:
                notes.append(f"{' and '.join(map(shown, pair))} are not compared: {error.message}")
    return comparisons


def _compare(bundles: Mapping[str, tuple[Path, Bundle]], base: str, new: str) -> Comparison:
    document = compare([(base, bundles[base][1])], [(new, bundles[new][1])])
    for name in (base, new):
        bundles[name][1].forget()
    return Comparison(base, new, dumps(document))


def _name(path_or_name: str, bundles: Mapping[str, tuple[Path, Bundle]]) -> str:
    """Return the name of a bundle of the site."""
    names = [
        name
        for name, (path, _) in bundles.items()
        if os.path.realpath(path) == os.path.realpath(path_or_name)
    ]
    if not names and path_or_name not in bundles:
        raise BundleError(
            f"{shown(path_or_name)} is not a bundle of this site",
            hint=f"Its bundles: {', '.join(map(shown, bundles))}",
            code="not-found",
        )
    return names[0] if names else path_or_name


def strays(site: Path) -> list[str]:
    """Yield files in the site's comparisons that are not comparisons."""
    paths = (
        path
        for path in (site / FOLDER).rglob("*")
        if path.is_symlink() or not (path.is_dir() or path.name == COMPARISON)
    )
    return [path.relative_to(site).as_posix() for path in paths]
