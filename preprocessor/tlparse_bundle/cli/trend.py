"""The command trend."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.wording import plural
from tlparse_bundle.cli.completion import complete_paths
from tlparse_bundle.cli.options import open_option, port_option
from tlparse_bundle.cli.output import say, say_colored, say_json, shown, width
from tlparse_bundle.cli.serve import serve_bundles

if TYPE_CHECKING:
    from tlparse_bundle.statements.runs.trend.run import Run

_ROWS = 10
_FORMATS = ("text", "json", "benchmark-database")


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...", shell_complete=complete_paths)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="Output format; benchmark-database prints records for the PyTorch benchmark database.",
)
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
@click.option(
    "--last",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Show only the N newest runs of each series. [default: {_ROWS} in the table, all in JSON]",
)
@click.option(
    "--out",
    "target",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the page to DIR, for any static host.",
)
@click.option("--overwrite", is_flag=True, help="Replace DIR if this command wrote it.")
@open_option("Serve the bundles and open the page in the browser. [default: no]")
@port_option
def trend(
    folders: tuple[str, ...],
    form: str,
    as_json: bool,
    last: int | None,
    target: Path | None,
    overwrite: bool,
    open_browser: bool,
    port: int | None,
) -> None:
    """Compare many runs over time, and find where numbers jump.

    The table has compile time by phase, compiles, graph breaks, recompiles, failures and cache misses. FOLDER
    is a bundle or a folder of bundles, or a URL of one. Runs with the same label (build --label) form one
    series. Runs of a folder without a label form one series per program, by the functions that they compile.
    Only manifests are read.

    \b
    Example:
      tlparse-bundle trend nightly/
      tlparse-bundle trend nightly/ --open
      tlparse-bundle trend bert/ resnet/ --out page/
      tlparse-bundle trend nightly/ --format benchmark-database --last 1 > results.json
    """
    from tlparse_bundle.render import json, terminal
    from tlparse_bundle.serve.bundle_places import open_place
    from tlparse_bundle.serve.catalogue import Bundles, url_names
    from tlparse_bundle.serve.publish.trend import write_trend
    from tlparse_bundle.serve.viewers import TREND
    from tlparse_bundle.statements.runs.trend.document import document
    from tlparse_bundle.statements.runs.trend.run import read_runs

    locations = Bundles({name: open_place(folder) for name, folder in url_names(folders).items()}).locations()
    runs, broken = read_runs(locations)
    for location, error in broken:
        say(f"Left out: {shown(location.name)}: {shown(error.message)}", err=True)
    if not runs:
        hint = "Build one there: tlparse-bundle /tmp/trace FOLDER/run-1 --label NAME"
        raise BundleError(
            f"no bundle found in {', '.join(shown(folder) for folder in folders)}",
            hint=hint,
            code="not-a-bundle",
        )
    history = document(runs, broken)
    if target:
        write_trend(history, locations, target, overwrite=overwrite)
        say(
            f"Wrote {shown(target)}, the page of {plural(len(runs), 'run')}. View it: python -m http.server"
            f" -d {shown(target)}",
            err=True,
        )
    if open_browser:
        serve_bundles(folders, port=port, open_browser=True, page=f"viewers/{TREND}/")
    elif as_json or form == "json":
        say_json(json.trend(history))
    elif form == "benchmark-database":
        most = len(runs) if last is None else last
        latest = {
            index: series["name"]
            for series in history["series"]
            for index in series["run_indexes"][max(0, len(series["run_indexes"]) - most) :]
        }
        say_json(json.benchmark_records((latest[index], runs[index]) for index in sorted(latest)))
    elif not target:
        say_colored(
            terminal.trend(
                history,
                last=_ROWS if last is None else last,
                width=width(),
                command=lambda base, new: _compare(runs[base], runs[new]),
            )
        )


def _compare(base: Run, new: Run) -> str:
    return " ".join(
        ["tlparse-bundle compare", *(shlex.quote(_typed(run.location.place)) for run in (base, new))]
    )


def _typed(place: str) -> str:
    """Return a place as a user would type it: relative if it is in the working folder."""
    from tlparse_bundle.base.remote import is_url

    if is_url(place):
        return place
    near = os.path.relpath(place)
    return place if near.startswith(("..", "-")) else near
