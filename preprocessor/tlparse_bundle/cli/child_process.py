"""A forked child process that runs one function and ends with its parent."""

from __future__ import annotations

import os
import select
import signal
import sys
import traceback
from collections.abc import Callable

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.signals import end_with, held_back

_ours: set[int] = set()  # pipe ends that children must close, or each would keep the others waiting
_PLAIN = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGHUP", "SIGCHLD", "SIGTSTP", "SIGCONT", "SIGWINCH")
    if hasattr(signal, name)
)


class Lifeline:
    """The child's end of the pipe through which its parent asks it to end."""

    def __init__(self, file: int):
        self.file = file

    def cut(self) -> bool:
        """Return whether the parent has asked the child to end, or is gone."""
        return bool(select.select([self.file], [], [], 0)[0])


class Child:
    """A fork of this process in its own session, so that Ctrl-C reaches only the parent. It ends with it.

    ``work`` gets the lifeline and the write end of a pipe; ``pipe`` is the read end. This process must have
    no threads. Raises BundleError where os.fork does not exist.
    """

    def __init__(self, work: Callable[[Lifeline, int], None]):
        if not hasattr(os, "fork"):
            raise BundleError(
                "following logs does not work on Windows",
                hint="Use WSL, or build the bundle when the program has ended.",
                code="no-fork",
            )
        its_lifeline, self._lifeline = os.pipe()
        self.pipe, its_pipe = os.pipe()
        self._code: int | None = None
        _ours.update((self._lifeline, self.pipe))
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        parent = os.getpid()
        with held_back():
            self.pid = os.fork()
            if not self.pid:
                _do(work, parent, its_lifeline, its_pipe)
        os.close(its_lifeline)
        os.close(its_pipe)
        os.set_blocking(self.pipe, False)

    def ask_to_end(self) -> None:
        """Ask the child to end, without waiting for it."""
        if self._lifeline in _ours:
            _ours.discard(self._lifeline)
            os.close(self._lifeline)

    def signal(self, number: int) -> None:
        if self._code is None:
            os.kill(self.pid, number)

    def poll(self) -> int | None:
        """Return the exit code of the child, or None while it runs."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def close(self) -> None:
        """Kill the child and its own children, unless it has ended."""
        if self._code is None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # it has ended, or is not in its own session yet
                os.kill(self.pid, signal.SIGKILL)  # its pid cannot be reused before waitpid
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.ask_to_end()
        if self.pipe in _ours:
            _ours.discard(self.pipe)
            os.close(self.pipe)


def _do(work: Callable[[Lifeline, int], None], parent: int, lifeline: int, pipe: int) -> None:
    """Run ``work`` in the child, then exit."""
    code = 1
    try:
        os.setsid()
        for number in _PLAIN:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(-1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        for file in _ours:
            os.close(file)
        _ours.clear()
        end_with(parent)
        work(Lifeline(lifeline), pipe)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:  # skip everything the parent was about to do
        os._exit(code)
