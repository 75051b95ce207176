"""Signals: those that wait for a moment, and the one that ends a process with its parent."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@contextmanager
def held_back() -> Iterator[None]:
    """Ctrl-C and the signals that end a process come when the block has ended.

    Processes started in it inherit that they wait.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with(parent: int) -> None:
    """From now on this process is killed when its parent, the process of this number, has gone.

    On Linux the system does that. Elsewhere a worker waits for it in a thread; what reads from its parent
    ends by itself.
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
