"""The command follow, and the parts of it that serve and run use."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.bundle_inputs import default_out, refuse_bundles
from tlparse_bundle.cli.options import Location, memory_option, open_option, port_option, program_options
from tlparse_bundle.cli.output import say, say_error, say_json, shown

if TYPE_CHECKING:
    from tlparse_bundle.cli.growing_processes import Display, Following, Server, Signals
    from tlparse_bundle.pipeline.build import BuildResult

_NOTHING = {"no-logs", "not-found", "empty"}  # error codes that mean there is no bundle to finish
_CODECS = ["zstd", "gzip", "none"]


class ServerOptions(NamedTuple):
    """Port and access rights of a server, as for ``serve.http.server.serve``."""

    port: int | None
    viewers: Sequence[Path] = ()
    allow_origins: Sequence[str] = ()
    with_token: bool = True


@click.command()
@click.argument("traces", nargs=-1, required=True, type=Location(), metavar="TRACE... [OUT]")
@click.option(
    "--until-exit",
    "until_pid",
    type=click.IntRange(1, 2**31 - 1),
    metavar="PID",
    help="Finish the bundle when this process ends. [default: at Ctrl-C]",
)
@click.option("--no-serve", is_flag=True, help="Serve no pages; show a live screen in the terminal.")
@click.option("--overwrite", is_flag=True, help="Replace OUT if it is a finished bundle.")
@click.option(
    "--codec",
    type=click.Choice(_CODECS),
    default="zstd",
    show_default=True,
    help="Compression of the files in the bundle.",
)
@memory_option
@program_options
@open_option("Open the page in the browser. [default: no]")
@port_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print no progress and no summary.")
def follow(
    traces: tuple[Path | str, ...],
    until_pid: int | None,
    no_serve: bool,
    overwrite: bool,
    codec: str,
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
    """Build a bundle from logs that are still being written.

    TRACE is a log, a folder of logs or a URL of one; it may not exist yet. OUT is readable at all times, and
    ends up the same as a bundle that 'build' writes. With one TRACE and no OUT, the bundle is TRACE-bundle in
    the current folder. Ctrl-C finishes the bundle. A second Ctrl-C stops at once; run the command again to
    continue.

    \b
    Example:
      tlparse-bundle follow /tmp/trace
      tlparse-bundle follow /tmp/trace out/ --no-serve
      tlparse-bundle follow /tmp/trace out/ --until-exit 4711
    """
    if no_serve and (open_browser or port is not None):
        raise click.UsageError("--no-serve cannot be combined with --open or --port.")
    *paths, out = traces if len(traces) > 1 else (traces[0], default_out(traces[0]))
    program: dict[str, Any] = {
        "label": label,
        "commit": commit,
        "source_url": source_url,
        "source_roots": source_roots,
    }
    prepare(paths, out, program, overwrite=overwrite)
    options = {"codec": codec, "memory_bytes": memory_bytes, "overwrite": overwrite, **program}
    with opened_server(None if no_serve else ServerOptions(port), open_browser=open_browser) as server:
        number = follow_logs(paths, out, options, server, until_pid=until_pid, quiet=quiet, as_json=as_json)
    if number is not None:
        sys.exit(128 + number)


def prepare(
    paths: Sequence[str | Path], out: str | Path, program: Mapping[str, Any], *, overwrite: bool
) -> None:
    """Raise BundleError if the bundle cannot be written, before any work starts."""
    from tlparse_bundle.base.remote import is_url
    from tlparse_bundle.pipeline.program import program_fields
    from tlparse_bundle.pipeline.target import open_target

    refuse_bundles(paths)
    program_fields(**program)
    if is_url(out):
        hint = "Pass a local folder, and copy the bundle when it is finished."
        raise BundleError(
            f"'{shown(out)}' is a URL, and follow writes only to a local folder", hint=hint, code="is-url"
        )
    if not is_growing(Path(out)):
        open_target(out, overwrite=overwrite)


def is_growing(out: Path) -> bool:
    """Return whether ``out`` holds an unfinished bundle of ``follow``, or the start of one."""
    from tlparse_bundle.bundle.layout import LIVE, MANIFEST
    from tlparse_bundle.bundle.reader import Bundle

    if (out / LIVE).is_dir() and not os.path.lexists(out / MANIFEST):
        return True
    try:
        return Bundle.open(out).manifest.get("growing") is True
    except (BundleError, OSError):
        return False


@contextmanager
def opened_server(
    options: ServerOptions | None, *, open_browser: bool = False, err: bool = False
) -> Iterator[Server | None]:
    """Open a listening socket and print its address; yield None without options."""
    if options is None:
        yield None
        return
    from tlparse_bundle.cli.browser import say_address
    from tlparse_bundle.cli.growing_processes import Server
    from tlparse_bundle.serve.http.access import new_token
    from tlparse_bundle.serve.http.server import listen

    with listen(options.port) as sock, ExitStack() as kept:
        token = new_token() if options.with_token else None
        server = Server(sock, token, options.viewers, options.allow_origins)
        say_address(
            server.url,
            token,
            port=options.port,
            allow_origins=options.allow_origins,
            opened=kept if open_browser else None,
            err=err,
        )
        yield server


def follow_logs(
    paths: Sequence[str | Path],
    out: str | Path,
    options: dict[str, Any],
    server: Server | None,
    *,
    until_pid: int | None = None,
    quiet: bool = False,
    as_json: bool = False,
    keeps: bool = True,
) -> int | None:
    """Follow until a signal or the end of process ``until_pid``; return the exit signal or None.

    After the process has ended, pages are served until a signal. With ``keeps`` the bundle is finished;
    otherwise the first signal stops at once.
    """
    from tlparse_bundle.cli.growing_processes import (
        Following,
        FollowRequest,
        ProcessEnd,
        Signals,
        raise_signal,
        watch,
    )

    ended = ProcessEnd(until_pid)
    if until_pid is not None and ended():
        say(f"Process {until_pid} is not running. Building from the logs as they are.", err=True)
    with Signals() as signals, Following(FollowRequest(paths, Path(out), options), server) as following:
        # From here on Ctrl-C does what this message says.
        _say_start(paths, out, serves=server is not None, keeps=keeps, quiet=quiet)
        try:
            number = watch(
                following,
                _display(paths, out, server, quiet),
                ended,
                [] if ended.file is None else [ended.file],
                signals,
                finishes=keeps,
            )
        except BundleError as error:
            if signals.first is not None and error.code in _NOTHING:
                if not quiet:
                    say_error(error)
                raise_signal(signals.first)
            raise
        except BaseException:
            if keeps and is_growing(Path(out)):
                _say_left(paths, out)
            raise
        _say_end(
            following.wait(),
            out,
            serves_on=server is not None and number is None,
            quiet=quiet,
            as_json=as_json,
        )
        if server is not None and number is None:
            _wait(signals, following)
        following.end_server()
        return None if number in (None, signal.SIGINT) else number


def follow_program(
    run: Callable[[], int],
    build: Callable[[int], BuildResult],
    trace: Path,
    out: Path,
    options: dict[str, Any],
    *,
    port: int | None,
    opens: bool,
) -> int:
    """Follow the logs of a program while ``run`` runs it; return its exit code.

    If following fails, ``build`` builds the bundle afterwards. With ``opens``, open the page and serve it
    until a signal. Signals are passed on to the program while it runs.
    """
    from tlparse_bundle.cli.growing_processes import Following, FollowRequest, Signals

    with (
        opened_server(ServerOptions(port), open_browser=opens, err=True) as server,
        Following(FollowRequest([trace], out, options), server) as following,
    ):
        code = run()
        following.finish()
        try:
            result = following.wait()
        except Exception as error:
            why = error.message if isinstance(error, BundleError) else error
            say(f"Following failed: {shown(why)}. Building the bundle from the finished logs.", err=True)
            result = build(code)
        with Signals() as signals:
            _say_end(result, out, serves_on=opens, quiet=False, as_json=False)
            if opens:
                _wait(signals, following)
            following.end_server()
    return code


def _wait(signals: Signals, following: Following) -> None:
    while signals.first is None and not following.server_has_ended():
        select.select([signals.file], [], [], 1)
        signals.forget()


def _display(paths: Sequence[str | Path], out: str | Path, server: Server | None, quiet: bool) -> Display:
    """Return a screen on a terminal without a server; otherwise lines, so that the address can be copied."""
    from tlparse_bundle.cli.live_view import Lines

    if quiet:
        return Lines(lambda text: None)
    if server is None and sys.stderr.isatty():
        from tlparse_bundle.cli.live_screen import Screen

        if Screen.possible():
            return Screen(f"{_named(paths)} → {out}")
    return Lines(_say_if_read)


def _say_if_read(text: str) -> None:
    with suppress(OSError):  # the reader is gone; keep following
        say(text, err=True)


def _named(paths: Sequence[str | Path]) -> str:
    return ", ".join(map(str, paths[:3])) + (f" and {len(paths) - 3:,} more" if len(paths) > 3 else "")


def _say_start(
    paths: Sequence[str | Path], out: str | Path, *, serves: bool, keeps: bool, quiet: bool
) -> None:
    from tlparse_bundle.base.remote import is_url

    if quiet:
        return
    for path in paths:
        if not is_url(path) and not Path(path).exists():
            say(
                f"{shown(path)} does not exist yet. Waiting for torch to create it with the first record.",
                err=True,
            )
    if keeps:
        say(
            f"Following {shown(_named(paths))} into {shown(out)}. Press Ctrl-C to finish the bundle.",
            err=True,
        )


def _say_left(paths: Sequence[str | Path], out: str | Path) -> None:
    from tlparse_bundle.base.signals import finished_places

    finished_places.append(str(out))
    _say_if_read(
        f"{shown(out)} is unfinished: it holds what was read so far. To continue: tlparse-bundle"
        f" follow {shown(_named(paths))} {shown(out)}"
    )


def _say_end(result: BuildResult, out: str | Path, *, serves_on: bool, quiet: bool, as_json: bool) -> None:
    from tlparse_bundle.cli.progress import print_summary

    if not quiet:
        print_summary(result)
        say(
            (
                "The bundle is finished. Press Ctrl-C to stop serving it."
                if serves_on
                else f"View it: tlparse-bundle serve {shown(out)}"
            ),
            err=True,
        )
    if as_json:
        say_json(
            {
                "ok": True,
                "path": str(out),
                "logs": result.manifest["logs"],
                "diagnostics": result.manifest.get("diagnostics", {}),
            }
        )
    sys.stdout.flush()
