"""Prints the address of pages, and opens it in the browser without showing the token to other users."""

from __future__ import annotations

import sys
from collections.abc import Collection
from contextlib import ExitStack

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.output import say


def say_address(
    url: str,
    token: str | None,
    *,
    port: int | None,
    allow_origins: Collection[str] = (),
    page: str = "",
    opened: ExitStack | None = None,
    stop: str = "",
    err: bool = False,
) -> None:
    """Print the address of the pages, to stderr if ``err``. Open it until ``opened`` closes, if given."""
    from tlparse_bundle.serve.http.access import address_with, base_with
    from tlparse_bundle.serve.http.server import DEFAULT_PORT, ssh_hint

    address = address_with(f"{url}{page}", token)
    say(address, err=err)
    if port is None and not url.endswith(f":{DEFAULT_PORT}/"):
        say(
            f"Port {DEFAULT_PORT} is taken by another program, so links saved with that port don't open"
            " these pages.",
            err=True,
        )
    if allow_origins:
        say(
            f"Bundles for pages of {', '.join(allow_origins)}: {base_with(url, token)}bundles/",
            err=True,
        )
    hint = ssh_hint(url)
    if hint:
        say(f"To open it on your own machine: {hint}", err=True)
    if stop:
        say(stop, err=True)
    sys.stdout.flush()
    if opened is not None:
        _open(address, opened)


def _open(address: str, kept: ExitStack) -> None:
    """Open an address with a token through a private file, which is removed with ``kept``."""
    import webbrowser

    from tlparse_bundle.serve.private_page import private_page

    try:
        page = private_page(address, kept)
    except (BundleError, OSError) as error:
        say(f"The page was not opened in the browser: {error}", err=True)
        return
    webbrowser.open(page.as_uri())
