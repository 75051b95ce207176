"""Options and argument types that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from tlparse_bundle.cli.completion import file_completion

if TYPE_CHECKING:
    _LocationType = click.ParamType[Path | str]  # not generic at run time in older clicks
    _SizeType = click.ParamType[int]
else:
    _LocationType = _SizeType = click.ParamType

_SIZE = re.compile(r"(\d{1,9}(?:\.\d{1,3})?) ?([kMGT]?B)?", re.IGNORECASE)
_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
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


def program_options(command: _Command) -> _Command:
    """Add the options about the traced program to a command that builds a bundle."""
    command = click.option(
        "--source-root",
        "source_roots",
        multiple=True,
        metavar="DIR[=FOLDER]",
        help="Folder of the repository on the machine of the program, or of a FOLDER in it. Repeatable.",
    )(command)
    command = click.option(
        "--source-url",
        metavar="URL",
        help="Link source lines to a repository: 'https://github.com/ORG/REPO/blob/{commit}/{path}#L{line}'.",
    )(command)
    command = click.option(
        "--commit", metavar="TEXT", help="Git commit of the program, stored in the bundle."
    )(command)
    return click.option(
        "--label",
        metavar="TEXT",
        help="Name of the program, stored in the bundle; 'trend' draws one line per label.",
    )(command)


class Size(_SizeType):
    """A number of bytes, such as 256MB."""

    name = "size"

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = _SIZE.fullmatch(str(value).strip())
        size_bytes = int(float(match[1]) * _UNITS[(match[2] or "B").upper()]) if match else 0
        if not size_bytes:
            self.fail(f"{value!r} is not a size. Write for example 256MB or 1GB.", param, ctx)
        return size_bytes


def memory_option(command: _Command) -> _Command:
    """Add --memory to a command that builds a bundle."""
    return click.option(
        "--memory",
        "memory_bytes",
        type=Size(),
        default="256MB",
        show_default=True,
        metavar="SIZE",
        help="Memory for parsed rows of each log; larger tables stay in a temporary file.",
    )(command)


def peak_option(command: _Command) -> _Command:
    """Add --peak to a command that reads profiler traces."""
    return click.option(
        "--peak",
        multiple=True,
        metavar="UNIT=RATE",
        help="Peak rate of the device of the traces: 'GB/s=2039', 'TFLOP/s=19.5' or 'TFLOP/s:bfloat16=312'."
        " Repeatable. [default: that of its name, if known]",
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
