"""Delays signals, notes what was finished before one, and ends a process with its parent."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Paths that this process has written, so that an interrupt does not claim that nothing was written.
finished_places: list[str] = []
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@contextmanager
def held_back() -> Iterator[None]:
    """Delay Ctrl-C and termination signals until the block ends. Processes started in it inherit this."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with(parent: int) -> None:
    """Kill this process when its parent, with this process id, ends.

    Linux does that itself. Elsewhere a thread of a worker waits for it; readers of the parent end by
    themselves.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it had gone before
            os._exit(1)
        return
    from multiprocessing import connection, parent_process

    if (process := parent_process()) is not None:
        from threading import Thread

        Thread(target=lambda: (connection.wait([process.sentinel]), os._exit(1)), daemon=True).start()
