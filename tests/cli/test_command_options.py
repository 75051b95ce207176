"""The arguments and options that each command takes: which are required, repeated or flags, and their defaults."""

import click
import pytest
from tlparse_bundle.cli.main import GROUPS, cli

# Arguments: in brackets when optional, with dots when there may be several. Options: X for each value, + when
# repeatable, = before a default that --help shows.
COMMANDS = {
    "add-profile": [
        "bundle", "profiles...", "--peak X +", "--json", "-q/--quiet",
    ],
    "build": [
        "traces...", "--latest", "--ranks X", "--run X", "--overwrite", "--strict", "--jobs X",
        "--executor X", "--codec X =zstd", "--flight-recorder X +", "--profile X +", "--peak X +",
        "--memory X =256MB", "--label X", "--commit X", "--source-url X", "--source-root X +",
        "--open/--no-open", "--port X", "--json", "-q/--quiet",
    ],
    "cat": [
        "bundle", "what", "--no-verify",
    ],
    "check": [
        "bundle", "--baseline X", "--fail-on X", "--max-breaks X", "--max-recompiles X",
        "--max-compiles X", "--max-failures X", "--max-cache-misses X", "--no-failures",
        "--max-compile-time X", "--allow-unknown", "--format X =text", "--junit X", "--write-baseline X",
        "--with-time",
    ],
    "compare": [
        "runs...", "--format X =text", "--json", "--ranks X", "--out X", "--export X", "--overwrite",
        "--open/--no-open",
    ],
    "docs": [
        "[what]", "[name]",
    ],
    "export": [
        "bundle", "report", "--compile X +", "--viewer X", "--preset X", "--max-mb X =100", "--overwrite",
        "--open/--no-open", "--no-verify",
    ],
    "follow": [
        "traces...", "--until-exit X", "--no-serve", "--overwrite", "--codec X =zstd",
        "--memory X =256MB", "--label X", "--commit X", "--source-url X", "--source-root X +",
        "--open/--no-open", "--port X", "--json", "-q/--quiet",
    ],
    "fork": [
        "viewer", "folder",
    ],
    "info": [
        "bundle", "--json",
    ],
    "legacy": [
        "bundle", "folder", "--export", "--no-verify",
    ],
    "mcp": [
        "bundles...", "--http", "--port X", "--no-token", "--viewer X",
    ],
    "merge": [
        "bundles...", "--overwrite", "--jobs X", "--run X", "--no-verify", "--json", "-q/--quiet",
    ],
    "recompiles": [
        "bundle", "function", "--call X", "--calls X", "--replay", "--log X", "--json",
    ],
    "redact": [
        "bundle", "[out]", "--preset X", "--keep X +", "--drop X +", "--key-file X", "--verify",
        "--preview", "--overwrite", "--no-verify",
    ],
    "report": [
        "bundle", "--format X =text", "--log X", "--rank X", "--kind X +", "--limit X",
    ],
    "restore": [
        "bundle", "folder", "--no-verify",
    ],
    "run": [
        "program...", "-o/--output X", "--overwrite", "--keep-trace X", "--provenance", "--profile",
        "--profile-seconds X =3.0", "--peak X +", "--follow", "--label X", "--commit X", "--source-url X",
        "--source-root X +", "--open/--no-open", "--port X",
    ],
    "serve": [
        "[bundles...]", "--port X", "--allow-origin X +", "--viewer X +", "--no-token", "--follow",
        "--open/--no-open",
    ],
    "site": [
        "bundles...", "--viewer X +", "--overwrite", "--compare X X +", "--preset X", "--without-python",
    ],
    "sql": [
        "arguments...", "--format X =table", "--out X", "--overwrite", "--trusted",
    ],
    "trend": [
        "folders...", "--format X =text", "--json", "--last X", "--out X", "--overwrite",
        "--open/--no-open", "--port X",
    ],
    "validate": [
        "bundle", "--json",
    ],
}  # fmt: skip


def shown(param):
    if isinstance(param, click.Argument):
        name = param.name + ("..." if param.nargs == -1 else "")
        return name if param.required else f"[{name}]"
    text = "/".join([*param.opts, *param.secondary_opts]) + ("" if param.is_flag else " X" * param.nargs)
    text += " +" if param.multiple else ""
    text += " !" if param.required else ""
    return text + (f" ={param.default}" if param.show_default else "")


def test_every_command_is_here():
    assert {name for commands in GROUPS.values() for name in commands} == COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_its_arguments_and_options(name):
    command = cli.get_command(click.Context(cli), name)
    assert [shown(param) for param in command.params] == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_flags_are_off_unless_they_are_given(name):
    """A flag that begins with "no" turns off what is on."""
    command = cli.get_command(click.Context(cli), name)
    flags = [param for param in command.params if isinstance(param, click.Option) and param.is_flag]
    for flag in flags:
        if flag.secondary_opts:  # --open and --no-open: the help says which is the default
            assert "[default: " in flag.help
            continue
        turns_off = flag.opts[0].startswith("--no-") and not flag.name.startswith("no_")
        default = flag.get_default(click.Context(command))
        assert (default is True, bool(flag.flag_value)) == (turns_off, not turns_off), flag.opts
