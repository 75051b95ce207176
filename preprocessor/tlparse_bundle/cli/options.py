"""Options and kinds of arguments that several commands have."""

from __future__ import annotations

from pathlib import Path

import click

from tlparse_bundle.cli import completion

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


def open_option(what: str, default: bool | None = False):
    """--open and --no-open, for every command that has a page to show."""
    return click.option("--open/--no-open", "open_browser", default=default, help=what)


def name_options(command):
    """--label and --commit, for the commands that build a bundle of a program."""
    command = click.option(
        "--commit", metavar="TEXT", help="The git commit of the program, noted in the bundle."
    )(command)
    return click.option(
        "--label",
        metavar="TEXT",
        help="A name for runs of this program, noted in the bundle; 'trend' draws a line for each.",
    )(command)


class Location(click.ParamType):
    """A path, or a URL as it is."""

    name = "location"

    def convert(self, value, param, ctx):
        return value if "://" in str(value) else Path(value)

    def shell_complete(self, ctx, param, incomplete):
        return completion.files(incomplete)
