"""The comparisons of a site: made when the site is written, since a static host makes none when it is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from tlparse_bundle.compare.document import compare
from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.serve.export import COMPARISON
from tlparse_bundle.shown import shown

FOLDER = "comparisons"


class Comparison(NamedTuple):
    """Two bundles by their names in the site, and the document as JSON."""

    base: str
    new: str
    document: bytes

    @property
    def path(self) -> str:
        """Where the document lies in the site."""
        return f"{FOLDER}/{self.base}/{self.new}/{COMPARISON}"

    def row(self) -> dict:
        """What the list of the site says: the address of the folder of the document."""
        return {"base": self.base, "new": self.new, "url": f"{FOLDER}/{quote(self.base)}/{quote(self.new)}/"}


def comparisons_of(bundles: Mapping[str, tuple[Path, Bundle]], asked: Sequence[tuple[str, str]] = (), notes: list[str] | None = None, jumps: Sequence[tuple[str, str]] = ()) -> list[Comparison]:
    """Of each two bundles that are asked for, by path or name; when none are, of each bundle with the one before it; and of those around ``jumps``, by name.

    Raises BundleError for what is asked for and cannot be compared; of the others ``notes`` gets a line for each that is left out.
    """
    names = list(bundles)
    named = dict.fromkeys((_name(base, bundles), _name(new, bundles)) for base, new in asked)
    found = [_made(bundles, *pair) for pair in named]
    others = dict.fromkeys([*([] if asked else zip(names, names[1:])), *jumps])
    for pair in [pair for pair in others if pair not in named]:
        try:
            found.append(_made(bundles, *pair))
        except BundleError as error:
            if notes is not None:
                notes.append(f"{' and '.join(map(shown, pair))} are not compared: {error.message}")
    return found


def _made(bundles: Mapping[str, tuple[Path, Bundle]], base: str, new: str) -> Comparison:
    document = compare(*([(name, bundles[name][1])] for name in (base, new)))
    for name in (base, new):
        bundles[name][1].forget()
    return Comparison(base, new, dumps(document))


def _name(asked: str, bundles: Mapping[str, tuple[Path, Bundle]]) -> str:
    """The name of a bundle of the site."""
    found = [name for name, (path, _) in bundles.items() if os.path.realpath(path) == os.path.realpath(asked)]
    if not found and asked not in bundles:
        raise BundleError(f"{shown(asked)} is no bundle of this site, so that it cannot be compared there", hint=f"Its bundles are: {', '.join(map(shown, bundles))}", code="not-found")
    return found[0] if found else asked


def strays(site: Path) -> list[str]:
    """Files among the comparisons of a site that are none, by their paths in it."""
    found = (path for path in (site / FOLDER).rglob("*") if path.is_symlink() or not (path.is_dir() or path.name == COMPARISON))
    return [path.relative_to(site).as_posix() for path in found]
