"""The read-only HTTP application with viewers and bundles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TypeVar, TypeVarTuple, Unpack

from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tlparse_bundle.bundle.layout import MANIFEST
from tlparse_bundle.serve.browser_python import ARCHIVES
from tlparse_bundle.serve.browser_python import FOLDER as PYTHON
from tlparse_bundle.serve.bundle_places import Stored, inside, local_file, open_place
from tlparse_bundle.serve.catalogue import Bundles, viewer_row
from tlparse_bundle.serve.http.access import NO_STORE, SECURITY, Guard, TokenGate
from tlparse_bundle.serve.http.comparisons import Comparisons
from tlparse_bundle.serve.http.downloads import KINDS, SHARE, Downloads
from tlparse_bundle.serve.http.responses import FOREVER, REVALIDATE, UNREADABLE, is_quick, respond
from tlparse_bundle.serve.http.state_events import EVENTS, LIVE, News
from tlparse_bundle.serve.publish.export import COMPARISON, COMPARISON_PAGE, COMPARISON_VIEWER
from tlparse_bundle.serve.publish.trend import FILE as OVER_TIME
from tlparse_bundle.serve.publish.trend import trend_of
from tlparse_bundle.serve.viewers import ICON, TEXT, page_of, viewers_folder, viewers_with

_Result = TypeVar("_Result")
_Arguments = TypeVarTuple("_Arguments")


def create_app(  # noqa: C901 - the routes, one after the other
    bundles: Mapping[str, str | Path],
    viewers: Mapping[str, Path] = {},
    allow_origins: Collection[str] = (),
    token: str | None = None,
    *,
    framed: bool = False,
) -> Starlette:
    """The application for places of bundles by name, with viewers beside those of the package.

    URLs: /viewers/<viewer>/…, /bundles/<name>/<path as in the bundle>, /bundles/<name>.html and .zip (the
    whole), /bundles/<name>.events (news of one that grows), /bundles.json (the list), /favicon.ico,
    /trend.json (all of them over time), /comparison.json?base=<name>&new=<name> and /comparison.html (one
    file of it); '/' leads to the viewer of the only bundle, without one to the page that opens logs, else to
    the page that lists them. Who may ask is the matter of Guard and TokenGate: pages of this server,
    programs, and pages of ``allow_origins`` ('https://me.github.io'); with ``token`` none without it.
    ``framed``: pages of this machine may show the viewers in a frame, as notebooks do.
    """
    collection = Bundles({name: open_place(location) for name, location in bundles.items()})
    packaged = viewers_folder()
    own = {name: Path(folder).resolve() for name, folder in viewers.items()}
    downloads = Downloads(own)
    comparisons = Comparisons(collection)
    news = News(collection)
    first_viewer = next(iter(own), "default")

    async def home(request: Request) -> Response:
        base = request.scope["root_path"]
        if not bundles:
            return RedirectResponse(f"{base}/viewers/open/")
        only = await _aside(collection.only)
        return RedirectResponse(
            f"{base}/viewers/{first_viewer}/?bundle={base}/bundles/{only}/"
            if only
            else f"{base}/viewers/home/"
        )

    async def catalogue(request: Request) -> Response:
        rows = [viewer_row(name, folder) for name, folder in viewers_with(own).items()]
        return JSONResponse(
            {"bundles": await _aside(collection.rows), "viewers": rows, "comparison": COMPARISON},
            headers={"Cache-Control": REVALIDATE},
        )

    async def icon(request: Request) -> Response:
        """Return the icon for documents without their own, such as JSON in a tab."""
        stored = local_file(packaged, ICON)
        return (
            _missing_viewer_file(ICON)
            if stored is None
            else await send_file(request, ICON, stored, REVALIDATE)
        )

    async def over_time(request: Request) -> Response:
        trend = await _aside(lambda: trend_of(collection.locations(), viewers_with(own)))
        return JSONResponse(trend, headers={"Cache-Control": REVALIDATE})

    async def viewer_file(request: Request) -> Response:
        path = request.path_params["path"]
        name, _, rest = path.partition("/")
        root, below = (own[name], rest) if name in own else (packaged, path)
        if path.endswith("/"):
            below += "index.html"
        target = root if name in own and not below else inside(root, below, Path.exists)
        if target is None:
            return _missing_viewer_file(path)
        if not path.endswith("/") and target.is_dir():
            return RedirectResponse(
                request.url.path + "/" + (f"?{request.url.query}" if request.url.query else "")
            )
        if target.name == "index.html" and root == packaged:
            target = page_of(target.parent)
        stored = local_file(root, target.relative_to(root).as_posix())
        if stored is None:
            return _missing_viewer_file(path)
        if below == f"{COMPARISON_VIEWER}/index.html" and request.method == "GET":
            comparisons.begin(request)
        return await send_file(request, below, stored, REVALIDATE, compress=target.suffix in TEXT)

    async def archive(request: Request) -> Response:
        content = await _aside(ARCHIVES[request.url.path.rpartition("/")[2]])
        return Response(content, media_type="application/zip", headers={"Cache-Control": REVALIDATE})

    async def bundle_file(request: Request) -> Response:
        requested = request.path_params["path"]
        if requested.endswith(EVENTS) and await _aside(collection.bundle, requested.removesuffix(EVENTS)):
            return await news.answer(request, requested.removesuffix(EVENTS))
        download = await _aside(collection.download, requested) if requested.endswith(KINDS) else None
        if download is not None:
            return await downloads.answer(request, *download)
        path_and_file = (
            await _aside(collection.file, requested)
            if collection.is_remote(requested)
            else collection.file(requested)
        )
        if path_and_file is None:
            return PlainTextResponse(f"Bundle or file not found: {requested!r}.\n", 404)
        path, stored = path_and_file
        response = await send_file(
            request, path, stored, FOREVER if path.startswith("blobs/") else REVALIDATE
        )
        if path == MANIFEST:
            response.headers.update(SHARE | LIVE)
        return response

    async def send_file(
        request: Request, path: str, stored: Stored, cache_control: str, compress: bool = False
    ) -> Response:
        try:
            if is_quick(request, path, stored):
                return respond(request, path, stored, cache_control, compress)
            return await _aside(respond, request, path, stored, cache_control, compress)
        except FileNotFoundError:
            return PlainTextResponse(f"File not found in the bundle: {path!r}.\n", 404)
        except UNREADABLE:  # its text may name a server or a key: not for a page
            return PlainTextResponse(f"{path!r} cannot be read from the bundle.\n", 502)

    routes = [
        Route("/", home),
        Route("/bundles.json", catalogue),
        Route("/favicon.ico", icon),
        Route(f"/{OVER_TIME}", over_time),
        Route(f"/{COMPARISON}", comparisons.answer),
        Route(f"/{COMPARISON_PAGE}", comparisons.page),
        *(Route(f"/viewers/{PYTHON}/{name}", archive) for name in ARCHIVES),
        Route("/viewers/{path:path}", viewer_file),
        Route("/bundles/{path:path}", bundle_file),
    ]
    cors = Middleware(
        CORSMiddleware,
        allow_origins=list(allow_origins),
        allow_methods=["GET", "HEAD"],
        allow_headers=["Authorization", "Range", "If-Range", "If-None-Match", "Cache-Control"],
        expose_headers=[
            "Accept-Ranges",
            "Content-Encoding",
            "Content-Length",
            "Content-Range",
            "Date",
            "ETag",
            *LIVE,
        ],
        allow_private_network=True,
    )
    guard = Middleware(Guard, origins=allow_origins, framed=framed)
    # After CORS, since a preflight carries no token.
    gate = [Middleware(TokenGate, token=token)] if token else []
    middleware = [guard, cors, *gate] if allow_origins else [guard, *gate]
    return Starlette(routes=routes, middleware=middleware, exception_handlers={Exception: _failed})


async def _aside(do: Callable[[Unpack[_Arguments]], _Result], *arguments: *_Arguments) -> _Result:
    """Call a slow function in another thread, which does not delay the end of the server."""
    return await to_thread.run_sync(do, *arguments, abandon_on_cancel=True)


def _missing_viewer_file(path: str) -> Response:
    return PlainTextResponse(f"Viewer file not found: {path!r}.\n", 404)


def _failed(request: Request, error: Exception) -> Response:
    """Return the response to an internal error. The server prints its traceback."""
    return PlainTextResponse(
        "The server failed. See its terminal for the reason.\n",
        500,
        {**SECURITY, "Cache-Control": NO_STORE},
    )
