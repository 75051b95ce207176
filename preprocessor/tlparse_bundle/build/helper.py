"""A process of our own that does a part of the work on a log: messages pass to it and from it, through its standard streams."""

from __future__ import annotations

import gc
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from tlparse_bundle.errors import BundleError

_PIPE_BYTES = 1 << 20  # so that neither process waits at every turn of the other one
_HEAD = struct.Struct("<QQ")  # bytes of a message, and how many buffers follow it
_LENGTH = struct.Struct("<Q")
_BUFFER_BYTES = 1 << 20


class LinkClosed(EOFError):
    """The other process has ended."""


def sent_apart(data: bytes | None) -> bytes | pickle.PickleBuffer | None:
    """What stands for some bytes in a message, so that large ones are not copied on their way. They arrive as bytes."""
    return pickle.PickleBuffer(data) if data is not None and len(data) >= _BUFFER_BYTES else data


class Link:
    """Messages from another process and to it. They are pickled: both processes are ours."""

    def __init__(self, source: BinaryIO, target: BinaryIO):
        self._source = source
        self._target = target

    def send(self, message: Any) -> None:
        """Waits while the pipe is full. Raises LinkClosed."""
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
        """The next message. Raises LinkClosed, also when a message was cut."""
        size, count = _HEAD.unpack(self._read(_HEAD.size))
        data = self._read(size)
        return pickle.loads(data, buffers=[self._read(*_LENGTH.unpack(self._read(_LENGTH.size))) for _ in range(count)])

    def _read(self, size: int) -> bytes:
        data = self._source.read(size)
        if len(data) < size:
            raise LinkClosed
        return data


class Helper:
    """Our end. It is a plain subprocess: it ends when this process does, whatever ends it, and needs nothing of the program that called us.

    Raises BundleError when the process has ended early, and what was raised over there.
    """

    def __init__(self, main: str, head: Any):
        """``main`` is module:function, a function that calls ``serve``; ``head`` its first message."""
        module, function = main.split(":")
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {module} import {function}; {function}()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONSAFEPATH": "1"},
            start_new_session=True,  # Ctrl-C is for us alone
        )
        for pipe in (self._process.stdin, self._process.stdout):
            _widen(pipe)
        self._link = Link(self._process.stdout, self._process.stdin)
        self.send(head)

    def send(self, message: Any) -> None:
        try:
            self._link.send(message)
        except LinkClosed:
            while True:  # until it has said why
                self.receive()

    def receive(self) -> Any:
        try:
            message = self._link.receive()
        except EOFError:
            raise BundleError(
                f"a process that helps to read the log ended early (exit code {self._process.wait()})",
                hint="It may have been killed for want of memory; --jobs 1 does without it.",
                code="worker-died",
            ) from None
        if isinstance(message, Exception):
            raise message
        return message

    def close(self) -> None:
        """End it: nothing that it has not answered is needed, and nothing may be written any more."""
        self._process.kill()
        self._process.communicate()


def serve(work: Callable[[Link], Any]) -> None:
    """The other end: what ``work`` returns, or raises, is the last message."""
    gc.set_threshold(50_000)  # as in cli.main
    link = Link(sys.stdin.buffer, sys.stdout.buffer)
    sys.stdout = sys.stderr  # what a plug-in prints is no message
    try:
        try:
            answer = work(link)
        except LinkClosed:
            raise
        except Exception as error:
            answer = error
        link.send(answer)
    except LinkClosed:  # nobody is there to be told
        os._exit(0)


def _widen(pipe: BinaryIO) -> None:
    if sys.platform != "linux":
        return
    import fcntl

    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except OSError:  # more than this user may have: it works all the same
        pass
