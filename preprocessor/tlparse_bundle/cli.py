"""The command line: words, exit codes, progress. What it does lies elsewhere."""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
from pathlib import Path

import click

from tlparse_bundle import __version__
from tlparse_bundle.errors import BundleError

EXIT_DIAGNOSTICS = 3
EXIT_INTERRUPTED = 130


class _BuildByDefault(click.Group):
    """``tlparse-bundle TRACE OUT`` means ``tlparse-bundle build TRACE OUT``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {"-h", "--help", "--version"}
        if args and args[0] not in self.commands and args[0] not in own:
            close = difflib.get_close_matches(args[0], self.commands, n=1, cutoff=0.7)
            if close and not os.path.exists(args[0]):
                raise click.UsageError(f"No such command or file {args[0]!r}. Did you mean the command {close[0]!r}?", ctx)
            args = ["build", *args]
        return super().parse_args(ctx, args)


def _version() -> str:
    from tlparse_bundle.bundle.layout import FORMAT_MAJOR, FORMAT_MINOR

    return f"tlparse-bundle {__version__} (format {FORMAT_MAJOR}.{FORMAT_MINOR})"


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(_version())
        ctx.exit()


@click.group(cls=_BuildByDefault, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Show the version and exit.")
def cli() -> None:
    """Turn TORCH_TRACE logs into a bundle, and look at it.

    \b
    Example:
      TORCH_TRACE=/tmp/trace python train.py
      tlparse-bundle /tmp/trace out/ --open
    """


def _rank_list(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int] | None:
    if value is None:
        return None
    ranks: list[int] = []
    for part in value.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or dash and not last.isdecimal():
            raise click.BadParameter(f"{part!r} is neither a rank nor a range such as 3-7")
        ranks.extend(range(int(first), int(last or first) + 1))
    return ranks


@cli.command()
@click.argument("traces", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TRACE... OUT")
@click.option("--latest", is_flag=True, help="Take the newest run only.")
@click.option("--ranks", callback=_rank_list, metavar="LIST", help="Take these ranks only, such as 0,3-7.")
@click.option("--overwrite", is_flag=True, help="Replace OUT if it is a bundle.")
@click.option("--strict", is_flag=True, help="Exit with 3 when a log is damaged (the bundle is built all the same).")
@click.option("--jobs", type=click.IntRange(min=1), help="Logs to process at once (default: one per core).")
@click.option("--codec", type=click.Choice(["zstd", "gzip", "none"]), default="zstd", show_default=True, help="How files are stored.")
@click.option("--open", "open_browser", is_flag=True, help="Serve the bundle and open it in the browser.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no summary.")
def build(traces, latest, ranks, overwrite, strict, jobs, codec, open_browser, as_json, quiet) -> None:
    """Build the bundle OUT from trace logs (the default command).

    TRACE is a log (.log, .gz, .zst) or a directory of logs; OUT is the directory to write.

    \b
    Example:
      tlparse-bundle /tmp/trace out/
      tlparse-bundle rank_0.log rank_1.log.gz out/ --overwrite
    """
    from tlparse_bundle.bundle.build import build as build_bundle
    from tlparse_bundle.bundle.build import check_target
    from tlparse_bundle.progress import Bar, damage, print_summary
    from tlparse_bundle.trace.discover import discover

    if len(traces) < 2:
        raise click.UsageError(f"Where should the bundle go? Try: tlparse-bundle {traces[0]} out/")
    *paths, out = traces
    check_target(out, overwrite)
    logs = discover(paths, latest=latest, ranks=ranks)
    with Bar(sum(log.size_bytes for log in logs), len(logs), hidden=quiet) as bar:
        result = build_bundle(logs, out, codec=codec, overwrite=overwrite, jobs=jobs, progress=bar.advance)
    if not quiet:
        print_summary(result)
    if as_json:
        click.echo(json.dumps({"ok": True, "path": str(out), "logs": result.manifest["logs"]}))
    if open_browser:
        _serve([out], open_browser=True)
    elif not quiet:
        click.echo(f"Look at it: tlparse-bundle serve {out}", err=True)
    damaged = damage(result.manifest) if strict else ""
    if damaged:
        click.echo(f"Error: --strict: the bundle was built, but logs are damaged:\n{damaged}", err=True)
        sys.exit(EXIT_DIAGNOSTICS)


def _origins(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    for origin in value:
        if not re.fullmatch(r"https?://[a-z0-9.-]+(:\d+)?|https?://\[[0-9a-f:]+\](:\d+)?", origin):
            raise click.BadParameter(f"{origin!r} is no origin; write it as the browser does, such as https://me.github.io, without a path")
    return value


def _viewers(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> tuple[Path, ...]:
    for folder in value:
        if not (folder / "index.html").is_file():
            raise click.BadParameter(f"{str(folder)!r} is no viewer: it has no index.html")
    return value


_viewer_option = click.option(
    "--viewer", "viewers", multiple=True, type=click.Path(path_type=Path), callback=_viewers, help="A viewer of your own: a folder with an index.html."
)


@cli.command()
@click.argument("bundles", nargs=-1, required=True, metavar="BUNDLE...")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on (default: any free one).")
@click.option("--allow-origin", "allow_origins", multiple=True, metavar="ORIGIN", callback=_origins, help="A site whose viewers may read, such as https://me.github.io.")
@_viewer_option
@click.option("--open", "open_browser", is_flag=True, help="Open the browser.")
def serve(bundles, port, allow_origins, viewers, open_browser) -> None:
    """Serve bundles and viewers to the browser of this machine.

    BUNDLE is a bundle or a folder of bundles, here or at a URL (s3://, gs://, https://). New bundles of a
    folder appear without a restart.

    \b
    Example:
      tlparse-bundle serve out/
      tlparse-bundle serve runs/ s3://bucket/runs --viewer my-viewer/
      tlparse-bundle serve out/ --port 8000 --allow-origin https://me.github.io
    """
    _serve(bundles, port=port, open_browser=open_browser, viewers=viewers, allow_origins=allow_origins)


def _serve(bundles, *, port: int = 0, open_browser: bool, viewers=(), allow_origins=()) -> None:
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.serve.places import is_bundle, open_place
    from tlparse_bundle.serve.server import serve as run_server
    from tlparse_bundle.serve.server import ssh_hint

    for location in bundles:
        place = open_place(location)
        if is_bundle(place) or not any(is_bundle(place, folder) for folder in place.folders()):
            Bundle.open(location)  # says clearly what is wrong with it

    def ready(url: str) -> None:
        click.echo(url)
        hint = ssh_hint(url)
        if hint:
            click.echo(f"From your own machine: {hint}", err=True)
        click.echo("Press Ctrl-C to stop.", err=True)
        sys.stdout.flush()
        if open_browser:
            import webbrowser

            webbrowser.open(url)

    run_server(bundles, viewers=viewers, allow_origins=allow_origins, port=port, ready=ready)


@cli.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def info(bundle, as_json) -> None:
    """Say what is in a bundle.

    \b
    Example:
      tlparse-bundle info out/
    """
    from tlparse_bundle.bundle.info import as_dict, as_text
    from tlparse_bundle.bundle.reader import Bundle

    opened = Bundle.open(bundle)
    click.echo(json.dumps(as_dict(opened)) if as_json else as_text(opened))


@cli.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.argument("what", metavar="BLOB|LOG/COMPILE/ARTIFACT|PATH")
def cat(bundle, what) -> None:
    """Print one thing of a bundle, decoded.

    A blob by its hash, an artifact as LOG/COMPILE/ARTIFACT (NAME#2 for the second of a name), the
    timeline of a log as LOG/timeline, or any file by its path. A compile id holds a slash: write it as it is.

    \b
    Example:
      tlparse-bundle cat out/ rank_0_ab12cd34/0/0/inductor_output_code
      tlparse-bundle cat out/ rank_0_ab12cd34/timeline > timeline.json
    """
    from tlparse_bundle.bundle.find import find
    from tlparse_bundle.bundle.reader import Bundle

    sys.stdout.buffer.write(find(Bundle.open(bundle), what))
    sys.stdout.buffer.flush()


@cli.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def validate(bundle, as_json) -> None:
    """Check a bundle: schemas, references, sizes and hashes.

    \b
    Example:
      tlparse-bundle validate out/
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.bundle.validate import validate as check

    problems = check(Bundle.open(bundle))
    if as_json:
        click.echo(json.dumps({"ok": not problems, "problems": problems}))
    else:
        for problem in problems:
            click.echo(problem)
        click.echo(f"{bundle}: {len(problems)} problems" if problems else f"{bundle}: sound", err=bool(problems))
    if problems:
        sys.exit(1)


@cli.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
def restore(bundle, folder) -> None:
    """Write the source logs again, byte for byte, into FOLDER.

    \b
    Example:
      tlparse-bundle restore out/ logs/
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.bundle.restore import restore as write_logs

    for path in write_logs(Bundle.open(bundle), folder):
        click.echo(path)


@cli.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--export", is_flag=True, help="As tlparse --export: what went wrong in a draft export.")
def legacy(bundle, folder, export) -> None:
    """Write the files that other tools read from a tlparse report into FOLDER.

    compile_directory.json, raw.jsonl, chromium_events.json, raw.log, payloads/ and the artifacts, with
    the names and numbers that tlparse 0.4.3 --plain-text gives them; pages hold their data as text.
    Several logs go into folders of their own, rank_0/ and so on.

    \b
    Example:
      tlparse-bundle legacy out/ tl_out/
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.legacy.report import write_legacy

    for path in write_legacy(Bundle.open(bundle), folder, export=export):
        click.echo(path)


@cli.command()
@click.argument("bundles", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="BUNDLE... DIR")
@_viewer_option
def site(bundles, viewers) -> None:
    """Write bundles and viewers into DIR, a site for any static host.

    \b
    Example:
      tlparse-bundle site out/ public/
      python -m http.server -d public
    """
    from tlparse_bundle.serve.site import write_site

    if len(bundles) < 2:
        raise click.UsageError(f"Where should the site go? Try: tlparse-bundle site {bundles[0]} public/")
    *paths, folder = bundles
    size = write_site(paths, folder, viewers)
    click.echo(f"{folder}: {size / 1e6:.1f} MB. Try it: python -m http.server -d {folder}", err=True)


@cli.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.argument("report", type=click.Path(path_type=Path, dir_okay=False), metavar="REPORT.html")
@click.option("--compile", "compiles", multiple=True, metavar="KEY", help="Only the artifacts of this compile, such as 0/1; may be repeated (default: all).")
@click.option("--viewer", default="default", show_default=True, help="A viewer of the package, or the folder of one of your own.")
@click.option("--max-mb", type=click.IntRange(min=1), default=100, show_default=True, help="Refuse to write more than this.")
@click.option("--overwrite", is_flag=True, help="Replace REPORT.html.")
def export(bundle, report, compiles, viewer, max_mb, overwrite) -> None:
    """Write a bundle and a viewer as one HTML file that opens from disk, offline.

    \b
    Example:
      tlparse-bundle export out/ report.html
      tlparse-bundle export out/ report.html --compile 0/0 --compile 0/1
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.serve.export import export as export_page
    from tlparse_bundle.serve.viewer_files import viewer_folder

    if report.exists() and not overwrite:
        raise BundleError(f"{report} exists already", hint="Pass --overwrite to replace it.", code="exists")
    pieces = export_page(Bundle.open(bundle), viewer_folder(viewer), compiles, max_mb * 1_000_000)
    held = f"the artifacts of {', '.join(compiles)}" if compiles else "all artifacts"
    click.echo(f"Writing {report}: {sum(map(len, pieces)) / 1e6:.1f} MB, with {held}.", err=True)
    part = report.with_name(report.name + ".part")
    try:
        with part.open("wb") as file:
            file.writelines(pieces)
        part.replace(report)
    finally:
        part.unlink(missing_ok=True)


@cli.command()
@click.argument("viewer")
@click.argument("folder", type=click.Path(path_type=Path))
def fork(viewer, folder) -> None:
    """Copy a viewer into FOLDER, to make it your own. It runs as it is; its README says how.

    \b
    Example:
      tlparse-bundle fork starter my-viewer/
      tlparse-bundle serve out/ --viewer my-viewer/
    """
    from tlparse_bundle.serve.fork import fork as copy_viewer

    copy_viewer(viewer, folder)
    click.echo(f"{folder} is yours: read {folder / 'README.md'}", err=True)


@cli.command()
@click.argument("what", type=click.Choice(["format", "schema"]), default="format")
@click.argument("name", required=False)
def docs(what, name) -> None:
    """Print the format document, the names of the schemas, or a schema.

    \b
    Example:
      tlparse-bundle docs format
      tlparse-bundle docs schema compiles
    """
    from tlparse_bundle.bundle.schemas import format_document, schema, schema_names

    if what == "format":
        click.echo(format_document(), nl=False)
    elif name is None:
        click.echo("\n".join(schema_names()))
    else:
        click.echo(json.dumps(schema(name), indent=2, ensure_ascii=False))


def main() -> None:
    """Entry point: runs the command line and turns errors into sentences and exit codes."""
    as_json = "--json" in sys.argv[1:]
    try:
        color = False if os.environ.get("NO_COLOR") else None
        code = cli.main(standalone_mode=False, prog_name="tlparse-bundle", color=color)
    except BundleError as error:
        if as_json:
            click.echo(json.dumps({"ok": False, "error": {"code": error.code, "message": error.message, "hint": error.hint}}))
        click.echo(f"Error: {error}", err=True)
        code = error.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted; nothing was written.", err=True)
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stdout = None  # the reader has gone; nothing more to flush
        code = 0
    sys.exit(code or 0)
