"""The command line: the group of commands and the entry point."""

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

# Modules and tables are thousands of long-lived objects, and almost no garbage forms cycles.
gc.set_threshold(50_000)

# Commands by heading, with the module of each: a command imports only its own module.
GROUPS = {
    "Build and watch": {
        "build": "build",
        "run": "run",
        "follow": "follow",
        "merge": "build",
        "add-profile": "profile",
    },
    "Look": {
        "serve": "serve",
        "report": "report",
        "recompiles": "recompiles",
        "info": "bundle",
        "cat": "bundle",
        "sql": "sql",
    },
    "Share": {"export": "share", "site": "share", "redact": "share"},
    "Compare": {"compare": "compare", "trend": "trend"},
    "Automate": {"check": "check", "validate": "bundle", "mcp": "mcp", "legacy": "bundle"},
    "For developers": {"fork": "share", "docs": "bundle", "restore": "bundle"},
}
_MODULES = {name: module for commands in GROUPS.values() for name, module in commands.items()}
_ANY_LENGTH = 1000


class _Commands(click.Group):
    """The commands under headings; without a command, the arguments are those of ``build``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*_MODULES, *self.commands])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the short help of each command, in full."""
        column = max(map(len, _MODULES))
        for heading, commands in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(column), self._short_help(ctx, name)) for name in commands])

    def _short_help(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        return command.get_short_help_str(_ANY_LENGTH) if command else ""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        module = _MODULES.get(name)
        return (
            super().get_command(ctx, name)
            if module is None
            else getattr(import_module(f"tlparse_bundle.cli.{module}"), name.replace("-", "_"))
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {"-h", "--help", "--version"}
        if args and args[0] not in (commands := self.list_commands(ctx)) and args[0] not in own:
            self._need_path(ctx, args, commands)
            args = ["build", *args]
        return super().parse_args(ctx, args)

    def _need_path(self, ctx: click.Context, args: list[str], commands: list[str]) -> None:
        """Raise UsageError when the first argument is probably a mistyped command: it does not exist, and
        it resembles a command or is the only argument.
        """
        import difflib

        name = args[0]
        is_alone = len(args) == 1 and not name.startswith("-") and not any(mark in name for mark in "./\\:")
        close = difflib.get_close_matches(name, commands, n=1, cutoff=0.5 if is_alone else 0.7)
        if (close or is_alone) and not os.path.exists(name):
            hint = f"Did you mean {close[0]!r}?" if close else "For all commands: tlparse-bundle --help"
            raise click.UsageError(f"no command or file {name!r}. {hint}", ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete commands, and paths for the default command."""
        return [*super().shell_complete(ctx, incomplete), *file_completion(incomplete)]


def _version() -> str:
    from tlparse_bundle.bundle.layout import FORMAT_MAJOR, FORMAT_MINOR

    return f"tlparse-bundle {__version__} (format {FORMAT_MAJOR}.{FORMAT_MINOR})"


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        say(_version())
        ctx.exit()


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
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
    """Turn the TORCH_TRACE logs of torch.compile into a bundle, and look at it.

    \b
    Example:
      TORCH_TRACE=/tmp/trace python train.py
      tlparse-bundle /tmp/trace out/ --open

    For the options of a command: tlparse-bundle COMMAND --help
    """


def main() -> None:
    """Run the command line; turn exceptions into messages and exit codes."""
    try:
        raise_at_signals()
        color = False if os.environ.get("NO_COLOR") else None
        code = cli.main(standalone_mode=False, prog_name="tlparse-bundle", color=color) or 0
        sys.stdout.flush()  # reports a full disk here, not at interpreter exit
        end_at_signals(signal.SIGINT)  # nothing catches exceptions during interpreter exit
        gc.freeze()  # skip garbage collection during interpreter exit
    except (Exception, KeyboardInterrupt, Terminated) as error:
        end_at_signals(signal.SIGINT)
        code = exit_code(error, as_json="--json" in sys.argv[1:])
    sys.exit(code)
