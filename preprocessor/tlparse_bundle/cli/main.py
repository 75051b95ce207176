"""The command line: the group of commands, and the entry point."""

from __future__ import annotations

import gc
import os
import signal
import sys
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from tlparse_bundle import __version__
from tlparse_bundle.cli.completion import file_completion
from tlparse_bundle.cli.exits import Terminated, end_at_signals, exit_code, raise_at_signals
from tlparse_bundle.cli.output import say

# Modules and tables are thousands of objects that stay, and next to nothing is garbage in cycles.
gc.set_threshold(50_000)

# The module of each command: a command waits for its own module only.
_MODULES = {
    "build": "build",
    "run": "run",
    "follow": "follow",
    "merge": "build",
    "report": "report",
    "compare": "compare",
    "check": "check",
    "trend": "trend",
    "serve": "serve",
    "site": "share",
    "export": "share",
    "fork": "share",
    "sql": "sql",
    "mcp": "mcp",
    "redact": "share",
    "info": "bundle",
    "cat": "bundle",
    "validate": "bundle",
    "restore": "bundle",
    "legacy": "bundle",
    "docs": "bundle",
}


class _BuildByDefault(click.Group):
    """``tlparse-bundle TRACE OUT`` means ``tlparse-bundle build TRACE OUT``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*_MODULES, *self.commands])

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        module = _MODULES.get(name)
        return (
            super().get_command(ctx, name)
            if module is None
            else getattr(import_module(f"tlparse_bundle.cli.{module}"), name)
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {"-h", "--help", "--version"}
        if args and args[0] not in (commands := self.list_commands(ctx)) and args[0] not in own:
            import difflib

            close = difflib.get_close_matches(args[0], commands, n=1, cutoff=0.7)
            if close and not os.path.exists(args[0]):
                raise click.UsageError(
                    f"No such command or file {args[0]!r}. Did you mean the command {close[0]!r}?", ctx
                )
            args = ["build", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands, and traces for the default one."""
        return [*super().shell_complete(ctx, incomplete), *file_completion(incomplete)]


def _version() -> str:
    from tlparse_bundle.bundle.layout import FORMAT_MAJOR, FORMAT_MINOR

    return f"tlparse-bundle {__version__} (format {FORMAT_MAJOR}.{FORMAT_MINOR})"


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        say(_version())
        ctx.exit()


@click.group(
    cls=_BuildByDefault, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Turn TORCH_TRACE logs into a bundle, and look at it.

    \b
    Example:
      TORCH_TRACE=/tmp/trace python train.py
      tlparse-bundle /tmp/trace out/ --open
    """


def main() -> None:
    """Run the command line; turn errors into sentences and exit codes."""
    try:
        raise_at_signals()
        color = False if os.environ.get("NO_COLOR") else None
        code = cli.main(standalone_mode=False, prog_name="tlparse-bundle", color=color) or 0
        sys.stdout.flush()  # a full disk is noticed here, not at the very end
        end_at_signals(signal.SIGINT)  # while the interpreter ends nobody would catch an exception
        gc.freeze()  # nor need it look for garbage then
    except (Exception, KeyboardInterrupt, Terminated) as error:
        end_at_signals(signal.SIGINT)
        code = exit_code(error, as_json="--json" in sys.argv[1:])
    sys.exit(code)
