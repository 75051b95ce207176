"""The command run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.bundle_inputs import build_logs
from tlparse_bundle.cli.options import open_option, peak_option, port_option, program_options
from tlparse_bundle.cli.output import say, shown
from tlparse_bundle.cli.serve import serve_bundles

if TYPE_CHECKING:
    from tlparse_bundle.pipeline.build import BuildResult

_ENDED_BY_SIGNAL = "No profiler trace was recorded: a signal ended the program."
_NO_PROFILE = (
    "No profiler trace was recorded: the program ended less than half a second after its last compile, or its"
    " Python does not read PYTHONPATH."
)
DEFAULT_OUT = Path("tlparse_out")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- PROGRAM...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help=f"Bundle to write. [default: {DEFAULT_OUT}, replaced if it exists]",
)
@click.option("--overwrite", is_flag=True, help="Replace the bundle given with -o.")
@click.option(
    "--keep-trace",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the logs in DIR.",
)
@click.option(
    "--provenance",
    is_flag=True,
    help="Record which source line became which kernel. Disables compile caches.",
)
@click.option(
    "--profile",
    "profiles",
    is_flag=True,
    help="Also record a trace of torch.profiler in each process, and join its times.",
)
@click.option(
    "--profile-seconds",
    type=click.FloatRange(0, 600, min_open=True),
    default=3.0,
    show_default=True,
    metavar="SECONDS",
    help="How long --profile records: from half a second after a compile, when none follows.",
)
@peak_option
@click.option(
    "--follow",
    "follows",
    is_flag=True,
    help="Serve the bundle while the program runs; open pages update.",
)
@program_options
@open_option("Serve the bundle and open it in the browser. [default: yes on a terminal]", default=None)
@port_option
def run(
    program: tuple[str, ...],
    output: Path | None,
    overwrite: bool,
    keep_trace: Path | None,
    provenance: bool,
    profiles: bool,
    profile_seconds: float,
    peak: tuple[str, ...],
    follows: bool,
    label: str | None,
    commit: str | None,
    source_url: str | None,
    source_roots: tuple[str, ...],
    open_browser: bool | None,
    port: int | None,
) -> None:
    """Run a program with TORCH_TRACE and build a bundle of its logs.

    Signals are passed on to the program. The exit code is the program's, or 128 plus the signal number if a
    signal ended it.

    \b
    Example:
      tlparse-bundle run -- python train.py
      tlparse-bundle run --follow -- python train.py
      tlparse-bundle run --profile --provenance -- python train.py
      tlparse-bundle run -o out/ --provenance --no-open -- torchrun --nproc-per-node 4 train.py
    """
    from tempfile import TemporaryDirectory

    from tlparse_bundle.cli.follow import follow_program, prepare
    from tlparse_bundle.cli.progress import print_summary
    from tlparse_bundle.cli.recording import Profiling, run_traced
    from tlparse_bundle.log.discover import CHECK_COMPILING
    from tlparse_bundle.pipeline.program import program_fields
    from tlparse_bundle.pipeline.target import open_target
    from tlparse_bundle.statements.profile.peaks import stated_peaks

    out, overwrite = (output, overwrite) if output else (DEFAULT_OUT, True)
    described: dict[str, Any] = {
        "label": label,
        "commit": commit,
        "source_url": source_url,
        "source_roots": source_roots,
    }
    # Report bad options before the program runs.
    if follows:
        prepare([], out, described, overwrite=overwrite)
    else:
        program_fields(**described)
        open_target(out, overwrite=overwrite)
    if keep_trace and keep_trace.exists() and any(keep_trace.iterdir()):
        hint = "Its files would be read as logs of the program. Pass a new folder to --keep-trace."
        raise BundleError(f"'{shown(keep_trace)}' is not empty", hint=hint, code="exists")
    stated_peaks(peak)
    opens = sys.stdout.isatty() if open_browser is None else open_browser
    with TemporaryDirectory(prefix="tlparse-bundle-") as folder:
        trace, recorded = keep_trace or Path(folder, "trace"), Path(folder, "profiles")
        trace.mkdir(parents=True, exist_ok=True)
        recorded.mkdir()
        profiling = Profiling(recorded, profile_seconds) if profiles else None

        def run_program() -> int:
            code = run_traced(program, trace, provenance=provenance, profiling=profiling)
            if code:
                say(f"{shown(program[0])} exited with code {code}. Its logs until then:", err=True)
            if not any(path.is_file() for path in trace.rglob("*")):
                hint = f"Either it compiled nothing, or it sets TORCH_TRACE itself. {CHECK_COMPILING}"
                raise BundleError(
                    f"{shown(program[0])} wrote no TORCH_TRACE log",
                    hint=hint,
                    code="no-trace",
                    exit_code=code or 1,
                )
            return code

        def build_trace(code: int) -> BuildResult:
            replaces = overwrite or follows  # with --follow, this command wrote what is there
            options: dict[str, Any] = {}
            traces = sorted(str(path) for path in recorded.glob("profile_*.json.gz"))
            if traces:
                options = {"profile": traces, "peak": peak}
            elif profiles:
                say(_ENDED_BY_SIGNAL if code > 128 else _NO_PROFILE, err=True)
            try:
                result = build_logs([trace], out, overwrite=replaces, **described, **options)[0]
                if keep_trace and traces:
                    shutil.copytree(recorded, keep_trace / "profiles")
                return result
            except BundleError as error:
                error.exit_code = code or error.exit_code
                raise

        if follows:
            code = follow_program(
                run_program,
                build_trace,
                trace,
                out,
                {**described, "overwrite": overwrite},
                port=port,
                opens=opens,
            )
        else:
            code = run_program()
            print_summary(build_trace(code))
    if opens and not follows:
        serve_bundles([out], port=port, open_browser=True)
    elif not opens and not follows:
        say(f"View it: tlparse-bundle serve {shown(out)}", err=True)
    sys.exit(code)
