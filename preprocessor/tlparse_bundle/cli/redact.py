"""The command that makes a bundle fit to be shared."""

from __future__ import annotations

from pathlib import Path

import click

from tlparse_bundle.cli import complete
from tlparse_bundle.cli.options import no_verify
from tlparse_bundle.cli.say import say, shown

PRESETS = ("share-with-public", "share-with-vendor")  # those of redact.policy, which a help text should not wait for


def _classes(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


@click.command()
@click.argument("bundle", metavar="BUNDLE", shell_complete=complete.places)
@click.argument("out", type=click.Path(path_type=Path), required=False)
@click.option("--preset", type=click.Choice(PRESETS), help="What goes: for the public all payloads, for a vendor none (default: share-with-public).")
@click.option("--keep", multiple=True, metavar="NAMES", callback=_classes, help="What stays though the preset drops it, with commas.")
@click.option("--drop", multiple=True, metavar="NAMES", callback=_classes, help="What goes too: payloads, source, guards, strings, metadata, verbatim, names.")
@click.option("--preview", is_flag=True, help="Say what would go and what would stay; write nothing.")
@click.option("--overwrite", is_flag=True, help="Replace OUT if it is a bundle.")
@no_verify
def redact(bundle, out, preset, keep, drop, preview, overwrite, verify) -> None:
    """Write BUNDLE to OUT without what should stay in the house.

    Structure, times, counts and torch's own messages stay. Names of functions, files, modules and tensors become others, such as
    fn_12 and file_3.py, the same in all tables, payloads and logs. The result is searched for every name, path and line of source
    code of the logs; when one is found nothing is written.

    \b
    Example:
      tlparse-bundle redact out/ shared/
      tlparse-bundle redact out/ shared/ --preset share-with-vendor
      tlparse-bundle redact out/ shared/ --drop payloads,source
      tlparse-bundle redact out/ --preview
    """
    from tlparse_bundle.read.reader import Bundle
    from tlparse_bundle.redact.policy import policy
    from tlparse_bundle.redact.preview import preview as preview_of
    from tlparse_bundle.redact.redact import redact as write

    chosen = policy(preset, keep, drop)
    if out is None and not preview:
        raise click.UsageError(f"Where should the bundle go? Try: tlparse-bundle redact {bundle} shared/")
    source = Bundle.open(bundle, verify=verify)
    if preview:
        for line in preview_of(source, chosen):
            say(line)
        return
    made = write(source, out, chosen, overwrite=overwrite)
    say(f"{shown(out)}: {made.size_bytes / 1e6:.1f} MB without {', '.join(chosen.as_row()['dropped'])}; {made.renamed:,} names are others, {made.lines:,} lines of source code are gone.", err=True)
    if made.changed:
        said = ", ".join(f"{kind} {change:+d}" for kind, change in made.changed.items())
        say(f"warning: findings differ from those of {shown(bundle)}: {said}", err=True)
    say(f"Look at it before you share it: tlparse-bundle serve {shown(out)}", err=True)
