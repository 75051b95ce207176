"""A helper process that does part of the work on a log, with messages in both directions."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.signals import end_with

_PIPE_BYTES = 1 << 20  # so that neither process waits at every turn of the other one
_HEAD = struct.Struct("<QQ")  # bytes of a message, and how many buffers follow it
_LENGTH = struct.Struct("<Q")
_BUFFER_BYTES = 1 << 20


class LinkClosed(EOFError):
    """The other process has ended."""


def sent_apart(data: bytes | None) -> bytes | pickle.PickleBuffer | None:
    """Wrap bytes in a message so that large ones are not copied. They arrive as bytes."""
    return pickle.PickleBuffer(data) if data is not None and len(data) >= _BUFFER_BYTES else data


class Link:
    """Pickled messages between our own processes."""

    def __init__(self, source: IO[bytes], target: IO[bytes]):
        self._source = source
        self._target = target

    def send(self, message: Any) -> None:
        """Send a message, waiting while the pipe is full. Raise LinkClosed."""
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
        try:
            self._target.write(_HEAD.pack(len(data), len(buffers)))
            self._target.write(data)
            for view in map(pickle.PickleBuffer.raw, buffers):
                self._target.write(_LENGTH.pack(len(view)))
                self._target.write(view)
            self._target.flush()
        except OSError:
            raise LinkClosed from None

    def receive(self) -> Any:
        """Return the next message. Raise LinkClosed, also for a cut message."""
        size, count = _HEAD.unpack(self._read(_HEAD.size))
        data = self._read(size)
        return pickle.loads(
            data, buffers=[self._read(*_LENGTH.unpack(self._read(_LENGTH.size))) for _ in range(count)]
        )

    def _read(self, size: int) -> bytes:
        data = self._source.read(size)
        if len(data) < size:
            raise LinkClosed
        return data


def may_fork() -> bool:
    """Return whether the helper can be a fork of this process: on Linux, while there are no threads."""
    return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1


class Helper:
    """Our end. The process, a fork or a subprocess, ends with this one.

    Raises BundleError when the process has ended early, and exceptions raised there.
    """

    def __init__(self, work: Callable[[Link], Any], head: Any):
        """``work`` is a module function that handles messages; ``head`` is the first message."""
        self._process: _Copy | _Subprocess = _Copy(work) if may_fork() else _Subprocess(work)
        for pipe in (self._process.stdin, self._process.stdout):
            _widen(pipe)
        self._link = Link(self._process.stdout, self._process.stdin)
        self.send(head)

    def send(self, message: Any) -> None:
        try:
            self._link.send(message)
        except LinkClosed:
            while True:  # until it reports the reason
                self.receive()

    def receive(self) -> Any:
        try:
            message = self._link.receive()
        except EOFError:
            raise BundleError(
                f"a process that reads the log was killed (exit code {self._process.wait()})",
                hint="It may have run out of memory. --jobs 1 works without this process.",
                code="worker-died",
            ) from None
        if isinstance(message, Exception):
            raise message
        return message

    def close(self) -> None:
        """End the process; pending answers are dropped."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdout, self._process.stdin):
            with suppress(OSError):  # the last message
                pipe.close()


class _Subprocess(subprocess.Popen[bytes]):
    """A process that is independent of the calling program."""

    stdin: IO[bytes]
    stdout: IO[bytes]

    def __init__(self, work: Callable[[Link], Any]):
        super().__init__(
            _command(work),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONSAFEPATH": "1"},
            start_new_session=True,  # Ctrl-C is for us alone
        )


def _command(work: Callable[[Link], Any]) -> list[str]:
    program = (
        f"from {__name__} import serve; from {work.__module__} import {work.__name__};"
        f" serve({work.__name__}, parent={os.getpid()})"
    )
    return [sys.executable, "-c", program]


class _Copy:
    """A fork of this process, with the needed part of subprocess.Popen."""

    def __init__(self, work: Callable[[Link], Any]):
        its_input, to_it = os.pipe()
        from_it, its_output = os.pipe()
        self._code: int | None = None
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            try:
                os.setsid()
                os.close(to_it)
                os.close(from_it)
                serve(work, Link(os.fdopen(its_input, "rb"), os.fdopen(its_output, "wb")), parent)
            finally:  # nothing of what this process was about to do
                os._exit(1)
        os.close(its_input)
        os.close(its_output)
        self.stdin: IO[bytes] = os.fdopen(to_it, "wb")
        self.stdout: IO[bytes] = os.fdopen(from_it, "rb")

    def kill(self) -> None:
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


def serve(work: Callable[[Link], Any], link: Link | None = None, parent: int | None = None) -> None:
    """Run the other end, by default at the standard streams. The last message is the result or exception of
    ``work``. Does not return.

    It ends with ``parent``, the id of the process that it talks to.
    """
    if parent is not None:
        end_with(parent)
    gc.set_threshold(50_000)  # as in cli
    link = link or Link(sys.stdin.buffer, sys.stdout.buffer)
    sys.stdout = sys.stderr  # what a plug-in prints is not a message
    try:
        try:
            answer = work(link)
        except LinkClosed:
            raise
        except Exception as error:
            answer = error
        link.send(answer)
    except LinkClosed:  # nobody receives it
        pass
    os._exit(0)


def _widen(pipe: IO[bytes]) -> None:
    if sys.platform != "linux":
        return
    import fcntl

    with suppress(OSError):  # more than this user may have: it still works
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
