"""docs/reference/cli.md: the help of each command, and what all commands share."""

from __future__ import annotations

import click
from tlparse_bundle.cli.main import cli

_WIDTH = 100
_HEAD = """# Command line

`tlparse-bundle COMMAND --help` prints each section of this page. `scripts/docs` generates it.

`build` is the default command: `tlparse-bundle TRACE OUT` is `tlparse-bundle build TRACE OUT`.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | failed |
| 2 | wrong usage |
| 3 | `build --strict`: a log is damaged or a plug-in failed |
| 4 | `check`: a limit or a rule failed |
| 130, 143 | ended by Ctrl-C, by SIGTERM |

`run` exits with the code of the program.

To complete commands, files, viewers, logs, compile ids and artifacts with Tab, add one line to the startup
file of your shell:

```sh
eval "$(_TLPARSE_BUNDLE_COMPLETE=bash_source tlparse-bundle)"           # ~/.bashrc
eval "$(_TLPARSE_BUNDLE_COMPLETE=zsh_source tlparse-bundle)"            # ~/.zshrc
_TLPARSE_BUNDLE_COMPLETE=fish_source tlparse-bundle | source            # ~/.config/fish/config.fish
```
"""


def cli_page() -> str:
    """The text of the page."""
    parent = click.Context(cli, info_name="tlparse-bundle")
    rows, sections = [], []
    for name in cli.list_commands(parent):
        command = cli.get_command(parent, name)
        assert command is not None
        context = click.Context(command, parent=parent, info_name=name, terminal_width=_WIDTH)
        first = command.get_short_help_str(limit=300).rstrip(".")
        rows.append(f"| [`{name}`](#{name}) | {first.replace('|', chr(92) + '|')} |")
        sections.append(f"## {name}\n\n```text\n{command.get_help(context).rstrip()}\n```")
    table = "\n".join(["| command | what it does |", "| --- | --- |", *rows])
    return "\n".join([_HEAD, "## Commands", "", table, "", "\n\n".join(sections)]) + "\n"


if __name__ == "__main__":
    print(cli_page(), end="")
