"""Worker processes for several logs."""

from __future__ import annotations

import gc
import os
import re
import signal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.signals import end_with, held_back

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_DASK_ADDRESS = re.compile(r"dask://([\w.-]+|\[[0-9a-f:]+\]):(\d+)")
_RETRIES = 3  # of a log whose worker was lost; Dask itself gives a lost worker's work to another
_CONNECT_SECONDS = 30


def core_count() -> int:
    """Return the number of cores available to this process, which a cluster or container can limit."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Executor(Protocol):
    """Runs the work on logs. Context manager."""

    count: int

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...

    def map(
        self,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        done: Callable[[int], None] = lambda number: None,
    ) -> list[Any]:
        """Return the results in the order of arguments; ``done`` gets the number of each finished one."""


class Workers:
    """Local processes, started for two or more tasks. Context manager."""

    def __init__(self, count: int):
        self.count = count
        self._pool: ProcessPoolExecutor | None = None
        self._others: set[object] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._pool is None:
            return
        if kind is not None:
            import multiprocessing

            for worker in set(multiprocessing.active_children()) - self._others:
                worker.terminate()
        # Its thread must not outlive it, or it fails at exit.
        self._pool.shutdown(wait=True, cancel_futures=True)

    def map(
        self,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        done: Callable[[int], None] = lambda number: None,
    ) -> list[Any]:
        if self.count <= 1 or (len(arguments) <= 1 and self._pool is None):
            results = []
            for number, argument in enumerate(arguments):
                results.append(function(*argument))
                done(number)
            return results
        # Not needed for a single log, and unavailable in a browser.
        from concurrent.futures import ProcessPoolExecutor, as_completed
        from concurrent.futures.process import BrokenProcessPool

        if self._pool is None:
            import multiprocessing

            self._others = set(multiprocessing.active_children())
            context = multiprocessing.get_context("spawn")  # threads and forks do not mix
            self._pool = ProcessPoolExecutor(
                self.count, mp_context=context, initializer=_start, initargs=(os.getpid(),)
            )
        results = [None] * len(arguments)
        try:
            # so that no worker can be interrupted while it starts, and none is half started when this process
            # ends
            with held_back():
                futures = {
                    self._pool.submit(function, *argument): number
                    for number, argument in enumerate(arguments)
                }
            for future in as_completed(futures):
                results[futures[future]] = future.result()
                done(futures[future])
        except BrokenProcessPool:
            hint = "It may have run out of memory. --jobs 1 needs less."
            raise BundleError(
                "a process that reads a log was killed", hint=hint, code="worker-died"
            ) from None
        return results


def _start(parent: int) -> None:
    end_with(parent)
    # Ctrl-C reaches all processes of a terminal; the parent ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGHUP})
    gc.set_threshold(50_000)  # as in cli


class DaskWorkers:
    """Executor at dask://HOST:PORT, the address of the scheduler. Context manager.

    Raises BundleError when the address is invalid, Dask is not installed, or nobody answers.
    """

    count = 1_000_000  # the scheduler knows how many there are, and they may change

    def __init__(self, address: str, connect_seconds: float = _CONNECT_SECONDS):
        match = _DASK_ADDRESS.fullmatch(address)
        if match is None:
            raise BundleError(
                f"{address!r} is not an address of workers",
                hint="Pass dask://HOST:PORT, such as dask://scheduler:8786.",
                code="executor",
            )
        try:
            dask = _dask()
        except ImportError:
            raise BundleError(
                f"{address} needs Dask",
                hint="pip install 'tlparse-bundle[dask]', here and on the workers.",
                code="no-dask",
            ) from None
        try:
            self._client = dask.Client(
                f"tcp://{match[1]}:{match[2]}", timeout=connect_seconds, set_as_default=False
            )
        except (OSError, TimeoutError) as error:
            raise BundleError(
                f"{address} does not answer: {error}",
                hint="Is the scheduler running (dask scheduler)?",
                code="executor",
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def map(
        self,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        done: Callable[[int], None] = lambda number: None,
    ) -> list[Any]:
        futures = {
            self._client.submit(function, *argument, pure=False, retries=_RETRIES): number
            for number, argument in enumerate(arguments)
        }
        try:
            for future in _dask().as_completed(list(futures), loop=self._client.loop):
                future.result()
                done(futures[future])
            results: list[Any] = self._client.gather(list(futures))
            return results
        finally:
            self._client.cancel(list(futures))


def _dask() -> Any:
    """Return the Dask package with workers, parts of which are untyped. Raise ImportError."""
    import distributed

    return distributed
