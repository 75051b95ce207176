"""A forked process that computes one thing while this process continues."""

from __future__ import annotations

import decimal  # noqa: F401 - some tables import it late; each copy would do so again
import gc
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.signals import end_with

_BLOCK_BYTES = 1 << 20


class CopyProcess:
    """Runs ``make`` in a fork: ``take`` its output when ``fileno`` is readable, until ``done``."""

    def __init__(self, make: Callable[[], Any]):
        self.done = False
        self._received = bytearray()
        self._source, target = os.pipe()
        os.set_blocking(self._source, False)
        parent = os.getpid()
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():  # fsspec has a thread, which the copy does not need
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if not self._pid:
            try:
                _work(make, target, parent)
            finally:  # nothing of what this process was about to do
                os._exit(1)
        os.close(target)

    def fileno(self) -> int:
        return self._source

    def take(self) -> None:
        while True:
            try:
                data = os.read(self._source, _BLOCK_BYTES)
            except BlockingIOError:
                return
            if not data:
                break
            self._received += data
        self._end()

    def result(self) -> Any:
        """Return the result once it is done. Raise its exception, or BundleError when it ended without a
        result.
        """
        try:
            answer = pickle.loads(self._received)
        except (EOFError, pickle.UnpicklingError):
            raise BundleError(
                "a process that writes the bundle was killed",
                hint="It may have run out of memory.",
                code="worker-died",
            ) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def kill(self) -> None:
        if not self.done:
            os.kill(self._pid, signal.SIGKILL)
            self._end()

    def _end(self) -> None:
        os.close(self._source)
        self.done = True
        with suppress(ChildProcessError):  # somebody else waits for all children
            os.waitpid(self._pid, 0)


def _work(make: Callable[[], Any], target: int, parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other one, which ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with(parent)
    gc.disable()  # it would write to all pages that are shared with the other process
    try:
        answer = make()
    except Exception as error:
        answer = error
    try:
        data = pickle.dumps(answer)
    except Exception:  # what was raised may hold anything
        data = pickle.dumps(BundleError(f"{type(answer).__name__}: {answer}"[:500]))
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]
    os._exit(0)
