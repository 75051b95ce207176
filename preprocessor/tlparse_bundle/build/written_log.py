"""The tables of a log that was just written, read again for what is made of several of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.format.json_codec import loads
from tlparse_bundle.format.schemas import row_tables
from tlparse_bundle.model.status import ASKED, CANDIDATES
from tlparse_bundle.tables.rows import parse_rows

PASSED_ON = (CANDIDATES, ASKED)  # tables of which others are made; no reader needs them


class WrittenLog:
    """See LogFiles of the findings. ``unwritten``: rows of tables that are written later."""

    def __init__(self, sink: FileSink, directory: dict, last_epoch_us: int | None, unwritten: Mapping[str, list[dict]]):
        self._unwritten = unwritten
        self._sink = sink
        self._last_epoch_us = last_epoch_us
        self.directory = directory

    def table(self, name: str) -> Any:
        if name in self._unwritten:
            return self._unwritten[name]
        entry = self.directory["tables"].get(name)
        if entry is not None:
            return [row for file in entry["files"] for row in parse_rows(self._sink.codec.decode((self._sink.root / file["path"]).read_bytes()))]
        if name in row_tables() or name in PASSED_ON:
            return []
        return loads(self._sink.codec.decode((self._sink.root / self.directory["tables"][name]).read_bytes()))

    def lists(self, name: str) -> Any:
        return self._sink.kept.get(name)

    def last_epoch_us(self) -> int | None:
        return self._last_epoch_us
