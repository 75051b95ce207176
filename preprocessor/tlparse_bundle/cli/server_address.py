"""Where the pages of a server are, in words."""

from __future__ import annotations

import sys

from tlparse_bundle.cli.output import say


def say_address(
    url: str,
    token: str | None,
    *,
    port: int | None,
    allow_origins=(),
    page: str = "",
    open_browser: bool = False,
    stop: str = "",
    err: bool = False,
) -> None:
    """Say where the pages are, on stdout unless that is somebody else's, and open them if that is wanted."""
    from tlparse_bundle.serve.http.server import DEFAULT_PORT, ssh_hint
    from tlparse_bundle.serve.http.token import address_with, base_with

    address = address_with(f"{url}{page}", token)
    say(address, err=err)
    if port is None and not url.endswith(f":{DEFAULT_PORT}/"):
        say(
            f"Port {DEFAULT_PORT} is taken: links that were saved with it lead to the program that has it,"
            " not here.",
            err=True,
        )
    if allow_origins:
        say(
            f"For pages of {', '.join(allow_origins)} the bundles lie below {base_with(url, token)}bundles/",
            err=True,
        )
    hint = ssh_hint(url)
    if hint:
        say(f"From your own machine: {hint}", err=True)
    if stop:
        say(stop, err=True)
    sys.stdout.flush()
    if open_browser:
        import webbrowser

        webbrowser.open(address)
