"""The command that runs a program and bundles its trace."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tlparse_bundle.cli.say import say, shown
from tlparse_bundle.cli.serve import serve_bundles
from tlparse_bundle.errors import BundleError

DEFAULT_OUT = Path("tlparse_out")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- PROGRAM...")
@click.option("-o", "--output", type=click.Path(path_type=Path), help=f"The bundle to write (default: {DEFAULT_OUT}, which is replaced).")
@click.option("--overwrite", is_flag=True, help="Replace the bundle given with -o.")
@click.option("--keep-trace", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Keep the logs in DIR.")
@click.option("--provenance", is_flag=True, help="Record which line became which kernel; compile caches are left out.")
@click.option("--open/--no-open", "open_browser", default=True, help="Serve the bundle and open it in the browser (default), or not.")
def run(program, output, overwrite, keep_trace, provenance, open_browser) -> None:
    """Run a program with TORCH_TRACE, bundle what it traced, and open it.

    Signals go to the program. The exit code is the program's: 128 and the signal's number when one ended it.

    \b
    Example:
      tlparse-bundle run -- python train.py
      tlparse-bundle run -o out/ --provenance --no-open -- torchrun --nproc-per-node 4 train.py
    """
    from tempfile import TemporaryDirectory

    from tlparse_bundle.build.target import open_target
    from tlparse_bundle.cli.progress import print_summary
    from tlparse_bundle.recording import run_traced

    out, overwrite = (output, overwrite) if output else (DEFAULT_OUT, True)
    open_target(out, overwrite=overwrite)  # says what is wrong with it before the program runs
    if keep_trace and keep_trace.exists() and any(keep_trace.iterdir()):
        hint = "Its logs would be taken for those of the program. Name a new folder."
        raise BundleError(f"{keep_trace} is not empty", hint=hint, code="exists")
    with TemporaryDirectory(prefix="tlparse-bundle-") as folder:
        trace = keep_trace or Path(folder)
        trace.mkdir(parents=True, exist_ok=True)
        code = run_traced(program, trace, provenance=provenance)
        if code:
            say(f"{shown(program[0])} ended with {code}; what it traced until then:", err=True)
        if not any(path.is_file() for path in trace.rglob("*")):
            hint = "It compiled nothing, does not use torch, or sets TORCH_TRACE itself."
            raise BundleError("the program wrote no trace", hint=hint, code="no-trace", exit_code=code or 1)
        try:
            result = _build(trace, out, overwrite)
        except BundleError as error:
            error.exit_code = code or error.exit_code
            raise
    print_summary(result)
    if open_browser:
        serve_bundles([out], open_browser=True)
    else:
        say(f"Look at it: tlparse-bundle serve {shown(out)}", err=True)
    sys.exit(code)


def _build(trace: Path, out: Path, overwrite: bool):
    from tlparse_bundle.build.build import build
    from tlparse_bundle.cli.progress import Bar
    from tlparse_bundle.trace.discover import Skipped, discover, left_out

    skipped: list[Skipped] = []
    logs = discover([trace], skipped=skipped)
    if skipped:
        say(left_out(skipped), err=True)
    with Bar(sum(log.size_bytes for log in logs), len(logs), hidden=False) as bar:
        return build(logs, out, overwrite=overwrite, progress=bar.advance)
