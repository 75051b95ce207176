"""The commands site, export, fork and redact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tlparse_bundle.cli.completion import complete_compiles, complete_forks, complete_paths, complete_viewers
from tlparse_bundle.cli.options import no_verify, open_option
from tlparse_bundle.cli.output import say, shown
from tlparse_bundle.cli.serve import viewer_option

if TYPE_CHECKING:
    from tlparse_bundle.bundle.reader import Bundle

_MAX_MB = 100
# Copied from redact.policy, which --help need not import.
PRESETS = ("share-with-public", "share-with-vendor")


@click.command()
@click.argument(
    "bundles", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="[BUNDLE]... DIR"
)
@viewer_option
@click.option("--overwrite", is_flag=True, help="Replace DIR if this command wrote it.")
@click.option(
    "--compare",
    "pairs",
    nargs=2,
    multiple=True,
    metavar="BASE NEW",
    shell_complete=complete_paths,
    help="Compare two of the bundles. Repeatable. [default: each bundle with the one before it]",
)
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    help="Redact the bundles first, as 'redact' does, and rename them.",
)
@click.option("--without-python", is_flag=True, help="Leave out the 14 MB that pages need to open raw logs.")
def site(
    bundles: tuple[Path, ...],
    viewers: tuple[Path, ...],
    overwrite: bool,
    pairs: tuple[tuple[str, str], ...],
    preset: str | None,
    without_python: bool,
) -> None:
    """Write bundles and viewers as a site for any static host.

    Its pages also open raw logs, inside the browser. Without BUNDLE, the site does only that.

    A static host cannot compare bundles on request. So each bundle is compared with the one before it, in
    the order given, or as --compare says.

    \b
    Example:
      tlparse-bundle site out/ public/
      tlparse-bundle site public/
      tlparse-bundle site runs/* public/ --compare runs/monday runs/friday
      python -m http.server -d public
    """
    from tlparse_bundle.bundle.layout import MANIFEST
    from tlparse_bundle.serve.browser_python import python_folder
    from tlparse_bundle.serve.publish.site import write_site

    if len(bundles) == 1 and (bundles[0] / MANIFEST).exists():
        raise click.UsageError(
            f"DIR, the folder to write, is missing. Try: tlparse-bundle site {bundles[0]} public/"
        )
    *sources, folder = bundles
    if python_folder() is None and not without_python:
        say(
            "warning: the pages of this site don't open raw logs, because npm was missing when tlparse-bundle"
            " was installed",
            err=True,
        )
    notes: list[str] = []
    with redacted_bundles(sources, pairs, preset) as (paths, compared):
        size = write_site(
            paths,
            folder,
            viewers,
            overwrite=overwrite,
            python=not without_python,
            compare=compared,
            notes=notes,
        )
    for note in notes:
        say(note, err=True)
    say(
        f"Wrote {shown(folder)}, {size / 1e6:.1f} MB. View it: python -m http.server -d {shown(folder)}",
        err=True,
    )


@contextmanager
def redacted_bundles(
    paths: Sequence[Path], pairs: Sequence[tuple[str, str]], preset: str | None
) -> Iterator[tuple[Sequence[Path], Sequence[tuple[str, str]]]]:
    """Yield the bundles and the pairs to compare, redacted if there is a preset."""
    if preset is None:
        yield paths, pairs
        return
    from tlparse_bundle.bundle.atomic.folder import temporary_folder
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.redact.policy import policy
    from tlparse_bundle.redact.pseudonyms import new_key
    from tlparse_bundle.redact.redact import redact as write

    with temporary_folder() as work:
        new = {path: work / f"bundle_{number}" for number, path in enumerate(paths, 1)}
        key = new_key()  # one for all bundles, so that they can be compared
        for path, out in new.items():
            write(Bundle.open(path), out, policy(preset), key=key)
        named = {name: str(out) for path, out in new.items() for name in (path.name, str(path))}
        yield list(new.values()), [(named.get(base, base), named.get(other, other)) for base, other in pairs]


@click.command()
@click.argument("bundle", metavar="BUNDLE|COMPARISON", shell_complete=complete_paths)
@click.argument("report", type=click.Path(path_type=Path, dir_okay=False), metavar="REPORT.html")
@click.option(
    "--compile",
    "compiles",
    multiple=True,
    metavar="KEY",
    shell_complete=complete_compiles,
    help="Include only the artifacts of this compile, such as 0/1. Repeatable. [default: all]",
)
@click.option(
    "--viewer",
    shell_complete=complete_viewers,
    help=(
        "Include only this viewer: the name of a built-in one, or a folder. [default: all built-in viewers"
        " that have something to show]"
    ),
)
@click.option("--preset", type=click.Choice(PRESETS), help="Redact the bundle first, as 'redact' does.")
@click.option(
    "--max-mb",
    type=click.IntRange(min=1),
    default=_MAX_MB,
    show_default=True,
    help="Fail if the file would be larger.",
)
@click.option("--overwrite", is_flag=True, help="Replace REPORT.html.")
@open_option("Open the file in the browser. [default: no]")
@no_verify
def export(
    bundle: str,
    report: Path,
    compiles: tuple[str, ...],
    viewer: str | None,
    preset: str | None,
    max_mb: int,
    overwrite: bool,
    open_browser: bool,
    verify: bool,
) -> None:
    """Write a bundle and its viewers as one HTML file.

    The file opens from disk, offline. For a folder that 'compare --out' wrote, it holds the comparison and
    both bundles.

    \b
    Example:
      tlparse-bundle export out/ report.html
      tlparse-bundle export comparison/ changes.html
      tlparse-bundle export out/ report.html --compile 0/0 --compile 0/1
    """
    from tlparse_bundle.base.remote import is_url
    from tlparse_bundle.serve.publish.comparison_folder import open_comparison

    max_bytes = max_mb * 1_000_000
    comparison = None if is_url(bundle) else open_comparison(Path(bundle), verify=verify)
    if comparison is None:
        _write_bundle_page(
            bundle, report, compiles, viewer, max_bytes, preset, overwrite=overwrite, verify=verify
        )
    elif compiles or viewer or preset:
        raise click.UsageError(
            f"{shown(bundle)} is a comparison, and --compile, --viewer and --preset need a bundle, such as"
            f" {shown(Path(bundle) / 'new')}."
        )
    else:
        write_comparison_page(*comparison, report, max_bytes, overwrite=overwrite)
    if open_browser:
        import webbrowser

        webbrowser.open(report.resolve().as_uri())


def _write_bundle_page(
    bundle: str,
    report: Path,
    compiles: Sequence[str],
    viewer: str | None,
    max_bytes: int,
    preset: str | None = None,
    *,
    overwrite: bool,
    verify: bool,
) -> None:
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.serve.publish.export import export as export_page
    from tlparse_bundle.serve.publish.export import viewers_of
    from tlparse_bundle.serve.viewers import viewer_folder

    source = Bundle.open(bundle, verify=verify)
    held = f"the artifacts of {', '.join(compiles)}" if compiles else "all artifacts"

    def make() -> list[bytes]:
        if preset is None:
            return export_page(
                source, viewer_folder(viewer) if viewer else viewers_of(source), compiles, max_bytes
            )
        from tlparse_bundle.redact.policy import policy
        from tlparse_bundle.redact.redact import redacted_folder

        with redacted_folder(source, policy(preset)) as redacted:
            new = Bundle.open(redacted.folder)
            return export_page(new, viewer_folder(viewer) if viewer else viewers_of(new), compiles, max_bytes)

    _write_page(make, report, [source.location], f"{preset} applied" if preset else held, overwrite=overwrite)


def write_comparison_page(
    document: dict[str, Any],
    sides: Mapping[str, Bundle],
    report: Path,
    max_bytes: int = _MAX_MB * 1_000_000,
    *,
    overwrite: bool,
) -> None:
    """Write a comparison and the bundles of both sides as one HTML file. Raises BundleError."""
    from tlparse_bundle.serve.publish.export import export_comparison

    locations = [bundle.location for bundle in sides.values()]
    _write_page(
        lambda: export_comparison(document, sides, max_bytes),
        report,
        locations,
        "all artifacts of both sides",
        overwrite=overwrite,
    )


def _write_page(
    make: Callable[[], list[bytes]], report: Path, sources: Sequence[str], held: str, *, overwrite: bool
) -> None:
    """Write the pieces of ``make`` to a file, readable by those who can read all ``sources``."""
    from tlparse_bundle.bundle.atomic.folder import new_file
    from tlparse_bundle.bundle.layout import guards

    with new_file(
        report, overwrite=overwrite, readers_of=[path for source in sources for path in guards(source)]
    ) as new:
        pieces = make()
        say(f"Writing {shown(report)}: {sum(map(len, pieces)) / 1e6:.1f} MB, with {shown(held)}.", err=True)
        with new.open("xb") as file:
            file.writelines(pieces)


@click.command()
@click.argument("viewer", shell_complete=complete_forks)
@click.argument("folder", type=click.Path(path_type=Path))
def fork(viewer: str, folder: Path) -> None:
    """Copy a viewer or the example plug-in into FOLDER, to change it.

    A copied viewer runs as it is; see its README. VIEWER "plugin" is a package that adds an event kind, a
    table, a finding and a rank analysis.

    \b
    Example:
      tlparse-bundle fork starter my-viewer/
      tlparse-bundle serve out/ --viewer my-viewer/
      tlparse-bundle fork plugin my-plugin/
    """
    from tlparse_bundle.serve.publish.fork import fork as copy_viewer

    copy_viewer(viewer, folder)
    say(f"Wrote {shown(folder)}. Next, read {shown(folder / 'README.md')}", err=True)


def _classes(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


@click.command()
@click.argument("bundle", metavar="BUNDLE", shell_complete=complete_paths)
@click.argument("out", type=click.Path(path_type=Path), required=False)
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    help=(
        "What to remove: share-with-public also drops the tables that describe the model. [default:"
        " share-with-public]"
    ),
)
@click.option(
    "--keep",
    multiple=True,
    metavar="NAMES",
    callback=_classes,
    help=(
        "Keep these, though the preset drops them: fields with text, such as graph_breaks.text (--preview"
        " lists them), source, payloads, or parts. Separate with commas."
    ),
)
@click.option(
    "--drop",
    multiple=True,
    metavar="PARTS",
    callback=_classes,
    help="Also remove the tables of these parts, such as metrics,timeline.",
)
@click.option(
    "--key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help=(
        "Use the key in this file, so that names get the same pseudonyms in all bundles. Created if missing."
    ),
)
@click.option(
    "--verify",
    "search",
    is_flag=True,
    help=(
        "Search the result for text from the logs, independently of redaction; write nothing if any is"
        " found. Takes minutes for large logs."
    ),
)
@click.option("--preview", is_flag=True, help="Print what would be removed and kept; write nothing.")
@click.option("--overwrite", is_flag=True, help="Replace OUT if it is a bundle.")
@no_verify
def redact(
    bundle: str,
    out: Path | None,
    preset: str | None,
    keep: list[str],
    drop: list[str],
    key_file: Path | None,
    search: bool,
    preview: bool,
    overwrite: bool,
    verify: bool,
) -> None:
    """Write a copy of a bundle without code, text, names or paths.

    Structure, times, counts and names that torch ships are kept. Functions, files, modules and tensors get
    pseudonyms from a random key, such as fn_k3v9qd2x, the same in all tables and logs. Text, source code and
    payloads are left out. Findings keep number, kind and place. Their sentences are rewritten from what is
    left.

    \b
    Example:
      tlparse-bundle redact out/ --preview
      tlparse-bundle redact out/ shared/
      tlparse-bundle redact out/ shared/ --preset share-with-vendor --verify
      tlparse-bundle redact out/ shared/ --keep graph_breaks.explanation --drop metrics
      tlparse-bundle redact out/ shared/ --key-file names.key

    \b
    Parts: findings, timeline, recompiles, graph_breaks, failures, caches, metrics, anatomy, guards, graphs,
    kernels, provenance, tensors, symbols, runtime, sources, export, vllm, ranks.
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.redact.policy import policy
    from tlparse_bundle.redact.preview import preview as preview_of
    from tlparse_bundle.redact.pseudonyms import key_of_file
    from tlparse_bundle.redact.redact import redact as write

    chosen = policy(preset, keep, drop)
    if out is None and not preview:
        raise click.UsageError(
            f"OUT, the bundle to write, is missing. Try: tlparse-bundle redact {bundle} shared/"
        )
    if search and (chosen.kept or "payloads" not in chosen.dropped):
        raise click.UsageError("--verify finds the text that --keep keeps. Leave out one of them.")
    source = Bundle.open(bundle, verify=verify)
    if preview or out is None:
        for line in preview_of(source, chosen):
            say(line)
        return
    key = None if key_file is None else key_of_file(key_file)
    redacted = write(source, out, chosen, overwrite=overwrite, key=key, verify=search)
    say(
        f"Wrote {shown(out)}, {redacted.size_bytes / 1e6:.1f} MB, without"
        f" {', '.join(chosen.as_row()['dropped'])}.",
        err=True,
    )
    say(f"View it before you share it: tlparse-bundle serve {shown(out)}", err=True)
