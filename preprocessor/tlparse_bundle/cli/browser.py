"""Prints the address of pages, and opens it in the browser without showing the token to other users."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from contextlib import ExitStack
from html import escape
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.atomic.folder import temporary_folder
from tlparse_bundle.cli.output import say

_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    '<meta http-equiv="refresh" content="0; url={address}"><title>tlparse-bundle</title>'
    '<p><a href="{address}">Open the page</a>\n'
)


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
    """Open an address with a token through a private file, because everybody can read the arguments of the
    browser. The file is removed with ``kept``.
    """
    import webbrowser

    try:
        page = kept.enter_context(temporary_folder()) / "open.html"
        _write_private(page, _PAGE.format(address=escape(address)))
    except (BundleError, OSError) as error:
        say(f"The page was not opened in the browser: {error}", err=True)
        return
    webbrowser.open(page.as_uri())


def _write_private(path: Path, text: str) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
