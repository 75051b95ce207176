"""The comparison of bundles that the server makes when a page asks for it: what ``tlparse-bundle compare`` says, as JSON."""

from __future__ import annotations

import gzip
import re
import threading
from functools import partial

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tlparse_bundle.compare.document import compare
from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.format.layout import MANIFEST
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.serve.catalogue import Bundles
from tlparse_bundle.serve.export import COMPARISON
from tlparse_bundle.serve.guard import is_of_another_site
from tlparse_bundle.serve.respond import UNREADABLE, accepted_encodings
from tlparse_bundle.trace.newest import Newest

SIDES = ("base", "new")
_AT_ONCE = 2  # comparisons that are made at a time: each takes memory
_MOST = 16  # bundles of a side
_KEPT_BYTES = 16_000_000  # of comparisons that were made, compressed
_RANKS = re.compile(r"([0-9]{1,7}),([0-9]{1,7})")
_NOT_READ = "One of the bundles could not be read; 'tlparse-bundle validate' says what is wrong with it.\n"


class Comparisons:
    """``?base=NAME&new=NAME``, names as in bundles.json. Several of a side are its runs: the first stands for it. ``&ranks=A,B`` as in the command."""

    def __init__(self, known: Bundles):
        self._known = known
        self._limit = CapacityLimiter(_AT_ONCE)
        self._newest: Newest[tuple, bytes] = Newest(_KEPT_BYTES)  # one goes to a bundle and back
        self._lock = threading.Lock()

    async def answer(self, request: Request) -> Response:
        """It takes work: pages of other sites cannot have it begun."""
        if is_of_another_site(request.headers):
            return PlainTextResponse("Ask for it from a page of this server.\n", 403)
        sides = [request.query_params.getlist(side) for side in SIDES]
        if not all(0 < len(names) <= _MOST for names in sides):
            return PlainTextResponse(f"Name the bundles of both sides, at most {_MOST} each: comparison.json?base=NAME&new=NAME\n", 400)
        asked = request.query_params.get("ranks")
        ranks = None if asked is None else _RANKS.fullmatch(asked)
        if asked is not None and ranks is None:
            return PlainTextResponse("Two ranks are named as in ranks=0,3\n", 400)
        squeeze = "gzip" in accepted_encodings(request.headers.get("accept-encoding", ""))
        return await to_thread.run_sync(partial(self._made, sides, ranks and (int(ranks[1]), int(ranks[2])), only_head=request.method == "HEAD", squeeze=squeeze), limiter=self._limit, abandon_on_cancel=True)

    def _made(self, sides: list[list[str]], ranks: tuple[int, int] | None, *, only_head: bool, squeeze: bool) -> Response:
        try:
            places = {name: self._known.bundle(name) for names in sides for name in names}
            missing = [name for name, place in places.items() if place is None]
            if missing:
                return PlainTextResponse(f"There is no bundle {missing[0]!r} here.\n", 404)
            if only_head:
                return Response(media_type="application/json")
            what = (*map(tuple, sides), ranks, *map(self._version, places))
            if (made := self._newest.get(what)) is not None:
                return _response(made, squeeze)
            opened = {name: Bundle.open(place.location(folder)) for name, (place, folder) in places.items()}
        except UNREADABLE:  # its text may name a folder of this machine: not for a page
            return PlainTextResponse(_NOT_READ, 422)
        try:
            document = compare(*([(name.rpartition("/")[2], opened[name]) for name in names] for names in sides), ranks)
        except UNREADABLE as error:
            said = isinstance(error, BundleError) and error.code == "not-found"
            return PlainTextResponse(f"These bundles cannot be compared: {error.message}. {error.hint}\n" if said else _NOT_READ, 422)
        made = gzip.compress(dumps(document), 1)
        with self._lock:
            self._newest.add(what, made, len(made))
        return _response(made, squeeze)

    def _version(self, name: str) -> str:
        """Another one when a bundle is built in its place. Raises BundleError when the bundle is gone."""
        found = self._known.file(f"{name}/{MANIFEST}")
        if found is None:
            raise BundleError(f"there is no bundle {name!r}", code="not-found")
        return found[1].tag


def _response(document: bytes, squeeze: bool) -> Response:
    """Of a document that is compressed with gzip."""
    headers = {"Vary": "Accept-Encoding", **({"Content-Encoding": "gzip"} if squeeze else {})}
    return Response(document if squeeze else gzip.decompress(document), media_type="application/json", headers=headers)
