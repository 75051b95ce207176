"""The commands that make something to hand on: a site, one file, a viewer of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from tlparse_bundle.cli import complete
from tlparse_bundle.cli.options import no_verify, open_option
from tlparse_bundle.cli.say import say, shown
from tlparse_bundle.cli.serve import viewer_option


@click.command()
@click.argument("bundles", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="BUNDLE... DIR")
@viewer_option
@click.option("--overwrite", is_flag=True, help="Replace DIR if it is a site that this command wrote.")
@click.option("--without-python", is_flag=True, help="Leave out the 14 MB with which its pages open raw logs.")
def site(bundles, viewers, overwrite, without_python) -> None:
    """Write bundles and viewers into DIR, a site for any static host.

    \b
    Example:
      tlparse-bundle site out/ public/
      python -m http.server -d public
    """
    from tlparse_bundle.serve.browser_python import python_folder
    from tlparse_bundle.serve.site import write_site

    if len(bundles) < 2:
        raise click.UsageError(f"Where should the site go? Try: tlparse-bundle site {bundles[0]} public/")
    *paths, folder = bundles
    if python_folder() is None and not without_python:
        say("warning: the pages of this site open bundles only, no raw logs: tlparse-bundle was installed without npm", err=True)
    size = write_site(paths, folder, viewers, overwrite=overwrite, python=not without_python)
    say(f"{shown(folder)}: {size / 1e6:.1f} MB. Try it: python -m http.server -d {shown(folder)}", err=True)


@click.command()
@click.argument("bundle", shell_complete=complete.places)
@click.argument("report", type=click.Path(path_type=Path, dir_okay=False), metavar="REPORT.html")
@click.option(
    "--compile",
    "compiles",
    multiple=True,
    metavar="KEY",
    shell_complete=complete.compiles,
    help="Only the artifacts of this compile, such as 0/1; may be repeated (default: all).",
)
@click.option("--viewer", shell_complete=complete.viewers, help="This viewer only: one of the package, or the folder of one of your own (default: all of the package that have something to show).")
@click.option("--max-mb", type=click.IntRange(min=1), default=100, show_default=True, help="Refuse to write more than this.")
@click.option("--overwrite", is_flag=True, help="Replace REPORT.html.")
@open_option("Open the file in the browser, or not (default).")
@no_verify
def export(bundle, report, compiles, viewer, max_mb, overwrite, open_browser, verify) -> None:
    """Write a bundle and its viewers as one HTML file that opens from disk, offline.

    \b
    Example:
      tlparse-bundle export out/ report.html
      tlparse-bundle export out/ report.html --compile 0/0 --compile 0/1
    """
    from tlparse_bundle.commit.folder import new_file
    from tlparse_bundle.format.layout import guards
    from tlparse_bundle.read.reader import Bundle
    from tlparse_bundle.serve.export import export as export_page
    from tlparse_bundle.serve.export import viewers_of
    from tlparse_bundle.serve.viewer_files import viewer_folder

    source = Bundle.open(bundle, verify=verify)
    with new_file(report, overwrite=overwrite, readers_of=guards(source.location)) as new:
        pieces = export_page(source, viewer_folder(viewer) if viewer else viewers_of(source), compiles, max_mb * 1_000_000)
        held = f"the artifacts of {', '.join(compiles)}" if compiles else "all artifacts"
        say(f"Writing {shown(report)}: {sum(map(len, pieces)) / 1e6:.1f} MB, with {shown(held)}.", err=True)
        with new.open("xb") as file:
            file.writelines(pieces)
    if open_browser:
        import webbrowser

        webbrowser.open(report.resolve().as_uri())


@click.command()
@click.argument("viewer", shell_complete=complete.viewers)
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
    say(f"{shown(folder)} is yours: read {shown(folder / 'README.md')}", err=True)
