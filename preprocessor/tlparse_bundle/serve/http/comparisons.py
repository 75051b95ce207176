"""Comparisons that pages request, as in ``tlparse-bundle compare``, as JSON."""

from __future__ import annotations

import asyncio
import gzip
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from urllib.parse import unquote, urlsplit

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.recent_cache import Newest
from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.bundle.layout import MANIFEST
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.serve.bundle_places import Place
from tlparse_bundle.serve.catalogue import Bundles
from tlparse_bundle.serve.http.access import is_of_another_site
from tlparse_bundle.serve.http.downloads import PAGE_TYPE, attachment
from tlparse_bundle.serve.http.responses import UNREADABLE, Pieces, accepted_encodings
from tlparse_bundle.serve.publish.comparison_folder import SIDES
from tlparse_bundle.serve.publish.export import export_comparison
from tlparse_bundle.statements.runs.compare.document import compare

_AT_ONCE = 2  # comparisons that are made at a time: each takes memory
_MOST = 16  # bundles of a side
_KEPT_BYTES = 16_000_000  # of comparisons that were made, compressed
_Key = tuple[object, ...]  # of a comparison: the names of both sides, the ranks, the versions of the bundles
_RANKS = re.compile(r"([0-9]{1,7}),([0-9]{1,7})")
_NOT_READ = "One of the bundles could not be read. For details, run: tlparse-bundle validate BUNDLE\n"


