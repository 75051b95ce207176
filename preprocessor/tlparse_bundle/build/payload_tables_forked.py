"""The tables that read payloads, written by a copy of this process while it writes the others itself."""

from __future__ import annotations

import multiprocessing

from tlparse_bundle.build.helper import answer_of
from tlparse_bundle.build.payload_tables import PayloadTablesHere
from tlparse_bundle.diagnostics import Diagnostics


class PayloadTablesForked(PayloadTablesHere):
    """See PayloadTables. For a process without threads, on a system whose libraries bear a fork."""

    _process: multiprocessing.Process | None = None

    def end(self) -> None:
        context = multiprocessing.get_context("fork")
        self._answer, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=self._write, args=(theirs,))
        self._process.start()
        theirs.close()

    def _write(self, answer) -> None:
        try:
            answer.send(super().finish())
        except Exception as error:
            answer.send(error)

    def finish(self) -> tuple[dict[str, str], Diagnostics]:
        return answer_of(self._answer.recv, self._exit_code)

    def _exit_code(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._answer.close()
