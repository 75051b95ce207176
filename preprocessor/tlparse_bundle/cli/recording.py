"""Recording the trace of torch: of a program, or of this process for a while."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tlparse_bundle.base.errors import BundleError

# Provenance is written when a graph is compiled. What comes out of a cache that was filled without it has
# none (torch/_inductor/config.py: trace.provenance_tracking_level, force_disable_caches).
PROVENANCE = {"INDUCTOR_PROVENANCE": "1", "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
_PASSED_ON = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)
# The terminal sends them to the program as well.
_FROM_TERMINAL = {signal.SIGINT, getattr(signal, "SIGQUIT", None)}


def run_traced(command: Sequence[str], trace: Path, *, provenance: bool = False) -> int:
    """Run the command with TORCH_TRACE=trace; returns its exit code, or 128 and the number of the signal
    that ended it.

    Signals that we get meanwhile are passed on. Raises BundleError (exit codes 127 and 126, as shells have
    them) when the program cannot be started.
    """
    environment = {**os.environ, **(PROVENANCE if provenance else {}), "TORCH_TRACE": str(trace.resolve())}
    process: subprocess.Popen[bytes] | None = None
    early: list[int] = []  # a program can be running before the call that starts it returns

    def pass_on(number: int, frame: object) -> None:
        if process is None:
            early.append(number)
        elif not (number in _FROM_TERMINAL and sys.stdin is not None and sys.stdin.isatty()):
            process.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in _PASSED_ON}
    try:
        process = subprocess.Popen(command, env=environment)
        for number in early:
            pass_on(number, None)
        code = process.wait()
    except FileNotFoundError:
        raise BundleError(f"there is no program {command[0]!r}", code="no-program", exit_code=127) from None
    except OSError as error:
        raise BundleError(
            f"{command[0]!r} cannot be run: {error.strerror}", code="no-program", exit_code=126
        ) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 128 - code if code < 0 else code


@contextmanager
def tracing(folder: Path) -> Iterator[None]:
    """Let torch in this process, and in those it forks, write its trace into a folder, besides TORCH_TRACE.

    Raises BundleError when there is no torch, or one that cannot trace.
    """
    try:
        from torch._logging import (  # type: ignore[import-not-found, unused-ignore]  # torch need not be there
            _internal,
            structured,
        )

        handler = _internal.LazyTraceHandler(str(folder))
        handler.setFormatter(_internal.TorchLogsFormatter(trace=True))
        trace_log, trace_structured, names = (
            _internal.trace_log,
            _internal.trace_structured,
            structured.INTERN_TABLE,
        )
    except (ImportError, AttributeError) as error:
        raise BundleError(
            f"torch cannot be traced: {error}", hint="Tracing needs torch 2.4 or newer.", code="no-torch"
        ) from None
    trace_log.addHandler(handler)
    try:
        # Records name files by these numbers, which torch writes once in a process.
        for name, number in list(names.items()):
            trace_structured("str", lambda name=name, number=number: (name, number), suppress_context=True)
        yield
    finally:
        trace_log.removeHandler(handler)
        handler.close()
