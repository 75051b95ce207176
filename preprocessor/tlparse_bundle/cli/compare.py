"""The command compare."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tlparse_bundle.cli.bundle_inputs import bundle_name, opened
from tlparse_bundle.cli.completion import complete_paths
from tlparse_bundle.cli.options import open_option
from tlparse_bundle.cli.output import say, say_colored, say_json, shown, width

if TYPE_CHECKING:
    from tlparse_bundle.bundle.reader import Bundle

_FORMATS = ("text", "markdown", "json", "github")


class _Sides(click.Command):
    """Parses ``BASE1 BASE2 -- NEW1 NEW2``, where click would drop the dashes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.obj = args[at + 1 :]
            args = args[:at]
        return super().parse_args(ctx, args)


def _two_ranks(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    one, comma, other = value.partition(",")
    if not (comma and one.strip().isdecimal() and other.strip().isdecimal()):
        raise click.BadParameter(f"{value!r} is not a pair of ranks. Write for example 0,3.")
    return int(one), int(other)


@click.command(cls=_Sides)
@click.argument(
    "runs", nargs=-1, required=True, metavar="BASE NEW | BASE... -- NEW...", shell_complete=complete_paths
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="Output format; github prints workflow annotations.",
)
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
@click.option(
    "--ranks",
    metavar="A,B",
    callback=_two_ranks,
    help="Compare rank A of BASE with rank B of NEW. With one bundle, compare two of its ranks.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the comparison, both bundles and the viewers to DIR, for any static host.",
)
@click.option(
    "--export",
    "report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="REPORT.html",
    help="Write the comparison and both bundles as one HTML file that opens from disk.",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Replace REPORT.html, and DIR if this command wrote it.",
)
@open_option("Serve the bundles and open the comparison in the browser. [default: no]")
@click.pass_context
def compare(
    ctx: click.Context,
    runs: tuple[str, ...],
    form: str,
    as_json: bool,
    ranks: tuple[int, int] | None,
    out: Path | None,
    report: Path | None,
    overwrite: bool,
    open_browser: bool,
) -> None:
    """Compare two runs of a program, the most costly changes first.

    BASE and NEW are bundles or traces. Compiles are matched by what was compiled, so compile ids, paths and
    machines may differ. With several runs per side, times are compared with the noise between runs; counts
    come from the first run of each side.

    \b
    Example:
      tlparse-bundle compare last_week/ today/
      tlparse-bundle compare a1/ a2/ a3/ -- b1/ b2/ b3/
      tlparse-bundle compare last_week/ today/ --format markdown > changes.md
      tlparse-bundle compare today/ --ranks 0,3
      tlparse-bundle compare last_week/ today/ --open
      tlparse-bundle compare last_week/ today/ --out comparison/
      tlparse-bundle compare last_week/ today/ --export changes.html
    """
    from tlparse_bundle.statements.runs.compare.document import compare as compared

    sides = [runs, runs] if ranks and len(runs) == 1 else _sides(runs, ctx.obj)
    if out:
        from tlparse_bundle.serve.publish.comparison_folder import check_target, write_comparison

        check_target(out, overwrite=overwrite)
    with ExitStack() as stack:
        bundles = {
            path: stack.enter_context(opened(path, quiet=False))
            for path in dict.fromkeys([*sides[0], *sides[1]])
        }
        base, new = ([(bundle_name(path), bundles[path]) for path in side] for side in sides)
        # Nothing is garbage until the end; collection would take a tenth of the time.
        gc.disable()
        try:
            document = compared(base, new, ranks)
        finally:
            gc.enable()
        _print(document, "json" if as_json else form)
        if out:
            size = write_comparison(document, base[0][1], new[0][1], out, overwrite=overwrite)
            say(
                f"Wrote {shown(out)}, {size / 1e6:.1f} MB. View it: python -m http.server -d {shown(out)}",
                err=True,
            )
        if report:
            from tlparse_bundle.cli.share import write_comparison_page

            write_comparison_page(
                document, {"base": base[0][1], "new": new[0][1]}, report, overwrite=overwrite
            )
        if open_browser:
            _serve([base, new], ranks)


def _print(document: dict[str, Any], form: str) -> None:
    from tlparse_bundle.render import github, markdown, terminal

    if form == "json":
        say_json(document)
    elif form == "text":
        say_colored(terminal.comparison(document, width=width()))
    else:
        say({"markdown": markdown.comparison, "github": github.comparison}[form](document))


def _serve(sides: Sequence[Sequence[tuple[str, Bundle]]], ranks: tuple[int, int] | None) -> None:
    """Serve the bundles of both sides and open the comparison."""
    from tlparse_bundle.cli.serve import serve_bundles
    from tlparse_bundle.serve.catalogue import url_names
    from tlparse_bundle.serve.publish.comparison_folder import SIDES

    locations = list(dict.fromkeys(bundle.location for side in sides for _, bundle in side))
    names = {location: name for name, location in url_names(locations).items()}
    query = [
        f"{side}=/bundles/{names[bundle.location]}/"
        for side, bundles in zip(SIDES, sides, strict=True)
        for _, bundle in bundles
    ]
    serve_bundles(
        locations,
        open_browser=True,
        page=f"viewers/compare/?{'&'.join([*query, *(['ranks={},{}'.format(*ranks)] if ranks else [])])}",
    )


def _sides(runs: Sequence[str], new: Sequence[str] | None) -> tuple[Sequence[str], Sequence[str]]:
    if new:
        return runs, new
    if len(runs) != 2:
        raise click.UsageError(
            f"Expected two runs, got {len(runs)}. For several runs per side, write BASE1 BASE2 -- NEW1 NEW2."
        )
    return runs[:1], runs[1:]
