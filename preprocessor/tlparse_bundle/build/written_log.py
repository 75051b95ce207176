"""The tables of a log that was just written, read again for what is made of several of them."""

from __future__ import annotations

from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.format.json_codec import loads


class WrittenLog:
    """See LogFiles of the findings."""

    def __init__(self, sink: FileSink, directory: dict, last_epoch_us: int | None):
        self._sink = sink
        self._last_epoch_us = last_epoch_us
        self.directory = directory

    def table(self, name: str) -> dict:
        return loads(self._sink.codec.decode((self._sink.root / self.directory["tables"][name]).read_bytes()))

    def lists(self, name: str) -> dict | None:
        return self._sink.kept.get(name)

    def last_epoch_us(self) -> int | None:
        return self._last_epoch_us
