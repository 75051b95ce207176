"""Record TORCH_TRACE logs of a program, or of this process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tlparse_bundle.base.errors import BundleError

# torch writes provenance when it compiles a graph, so a graph from a cache may lack it
# (torch/_inductor/config.py: trace.provenance_tracking_level, force_disable_caches).
PROVENANCE = {"INDUCTOR_PROVENANCE": "1", "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
# Its module sitecustomize records the program; see there.
_PROFILED = Path(__file__).with_name("profiled_program")
_PASSED_ON = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)
# A terminal sends these to the program itself.
_FROM_TERMINAL = {signal.SIGINT, getattr(signal, "SIGQUIT", None)}


class Profiling(NamedTuple):
    """Where each process of a program writes a profiler trace, and how many seconds it records."""

    folder: Path
    seconds: float

    @property
    def environment(self) -> dict[str, str]:
        paths = [str(_PROFILED), os.environ.get("PYTHONPATH", "")]
        return {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "TLPARSE_BUNDLE_PROFILE_DIR": str(self.folder.resolve()),
            "TLPARSE_BUNDLE_PROFILE_SECONDS": str(self.seconds),
            "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",  # C++ kernels report their times
        }


def run_traced(
    command: Sequence[str], trace: Path, *, provenance: bool = False, profiling: Profiling | None = None
) -> int:
    """Run a command with TORCH_TRACE=trace; return its exit code, or 128 plus the signal that ended it.

    Signals are passed on to it. Raises BundleError (exit codes 127 and 126, as in shells) if the program
    cannot be started.
    """
    environment = {
        **os.environ,
        **(PROVENANCE if provenance else {}),
        **(profiling.environment if profiling else {}),
        "TORCH_TRACE": str(trace.resolve()),
    }
    process: subprocess.Popen[bytes] | None = None
    early: list[int] = []  # signals that arrive before Popen returns

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
        code = _ended(process)
    except FileNotFoundError:
        hint = "Check its name, or pass its path."
        raise BundleError(
            f"program {command[0]!r} not found", hint=hint, code="no-program", exit_code=127
        ) from None
    except OSError as error:
        raise BundleError(
            f"cannot run {command[0]!r}: {error.strerror}", code="no-program", exit_code=126
        ) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 128 - code if code < 0 else code


def _ended(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end of a process; return its exit code. Python handles a signal that arrives right before
    a system call only after that call, so no wait is long.
    """
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(1)


@contextmanager
def tracing(folder: Path) -> Iterator[None]:
    """Let torch in this process and its forks also write its logs to a folder, independent of TORCH_TRACE.

    Raises BundleError if torch is not installed, or cannot trace.
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
            f"cannot trace torch: {error}", hint="Install torch 2.4 or newer.", code="no-torch"
        ) from None
    trace_log.addHandler(handler)
    try:
        # Records refer to files by these ids, which torch writes once per process.
        for name, number in list(names.items()):
            trace_structured("str", lambda name=name, number=number: (name, number), suppress_context=True)
        yield
    finally:
        trace_log.removeHandler(handler)
        handler.close()
