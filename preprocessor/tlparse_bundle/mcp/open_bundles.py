"""The bundles of an MCP server by name, opened once, and links to their pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.growing import is_growing
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.statements.finding import weight


class Opened:
    """Bundles at ``places``, by name. ``viewer`` is the address of a running ``serve`` for links, or None."""

    def __init__(self, places: Mapping[str, str | Path], viewer: str | None = None):
        self.places = dict(places)
        self._viewer = viewer and viewer.rstrip("/")
        self._bundles: dict[str, Bundle] = {}

    def bundle(self, name: str | None) -> tuple[str, Bundle]:
        """Return a bundle by name; None means the only one. Raises BundleError. Reopens a growing bundle."""
        if name is None:
            if len(self.places) > 1:
                raise BundleError(
                    "'bundle' is missing, and there are several",
                    hint=f"Pass 'bundle', one of: {', '.join(self.places)}",
                    code="not-found",
                )
            (name,) = self.places
        if name not in self.places:
            raise BundleError(
                f"unknown bundle {name!r}", hint=f"Use one of: {', '.join(self.places)}", code="not-found"
            )
        if name not in self._bundles or is_growing(self._bundles[name].manifest):
            place = self.places[name]
            self._bundles[name] = Bundle.open(place)
        return name, self._bundles[name]

    def log(self, bundle: str | None, log: str | None) -> tuple[str, Log]:
        """Return a log by id or rank; None means the one with the weightiest findings. Raises BundleError."""
        name, opened = self.bundle(bundle)
        if log is None:
            return name, max(opened.logs, key=lambda one: weight(one.summary))
        named = next((one for one in opened.logs if log in (one.id, str(one.rank))), None)
        return name, named or opened.log(log)

    def link(self, name: str, state: Mapping[str, str | None] = {}, *, viewer: str = "default") -> str:
        """Return a link to a bundle in a viewer ``state``; without a server, a relative link."""
        place = "#" + urlencode(
            {"v": "1", **{key: value for key, value in state.items() if value}}, safe="/~:"
        )
        return (
            f"{self._viewer}/viewers/{viewer}/?bundle=/bundles/{quote(name)}/{place}"
            if self._viewer
            else f"viewers/{viewer}/{place}"
        )
