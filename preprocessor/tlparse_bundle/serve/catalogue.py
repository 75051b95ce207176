"""Bundles and viewers by name, and the rows of ``bundles.json``."""

from __future__ import annotations

import html
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeGuard, TypeVar
from urllib.parse import quote

from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.bundle.layout import FORMAT_MAJOR, FORMAT_NAME, MANIFEST, is_own
from tlparse_bundle.serve.bundle_places import LISTED, Place, Stored, is_bundle, proper
from tlparse_bundle.serve.viewers import EXAMPLES, NEEDS, holds
from tlparse_bundle.statements.finding import weight
from tlparse_bundle.statements.runs.trend.run import Location
from tlparse_bundle.statements.statement import SEVERITIES

_AT_ONCE = 8
_MOST_LOCATIONS = 20_000  # of one place
_MAX_MANIFEST = 32 << 20  # of a bundle of ten thousand ranks it has 10 MB
_MOST = 50  # versions and statuses: a list stays short, whatever a manifest holds
_MAX_TEXT = 100
_MAX_SUMMARY = 500
_LISTED_OF_LOG = {"rank", "torch_version", "summary"}
_Location = TypeVar("_Location", bound=str | Path)


class Bundles:
    """Bundles of several places. Names are ``place``, or ``place/folder`` in a folder of bundles."""

    def __init__(self, places: Mapping[str, Place]):
        self._places = dict(places)
        self._seen: set[tuple[str, str]] = set()  # a bundle stays one: places elsewhere are not asked again
        self._rows: dict[str, tuple[str, dict[str, Any]]] = {}  # with the version of the manifest

    def _is_bundle(self, name: str, folder: str = "") -> bool:
        if (name, folder) not in self._seen:
            if not is_bundle(self._places[name], folder):
                return False
            self._seen.add((name, folder))
        return True

    def file(self, path: str) -> tuple[str, Stored] | None:
        """Return a bundle file and its path by the URL path '<name of the bundle>/<path in it>'."""
        if not proper(path):
            return None
        name, _, rest = path.partition("/")
        place = self._places.get(name)
        if place is None:
            return None
        folder, _, below = rest.partition("/")
        if (name, folder) in self._seen or (
            not self._is_bundle(name) and folder and self._is_bundle(name, folder)
        ):
            rest = below
        else:
            folder = ""
        stored = place.file(rest, folder) if is_own(rest) else None
        return None if stored is None else (rest, stored)

    def bundle(self, name: str) -> tuple[Place, str] | None:
        """Return place and folder of a bundle by name."""
        if not proper(name):
            return None
        first, _, folder = name.partition("/")
        if (
            "/" in folder
            or first not in self._places
            or bool(folder) == self._is_bundle(first)
            or not self._is_bundle(first, folder)
        ):
            return None
        return self._places[first], folder

    def download(self, path: str) -> tuple[str, str, Place, str] | None:
        """Return name, ending, place and folder for '<name of the bundle>.zip' or '.html'."""
        stem, dot, kind = path.rpartition(".")
        bundle = self.bundle(stem)
        return bundle and (stem, dot + kind, *bundle)

    def is_remote(self, path: str) -> bool:
        """Return whether the file at a URL path is remote."""
        place = self._places.get(path.partition("/")[0])
        return place is not None and place.remote

    def only(self) -> str | None:
        """Return the name of the only bundle; None for several places or a folder of bundles."""
        names = list(self._places)
        return names[0] if len(names) == 1 and self._is_bundle(names[0]) else None

    def rows(self) -> list[dict[str, Any]]:
        """Return the row of each bundle in ``bundles.json``."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:  # places elsewhere take their time
            own = [[name] if self._is_bundle(name) else self._in_folder(name, pool) for name in self._places]
            return list(pool.map(self._row, (name for names in own for name in names)))

    def locations(self) -> list[Location]:
        """Return the location of each bundle, for readers that need more than the list."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            own = [
                [name] if self._is_bundle(name) else self._in_folder(name, pool, _MOST_LOCATIONS)
                for name in self._places
            ]
        return [Location(name, *self._lies(name)) for names in own for name in names]

    def _lies(self, name: str) -> tuple[str, str]:
        """Return the name of the folder that holds a bundle, and the bundle's location."""
        place, _, folder = name.partition("/")
        location = self._places[place].location(folder)
        return place if folder else location.rstrip("/").replace(os.sep, "/").rpartition("/")[0].rpartition(
            "/"
        )[2], location

    def _in_folder(self, name: str, pool: ThreadPoolExecutor, most: int = LISTED) -> list[str]:
        folders = self._places[name].folders(most)
        are_bundles = pool.map(lambda folder: self._is_bundle(name, folder), folders)
        return [f"{name}/{folder}" for folder, is_one in zip(folders, are_bundles, strict=True) if is_one]

    def _row(self, name: str) -> dict[str, Any]:
        """Return the row of a bundle, cached by its manifest."""
        path_and_file = self.file(f"{name}/{MANIFEST}")
        stored = path_and_file and path_and_file[1]
        last = self._rows.get(name)
        if stored and last and last[0] == stored.tag:
            return last[1]
        try:
            manifest = _parsed(stored, _MAX_MANIFEST) if stored else None
        except (OSError, ValueError):
            manifest = None
        row = bundle_row(name, manifest)
        if stored and "problem" not in row:
            place, _, folder = name.partition("/")
            row |= measures(self._places[place].size(folder), stored.modified)
            self._rows[name] = (stored.tag, row)
        return row


def _parsed(stored: Stored, most: int) -> object:
    with stored.open(most) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ValueError("it is too large for a list")
    return loads(data)


