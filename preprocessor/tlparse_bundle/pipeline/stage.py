"""Where work runs: a stage takes a log batch by batch, in this process or in one of its own.

A stage knows nothing of processes, and whoever feeds it does not know where it runs.
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
    """``feed`` it the batches of a log in order, ``end`` when there are no more, then ``finish``."""

    def empty_tables(self) -> Tables:
        """Tables like those of the stage, without content.

        They tell which events of the timeline it must get whole, and which payloads.
        """

    def feed(self, batch: Batch) -> None: ...

    def settle(self) -> None:
        """Of a log that goes on: do now what each of its states would do again."""

    def end(self) -> None:
        """What runs apart finishes while this process does something else."""

    def finish(self, blobs: Callable[[], Sequence[str]]) -> Any:
        """``blobs`` gives the paths of the blobs, by number, when all are written."""


class _StageClass(Protocol):
    def __call__(self, *arguments: Any) -> Stage: ...

    def empty_tables(self) -> Tables:
        """See Stage."""


def open_stage(name: str, *arguments: Any, cores: int, log_bytes: int) -> AbstractContextManager[Stage]:
    """A stage by its name, module:class. When the block ends, so does the process that it has."""
    if log_bytes >= _APART_BYTES and name in _APART[min(cores, max(_APART))]:
        return _Apart(name, arguments)
    return nullcontext(_class(name)(*arguments))


def _class(name: str) -> _StageClass:
    module, _, class_name = name.partition(":")
    stage: _StageClass = getattr(import_module(module), class_name)
    return stage


class _Apart:
    """Stands for a stage in another process: it is fed there while this process reads on."""

    def __init__(self, name: str, arguments: tuple[Any, ...]):
        # Before the process: a copy of this one needs not read the modules again.
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
    """What the other process does."""
    name, arguments = link.receive()
    stage, received = _class(name)(*arguments), BatchesReceived()
    while (message := link.receive()) is not None:
        stage.feed(received.batch(message))
    return stage.finish(link.receive)
