"""The HTTP application: viewers and bundles, read only, for this machine's browser."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tlparse_bundle.errors import BundleError
from tlparse_bundle.serve.catalogue import Bundles, viewer_row
from tlparse_bundle.serve.places import LocalPlace, inside, open_place
from tlparse_bundle.serve.respond import FOREVER, REVALIDATE, SECURITY, respond
from tlparse_bundle.serve.viewer_files import viewers_folder, viewers_with

HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")


def create_app(bundles: Mapping[str, str | Path], viewers: Mapping[str, Path] = {}, allow_origins: Collection[str] = ()) -> Starlette:
    """The application for places of bundles by name, with viewers beside those of the package.

    URLs: /viewers/<viewer>/…, /bundles/<name>/<path as in the bundle>, /bundles.json (the list); '/' leads to
    the viewer of the only bundle, else to the page that lists them. Requests whose Host header names another
    machine are refused, so that no foreign page can read a trace by DNS rebinding. Pages of ``allow_origins``
    ('https://me.github.io') may read; no other origin may.
    """
    known = Bundles({name: open_place(location) for name, location in bundles.items()})
    packaged = viewers_folder()
    own = {name: Path(folder).resolve() for name, folder in viewers.items()}
    first_viewer = next(iter(own), "default")

    def home(request: Request) -> Response:
        only = known.only()
        return RedirectResponse(f"/viewers/{first_viewer}/?bundle=/bundles/{only}/" if only else "/viewers/home/")

    def catalogue(request: Request) -> Response:
        rows = [viewer_row(name, folder) for name, folder in viewers_with(own).items()]
        return JSONResponse({"bundles": known.rows(), "viewers": rows}, headers={**SECURITY, "Cache-Control": REVALIDATE})

    async def viewer_file(request: Request) -> Response:
        path = request.path_params["path"]
        name, _, rest = path.partition("/")
        root, below = (own[name], rest) if name in own else (packaged, path)
        if path.endswith("/"):
            below += "index.html"
        elif (name in own and not rest) or inside(root, below, Path.is_dir):
            return RedirectResponse(request.url.path + "/" + (f"?{request.url.query}" if request.url.query else ""))
        stored = LocalPlace(root).file(below)
        if stored is None:
            return PlainTextResponse(f"There is no file {path!r} among the viewers.\n", 404)
        return respond(request, below, stored, REVALIDATE)

    async def bundle_file(request: Request) -> Response:
        asked = request.path_params["path"]
        return await run_in_threadpool(from_bundle, request, asked) if known.is_remote(asked) else from_bundle(request, asked)

    def from_bundle(request: Request, asked: str) -> Response:
        found = known.file(asked)
        if found is None:
            return PlainTextResponse(f"There is no file {asked!r} in a bundle of that name.\n", 404)
        path, stored = found
        try:
            return respond(request, path, stored, FOREVER if path.startswith("blobs/") else REVALIDATE)
        except FileNotFoundError:
            return PlainTextResponse(f"There is no file {path!r} in the bundle.\n", 404)
        except (OSError, ValueError, BundleError):  # its text may name a server or a key: not for a page
            return PlainTextResponse(f"{path!r} could not be read from where the bundle lies.\n", 502)

    routes = [
        Route("/", home),
        Route("/bundles.json", catalogue),
        Route("/viewers/{path:path}", viewer_file),
        Route("/bundles/{path:path}", bundle_file),
    ]
    cors = Middleware(
        CORSMiddleware,
        allow_origins=list(allow_origins),
        allow_methods=["GET", "HEAD"],
        allow_headers=["Range", "If-Range", "If-None-Match", "Cache-Control"],
        expose_headers=["Accept-Ranges", "Content-Encoding", "Content-Length", "Content-Range", "ETag"],
        allow_private_network=True,
    )
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS), www_redirect=False)
    return Starlette(routes=routes, middleware=[hosts, cors] if allow_origins else [hosts])