def measures(size_bytes: int | None, modified: float | None) -> dict[str, int | None]:
    """Return the size of a bundle's files, and its build time in microseconds since 1970."""
    return {"size_bytes": size_bytes, "built_us": None if modified is None else int(modified * 1e6)}


def bundle_url(name: str) -> str:
    """Return the URL of a bundle by its name, relative to the list."""
    return f"bundles/{quote(name)}/"


def bundle_row(name: str, manifest: object) -> dict[str, Any]:
    """Return the row of a bundle: its counts, or a ``problem``. The URL is relative to the list.

    Numbers of compiles are sums over logs. ``text`` describes the job with several ranks, or else the
    most important log; ``findings`` are those of that log and of the job, by severity.
    """
    row: dict[str, Any] = {"name": name, "url": bundle_url(name)}
    form = manifest.get("format") if isinstance(manifest, dict) else None
    if not isinstance(manifest, dict) or not isinstance(form, dict) or form.get("name") != FORMAT_NAME:
        return row | {"problem": f"its {MANIFEST} is not that of a bundle"}
    logs = manifest.get("logs")
    if form.get("major") != FORMAT_MAJOR or not isinstance(logs, list) or not all(map(_is_log, logs)):
        return row | {"problem": f"its {MANIFEST} has a different version"}
    summaries = [log["summary"] for log in logs]
    return row | {
        "log_count": len(logs),
        "ranks": sorted({log["rank"] for log in logs if log["rank"] is not None}),
        "torch_versions": sorted({log["torch_version"][:_MAX_TEXT] for log in logs if log["torch_version"]})[
            :_MOST
        ],
        "holds": holds(manifest),
        **({"growing": True} if manifest.get("growing") is True else {}),
        **({"label": manifest["label"][:_MAX_TEXT]} if isinstance(manifest.get("label"), str) else {}),
        "functions": _functions(summaries),
        **_summary_of_all(summaries, manifest.get("job")),
    }


def _is_log(log: object) -> bool:
    """Return whether a manifest row has the fields that a list shows, with the right types."""
    if not isinstance(log, dict) or not log.keys() >= _LISTED_OF_LOG:
        return False
    version, rank = log["torch_version"], log["rank"]
    return (
        (rank is None or _is_count(rank))
        and (version is None or isinstance(version, str))
        and _is_summary(log["summary"])
    )


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < 1 << 53


def _summary_of_all(summaries: Sequence[dict[str, Any]], job: object) -> dict[str, Any]:
    """Return the combined summary of the logs; empty without logs."""
    if not summaries:
        return {"compile_count": 0, "compile_us": None}
    first = max(summaries, key=weight)
    times = [row["compile_us"] for row in summaries if row["compile_us"] is not None]
    text, counts = _summary_of_job(job)
    return {
        "text": (text or first["text"])[:_MAX_SUMMARY],
        "findings": {severity: first["findings"][severity] + counts[severity] for severity in SEVERITIES},
        "compile_count": sum(row["compile_count"] for row in summaries),
        "compile_us": sum(times) if times else None,
    }


def _functions(summaries: Sequence[dict[str, Any]]) -> list[str]:
    """Return the names of compiled functions, so that a page recognizes two runs of the same program."""
    listed = (row["functions"] for row in summaries if isinstance(row.get("functions"), list))
    names = (row.get("function") for rows in listed for row in rows if isinstance(row, dict))
    return sorted({name[:_MAX_TEXT] for name in names if isinstance(name, str)})[:_MOST]


def _summary_of_job(job: object) -> tuple[str, Counter[str]]:
    """Return the headline across ranks, and the number of findings by severity."""
    text, counts = (job.get("text"), job.get("findings")) if isinstance(job, dict) else (None, None)
    valid = (
        {severity: count for severity, count in counts.items() if _is_count(count)}
        if isinstance(counts, dict)
        else {}
    )
    return text if isinstance(text, str) else "", Counter(valid)


def _is_summary(row: object) -> bool:
    """Return whether a summary has the fields that a list shows, with the right types."""
    if (
        not isinstance(row, dict)
        or "compile_us" not in row
        or not isinstance(row.get("text"), str)
        or not isinstance(row.get("findings"), dict)
    ):
        return False
    time = row.get("compile_us")
    return all(
        map(
            _is_count,
            (
                row.get("compile_count"),
                0 if time is None else time,
                *(row["findings"].get(severity) for severity in SEVERITIES),
            ),
        )
    )


def viewer_row(name: str, folder: Path) -> dict[str, Any]:
    """Return the row of a viewer: title and description of its page, and what a bundle must hold."""
    page = (folder / "index.html").read_text(encoding="utf-8", errors="replace")
    title = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    about = re.search(r'<meta\s+name="description"\s+content="([^"]*)"', page)
    return {
        "name": name,
        "url": f"viewers/{quote(name)}/",
        "title": html.unescape(title[1]).strip() if title else name,
        "description": html.unescape(about[1]) if about else "",
        **({"needs": NEEDS[name]} if name in NEEDS else {}),
        **({"example": True} if name in EXAMPLES else {}),
    }


def url_names(locations: Sequence[_Location]) -> dict[str, _Location]:
    """Return a URL name for each bundle, folder or viewer: its last part, numbered if not unique."""
    names: dict[str, _Location] = {}
    for path in locations:
        last = (
            str(path).rstrip("/").rsplit("/", 1)[-1]
            if "://" in str(path)
            else os.path.basename(os.path.realpath(str(path)))
        )
        base = re.sub(r"[^A-Za-z0-9._-]", "_", last).lstrip(".") or "bundle"
        name, number = base, 2
        while name in names:
            name, number = f"{base}-{number}", number + 1
        names[name] = path
    return names
