"""The bundles that are asked about: by name, opened once, with the addresses of their pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.growing import is_growing
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.statements.finding import weight


class Opened:
    """``places``: where bundles lie, by name.

    ``viewer``: an address of a server of ours, such as http://127.0.0.1:8637/, for links.
    """

    def __init__(self, places: Mapping[str, str | Path], viewer: str | None = None):
        self.places = dict(places)
        self._viewer = viewer and viewer.rstrip("/")
        self._bundles: dict[str, Bundle] = {}

    def bundle(self, name: str | None) -> tuple[str, Bundle]:
        """Return the bundle of a name; the only one without.

        A growing one is opened each time. Raises BundleError.
        """
        if name is None:
            if len(self.places) > 1:
                raise BundleError(
                    "there are several bundles",
                    hint=f"Name one as 'bundle': {', '.join(self.places)}",
                    code="not-found",
                )
            (name,) = self.places
        if name not in self.places:
            raise BundleError(
                f"there is no bundle {name!r}", hint=f"There are: {', '.join(self.places)}", code="not-found"
            )
        if name not in self._bundles or is_growing(self._bundles[name].manifest):
            place = self.places[name]
            self._bundles[name] = Bundle.open(place)
        return name, self._bundles[name]

    def log(self, bundle: str | None, log: str | None) -> tuple[str, Log]:
        """A log by its id or its rank; without, the one with most to say. Raises BundleError."""
        name, opened = self.bundle(bundle)
        if log is None:
            return name, max(opened.logs, key=lambda one: weight(one.summary))
        named = next((one for one in opened.logs if log in (one.id, str(one.rank))), None)
        return name, named or opened.log(log)

    def link(self, name: str, state: Mapping[str, str | None] = {}, *, viewer: str = "default") -> str:
        """Where a page shows a bundle, in a ``state`` of the viewer.

        Without a server this is the part of the address after the page, which any of them understands.
        """
        place = "#" + urlencode(
            {"v": "1", **{key: value for key, value in state.items() if value}}, safe="/~:"
        )
        return (
            f"{self._viewer}/viewers/{viewer}/?bundle=/bundles/{quote(name)}/{place}"
            if self._viewer
            else f"viewers/{viewer}/{place}"
        )
