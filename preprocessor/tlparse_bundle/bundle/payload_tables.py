"""The tables that read payloads, filled here or in a process of their own.

They are about a third of the work of a log, and need nothing but the events they see. So a large log
gets a second process for them; what is written is the same.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, Protocol

import orjson

from tlparse_bundle.bundle.layout import CODECS
from tlparse_bundle.bundle.sink import FileSink
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.errors import BundleError
from tlparse_bundle.tables.registry import PAYLOAD_TABLES, TableContext, Tables
from tlparse_bundle.tables.tally import Tally
from tlparse_bundle.trace.envelope import Event
from tlparse_bundle.trace.stacks import StackTable

_BATCH_BYTES = 1 << 20
_BATCH_EVENTS = 1000
_MAX_WAITING = 12  # batches
_LENGTH = struct.Struct("<Q")
# What these tables may read of an event, besides its metadata.
_FIELDS = ("index", "type", "name", "compile_id", "occurrence", "line", "byte_offset", "compile_index", "payload", "hash", "trace_event")
_row_of = attrgetter(*_FIELDS, "metadata_json")


class PayloadTables(Protocol):
    """``observe`` events in file order, then ``finish``; ``close`` in any case."""

    def observe(self, event: Event) -> None: ...

    def finish(self) -> tuple[dict[str, str], Diagnostics]:
        """Write the tables. Returns their paths by name, and what there is to say about the payloads."""
        ...

    def close(self) -> None: ...


class PayloadTablesHere:
    """Fills the tables in this process."""

    def __init__(self, sink: FileSink, log_id: str):
        self._sink = sink
        self._log_id = log_id
        self._diagnostics = Diagnostics()
        self._tables = Tables(PAYLOAD_TABLES, TableContext(StackTable(), self._diagnostics, Tally()))
        self.observe = self._tables.observe

    def finish(self) -> tuple[dict[str, str], Diagnostics]:
        paths = {table.name: self._sink.put_table(self._log_id, table.name, table.table()) for table in self._tables}
        return paths, self._diagnostics

    def close(self) -> None:
        pass


class PayloadTablesApart:
    """Fills the tables in a process of its own, which writes them too.

    It is a plain subprocess that gets the events through its standard input: it ends when this
    process does, whatever ends it, and needs nothing of the program that called us.
    """

    def __init__(self, sink: FileSink, log_id: str):
        self._wanted = Tables(PAYLOAD_TABLES, TableContext(StackTable(), Diagnostics(), Tally()))
        self._rows: list[tuple] = []
        self._bytes = 0
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONSAFEPATH": "1"},
            start_new_session=True,  # Ctrl-C is for us alone
        )
        self._queue: queue.Queue[bytes | None] = queue.Queue(_MAX_WAITING)
        self._sender = threading.Thread(target=self._send, daemon=True)
        self._sender.start()
        self._queue.put(pickle.dumps((sink.root, sink.codec.name, log_id)))

    def observe(self, event: Event) -> None:
        if not self._wanted.wants(event):
            return
        self._rows.append(_row_of(event))
        self._bytes += event.size_bytes
        if self._bytes >= _BATCH_BYTES or len(self._rows) >= _BATCH_EVENTS:
            self._hand_over()

    def _hand_over(self) -> None:
        self._queue.put(pickle.dumps(self._rows, protocol=5))
        self._rows, self._bytes = [], 0

    def _send(self) -> None:
        broken = False
        while (message := self._queue.get()) is not None:
            if not broken:
                try:
                    _write(self._process.stdin, message)
                except OSError:  # it has ended; finish() says why
                    broken = True

    def finish(self) -> tuple[dict[str, str], Diagnostics]:
        if self._rows:
            self._hand_over()
        self._queue.put(pickle.dumps(None))
        self._queue.put(None)
        self._sender.join()
        answer = _read(self._process.stdout)
        self.close()
        if answer is None:
            raise BundleError(
                f"the process that reads payloads ended early (exit code {self._process.returncode})",
                hint="It may have been killed for want of memory; --jobs 1 does without it.",
                code="worker-died",
            )
        result = pickle.loads(answer)
        if isinstance(result, BaseException):
            raise result
        return result

    def close(self) -> None:
        if self._sender.is_alive():
            self._process.kill()
            self._queue.put(None)
            self._sender.join()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                stream.close()
            except OSError:
                pass
        self._process.wait()


def main() -> None:
    """The process: batches of events in, paths and diagnostics out."""
    source, answer = sys.stdin.buffer, sys.stdout.buffer
    try:
        result = _fill(source)
    except Exception as error:
        result = error
    if result is not None:
        _write(answer, pickle.dumps(result))


def _fill(source: BinaryIO) -> tuple[dict[str, str], Diagnostics] | None:
    head = _read(source)
    if head is None:
        return None
    root, codec, log_id = pickle.loads(head)
    with FileSink(Path(root), CODECS[codec], threads=False) as sink:
        tables = PayloadTablesHere(sink, log_id)
        while (message := _read(source)) is not None:
            rows = pickle.loads(message)
            if rows is None:
                return tables.finish()
            for row in rows:
                tables.observe(_event_of(row))
    return None  # whoever sent them has ended


def _event_of(row: tuple) -> Event:
    event = Event()
    for field, value in zip(_FIELDS, row):
        setattr(event, field, value)
    event.metadata = orjson.loads(row[-1])
    event.value = {} if event.metadata is None else event.metadata.get(event.type)
    return event


def _write(stream: BinaryIO, message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def _read(stream: BinaryIO) -> bytes | None:
    """A message; None at the end, or when it was cut."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    size = _LENGTH.unpack(head)[0]
    message = stream.read(size)
    return message if len(message) == size else None
