"""Options and argument types that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from tlparse_bundle.cli.completion import file_completion

if TYPE_CHECKING:
    _LocationType = click.ParamType[Path | str]  # not generic at run time in older clicks
else:
    _LocationType = click.ParamType

_Command = TypeVar("_Command", bound=Callable[..., Any])

no_verify = click.option(
    "--no-verify",
    "verify",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Skip the hash check of payloads.",
)
port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Port to listen on; 0 picks a free one. [default: 8637, or the next free port]",
)


def open_option(what: str, default: bool | None = False) -> Callable[[_Command], _Command]:
    """Return the options --open and --no-open, with the help ``what``."""
    return click.option("--open/--no-open", "open_browser", default=default, help=what)


def name_options(command: _Command) -> _Command:
    """Add --label and --commit to a command that builds a bundle."""
    command = click.option(
        "--commit", metavar="TEXT", help="Git commit of the program, stored in the bundle."
    )(command)
    return click.option(
        "--label",
        metavar="TEXT",
        help="Name of the program, stored in the bundle; 'trend' draws one line per label.",
    )(command)


class Location(_LocationType):
    """A path, or a URL, which stays a string."""

    name = "location"

    def convert(
        self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path | str:
        return value if "://" in str(value) else Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return file_completion(incomplete)
