"""The command that serves bundles."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from tlparse_bundle.cli.say import say

RESERVED = {"lib", "home"}  # folders beside the viewers that these need


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
@click.argument("bundles", nargs=-1, required=True, metavar="BUNDLE...")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on (default: any free one).")
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
@click.option("--open", "open_browser", is_flag=True, help="Open the browser.")
def serve(bundles, port, allow_origins, viewers, no_token, open_browser) -> None:
    """Serve bundles and viewers to the browser of this machine.

    BUNDLE is a bundle or a folder of bundles, here or at a URL (s3://, gs://, https://). New bundles of a
    folder appear without a restart. The address that it prints holds a token: only who has it may read.

    \b
    Example:
      tlparse-bundle serve out/
      tlparse-bundle serve runs/ s3://bucket/runs --viewer my-viewer/
      tlparse-bundle serve out/ --port 8000 --allow-origin https://me.github.io
    """
    serve_bundles(bundles, port=port, open_browser=open_browser, viewers=viewers, allow_origins=allow_origins, with_token=not no_token)


def serve_bundles(bundles, *, port: int = 0, open_browser: bool, viewers=(), allow_origins=(), with_token: bool = True) -> None:
    """Serve until Ctrl-C. Raises BundleError when one of the bundles cannot be read."""
    from tlparse_bundle.cli.endings import end_at_signals
    from tlparse_bundle.read.reader import Bundle
    from tlparse_bundle.serve.places import is_bundle, open_place
    from tlparse_bundle.serve.server import serve as run_server
    from tlparse_bundle.serve.server import ssh_hint
    from tlparse_bundle.serve.token import address_with, base_with

    for location in bundles:
        place = open_place(location)
        if is_bundle(place) or not any(is_bundle(place, folder) for folder in place.folders()):
            Bundle.open(location)  # says clearly what is wrong with it

    def ready(url: str, token: str | None) -> None:
        address = address_with(url, token)
        say(address)
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

    end_at_signals()
    run_server(bundles, viewers=viewers, allow_origins=allow_origins, port=port, with_token=with_token, ready=ready)
