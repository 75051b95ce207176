"""The command that serves bundles."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from tlparse_bundle.cli import complete
from tlparse_bundle.cli.building import build_logs, bundle_name
from tlparse_bundle.cli.options import open_option, port_option
from tlparse_bundle.cli.say import say, shown
from tlparse_bundle.errors import BundleError

RESERVED = {"lib", "home", "trend"}  # folders beside the viewers that these need


def _origins(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    for origin in value:
        if not re.fullmatch(r"https?://[a-z0-9.-]+(:\d+)?|https?://\[[0-9a-f:]+\](:\d+)?", origin):
            raise click.BadParameter(f"{origin!r} is no origin; write it as the browser does, such as https://me.github.io, without a path")
    return value


def _viewers(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> tuple[Path, ...]:
    for folder in value:
        if not (folder / "index.html").is_file():
            raise click.BadParameter(f"{str(folder)!r} is no viewer: it has no index.html")
        if folder.resolve().name in RESERVED:
            raise click.BadParameter(f"a viewer cannot have the name {folder.resolve().name!r}; rename the folder")
    return value


viewer_option = click.option(
    "--viewer",
    "viewers",
    multiple=True,
    type=click.Path(path_type=Path),
    callback=_viewers,
    help="A viewer of your own: a folder with an index.html.",
)


@click.command()
@click.argument("bundles", nargs=-1, metavar="[BUNDLE]...", shell_complete=complete.places)
@port_option
@click.option(
    "--allow-origin",
    "allow_origins",
    multiple=True,
    metavar="ORIGIN",
    callback=_origins,
    help="A site whose viewers may read, such as https://me.github.io.",
)
@viewer_option
@click.option("--no-token", is_flag=True, help="Let every user and program of this machine read.")
@open_option("Open the browser, or not (default).")
def serve(bundles, port, allow_origins, viewers, no_token, open_browser) -> None:
    """Serve bundles and viewers to the browser of this machine.

    BUNDLE is a bundle or a folder of bundles, here or at a URL (s3://, gs://, https://). New bundles of a
    folder appear without a restart. A trace will do as well: its bundle is kept as long as the server runs.
    The address that it prints holds a token: only who has it may read. Without BUNDLE the page opens logs and bundles
    of the machine that the browser runs on.

    \b
    Example:
      tlparse-bundle serve out/
      tlparse-bundle serve --open
      tlparse-bundle serve /tmp/trace --open
      tlparse-bundle serve runs/ s3://bucket/runs --viewer my-viewer/
      tlparse-bundle serve out/ --port 8000 --allow-origin https://me.github.io
    """
    serve_bundles(bundles, port=port, open_browser=open_browser, viewers=viewers, allow_origins=allow_origins, with_token=not no_token)


def serve_bundles(bundles, *, port: int | None = None, open_browser: bool, viewers=(), allow_origins=(), with_token: bool = True, page: str = "") -> None:
    """Serve until Ctrl-C; ``page`` is opened, else where '/' leads. Raises BundleError when one of the bundles cannot be read."""
    from tlparse_bundle.cli.endings import end_at_signals
    from tlparse_bundle.serve.server import DEFAULT_PORT, ssh_hint
    from tlparse_bundle.serve.server import serve as run_server
    from tlparse_bundle.serve.token import address_with, base_with

    def ready(url: str, token: str | None) -> None:
        address = address_with(f"{url}{page}", token)
        say(address)
        if port is None and not url.endswith(f":{DEFAULT_PORT}/"):
            say(f"Port {DEFAULT_PORT} is taken: links that were saved with it lead to the program that has it, not here.", err=True)
        if allow_origins:
            say(f"For pages of {', '.join(allow_origins)} the bundles lie below {base_with(url, token)}bundles/", err=True)
        hint = ssh_hint(url)
        if hint:
            say(f"From your own machine: {hint}", err=True)
        say("Press Ctrl-C to stop.", err=True)
        sys.stdout.flush()
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    with ExitStack() as kept:
        places = [_place(location, kept) for location in bundles]
        end_at_signals()  # what is kept goes away all the same
        run_server(places, viewers=viewers, allow_origins=allow_origins, port=port, with_token=with_token, ready=ready)


def _place(location: str | Path, kept: ExitStack) -> str | Path:
    """A place that has bundles, or may get some; the bundle of a trace is built for as long as ``kept`` lasts."""
    from tlparse_bundle.read.reader import Bundle
    from tlparse_bundle.remote import is_url
    from tlparse_bundle.serve.places import is_bundle, open_place

    if not is_url(location) and _is_trace(Path(location)):
        return _built(location, kept)
    if not is_url(location) and Path(location).is_dir() and not any(Path(location).iterdir()):
        say(f"{shown(location)} is empty: bundles that are built in it appear on the page.", err=True)
        return location
    place = open_place(location)
    if is_bundle(place) or not any(is_bundle(place, folder) for folder in place.folders()):
        Bundle.open(location)  # says clearly what is wrong with it
    return location


def _is_trace(path: Path) -> bool:
    """Whether there are logs at a path, and no bundles."""
    from tlparse_bundle.serve.places import is_bundle, open_place
    from tlparse_bundle.trace.discover import discover

    if path.is_dir():
        place = open_place(path)
        if is_bundle(place) or any(is_bundle(place, folder) for folder in place.folders()):
            return False
    try:
        return bool(discover([path]))
    except BundleError:
        return False


def _built(trace: str | Path, kept: ExitStack) -> Path:
    from tlparse_bundle.cli.progress import print_summary
    from tlparse_bundle.commit.folder import temporary_folder

    keep = shown(shlex.quote(str(trace)))
    say(f"{shown(trace)} is a trace. Its bundle is kept as long as this server runs; to keep it: tlparse-bundle {keep}", err=True)
    out = kept.enter_context(temporary_folder()) / bundle_name(trace)
    result, _ = build_logs([trace], out)
    print_summary(replace(result, path=out.name))
    return out
