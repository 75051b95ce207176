"""The written tables of a log, as the findings read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tlparse_bundle.pipeline.file_writer import FileSink
from tlparse_bundle.tables.rows import Rows, parse_rows

MEMORY_BYTES = 256_000_000  # for the parsed rows of a log
_PARSED_FACTOR = 6  # parsed, rows take up to so many times the size of their JSON


class RowMemory:
    """Memory for the parsed rows of one log. Tables beyond it stay compressed, in a temporary file."""

    def __init__(self, size_bytes: int):
        self._left_bytes = size_bytes

    def take(self, json_bytes: int) -> bool:
        """Take memory for parsed rows; return False and take none if there is too little."""
        fits = _PARSED_FACTOR * json_bytes <= self._left_bytes
        if fits:
            self._left_bytes -= _PARSED_FACTOR * json_bytes
        return fits


class WrittenLog:
    """See LogFiles of the findings. ``unwritten``: table rows that are written later."""

    def __init__(
        self,
        sink: FileSink,
        directory: dict[str, Any],
        last_epoch_us: int | None,
        unwritten: Mapping[str, list[Any]],
        memory: RowMemory,
    ):
        self._unwritten = unwritten
        self._sink = sink
        self._last_epoch_us = last_epoch_us
        self._memory = memory
        self.directory = directory

    def table(self, name: str) -> list[dict[str, Any]] | Rows[dict[str, Any]]:
        """Return a table: a list while there is memory, otherwise its rows in chunks."""
        if name in self._unwritten:
            return self._unwritten[name]
        files = self.directory["tables"].get(name, {"files": ()})["files"]
        rows: list[dict[str, Any]] = []
        chunks: Rows[dict[str, Any]] = Rows()
        fits = True
        for number, file in enumerate(files):
            lines = self._sink.codec.decode((self._sink.root / file["path"]).read_bytes())
            if number == 0:
                fits = self._memory.take(len(lines) * len(files))  # no file is much larger than the first
            if fits:
                rows += parse_rows(lines)
            else:
                chunks.add_lines(lines.split(b"\n")[:-1])
        return rows if fits else chunks

    def lists(self, name: str) -> Rows[Any] | None:
        return self._sink.kept.get(name)

    def last_epoch_us(self) -> int | None:
        return self._last_epoch_us
