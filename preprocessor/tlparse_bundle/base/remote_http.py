"""Reads from untrusted web servers, with limits on redirects, size and time.

Uses fsspec's HTTP file system with limited sessions.
"""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import aiohttp
from yarl import URL

from tlparse_bundle.base.errors import Refused

MAX_BYTES = 1 << 30  # of an answer that is kept in memory, where nobody says less
_REDIRECTS = 5
_CONNECT_SECONDS = 30
_FOLDERS = 2000  # that are asked for what is in them
_FILES = 1_000_000
_DEPTH = 20


class Patience:
    """Timeouts in seconds: for response headers, and for the body plus one second per ``rate`` bytes."""

    seconds = 60.0
    rate = 10_000


async def open_session(**options: Any) -> aiohttp.ClientSession:
    bounds = aiohttp.TraceConfig(_Request)
    bounds.on_request_redirect.append(_check_redirect)
    bounds.on_request_end.append(_bound_body)
    own: dict[str, Any] = {
        "timeout": aiohttp.ClientTimeout(total=None, connect=_CONNECT_SECONDS, sock_connect=_CONNECT_SECONDS),
        "response_class": _Response,
        # Large bundle files are compressed already; Content-Encoding would defeat the size limit.
        "headers": {"Accept-Encoding": "identity"},
        "auto_decompress": False,
    }
    headers = {**own["headers"], **options.pop("headers", {})}
    configs = [*options.pop("trace_configs", ()), bounds]
    return aiohttp.ClientSession(**{**own, **options, "headers": headers, "trace_configs": configs})


async def walk(fs: Any, root: str) -> dict[str, dict[str, Any]]:
    """Return the files below a folder with index pages; links that lead elsewhere are ignored."""
    files: dict[str, dict[str, Any]] = {}
    folders = [f"{root}/"]
    seen = set(folders)
    for folder in folders:  # grows meanwhile
        for entry in await fs._ls(folder, detail=True):
            name, is_folder = entry["name"], entry["type"] == "directory"
            inner = name.removeprefix(folder).removesuffix("/").split("/")
            if (
                not name.startswith(folder)
                or name in seen
                or set(inner) & {"", ".", ".."}
                or set("".join(inner)) & set("?#\\")
            ):
                continue
            seen.add(name)
            if is_folder:
                folders.append(name)
            else:
                files[name] = entry
        if len(folders) > _FOLDERS or len(files) > _FILES or folder.count("/") - root.count("/") > _DEPTH:
            raise Refused(
                f"it lists more than {_FOLDERS:,} folders or {_FILES:,} files, or nests them more"
                f" than {_DEPTH} deep"
            )
    return files


class _Request(SimpleNamespace):
    """State of a running request. ``trace_request_ctx``: its byte limit."""

    max_bytes: int
    redirects: int

    def __init__(self, trace_request_ctx: int | None = None):
        super().__init__(max_bytes=trace_request_ctx or MAX_BYTES, redirects=0)


async def _check_redirect(
    session: aiohttp.ClientSession, request: SimpleNamespace, params: aiohttp.TraceRequestRedirectParams
) -> None:
    """Allow redirects to the same server and from http to https only, not to hosts inside our firewall."""
    request.redirects += 1
    if request.redirects > _REDIRECTS:
        raise Refused(f"the server redirects more than {_REDIRECTS} times")
    headers = params.response.headers
    there = params.url.join(URL(headers.get("Location") or headers.get("URI") or ""))
    if _place(there) == _place(params.url) or (
        _place(params.url) == ("http", there.host, 80) and _place(there)[::2] == ("https", 443)
    ):
        return
    raise Refused(
        f"the server redirects to {there.origin() if there.host else there.scheme}; pass a URL there"
        " if you trust it"
    )


def _place(url: URL) -> tuple[str, str | None, int | None]:
    return url.scheme, url.host, url.port


async def _bound_body(
    session: aiohttp.ClientSession, request: SimpleNamespace, params: aiohttp.TraceRequestEndParams
) -> None:
    body = _Body(params.response.content, request.max_bytes)
    params.response.content = body  # type: ignore[assignment]  # it reads as aiohttp's own does


class _Response(aiohttp.ClientResponse):
    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        try:
            async with asyncio.timeout(Patience.seconds):
                return await super().start(connection)
        except TimeoutError:
            raise Refused(f"the server did not respond within {Patience.seconds:g} s") from None


class _Body:
    """A streamed response body, with limits on size and time."""

    def __init__(self, stream: aiohttp.StreamReader, max_bytes: int):
        self._stream = stream
        self._max_bytes = max_bytes
        self._left_s = Patience.seconds

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def read(self, size: int = -1) -> bytes:
        if size >= 0:
            return await self._piece(size)
        pieces: list[bytes] = []
        received = 0
        while piece := await self._piece(1 << 20):
            pieces.append(piece)
            received += len(piece)
            if received > self._max_bytes:
                raise Refused(f"it has more than {self._max_bytes:,} bytes, the limit")
        return b"".join(pieces)

    async def _piece(self, size: int) -> bytes:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            async with asyncio.timeout(max(self._left_s, 0)):
                piece = await self._stream.read(size)
        except TimeoutError:
            raise Refused("the server sends too slowly") from None
        except aiohttp.ClientError as error:
            raise Refused(f"the response is incomplete: {error}") from None
        self._left_s += len(piece) / Patience.rate - (loop.time() - begun)
        return piece
