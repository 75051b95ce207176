"""The command that runs a program and bundles its trace."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.bundle_inputs import build_logs
from tlparse_bundle.cli.options import name_options, open_option, port_option
from tlparse_bundle.cli.output import say, shown
from tlparse_bundle.cli.serve import serve_bundles

if TYPE_CHECKING:
    from tlparse_bundle.pipeline.build import BuildResult

DEFAULT_OUT = Path("tlparse_out")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- PROGRAM...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help=f"The bundle to write (default: {DEFAULT_OUT}, which is replaced).",
)
@click.option("--overwrite", is_flag=True, help="Replace the bundle given with -o.")
@click.option(
    "--keep-trace",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the logs in DIR.",
)
@click.option(
    "--provenance", is_flag=True, help="Record which line became which kernel; compile caches are left out."
)
@click.option(
    "--follow",
    "follows",
    is_flag=True,
    help="Serve the pages while the program runs, too: they show what comes.",
)
@name_options
@open_option("Serve the bundle and open it in the browser (default on a terminal), or not.", default=None)
@port_option
def run(
    program: tuple[str, ...],
    output: Path | None,
    overwrite: bool,
    keep_trace: Path | None,
    provenance: bool,
    follows: bool,
    label: str | None,
    commit: str | None,
    open_browser: bool | None,
    port: int | None,
) -> None:
    """Run a program with TORCH_TRACE, bundle what it traced, and open it.

    Signals go to the program. The exit code is the program's, also when its trace was shown meanwhile: 128
    and the signal's number when one ended it.

    \b
    Example:
      tlparse-bundle run -- python train.py
      tlparse-bundle run --follow -- python train.py
      tlparse-bundle run -o out/ --provenance --no-open -- torchrun --nproc-per-node 4 train.py
    """
    from tempfile import TemporaryDirectory

    from tlparse_bundle.cli.follow import follow_program, prepare
    from tlparse_bundle.cli.progress import print_summary
    from tlparse_bundle.cli.recording import run_traced
    from tlparse_bundle.log.discover import CHECK_COMPILING
    from tlparse_bundle.pipeline.build import named
    from tlparse_bundle.pipeline.target import open_target

    out, overwrite = (output, overwrite) if output else (DEFAULT_OUT, True)
    # What is wrong with these is said before the program runs.
    if follows:
        prepare([], out, {"label": label, "commit": commit}, overwrite=overwrite)
    else:
        named(label, commit)
        open_target(out, overwrite=overwrite)
    if keep_trace and keep_trace.exists() and any(keep_trace.iterdir()):
        hint = "Its logs would be taken for those of the program. Name a new folder."
        raise BundleError(f"{keep_trace} is not empty", hint=hint, code="exists")
    opens = sys.stdout.isatty() if open_browser is None else open_browser
    with TemporaryDirectory(prefix="tlparse-bundle-") as folder:
        trace = keep_trace or Path(folder)
        trace.mkdir(parents=True, exist_ok=True)

        def run_program() -> int:
            code = run_traced(program, trace, provenance=provenance)
            if code:
                say(f"{shown(program[0])} ended with {code}; what it traced until then:", err=True)
            if not any(path.is_file() for path in trace.rglob("*")):
                hint = f"It compiled nothing, or it sets TORCH_TRACE itself. {CHECK_COMPILING}"
                raise BundleError(
                    "the program wrote no trace", hint=hint, code="no-trace", exit_code=code or 1
                )
            return code

        def build_trace(code: int) -> BuildResult:
            replaces = overwrite or follows  # what is there now we have begun
            try:
                return build_logs([trace], out, overwrite=replaces, label=label, commit=commit)[0]
            except BundleError as error:
                error.exit_code = code or error.exit_code
                raise

        if follows:
            code = follow_program(
                run_program,
                build_trace,
                trace,
                out,
                {"label": label, "commit": commit, "overwrite": overwrite},
                port=port,
                opens=opens,
            )
        else:
            code = run_program()
            print_summary(build_trace(code))
    if opens and not follows:
        serve_bundles([out], port=port, open_browser=True)
    elif not opens and not follows:
        say(f"Look at it: tlparse-bundle serve {shown(out)}", err=True)
    sys.exit(code)
