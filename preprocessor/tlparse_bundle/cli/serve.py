"""The command serve."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.bundle_inputs import build_logs, bundle_name, refuse_bundles
from tlparse_bundle.cli.completion import complete_paths
from tlparse_bundle.cli.options import Location, open_option, port_option
from tlparse_bundle.cli.output import say, shown

if TYPE_CHECKING:
    from tlparse_bundle.cli.follow import ServerOptions

RESERVED = {"lib", "home", "trend"}  # folders next to the viewers, which need them


def _origins(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    for origin in value:
        if not re.fullmatch(r"https?://[a-z0-9.-]+(:\d+)?|https?://\[[0-9a-f:]+\](:\d+)?", origin):
            raise click.BadParameter(
                f"{origin!r} is not an origin. Write it without a path, such as https://me.github.io."
            )
    return value


def _viewers(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> tuple[Path, ...]:
    for folder in value:
        if not (folder / "index.html").is_file():
            raise click.BadParameter(f"{str(folder)!r} is not a viewer: it has no index.html.")
        if folder.resolve().name in RESERVED:
            raise click.BadParameter(
                f"{folder.resolve().name!r} is a reserved name. Rename the folder of the viewer."
            )
    return value


viewer_option = click.option(
    "--viewer",
    "viewers",
    multiple=True,
    type=click.Path(path_type=Path),
    callback=_viewers,
    help="Folder with your own viewer (an index.html). Repeatable.",
)


@click.command()
@click.argument("bundles", nargs=-1, metavar="[BUNDLE]...", shell_complete=complete_paths)
@port_option
@click.option(
    "--allow-origin",
    "allow_origins",
    multiple=True,
    metavar="ORIGIN",
    callback=_origins,
    help="Allow pages of this origin to read the bundles, such as https://me.github.io. Repeatable.",
)
@viewer_option
@click.option("--no-token", is_flag=True, help="Allow every user and program of this machine to read.")
@click.option(
    "--follow",
    "follows",
    is_flag=True,
    help="Treat BUNDLE as logs that are still being written; open pages update.",
)
@open_option("Open the page in the browser. [default: no]")
def serve(
    bundles: tuple[str, ...],
    port: int | None,
    allow_origins: tuple[str, ...],
    viewers: tuple[Path, ...],
    no_token: bool,
    follows: bool,
    open_browser: bool,
) -> None:
    """Serve bundles and viewers to your browser.

    BUNDLE is a bundle, a folder of bundles or a URL of one (s3://, gs://, https://). New bundles in a folder
    appear without a restart. For a trace, a temporary bundle is built and removed at the end. The printed
    address contains a token, and only requests with it are answered. Without BUNDLE, the page opens logs and
    bundles of the machine that the browser runs on.

    \b
    Example:
      tlparse-bundle serve out/
      tlparse-bundle serve --open
      tlparse-bundle serve /tmp/trace --open
      tlparse-bundle serve /tmp/trace --follow
      tlparse-bundle serve runs/ s3://bucket/runs --viewer my-viewer/
      tlparse-bundle serve out/ --port 8000 --allow-origin https://me.github.io
    """
    if follows:
        from tlparse_bundle.cli.follow import ServerOptions

        if not bundles:
            raise click.UsageError("--follow needs BUNDLE: the logs, or the folder that TORCH_TRACE names.")
        options = ServerOptions(port, viewers, allow_origins, with_token=not no_token)
        _serve_growing(bundles, options, open_browser=open_browser)
    else:
        serve_bundles(
            bundles,
            port=port,
            open_browser=open_browser,
            viewers=viewers,
            allow_origins=allow_origins,
            with_token=not no_token,
        )


def _serve_growing(places: Sequence[str], options: ServerOptions, *, open_browser: bool) -> None:
    """Follow logs into a bundle that is removed when the server stops."""
    from tlparse_bundle.bundle.atomic.folder import temporary_folder
    from tlparse_bundle.cli.follow import follow_logs, opened_server

    traces = [Location().convert(place, None, None) for place in places]
    refuse_bundles(traces)
    with opened_server(options, open_browser=open_browser) as server, temporary_folder() as folder:
        keep = " ".join(shlex.quote(str(trace)) for trace in traces)
        say(
            "The bundle is temporary; to keep it: tlparse-bundle follow"
            f" {shown(keep)}. Press Ctrl-C to stop.",
            err=True,
        )
        with suppress(KeyboardInterrupt):  # the normal way to stop
            follow_logs(traces, folder / bundle_name(traces[0]), {}, server, keeps=False)


def serve_bundles(
    bundles: Sequence[str | Path],
    *,
    port: int | None = None,
    open_browser: bool,
    viewers: Sequence[Path] = (),
    allow_origins: Sequence[str] = (),
    with_token: bool = True,
    page: str = "",
) -> None:
    """Serve until Ctrl-C; ``page`` is the page to open. Raises BundleError if a bundle cannot be read."""
    from tlparse_bundle.cli.browser import say_address
    from tlparse_bundle.cli.exits import end_at_signals
    from tlparse_bundle.serve.http.server import serve as run_server

    def ready(url: str, token: str | None) -> None:
        say_address(
            url,
            token,
            port=port,
            allow_origins=allow_origins,
            page=page,
            opened=kept if open_browser else None,
            stop="Press Ctrl-C to stop.",
        )

    with ExitStack() as kept:
        places = [_place(location, kept) for location in bundles]
        end_at_signals()  # temporary bundles are still removed
        run_server(
            places,
            viewers=viewers,
            allow_origins=allow_origins,
            port=port,
            with_token=with_token,
            ready=ready,
        )


def _place(location: str | Path, kept: ExitStack) -> str | Path:
    """Return a location to serve. The temporary bundle of a trace lives as long as ``kept``."""
    from tlparse_bundle.base.remote import is_url
    from tlparse_bundle.bundle.layout import MANIFEST
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.serve.bundle_places import is_bundle, open_place

    if not is_url(location) and _is_trace(Path(location)):
        return _build(location, kept)
    if not is_url(location) and Path(location).is_dir() and not any(Path(location).iterdir()):
        say(
            f"{shown(location)} is empty. Bundles that you build in it appear on the page. To follow logs"
            f" that torch writes there: tlparse-bundle serve --follow {shown(location)}",
            err=True,
        )
        return location
    if not is_url(location) and not os.path.lexists(Path(location) / MANIFEST):
        _refuse_without_bundles(Path(location))
    place = open_place(location)
    if is_bundle(place) or not any(is_bundle(place, folder) for folder in place.folders()):
        Bundle.open(location)  # raises a clear error
    return location


def _refuse_without_bundles(path: Path) -> None:
    """Raise BundleError if a local path has neither bundles nor logs."""
    from tlparse_bundle.log.discover import discover
    from tlparse_bundle.serve.bundle_places import is_bundle, open_place

    place = open_place(path) if path.is_dir() else None
    if place is None or not any(is_bundle(place, folder) for folder in place.folders()):
        try:
            discover([path])
        except BundleError as error:
            raise BundleError(
                error.message.replace("has no TORCH_TRACE log", "has no bundle and no TORCH_TRACE log"),
                hint=error.hint,
                code=error.code,
            ) from None


def _is_trace(path: Path) -> bool:
    """Return whether a path has logs and no bundles."""
    from tlparse_bundle.log.discover import discover
    from tlparse_bundle.serve.bundle_places import is_bundle, open_place

    if path.is_dir():
        place = open_place(path)
        if is_bundle(place) or any(is_bundle(place, folder) for folder in place.folders()):
            return False
    try:
        return bool(discover([path]))
    except BundleError:
        return False


def _build(trace: str | Path, kept: ExitStack) -> Path:
    from tlparse_bundle.bundle.atomic.folder import temporary_folder
    from tlparse_bundle.cli.progress import print_summary

    keep = shown(shlex.quote(str(trace)))
    say(
        f"{shown(trace)} is a trace. Its bundle is temporary; to keep it: tlparse-bundle {keep}",
        err=True,
    )
    out = kept.enter_context(temporary_folder()) / bundle_name(trace)
    result, _ = build_logs([trace], out)
    print_summary(replace(result, path=out.name))
    return out
