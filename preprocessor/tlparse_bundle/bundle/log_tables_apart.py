"""What is made of the events of a log, made in a process of its own while this one reads on.

It is half of the work, and needs nothing but the events and their stacks. So a large log gets a second
process for it; what is written is the same.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading

from tlparse_bundle.bundle.log_tables import TablesSummary
from tlparse_bundle.bundle.log_tables_pipe import RecentPayloads, read_message, row_of, write_message
from tlparse_bundle.bundle.sink import FileSink
from tlparse_bundle.errors import BundleError
from tlparse_bundle.tables.plugins import plugin_tables
from tlparse_bundle.trace.envelope import Event
from tlparse_bundle.trace.stacks import StackTable

_BATCH_BYTES = 256 << 10
_BATCH_EVENTS = 250
_MAX_WAITING = 4  # batches


class LogTablesApart:
    """It is a plain subprocess that gets the events through its standard input: it ends when this
    process does, whatever ends it, and needs nothing of the program that called us.
    """

    def __init__(self, sink: FileSink, log_id: str, stacks: StackTable):
        self._stacks = stacks
        self._known_stacks = (0, 0)
        self._whole = bool(plugin_tables())  # ours need little of the timeline
        self._recent = RecentPayloads()
        self._rows: list[tuple] = []
        self._bytes = 0
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from tlparse_bundle.bundle.log_tables_process import main; main()"],
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
        row, size_bytes = row_of(event, self._recent, whole=self._whole)
        self._rows.append(row)
        self._bytes += size_bytes
        if self._bytes >= _BATCH_BYTES or len(self._rows) >= _BATCH_EVENTS:
            self._hand_over()

    def _hand_over(self) -> None:
        rows, self._known_stacks = self._stacks.rows_since(self._known_stacks)
        self._queue.put(pickle.dumps((rows, self._rows), protocol=5))
        self._rows, self._bytes = [], 0

    def _send(self) -> None:
        broken = False
        while (message := self._queue.get()) is not None:
            if not broken:
                try:
                    write_message(self._process.stdin, message)
                except OSError:  # it has ended; finish() says why
                    broken = True

    def finish(self) -> TablesSummary:
        if self._rows:
            self._hand_over()
        self._queue.put(pickle.dumps(None))
        self._queue.put(None)
        self._sender.join()
        answer = read_message(self._process.stdout)
        self.close()
        if answer is None:
            raise BundleError(
                f"the process that makes the tables ended early (exit code {self._process.returncode})",
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
