"""The tables that read payloads, written by a copy of this process while it writes the others itself."""

from __future__ import annotations

import multiprocessing

from tlparse_bundle.bundle.payload_tables import PayloadTablesHere
from tlparse_bundle.diagnostics import Diagnostics
from tlparse_bundle.errors import BundleError


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
        try:
            result = self._answer.recv()
        except EOFError:
            self._process.join()
            raise BundleError(
                f"a process that writes tables ended early (exit code {self._process.exitcode})",
                hint="It may have been killed for want of memory; --jobs 1 does without it.",
                code="worker-died",
            ) from None
        if isinstance(result, Exception):
            raise result
        return result

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._answer.close()
