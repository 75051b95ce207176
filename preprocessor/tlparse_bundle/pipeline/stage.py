"""Stages, which process a log batch by batch in this process or in their own.

A stage does not know about processes, and its caller does not know where it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, Protocol

from tlparse_bundle.pipeline.batches import Batch, BatchesReceived, BatchesSent
from tlparse_bundle.pipeline.helper_process import Helper, Link
from tlparse_bundle.tables.registry import Tables

LOG_TABLES = "tlparse_bundle.pipeline.log_tables:LogTables"
# The stages that run apart, by how many cores a log has to itself. Measured: docs/explanation/performance.md.
_APART = {1: (), 2: (LOG_TABLES,)}
_APART_BYTES = 8 << 20  # of a log; below, another process costs more time than it saves


class Stage(Protocol):
    """A stage: ``feed`` it batches in order, call ``end``, then ``finish``."""

    def empty_tables(self) -> Tables:
        """Return empty tables of the stage, to query which events and payloads they need."""

    def feed(self, batch: Batch) -> None: ...

    def settle(self) -> None:
        """For a growing log: do now the work that each state would repeat."""

    def end(self) -> None:
        """End the input; a separate process finishes while this one continues."""

    def finish(self, blobs: Callable[[], Sequence[str]]) -> Any:
        """Return the result. ``blobs``: paths of blobs by number, once all are written."""


class _StageClass(Protocol):
    def __call__(self, *arguments: Any) -> Stage: ...

    def empty_tables(self) -> Tables:
        """See Stage."""


def open_stage(name: str, *arguments: Any, cores: int, log_bytes: int) -> AbstractContextManager[Stage]:
    """Yield a stage by name (module:class). Its process ends with the block."""
    if log_bytes >= _APART_BYTES and name in _APART[min(cores, max(_APART))]:
        return _Apart(name, arguments)
    return nullcontext(_class(name)(*arguments))


def _class(name: str) -> _StageClass:
    module, _, class_name = name.partition(":")
    stage: _StageClass = getattr(import_module(module), class_name)
    return stage


class _Apart:
    """Proxy of a stage in another process, which runs while this process reads on."""

    def __init__(self, name: str, arguments: tuple[Any, ...]):
        # Before forking, so that the copy need not import the modules again.
        self._empty_tables = _class(name).empty_tables()
        self._helper = Helper(work, (name, arguments))
        self._sent = BatchesSent(self._empty_tables.read)

    def __enter__(self) -> _Apart:
        return self

    def __exit__(self, *_: object) -> None:
        self._helper.close()

    def empty_tables(self) -> Tables:
        return self._empty_tables

    def feed(self, batch: Batch) -> None:
        self._helper.send(self._sent.message(batch))

    def settle(self) -> None:
        """A log that goes on has its stage in this process."""
        raise NotImplementedError

    def end(self) -> None:
        self._helper.send(None)

    def finish(self, blobs: Callable[[], Sequence[str]]) -> Any:
        self._helper.send(blobs())
        return self._helper.receive()


def work(link: Link) -> Any:
    """Run the stage in the other process."""
    name, arguments = link.receive()
    stage, received = _class(name)(*arguments), BatchesReceived()
    while (message := link.receive()) is not None:
        stage.feed(received.batch(message))
    return stage.finish(link.receive)
