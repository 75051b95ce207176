"""Access control of the server: headers, sizes, origins, and the token.

Without the token, every user of the machine could read, since all can reach its loopback interface.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, Response
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
        " img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
}
NO_STORE = "no-store"
_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
_NO_FRAME = "frame-ancestors 'none'"
_LOCAL_FRAME = "frame-ancestors http://127.0.0.1:* http://localhost:*"
_FOREIGN = ("cross-site", "same-site")  # another port of this machine is the same site, and may be anybody's
_MAX_TARGET = 8192
_MAX_HEADERS = 100
_MAX_HEADER_BYTES = 16_384
_BELOW = "/t/"  # and the token: the same tree, for pages elsewhere and for programs, which get no cookie
_QUERY = "token="
_REFUSED = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Not'
    " allowed</title><h1>Not allowed</h1><p>Open the address that <code>tlparse-bundle serve</code> printed"
    " in the terminal: it holds a token, which this browser keeps until the server ends. A server that was"
    " started again has a new one. Then reload this page.<p>Programs send it as <code>Authorization: Bearer"
    " TOKEN</code>, or ask below <code>/t/TOKEN/</code>.\n"
)


def is_of_another_site(headers: Headers) -> bool:
    """Return whether a browser reports a request by, or a link from, a page of another site."""
    return headers.get("sec-fetch-site") in _FOREIGN


class Guard:
    """Rejects requests by their headers, never by their target, so that responses reveal nothing.

    A Host header of another machine is rejected, against DNS rebinding; so are requests from foreign
    pages except ``origins``, and large ones. Links on foreign pages may be followed:
    Cross-Origin-Opener-Policy isolates the opened page.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str] = (), *, framed: bool = False):
        """``framed``: pages of this machine may show those of the server in a frame, as notebooks do."""
        self.app = app
        self._origins = frozenset(origins)
        policy = SECURITY["Content-Security-Policy"]
        self._headers = {
            **SECURITY,
            "Content-Security-Policy": policy.replace(_NO_FRAME, _LOCAL_FRAME) if framed else policy,
            "Cache-Control": NO_STORE,
        }
        self._navigations = ("document", "iframe") if framed else ("document",)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._refusal(scope) or self.app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not _HOST.fullmatch(host):
            return PlainTextResponse("This server only accepts requests for 127.0.0.1 and localhost.\n", 400)
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > _MAX_TARGET:
            return PlainTextResponse("The address is too long.\n", 414)
        if (
            len(headers) > _MAX_HEADERS
            or sum(len(name) + len(value) for name, value in scope["headers"]) > _MAX_HEADER_BYTES
        ):
            return PlainTextResponse("The headers are too large.\n", 431)
        if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
            return PlainTextResponse("Requests with a body are not accepted.\n", 413, {"Connection": "close"})
        if self._is_foreign(headers, host) and not (
            scope["method"] == "GET" and headers.get("sec-fetch-dest") in self._navigations
        ):
            return PlainTextResponse(
                "Pages of other origins may not read here; 'tlparse-bundle serve --allow-origin' names those"
                " that may.\n",
                403,
            )
        return None

    def _is_foreign(self, headers: Headers, host: str) -> bool:
        """Return whether a page of another origin makes the request. Browsers report this, other programs
        don't.
        """
        origin = headers.get("origin")
        if origin in self._origins:
            return False
        return is_of_another_site(headers) or (
            origin is not None and origin.lower() != f"http://{host}".lower()
        )


def new_token() -> str:
    return secrets.token_urlsafe(24)


def address_with(url: str, token: str | None) -> str:
    """Return the address of a page, to open in a browser. The start page ends with a slash."""
    return f"{url}{'&' if '?' in url else '?'}{_QUERY}{token}" if token else url


def base_with(url: str, token: str | None) -> str:
    """Return the base URL for clients without cookies."""
    return f"{url.rstrip('/')}{_BELOW}{token}/" if token else url


class TokenGate:
    """Passes requests that have the token in a cookie, a header or the path.

    An address with ``?token=`` sets the cookie and redirects to the address without it. All other
    requests get the same answer.
    """

    def __init__(self, app: ASGIApp, token: str):
        self.app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._answer(scope) if scope["type"] == "http" else self.app)(scope, receive, send)

    def _answer(self, scope: Scope) -> ASGIApp:
        headers = Headers(scope=scope)
        query = scope["query_string"].decode("latin-1").split("&")
        port = headers.get("host", "").rpartition(":")[2]
        cookie = f"tlparse-bundle-{port if port.isdecimal() else 80}"  # all ports of a host share its cookies
        if any(self._is(part.removeprefix(_QUERY)) for part in query if part.startswith(_QUERY)):
            return self._enter(scope, cookie, "&".join(part for part in query if not part.startswith(_QUERY)))
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if (scheme.lower() == "bearer" and self._is(given.strip())) or self._is(
            cookie_parser(headers.get("cookie", "")).get(cookie, "")
        ):
            return self.app
        below, _, _ = scope["path"].removeprefix(_BELOW).partition("/")
        if scope["path"].startswith(f"{_BELOW}{below}/") and self._is(below):
            scope["root_path"] = f"{_BELOW}{below}"
            return self.app
        return HTMLResponse(_REFUSED, 403)

    def _is(self, given: str) -> bool:
        return secrets.compare_digest(given.encode("utf-8", "surrogatepass"), self._token.encode())

    def _enter(self, scope: Scope, cookie: str, query: str) -> Response:
        path = (
            (scope.get("raw_path") or quote(scope["path"]).encode()).decode("latin-1").lstrip("/\\")
        )  # two would name a host
        location = "/" + quote(path, safe="/%:@!$&'()*+,;=~") + (f"?{query}" if query else "")
        # Lax, so that links in the terminal of a notebook server or in a chat lead here; Guard refuses all
        # else of other sites.
        set_cookie = f"{cookie}={self._token}; Path=/; HttpOnly; SameSite=Lax"
        return Response(status_code=303, headers={"Location": location, "Set-Cookie": set_cookie})
