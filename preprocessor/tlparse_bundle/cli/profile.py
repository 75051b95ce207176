"""The command add-profile."""

from __future__ import annotations

import click

from tlparse_bundle.cli.completion import complete_paths
from tlparse_bundle.cli.options import peak_option
from tlparse_bundle.cli.output import say_json


@click.command("add-profile")
@click.argument("bundle", metavar="BUNDLE", shell_complete=complete_paths)
@click.argument("profiles", nargs=-1, required=True, metavar="PROFILE...", shell_complete=complete_paths)
@peak_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print no summary.")
def add_profile(
    bundle: str, profiles: tuple[str, ...], peak: tuple[str, ...], as_json: bool, quiet: bool
) -> None:
    """Add the times of torch.profiler traces to a bundle.

    PROFILE is a trace (.json, .json.gz), a folder of traces or a pattern. BUNDLE is replaced. It gets the
    same bytes as a build with --profile.

    \b
    Example:
      tlparse-bundle add-profile out/ /tmp/prof_rank*.json.gz
    """
    from tlparse_bundle.cli.progress import print_summary
    from tlparse_bundle.pipeline.merge import add_profiles

    result = add_profiles(bundle, profiles, peak)
    if not quiet:
        print_summary(result)
    if as_json:
        say_json(
            {
                "ok": True,
                "path": bundle,
                "logs": result.manifest["logs"],
                "diagnostics": result.manifest.get("diagnostics", {}),
            }
        )
