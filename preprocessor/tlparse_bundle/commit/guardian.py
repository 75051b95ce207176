"""A process that outlives the writer by a moment, and removes what that one left if it was killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from tlparse_bundle.commit import leftovers

_HELD_BACK = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE") if hasattr(signal, name))

_SESSION = {"setsid": True} if sys.platform == "linux" else {}  # elsewhere it makes its session itself, a moment later


class Guardian:
    """Starts at once; ``end`` it when there is nothing left to remove.

    It has a session of its own and takes no signal that a terminal or a supervisor sends, so that it ends with the
    writer and never before. Where it cannot be started the next writer removes what was left.
    """

    def __init__(self, out: str, staging: str, lock: str, made: Sequence[str]):
        self._pid = self._pipe = None
        if not hasattr(os, "posix_spawn") or not sys.executable:
            return
        import fcntl

        command = [sys.executable, "-I", "-S", leftovers.__file__, str(os.getpid()), out, staging, lock, *made]
        source = None
        try:
            source, self._pipe = os.pipe()
            high = fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, 10)  # clear of the ones that are set below
            os.close(source)
            source = high
            streams = [(os.POSIX_SPAWN_DUP2, source, 0), *((os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2))]
            self._pid = os.posix_spawn(sys.executable, command, os.environ, file_actions=streams, setsigmask=_HELD_BACK, **_SESSION)
        except (OSError, NotImplementedError):
            self._close()
        finally:
            if source is not None:
                os.close(source)

    def end(self) -> None:
        if self._pid is not None:
            try:
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
            except (ProcessLookupError, ChildProcessError):  # somebody else waits for all children
                pass
            self._pid = None
        self._close()

    def _close(self) -> None:
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
