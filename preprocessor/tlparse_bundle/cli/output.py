"""Printing for the command line: text, JSON and errors. Payloads are written elsewhere, unchanged."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import plain, shown

_WIDEST, _USUAL = 100, 80  # columns


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text with control characters escaped. Names in it must have gone through ``shown``."""
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    click.echo(plain(text).encode(encoding, "backslashreplace").decode(encoding), err=err, nl=nl)


def say_colored(text: str) -> None:
    """Print text with color codes. All names in it must have gone through ``shown``."""
    click.echo(text)


def width() -> int:
    """Return the width of the terminal in columns, at most 100.

    Does what shutil.get_terminal_size does; importing shutil would load archive codecs.
    """
    columns = os.environ.get("COLUMNS", "")
    try:
        if columns.isdecimal() and int(columns):
            terminal_width = int(columns)
        elif sys.__stdout__ is None:
            terminal_width = 0
        else:
            terminal_width = os.get_terminal_size(sys.__stdout__.fileno()).columns
    except (ValueError, OSError):  # stdout is closed or not a terminal
        terminal_width = 0
    return min(_WIDEST, terminal_width or _USUAL)


def say_json(value: Any) -> None:
    """Print a value as JSON, in ASCII."""
    import json

    try:
        click.echo(json.dumps(value))
    except RecursionError:
        raise BundleError("the result is nested too deeply to print as JSON", code="damaged") from None


def say_error(error: BundleError) -> None:
    """Print the message and the hint of an error.

    Lines after the first are indented, so that a file name with a line break cannot imitate our output.
    """
    message = (
        f"{error.message}."
        if error.message[-1:] not in ".!?" and "\n" not in error.message
        else error.message
    )
    say(
        f"Error: {_indented(message)}" + (f"\n\n{_indented(error.hint)}" if error.hint else ""),
        err=True,
    )


def say_traceback() -> None:
    """Print the traceback of an internal error."""
    import traceback

    say(traceback.format_exc(), err=True)


def say_misuse(error: click.ClickException) -> None:
    """Print a usage error of click. It may quote file names that a shell pattern inserted."""
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
    "say_colored",
    "say_error",
    "say_json",
    "say_misuse",
    "say_traceback",
    "shown",
    "width",
]
