"""Where work runs: a stage takes the events of a log batch by batch, in this process or in one of its own.

A stage knows nothing of processes, and whoever feeds it does not know where it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from tlparse_bundle.build.event_rows import EventsReceived, EventsSent
from tlparse_bundle.build.helper import Helper, Link, serve
from tlparse_bundle.trace.event import Event

# The stages that run apart, by how many cores a log has to itself. What each bought: docs/performance.md.
_APART = {1: (), 2: ("tlparse_bundle.build.payload_tables:PayloadTables",)}
_APART_BYTES = 8 << 20  # of a log; below, another process costs more time than it saves
_BATCH_BYTES = 256 << 10  # of a message: what is smaller takes more turns, what is larger more memory
_BATCH_ROWS = 250


class Stage(Protocol):
    """``feed`` it the events in file order, ``end`` when there are no more, then ``finish``. Its class has a static
    method ``wants()``, which gives a function that says of an event whether it needs to be brought to it."""

    def __init__(self, root: Path, codec: str, log_id: str): ...

    def feed(self, events: Sequence[Event]) -> None: ...

    def end(self) -> None:
        """What runs apart finishes while this process does something else."""

    def finish(self) -> Any: ...


def open_stage(name: str, root: Path, codec: str, log_id: str, *, cores: int, log_bytes: int) -> AbstractContextManager[Stage]:
    """A stage by its name, module:class. When the block ends, so does the process that it has."""
    if log_bytes >= _APART_BYTES and name in _APART[min(cores, max(_APART))]:
        return _Apart(name, root, codec, log_id)
    return nullcontext(_class(name)(root, codec, log_id))


def _class(name: str) -> type[Stage]:
    module, _, class_name = name.partition(":")
    return getattr(import_module(module), class_name)


class _Apart:
    """Stands for a stage in another process: it is fed there while this process reads on."""

    def __init__(self, name: str, *arguments: Any):
        self._helper = Helper("tlparse_bundle.build.stage:main", (name, arguments))
        self._sent = EventsSent()
        self._rows: list[tuple] = []
        self._bytes = 0
        self._wants = _class(name).wants()  # the other process starts while the modules are read

    def __enter__(self) -> _Apart:
        return self

    def __exit__(self, kind, value, traceback) -> None:
        self._helper.close()

    def feed(self, events: Sequence[Event]) -> None:
        rows, size_bytes = self._sent.rows(filter(self._wants, events))
        self._rows += rows
        self._bytes += size_bytes
        if self._bytes >= _BATCH_BYTES or len(self._rows) >= _BATCH_ROWS:
            self._send()

    def _send(self) -> None:
        self._helper.send(self._rows)
        self._rows, self._bytes = [], 0

    def end(self) -> None:
        self._send()
        self._helper.send(None)

    def finish(self) -> Any:
        return self._helper.receive()


def main() -> None:
    """The other process."""
    serve(_run)


def _run(link: Link) -> Any:
    name, arguments = link.receive()
    one, received = _class(name)(*arguments), EventsReceived()
    while (rows := link.receive()) is not None:
        one.feed(received.events(rows))
    return one.finish()
