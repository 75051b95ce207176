"""The commands build and merge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tlparse_bundle.cli.bundle_inputs import build_logs, default_out, refuse_bundles
from tlparse_bundle.cli.completion import complete_paths
from tlparse_bundle.cli.options import (
    Location,
    memory_option,
    no_verify,
    open_option,
    peak_option,
    port_option,
    program_options,
)
from tlparse_bundle.cli.output import say, say_json, shown
from tlparse_bundle.cli.serve import serve_bundles

if TYPE_CHECKING:
    from tlparse_bundle.pipeline.workers import DaskWorkers

EXIT_DIAGNOSTICS = 3


def rank_list(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int] | None:
    if value is None:
        return None
    ranks: list[int] = []
    for part in value.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise click.BadParameter(f"{part!r} is not a rank or a range of ranks. Write for example 0,3-7.")
        ranks.extend(range(int(first), int(last or first) + 1))
    return ranks


def _executor(address: str | None) -> DaskWorkers | None:
    if address is None:
        return None
    from tlparse_bundle.pipeline.workers import DaskWorkers

    return DaskWorkers(address)


@click.command()
@click.argument("traces", nargs=-1, required=True, type=Location(), metavar="TRACE... [OUT]")
@click.option("--latest", is_flag=True, help="Read only the newest run.")
@click.option("--ranks", callback=rank_list, metavar="LIST", help="Read only these ranks, such as 0,3-7.")
@click.option(
    "--run",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run whose ranks to compare, if the logs hold several. [default: newest attempt of the largest]",
)
@click.option("--overwrite", is_flag=True, help="Replace OUT if it is a bundle.")
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 3 if a log is damaged or a plug-in fails. The bundle is still built.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Logs to process in parallel. [default: one per core]"
)
@click.option(
    "--executor", metavar="dask://HOST:PORT", help="Process the logs on the workers of a Dask cluster."
)
@click.option(
    "--codec",
    type=click.Choice(["zstd", "gzip", "none"]),
    default="zstd",
    show_default=True,
    help="Compression of the files in the bundle.",
)
@click.option(
    "--flight-recorder",
    multiple=True,
    metavar="GLOB",
    help="Join Flight Recorder dumps, JSON or pickles, such as '/tmp/nccl_trace_rank_*'. Repeatable.",
)
@click.option(
    "--profile",
    multiple=True,
    metavar="GLOB",
    help="Join traces of torch.profiler, such as '/tmp/prof*.json.gz'. Repeatable.",
)
@peak_option
@memory_option
@program_options
@open_option("Serve the bundle and open it in the browser. [default: no]")
@port_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print no progress and no summary.")
def build(
    traces: tuple[Path | str, ...],
    latest: bool,
    ranks: list[int] | None,
    run: int | None,
    overwrite: bool,
    strict: bool,
    jobs: int | None,
    executor: str | None,
    codec: str,
    flight_recorder: tuple[str, ...],
    profile: tuple[str, ...],
    peak: tuple[str, ...],
    memory_bytes: int,
    label: str | None,
    commit: str | None,
    source_url: str | None,
    source_roots: tuple[str, ...],
    open_browser: bool,
    port: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Build a bundle from trace logs (the default command).

    TRACE is a log (.log, .gz, .zst) or a folder of logs. OUT is the folder to write. Both may be URLs such as
    s3://bucket/run. With one TRACE and no OUT, the bundle is TRACE-bundle in the current folder.

    \b
    Example:
      tlparse-bundle /tmp/trace out/
      tlparse-bundle /tmp/trace --open
      tlparse-bundle rank_0.log rank_1.log.gz out/ --overwrite
    """
    from tlparse_bundle.cli.progress import print_summary, warnings
    from tlparse_bundle.pipeline.target import open_target

    *paths, out = traces if len(traces) > 1 else (traces[0], default_out(traces[0]))
    refuse_bundles(paths)
    open_target(out, overwrite=overwrite)  # reports a bad OUT before the logs are read
    options = {
        "codec": codec,
        "overwrite": overwrite,
        "jobs": jobs,
        "executor": _executor(executor),
        "run": run,
        "flight_recorder": flight_recorder,
        "profile": profile,
        "peak": peak,
        "memory_bytes": memory_bytes,
        "label": label,
        "commit": commit,
        "source_url": source_url,
        "source_roots": source_roots,
    }
    result, skipped = build_logs(paths, out, quiet=quiet, latest=latest, ranks=ranks, **options)
    if not quiet:
        print_summary(result)
    if as_json:
        say_json(
            {
                "ok": True,
                "path": str(out),
                "logs": result.manifest["logs"],
                "diagnostics": result.manifest.get("diagnostics", {}),
                "skipped": [file._asdict() for file in skipped],
            }
        )
    if open_browser:
        serve_bundles([out], port=port, open_browser=True)
    elif not quiet:
        say(f"View it: tlparse-bundle serve {shown(out)}", err=True)
    damage = warnings(result.manifest) if strict else ""
    if damage:
        say(
            f"Error: --strict: the bundle was built, but a log is damaged or a plug-in failed:\n{damage}",
            err=True,
        )
        sys.exit(EXIT_DIAGNOSTICS)


@click.command()
@click.argument("bundles", nargs=-1, required=True, metavar="BUNDLE... OUT", shell_complete=complete_paths)
@click.option("--overwrite", is_flag=True, help="Replace OUT if it is a bundle.")
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Logs to process in parallel. [default: one per core]"
)
@click.option(
    "--run",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run whose ranks to compare, if the logs hold several. [default: newest attempt of the largest]",
)
@no_verify
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print no summary.")
def merge(
    bundles: tuple[str, ...],
    overwrite: bool,
    jobs: int | None,
    run: int | None,
    verify: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Merge bundles of different logs into one bundle.

    OUT gets the same bytes as a build from all the logs. BUNDLE and OUT are folders, or URLs such as
    s3://bucket/run.

    \b
    Example:
      tlparse-bundle merge host0/ host1/ host2/ out/
    """
    from tlparse_bundle.cli.progress import print_summary
    from tlparse_bundle.pipeline.merge import merge as merge_bundles

    if len(bundles) < 2:
        raise click.UsageError(
            f"OUT, the bundle to write, is missing. Try: tlparse-bundle merge {bundles[0]} out/"
        )
    *locations, out = bundles
    result = merge_bundles(locations, out, overwrite=overwrite, jobs=jobs, verify=verify, run=run)
    if not quiet:
        print_summary(result)
    if as_json:
        say_json(
            {
                "ok": True,
                "path": out,
                "logs": result.manifest["logs"],
                "diagnostics": result.manifest.get("diagnostics", {}),
            }
        )
