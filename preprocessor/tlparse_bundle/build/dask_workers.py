"""The workers of a Dask cluster: other machines that work on logs. What they read and write they must all reach."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Self

from tlparse_bundle.errors import BundleError

_ADDRESS = re.compile(r"dask://([\w.-]+|\[[0-9a-f:]+\]):(\d+)")
_RETRIES = 3  # of a log whose worker was lost; Dask itself gives a lost worker's work to another
_CONNECT_SECONDS = 30


class DaskWorkers:
    """An Executor at dask://HOST:PORT, the address of the scheduler. Use as a context manager.

    Raises BundleError when the address is none, Dask is not installed, or nobody answers.
    """

    count = 1_000_000  # the scheduler knows how many there are, and they may change

    def __init__(self, address: str, connect_seconds: float = _CONNECT_SECONDS):
        match = _ADDRESS.fullmatch(address)
        if match is None:
            raise BundleError(
                f"{address!r} is no address of workers", hint="Write dask://HOST:PORT, such as dask://scheduler:8786.", code="executor"
            )
        try:
            from distributed import Client
        except ImportError:
            raise BundleError(
                f"{address} needs Dask", hint="pip install 'tlparse-bundle[dask]', here and on the workers.", code="no-dask"
            ) from None
        try:
            self._client = Client(f"tcp://{match[1]}:{match[2]}", timeout=connect_seconds, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise BundleError(
                f"{address} does not answer: {error}", hint="Is the scheduler running (dask scheduler)?", code="executor"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind, value, traceback) -> None:
        self._client.close()

    def map(self, function: Callable, arguments: Sequence[tuple], done: Callable[[int], None] = lambda number: None) -> list[Any]:
        from distributed import as_completed

        futures = {
            self._client.submit(function, *argument, pure=False, retries=_RETRIES): number for number, argument in enumerate(arguments)
        }
        try:
            for future in as_completed(list(futures), loop=self._client.loop):
                future.result()
                done(futures[future])
            return self._client.gather(list(futures))
        finally:
            self._client.cancel(list(futures))
