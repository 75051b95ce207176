"""What holds for every request and every answer, whatever is asked for: headers, who may ask, how much a
request may hold.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    # A payload opened in a tab of its own must not run; pages carry a stricter policy themselves. The worker
    # that runs Python needs WebAssembly.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self';"
        " img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors"
        " 'none'"
    ),
}
NO_STORE = "no-store"
_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
_FOREIGN = ("cross-site", "same-site")  # another port of this machine is the same site, and may be anybody's
_MAX_TARGET = 8192
_MAX_HEADERS = 100
_MAX_HEADER_BYTES = 16_384


def is_of_another_site(headers: Headers) -> bool:
    """Whether a browser says that a page of another site asks, or a link on one was followed."""
    return headers.get("sec-fetch-site") in _FOREIGN


class Guard:
    """Refuses by what a request is, never by what it asks for, so that nobody learns from it what there is.

    Requests whose Host header names another machine are refused, so that no foreign page can read a trace by
    DNS rebinding; those of foreign pages, but of ``origins``, so that none can tell which files exist; and
    those that are too large. A link on a foreign page may be followed: Cross-Origin-Opener-Policy keeps what
    it opens from that page.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str] = ()):
        self.app = app
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in {**SECURITY, "Cache-Control": NO_STORE}.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._refusal(scope) or self.app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not _HOST.fullmatch(host):
            return PlainTextResponse("This server answers to 127.0.0.1 and localhost only.\n", 400)
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > _MAX_TARGET:
            return PlainTextResponse("The address is too long.\n", 414)
        if (
            len(headers) > _MAX_HEADERS
            or sum(len(name) + len(value) for name, value in scope["headers"]) > _MAX_HEADER_BYTES
        ):
            return PlainTextResponse("The headers are too large.\n", 431)
        if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
            return PlainTextResponse("A request has no body here.\n", 413, {"Connection": "close"})
        if self._is_foreign(headers, host) and not (
            scope["method"] == "GET" and headers.get("sec-fetch-dest") == "document"
        ):
            return PlainTextResponse(
                "Pages of other origins may not read here; 'tlparse-bundle serve --allow-origin' names those"
                " that may.\n",
                403,
            )
        return None

    def _is_foreign(self, headers: Headers, host: str) -> bool:
        """Whether the page of another origin asks. Browsers say so; a program that is none says nothing."""
        origin = headers.get("origin")
        if origin in self._origins:
            return False
        return is_of_another_site(headers) or (
            origin is not None and origin.lower() != f"http://{host}".lower()
        )
