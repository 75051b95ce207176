"""The processes of a growing bundle: a writer, a server, and this one for signals and output."""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.signals import finished_places
from tlparse_bundle.bundle.layout import MANIFEST
from tlparse_bundle.cli.child_process import Child, Lifeline
from tlparse_bundle.cli.exits import Terminated
from tlparse_bundle.cli.live_view import View, Views

if TYPE_CHECKING:
    from tlparse_bundle.pipeline.build import BuildResult

_STATE, _RESULT = b"s", b"r"
_READ_BYTES = 1 << 16
_TICK_SECONDS = 0.5
_LOOK_SECONDS = 0.05
_REPEAT_SECONDS = 0.3  # a signal that repeats sooner counts as the same
# To finish after SIGTERM or SIGHUP; then the bundle stays as the last state left it.
_TERM_SECONDS = 1.0
_LAST_EVENT_SECONDS = 1.5  # for open pages to learn that the bundle is finished
_END_SECONDS = 4.0  # for the server to finish responses
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Display(Protocol):
    """The output while logs are followed: lines or a screen."""

    def begin(self) -> None: ...

    def update(self, view: View, now_us: int) -> None: ...

    def tick(self, now_us: int) -> None: ...

    def note(self, text: str) -> None: ...

    def end(self) -> None: ...


@dataclass(slots=True)
class Server:
    """The socket and the access rights of the server."""

    sock: socket.socket
    token: str | None
    viewers: Sequence[Path] = ()
    allow_origins: Collection[str] = ()

    @property
    def url(self) -> str:
        host, port = self.sock.getsockname()
        return f"http://{host}:{port}/"


@dataclass(slots=True)
class FollowRequest:
    """The logs to follow, the bundle to write, and the options of ``build``."""

    traces: Sequence[str | Path]
    out: Path
    options: dict[str, Any] = field(default_factory=dict)


class Following:
    """The writer and the server process. A context manager: both have ended when it exits."""

    def __init__(self, request: FollowRequest, server: Server | None = None):
        self.request = request
        self._server = server
        self._serving: Child | None = None
        self._writing: Child | None = None
        self._received = b""
        self.states = 0  # written so far
        self.result: BuildResult | None = None  # at the end

    def __enter__(self) -> Self:
        try:
            if self._server is not None:
                server, out = self._server, self.request.out
                self._serving = Child(lambda lifeline, pipe: _serve(out, server, lifeline))
                server.sock.close()  # the child has its own copy
            request = self.request
            self._writing = Child(lambda lifeline, pipe: _follow(request, lifeline, pipe))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        for child in (self._writing, self._serving):
            if child is not None:
                child.close()

    @property
    def _writer(self) -> Child:
        """The process that writes the bundle. It exists within the context manager."""
        assert self._writing is not None
        return self._writing

    @property
    def pipe(self) -> int:
        """File descriptor that is readable when the bundle has a new state, and at the end."""
        return self._writer.pipe

    def finish(self) -> None:
        """Ask the writer to finish the bundle with the current contents of the logs."""
        self._writer.ask_to_end()

    def hear(self) -> None:
        """Read the writer's messages without waiting. Raises its exception, or BundleError if killed."""
        while self.result is None:
            try:
                data = os.read(self.pipe, _READ_BYTES)
            except BlockingIOError:
                return
            if not data:
                self._conclude()
            if not self._received.startswith(_RESULT):
                states = len(data) - len(data.lstrip(_STATE))
                self.states += states
                data = data[states:]
            self._received += data

    def wait(self) -> BuildResult:
        """Wait until the writer ends; return its result."""
        while self.result is None:
            select.select([self.pipe], [], [])
            self.hear()
        return self.result

    def _conclude(self) -> None:
        try:
            answer = pickle.loads(self._received[len(_RESULT) :])
        except (EOFError, pickle.UnpicklingError):  # the result is cut or missing
            self._writer.close()
            hint = (
                "It may have run out of memory. The bundle is still readable; run the command again to"
                " continue."
            )
            raise BundleError(
                f"the process that follows the logs was killed (exit code {self._writer.poll()})",
                hint=hint,
                code="worker-died",
            ) from None
        if isinstance(answer, BaseException):
            raise answer
        finished_places.append(str(self.request.out))
        self.result = answer

    def end_server(self) -> None:
        """Let open pages learn of the end, then end the server as Ctrl-C does."""
        server = self._serving
        if server is None or server.poll() is not None:
            return
        _until(lambda: server.poll() is not None, _LAST_EVENT_SECONDS)
        server.signal(signal.SIGTERM)
        _until(lambda: server.poll() is not None, _END_SECONDS)

    def server_has_ended(self) -> bool:
        return self._serving is not None and self._serving.poll() is not None


