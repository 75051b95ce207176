"""The command check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tlparse_bundle.cli.bundle_inputs import opened
from tlparse_bundle.cli.options import Location
from tlparse_bundle.cli.output import say, say_colored, say_json, shown, width

if TYPE_CHECKING:
    from tlparse_bundle.statements.runs.check.baseline import Baseline
    from tlparse_bundle.statements.runs.check.limits import Outcome

EXIT_FOUND = 4
_RULES = "new:any"
_COUNT = click.IntRange(min=0)


def _time_us(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    from tlparse_bundle.statements.runs.check.limits import time_us

    try:
        return time_us(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command()
@click.argument("bundle", type=Location())
@click.option(
    "--baseline",
    type=Location(),
    metavar="FILE|BUNDLE",
    help="Baseline: a file that --write-baseline wrote, a bundle or a trace.",
)
@click.option(
    "--fail-on",
    metavar="RULES",
    help=(
        "With --baseline: new:KIND, worse:KIND or slower:10%, joined by commas. KIND is a kind of finding, or"
        f" any. [default: {_RULES}]"
    ),
)
@click.option("--max-breaks", type=_COUNT, metavar="N", help="Fail if a log has more than N graph breaks.")
@click.option("--max-recompiles", type=_COUNT, metavar="N", help="Fail if a log has more than N recompiles.")
@click.option("--max-compiles", type=_COUNT, metavar="N", help="Fail if a log has more than N compiles.")
@click.option(
    "--max-failures",
    type=_COUNT,
    metavar="N",
    help="Fail if a log has more than N failures: failed and unfinished compiles, and failed exports.",
)
@click.option(
    "--max-cache-misses",
    type=_COUNT,
    metavar="N",
    help="Fail if a log has more than N misses of the FX graph, AOTAutograd and precompile caches.",
)
@click.option("--no-failures", is_flag=True, help="Same as --max-failures 0.")
@click.option(
    "--max-compile-time",
    callback=_time_us,
    metavar="TIME",
    help="Fail if a log took longer to compile than TIME, such as 60s or 5min.",
)
@click.option("--allow-unknown", is_flag=True, help="Ignore a limit if the log does not record the number.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "github", "junit", "json"]),
    default="text",
    show_default=True,
    help="Output format; github prints workflow annotations.",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write JUnit XML to FILE.",
)
@click.option(
    "--write-baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the findings of the bundle to FILE, as a baseline to commit.",
)
@click.option(
    "--with-time",
    is_flag=True,
    help="With --write-baseline: also write the compile time, which varies between runs.",
)
def check(
    bundle: Path | str,
    baseline: Path | str | None,
    fail_on: str | None,
    no_failures: bool,
    allow_unknown: bool,
    form: str,
    junit: Path | None,
    write_baseline: Path | None,
    with_time: bool,
    **limits: int | None,
) -> None:
    """Check a bundle or a trace against limits and a baseline.

    The exit code is 4 if a check fails. Each log is checked on its own. An amount that the log does not
    record is not zero: the check fails, unless you pass --allow-unknown.

    \b
    Example:
      tlparse-bundle check out/ --max-breaks 0 --no-failures --max-compile-time 60s
      tlparse-bundle check out/ --write-baseline compile-baseline.json
      tlparse-bundle check out/ --baseline compile-baseline.json --fail-on new:graph-break,new:recompile
      tlparse-bundle check out/ --baseline before/ --fail-on slower:10%
    """
    from tlparse_bundle.bundle.atomic.folder import new_file
    from tlparse_bundle.bundle.layout import guards
    from tlparse_bundle.render import junit as junit_xml
    from tlparse_bundle.render.running import still_growing
    from tlparse_bundle.statements.runs.check import limits as limited
    from tlparse_bundle.statements.runs.check import rules as compared
    from tlparse_bundle.statements.runs.check.baseline import baseline_of, write
    from tlparse_bundle.statements.runs.check.limits import AMOUNTS, failing
    from tlparse_bundle.statements.selection import choose

    if no_failures:
        limits["max_failures"] = 0
    most = {
        amount: value
        for amount in AMOUNTS
        if (value := limits[f"max_{amount.name.replace('-', '_')}"]) is not None
    }
    if baseline is None and fail_on is not None:
        raise click.UsageError("--fail-on needs a baseline. Pass one with --baseline.")
    if baseline is None and not most and write_baseline is None:
        raise click.UsageError(
            "Nothing to check. Pass a limit such as --max-breaks 0, or a --baseline."
            " --write-baseline writes one."
        )
    if with_time and write_baseline is None:
        raise click.UsageError("--with-time needs --write-baseline.")
    rules = compared.parse(_RULES if fail_on is None else fail_on) if baseline is not None else []
    before = _baseline(baseline) if baseline is not None else None
    with opened(bundle) as current:
        if growing := still_growing(current.manifest):
            say(growing, err=True)
        sections, private = choose(current), guards(current.location)
        outcomes = list(limited.outcomes(sections, most))
        if before is not None:
            outcomes += compared.outcomes(sections, before, rules)
        if write_baseline is not None:
            write(write_baseline, baseline_of(sections), with_time=with_time, readers_of=private)
            say(f"Wrote {shown(write_baseline)}.", err=True)
        if junit is not None:
            with new_file(junit, overwrite=True, readers_of=private) as new:
                new.write_text(junit_xml.check(outcomes, allow_unknown=allow_unknown), encoding="utf-8")
    _print(outcomes, form, allow_unknown)
    if failing(outcomes, allow_unknown=allow_unknown):
        sys.exit(EXIT_FOUND)


def _print(outcomes: list[Outcome], form: str, allow_unknown: bool) -> None:
    from tlparse_bundle.render import github, json, junit, terminal

    if form == "json":
        say_json(json.check(outcomes, allow_unknown=allow_unknown))
    elif form == "junit":
        say(junit.check(outcomes, allow_unknown=allow_unknown), nl=False)
    elif outcomes and form == "github":
        files = {row["file"] for outcome in outcomes for row in outcome.findings}
        say(github.check(outcomes, github.places_in(Path.cwd(), files), allow_unknown=allow_unknown))
    elif outcomes:
        say_colored(terminal.check(outcomes, allow_unknown=allow_unknown, width=width()))


def _baseline(location: Path | str) -> Baseline:
    """Read a baseline from a file that --write-baseline wrote, a bundle or a trace."""
    from tlparse_bundle.statements.runs.check.baseline import baseline_of, read
    from tlparse_bundle.statements.selection import choose

    if isinstance(location, Path) and location.is_file():
        with location.open("rb") as stream:
            if stream.read(1) == b"{":  # a log begins with the level of its first record
                return read(location)
    with opened(location) as bundle:
        return baseline_of(choose(bundle))
