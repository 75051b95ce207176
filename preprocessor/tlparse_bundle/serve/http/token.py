"""The token: who has it may read.

Without it any user of the machine could, since all of them reach its loopback interface.
"""

from __future__ import annotations

import secrets
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

_BELOW = "/t/"  # and the token: the same tree, for pages elsewhere and for programs, which get no cookie
_QUERY = "token="
_REFUSED = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Not'
    " allowed</title><h1>Not allowed</h1><p>Open the address that <code>tlparse-bundle serve</code> printed"
    " in the terminal: it holds a token, which this browser keeps until the server ends. A server that was"
    " started again has a new one. Then reload this page.<p>Programs send it as <code>Authorization: Bearer"
    " TOKEN</code>, or ask below <code>/t/TOKEN/</code>.\n"
)


def new_token() -> str:
    return secrets.token_urlsafe(24)


def address_with(url: str, token: str | None) -> str:
    """The address to open in a browser, of a page of the server; the page of the whole ends with a slash."""
    return f"{url}{'&' if '?' in url else '?'}{_QUERY}{token}" if token else url


def base_with(url: str, token: str | None) -> str:
    """Where the tree lies for whoever gets no cookie."""
    return f"{url.rstrip('/')}{_BELOW}{token}/" if token else url


class TokenGate:
    """Lets requests through that show the token: in a cookie, a header or the path.

    An address with ``?token=`` gives the browser the cookie and leads to the address without it. All other
    requests get the same answer, whatever they ask for.
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