def _until(true: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(_LOOK_SECONDS)


def _follow(request: FollowRequest, lifeline: Lifeline, pipe: int) -> None:
    """Run the process that writes the bundle."""
    from tlparse_bundle.follow.follower import Follower

    sys.stdout = sys.stderr  # keep output of plug-ins out of the result
    os.set_blocking(pipe, False)

    def report_state(manifest: Mapping[str, Any]) -> None:
        with suppress(BlockingIOError):  # the pipe is full of unread states
            os.write(pipe, _STATE)

    answer: BuildResult | Exception
    try:
        answer = Follower(request.traces, request.out, **request.options).run(lifeline.cut, report_state)
    except Exception as error:
        answer = error
        if not isinstance(error, (BundleError, OSError, MemoryError)):
            import traceback

            answer = RuntimeError(f"the process that follows the logs failed:\n{traceback.format_exc()}")
    os.set_blocking(pipe, True)
    with open(pipe, "wb", closefd=False) as stream:
        stream.write(_RESULT)
        pickle.dump(answer, stream)


def _serve(out: Path, server: Server, lifeline: Lifeline) -> None:
    """Run the server process. Connections wait until the bundle exists."""
    if sys.platform != "linux":  # Linux ends it with its parent
        from threading import Thread

        def end_with_parent() -> None:
            select.select([lifeline.file], [], [])
            os._exit(1)

        Thread(target=end_with_parent, daemon=True).start()
    from tlparse_bundle.serve.catalogue import url_names
    from tlparse_bundle.serve.http.app import create_app
    from tlparse_bundle.serve.http.connections import limits_of_process, run_app

    while not os.path.lexists(out / MANIFEST):
        time.sleep(_LOOK_SECONDS)
    run_app(
        create_app(url_names([out]), url_names(server.viewers), server.allow_origins, server.token),
        server.sock,
        limits_of_process(),
    )


class Signals:
    """Collects the signals that ask this process to end. Use as a context manager.

    A second signal counts only after a moment: supervisors signal both a process and its group, and shells
    repeat SIGHUP when the terminal is gone.
    """

    def __init__(self) -> None:
        self.first: int | None = None
        self.again: int | None = None
        self._since = 0.0
        self.stopped = False  # Ctrl-Z
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self.file, self._its = os.pipe()
        os.set_blocking(self._its, False)
        os.set_blocking(self.file, False)
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
                self._before[number] = signal.signal(number, self._note)
        for name in ("SIGTSTP", "SIGWINCH"):
            number = getattr(signal, name)
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._wake)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.file)
        os.close(self._its)

    def _note(self, number: int, frame: object) -> None:
        if self.first is None:
            self.first, self._since = number, time.monotonic()
        elif number != getattr(signal, "SIGHUP", None) and time.monotonic() - self._since >= _REPEAT_SECONDS:
            self.again = number
        self._wake(number, frame)

    def _wake(self, number: int, frame: object) -> None:
        self.stopped = self.stopped or number == signal.SIGTSTP
        with suppress(BlockingIOError):
            os.write(self._its, b"!")

    def forget(self) -> None:
        """Empty the pipe of pending signals."""
        with suppress(BlockingIOError):
            while os.read(self.file, 512):
                pass


class ProcessEnd:
    """Callable that returns whether a process has ended; always False without a pid."""

    def __init__(self, pid: int | None):
        self._pid = pid
        self.file: int | None = None  # readable when it has ended
        if pid is not None and hasattr(os, "pidfd_open"):
            with suppress(OSError):  # no such process, or not supported by the kernel
                self.file = os.pidfd_open(pid)

    def __call__(self) -> bool:
        if self._pid is None:
            return False
        if self.file is not None:
            return bool(select.select([self.file], [], [], 0)[0])
        try:
            os.kill(self._pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return False


def watch(
    following: Following,
    display: Display,
    ended: Callable[[], bool],
    wake: Sequence[int],
    signals: Signals,
    *,
    finishes: bool = True,
) -> int | None:
    """Update the display until ``ended`` or a signal, then finish the bundle; return the signal or None.

    A second signal raises KeyboardInterrupt or Terminated at once; without ``finishes`` the first one does.
    So does SIGTERM or SIGHUP when finishing takes longer than _TERM_SECONDS.
    Raises the exception of the writer.
    """
    views = Views(following.request.out)
    seen, finish_s, noted, first, serving = 0, 0.0, False, None, True
    display.begin()
    try:
        while following.result is None:
            select.select([following.pipe, signals.file, *wake], [], [], _TICK_SECONDS)
            signals.forget()
            if signals.stopped:
                _stop(display, signals)
            if signals.first is not None and (signals.again is not None or not finishes):
                raise_signal(signals.first if signals.again is None else signals.again)
            first = signals.first
            if not finish_s and (first is not None or ended()):
                finish_s, wake = time.monotonic(), ()
                following.finish()
            elif finish_s and not noted and time.monotonic() - finish_s >= _REPEAT_SECONDS:
                noted = True
                display.note("Finishing the bundle. Press Ctrl-C again to stop at once.")
            following.hear()
            late = finish_s and time.monotonic() - finish_s >= _TERM_SECONDS
            if first not in (None, signal.SIGINT) and late and following.result is None:
                raise_signal(first)
            now_us = time.time_ns() // 1000
            if seen != following.states:
                states = following.states
                try:
                    display.update(views.read(now_us), now_us)
                    seen = states
                except (BundleError, OSError):
                    # The state was replaced, or the disk failed: try again at the next tick.
                    display.tick(now_us)
            else:
                display.tick(now_us)
            if serving and following.server_has_ended():
                serving = False
                display.note("The server has stopped. The bundle is still being updated.")
    finally:
        display.end()
    return first


def raise_signal(number: int) -> NoReturn:
    """Raise the exception with which a signal ends a command."""
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


def _stop(display: Display, signals: Signals) -> None:
    """Stop this process at Ctrl-Z and restore the terminal; the writer continues."""
    signals.stopped = False
    display.end()
    handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, handler)  # continues here after 'fg'
    display.begin()
