"""The command report."""

from __future__ import annotations

from pathlib import Path

import click

from tlparse_bundle.cli.build import rank_list
from tlparse_bundle.cli.completion import complete_logs
from tlparse_bundle.cli.options import Location
from tlparse_bundle.cli.output import say, say_colored, say_json, width

_FORMATS = ("text", "markdown", "json", "github")


@click.command()
@click.argument("bundle", type=Location())
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="Output format; github prints workflow annotations.",
)
@click.option("--log", "log_id", metavar="ID", shell_complete=complete_logs, help="Print only this log.")
@click.option(
    "--rank", "ranks", callback=rank_list, metavar="LIST", help="Print only these ranks, such as 0,3-7."
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Print only this kind of finding, such as recompile. Repeatable.",
)
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Print at most N findings per log.")
def report(
    bundle: Path | str,
    form: str,
    log_id: str | None,
    ranks: list[int] | None,
    kinds: tuple[str, ...],
    limit: int | None,
) -> None:
    """Print the findings of a bundle, the most important first.

    A finding says what went wrong, where, what it cost and what may help. Findings about all ranks come
    before those of each log.

    \b
    Example:
      tlparse-bundle report out/
      tlparse-bundle report out/ --kind recompile --kind graph-break
      tlparse-bundle report out/ --format markdown > report.md
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.render import github, json, markdown, terminal
    from tlparse_bundle.render.running import still_growing
    from tlparse_bundle.statements import selection

    opened = Bundle.open(bundle)
    sections = selection.choose(opened, log_id=log_id, ranks=ranks, kinds=kinds, limit=limit)
    growing = still_growing(opened.manifest)
    if form == "json":
        say_json(json.report(sections, opened.manifest, growing=growing))
    elif form == "text":
        say_colored(terminal.report(sections, width=width(), growing=growing))
    elif form == "github":
        files = {row["file"] for section in sections for row in section.findings}
        say(github.report(sections, github.places_in(Path.cwd(), files), growing=growing))
    else:
        say(markdown.report(sections, growing=growing))
