"""Options and arguments of several commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from tlparse_bundle.cli.completion import file_completion

if TYPE_CHECKING:
    _LocationType = click.ParamType[Path | str]  # its older versions are not generic
else:
    _LocationType = click.ParamType

_Command = TypeVar("_Command", bound=Callable[..., Any])

no_verify = click.option(
    "--no-verify",
    "verify",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Do not check that payloads have the hash that they are stored under.",
)
port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Port to listen on; 0 takes any free one (default: 8637, or the next free one).",
)


def open_option(what: str, default: bool | None = False) -> Callable[[_Command], _Command]:
    """--open and --no-open, for every command that has a page to show."""
    return click.option("--open/--no-open", "open_browser", default=default, help=what)


def name_options(command: _Command) -> _Command:
    """--label and --commit, for the commands that build a bundle of a program."""
    command = click.option(
        "--commit", metavar="TEXT", help="The git commit of the program, noted in the bundle."
    )(command)
    return click.option(
        "--label",
        metavar="TEXT",
        help="A name for runs of this program, noted in the bundle; 'trend' draws a line for each.",
    )(command)


class Location(_LocationType):
    """A path, or a URL as it is."""

    name = "location"

    def convert(
        self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path | str:
        return value if "://" in str(value) else Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return file_completion(incomplete)