class Comparisons:
    """Handles ``?base=NAME&new=NAME``, with names as in bundles.json, and ``&ranks=A,B`` as in the command.

    Several bundles of a side are its runs, represented by the first.
    """

    def __init__(self, bundles: Bundles):
        self._bundles = bundles
        self._limit = CapacityLimiter(_AT_ONCE)
        self._newest: Newest[_Key, bytes] = Newest(_KEPT_BYTES)  # one goes to a bundle and back
        self._lock = threading.Lock()
        self._turns: dict[_Key, threading.Lock] = {}  # of those that are being made
        self._begun: set[asyncio.Task[Response]] = set()  # the loop itself keeps no task

    def begin(self, request: Request) -> None:
        """Start the comparison that the requested page will request, to save the time that the page takes to
        load.
        """
        query = request.query_params
        names = [
            [_name(address, request.scope["root_path"]) for address in query.getlist(side)] for side in SIDES
        ]
        if "comparison" in query or not all(names) or None in (*names[0], *names[1]):
            return  # the page says what is wrong
        pairs = [(side, str(name)) for side, of_side in zip(SIDES, names, strict=True) for name in of_side]
        task = asyncio.create_task(
            self._answer(
                request,
                QueryParams([*pairs, *((key, text) for key, text in query.multi_items() if key == "ranks")]),
            )
        )
        self._begun.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Response]) -> None:
        self._begun.discard(task)
        if not task.cancelled():
            task.exception()  # whoever asks for it gets the error

    async def answer(self, request: Request) -> Response:
        return await self._answer(request, request.query_params)

    async def page(self, request: Request) -> Response:
        """Return the comparison as one file: viewers, comparison and the bundles of both sides."""
        return await self._answer(request, request.query_params, as_page=True)

    async def _answer(self, request: Request, params: QueryParams, *, as_page: bool = False) -> Response:
        """Answer a request. Pages of other sites cannot trigger this work."""
        if is_of_another_site(request.headers):
            return PlainTextResponse("Only pages of this server can request this.\n", 403)
        sides = [params.getlist(side) for side in SIDES]
        if not all(0 < len(names) <= _MOST for names in sides):
            return PlainTextResponse(
                f"Name the bundles of both sides, at most {_MOST} each: comparison.json?base=NAME&new=NAME\n",
                400,
            )
        ranks_text = params.get("ranks")
        ranks = None if ranks_text is None else _RANKS.fullmatch(ranks_text)
        if ranks_text is not None and ranks is None:
            return PlainTextResponse("'ranks' is not a pair of ranks. Write for example ranks=0,3.\n", 400)
        squeeze = "gzip" in accepted_encodings(request.headers.get("accept-encoding", ""))
        make = partial(
            self._make,
            sides,
            ranks and (int(ranks[1]), int(ranks[2])),
            only_head=request.method == "HEAD",
            squeeze=squeeze,
            as_page=as_page,
        )
        return await to_thread.run_sync(make, limiter=self._limit, abandon_on_cancel=True)

    def _make(
        self,
        sides: list[list[str]],
        ranks: tuple[int, int] | None,
        *,
        only_head: bool,
        squeeze: bool,
        as_page: bool,
    ) -> Response:
        try:
            places: dict[str, tuple[Place, str]] = {}
            for name in (name for names in sides for name in names):
                place_and_folder = self._bundles.bundle(name)
                if place_and_folder is None:
                    return PlainTextResponse(f"Bundle not found: {name!r}.\n", 404)
                places[name] = place_and_folder
            if only_head:
                return Response(media_type=PAGE_TYPE if as_page else "application/json")
            key: _Key = (*map(tuple, sides), ranks, *map(self._version, places))
            with self._turn(key):
                document = self._newest.get(key)
                opened = (
                    {}
                    if document and not as_page
                    else {
                        name: Bundle.open(place.location(folder)) for name, (place, folder) in places.items()
                    }
                )
                if document is None:
                    document = self._compare(sides, ranks, opened)
                    with self._lock:
                        self._newest.add(key, document, len(document))
            if as_page:
                firsts = {
                    side: (names[0], opened[names[0]]) for side, names in zip(SIDES, sides, strict=True)
                }
                return _page(document, firsts)
        except _NotComparable as error:
            return PlainTextResponse(f"{error}\n", 422)
        except BundleError as error:
            if error.code == "too-large":
                return PlainTextResponse(f"{error.message}\n{error.hint}\n", 413)
            return PlainTextResponse(_NOT_READ, 422)
        except UNREADABLE:  # its text may name a folder of this machine: not for a page
            return PlainTextResponse(_NOT_READ, 422)
        return _response(document, squeeze)

    @contextmanager
    def _turn(self, key: _Key) -> Iterator[None]:
        """Wait for a comparison in progress."""
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        try:
            with turn:
                yield
        finally:
            with self._lock:
                self._turns.pop(key, None)

    @staticmethod
    def _compare(
        sides: Sequence[Sequence[str]], ranks: tuple[int, int] | None, opened: Mapping[str, Bundle]
    ) -> bytes:
        base, new = ([(name.rpartition("/")[2], opened[name]) for name in names] for names in sides)
        try:
            document = compare(base, new, ranks)
        except BundleError as error:
            if error.code == "not-found":
                raise _NotComparable(
                    f"These bundles cannot be compared: {error.message}. {error.hint}"
                ) from None
            raise
        return gzip.compress(dumps(document), 1)

    def _version(self, name: str) -> str:
        """Return the version, which changes when a bundle is rebuilt. Raise BundleError when it is gone."""
        path_and_file = self._bundles.file(f"{name}/{MANIFEST}")
        if path_and_file is None:
            raise BundleError(f"unknown bundle {name!r}", code="not-found")
        return path_and_file[1].tag


class _NotComparable(Exception):
    """The reason, for a page."""


def _name(address: str, root_path: str) -> str | None:
    """Return the name of a bundle of this server by its address; None for other addresses."""
    try:
        path = unquote(urlsplit(address).path)
    except ValueError:
        return None
    before = f"{root_path}/bundles/"
    return path[len(before) :].strip("/") or None if path.startswith(before) else None


def _page(document: bytes, sides: Mapping[str, tuple[str, Bundle]]) -> Response:
    """Return the page. Raise BundleError when it is too large or a bundle is damaged."""
    pieces = export_comparison(
        loads(gzip.decompress(document)), {side: bundle for side, (_, bundle) in sides.items()}
    )
    name = "-".join(name.rpartition("/")[2] for name, _ in sides.values())
    return Pieces(iter(pieces), 200, {"Content-Disposition": attachment(name, ".html")}, PAGE_TYPE)


def _response(document: bytes, squeeze: bool) -> Response:
    """Return the response with a gzip-compressed document."""
    headers = {"Vary": "Accept-Encoding", **({"Content-Encoding": "gzip"} if squeeze else {})}
    return Response(
        document if squeeze else gzip.decompress(document), media_type="application/json", headers=headers
    )
