"""All that the command line prints, except for payloads, which stay as they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from typing import Any

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import plain, shown

_WIDEST, _USUAL = 100, 80  # columns


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text.

    Control characters become visible; names in it go through ``shown``, so that they stay in their line.
    """
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    click.echo(plain(text).encode(encoding, "backslashreplace").decode(encoding), err=err, nl=nl)


def say_coloured(text: str) -> None:
    """Print text whose colours are ours: all names in it went through ``shown``."""
    click.echo(text)


def width() -> int:
    """Return how wide lines may be, in columns: as the terminal, but at most 100.

    It does what shutil.get_terminal_size does, without the codecs of archives that shutil imports.
    """
    columns = os.environ.get("COLUMNS", "")
    try:
        if columns.isdecimal() and int(columns):
            terminal_width = int(columns)
        elif sys.__stdout__ is None:
            terminal_width = 0
        else:
            terminal_width = os.get_terminal_size(sys.__stdout__.fileno()).columns
    except (ValueError, OSError):  # stdout is closed, or no terminal
        terminal_width = 0
    return min(_WIDEST, terminal_width or _USUAL)


def say_json(value: Any) -> None:
    """Print a JSON document, which is ASCII."""
    import json

    try:
        click.echo(json.dumps(value))
    except RecursionError:
        raise BundleError(
            "the result cannot be printed as JSON: it is nested too deeply", code="damaged"
        ) from None


def say_address(
    url: str,
    token: str | None,
    *,
    port: int | None,
    allow_origins: Collection[str] = (),
    page: str = "",
    open_browser: bool = False,
    stop: str = "",
    err: bool = False,
) -> None:
    """Print the address of the pages, on stderr with ``err``; open it with ``open_browser``."""
    from tlparse_bundle.serve.http.access import address_with, base_with
    from tlparse_bundle.serve.http.server import DEFAULT_PORT, ssh_hint

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


def say_error(error: BundleError) -> None:
    """Print what went wrong, and what to try.

    Lines after the first are indented, so that no name in it can pass for a line of ours.
    """
    say(
        f"Error: {_indented(error.message)}" + (f"\n\n{_indented(error.hint)}" if error.hint else ""),
        err=True,
    )


def say_traceback() -> None:
    """Print the traceback of a fault of ours."""
    import traceback

    say(traceback.format_exc(), err=True)


def say_misuse(error: click.ClickException) -> None:
    """Print what click says of a wrong use; a pattern of the shell may have put any name into it."""
    from io import StringIO

    error.message = _indented(error.message)  # type: ignore[misc, unused-ignore]  # newer clicks: final
    out = StringIO()
    error.show(out)
    say(out.getvalue().rstrip("\n"), err=True)


def _indented(text: str) -> str:
    first, *others = text.split("\n")
    return "\n".join([first, *(line if line.startswith("  ") else f"  {line}" for line in others)])


__all__ = [
    "say",
    "say_address",
    "say_coloured",
    "say_error",
    "say_json",
    "say_misuse",
    "say_traceback",
    "shown",
    "width",
]
