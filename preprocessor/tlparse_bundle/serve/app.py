"""The HTTP application: viewers and bundles, read only, for this machine's browser."""

from __future__ import annotations

import gzip
import mimetypes
from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tlparse_bundle.bundle.layout import codec_of
from tlparse_bundle.bundle.schemas import shared_files

HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")
_TYPES = {".json": "application/json", ".js": "text/javascript", ".mjs": "text/javascript", ".log": "text/plain"}
_SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    # A payload opened in a tab of its own must not run; pages carry a stricter policy themselves.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}
_FOREVER = "public, max-age=31536000, immutable"
_REVALIDATE = "no-cache"


def create_app(bundles: Mapping[str, Path]) -> Starlette:
    """The application for bundles by name; '/' leads to the default viewer with the first of them.

    URLs: /viewers/<viewer>/…, /bundles/<name>/<path as in the bundle>. Requests whose Host header
    names another machine are refused, so that no foreign page can read a trace by DNS rebinding.
    """
    roots = {name: Path(path).resolve() for name, path in bundles.items()}
    viewers = (shared_files() / "viewers").resolve()
    first = next(iter(roots))

    async def home(request: Request) -> Response:
        return RedirectResponse(f"/viewers/default/?bundle=/bundles/{first}/")

    async def viewer_file(request: Request) -> Response:
        path = request.path_params["path"]
        if path.endswith("/"):
            path += "index.html"
        elif _inside(viewers, path, Path.is_dir):
            return RedirectResponse(request.url.path + "/" + (f"?{request.url.query}" if request.url.query else ""))
        target = _inside(viewers, path)
        if target is None:
            return PlainTextResponse(f"There is no file {path!r} among the viewers.\n", 404)
        return _respond(request, target, _REVALIDATE)

    async def bundle_file(request: Request) -> Response:
        root = roots.get(request.path_params["name"])
        path = request.path_params["path"]
        target = root and _inside(root, path)
        if target is None:
            return PlainTextResponse(f"There is no file {path!r} in a bundle of that name.\n", 404)
        return _respond(request, target, _FOREVER if path.startswith("blobs/") else _REVALIDATE)

    routes = [
        Route("/", home),
        Route("/viewers/{path:path}", viewer_file),
        Route("/bundles/{name}/{path:path}", bundle_file),
    ]
    return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS), www_redirect=False)])


def _inside(root: Path, path: str, exists: Callable[[Path], bool] = Path.is_file) -> Path | None:
    """The file at ``path`` below ``root``; None when there is none, or when it lies elsewhere."""
    if any(part.startswith(".") for part in Path(path).parts):
        return None
    try:
        target = (root / path).resolve()
        return target if target != root and target.is_relative_to(root) and exists(target) else None
    except (OSError, ValueError):  # a name that no file can have
        return None


def _respond(request: Request, target: Path, cache_control: str) -> Response:
    """A stored file, in the best encoding that the browser takes."""
    stat = target.stat()
    codec = codec_of(target.name)
    plain_name = target.name.removesuffix(codec.suffix)
    ending = Path(plain_name).suffix
    media_type = _TYPES.get(ending) or mimetypes.guess_type(plain_name)[0] or "application/octet-stream"
    accepted = _accepted(request.headers.get("accept-encoding", ""))
    encoding = codec.content_encoding if codec.content_encoding in accepted else None
    squeeze = encoding is None and codec.content_encoding and "gzip" in accepted
    etag = f'"{stat.st_mtime_ns:x}-{stat.st_size:x}-{encoding or ("gzip" if squeeze else "id")}"'
    headers = {**_SECURITY, "Cache-Control": cache_control, "ETag": etag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    data = target.read_bytes()
    if codec.content_encoding and encoding is None:
        data = codec.decode(data)
        if squeeze:
            data, encoding = gzip.compress(data, 1, mtime=0), "gzip"
    if encoding:
        headers["Content-Encoding"] = encoding
    if media_type.startswith("text/") or media_type == "application/json":
        media_type += "; charset=utf-8"
    # Blobs have no ending: they are payloads, that is text for a person to read.
    return Response(data, media_type="text/plain; charset=utf-8" if not ending else media_type, headers=headers)


def _accepted(header: str) -> set[str]:
    """Content encodings that an Accept-Encoding header allows."""
    out = set()
    for item in header.split(","):
        name, _, parameters = item.strip().partition(";")
        quality = parameters.replace(" ", "").removeprefix("q=") if parameters else "1"
        if quality.strip("0.") or quality in ("1", "1.0"):
            out.add(name.strip().lower())
    return out
