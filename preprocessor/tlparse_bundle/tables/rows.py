"""Rows of a table while a log is read: JSON Lines, packed as they come, so that memory hardly grows with the log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tlparse_bundle.format.json_codec import dumps, loads
from tlparse_bundle.format.layout import BYTES_PER_FILE, ROWS_PER_FILE
from tlparse_bundle.tables.json_list import JsonList

_BATCH = 256  # rows that are encoded at once
_BLOB = re.compile(rb'"blob":([0-9]+)[,}]')  # in a text of the log, the quotation marks would have a backslash before them


class Rows(JsonList):
    """Rows of one table, in order. Each is written when it is added: later changes of it are not seen. ``size_bytes`` is that of the JSON Lines."""

    __slots__ = ()

    separator = b"\n"

    def extend(self, items: Iterable[Any]) -> None:
        """Add rows."""
        rest = iter(items)
        while batch := list(islice(rest, _BATCH)):
            self._add(b"\n".join(map(dumps, batch)), len(batch))

    def add_lines(self, lines: Sequence[bytes]) -> None:
        """Add rows that are JSON already: each without a line feed."""
        for start in range(0, len(lines), _BATCH):
            batch = lines[start : start + _BATCH]
            self._add(b"\n".join(batch), len(batch))

    def files(self, blobs: Sequence[str] | None = None) -> Iterator[tuple[int, list[bytes]]]:
        """For each file of the table: its number of rows, and its JSON Lines in pieces.

        A file ends with the row that is its 4,096th or that fills its first MiB. ``blobs``: paths that are written
        for the numbers in the field 'blob' of the rows.
        """
        if blobs is None and len(self) <= ROWS_PER_FILE and self.size_bytes <= BYTES_PER_FILE:
            if len(self):
                yield len(self), [*self._texts(), b"\n"]
            return
        fields = [b'"blob":' + dumps(path) for path in blobs or ()]
        pieces: list[bytes] = []
        count = size_bytes = 0
        for text in filter(None, self._texts()):
            text = _with_paths(text.removeprefix(b"\n"), fields)
            rows = text.count(b"\n") + 1
            fits = count + rows < ROWS_PER_FILE and size_bytes + len(text) + 1 < BYTES_PER_FILE
            for piece in (text,) if fits else text.split(b"\n"):
                pieces.append(piece)
                count += rows if fits else 1
                size_bytes += len(piece) + 1
                if count == ROWS_PER_FILE or size_bytes >= BYTES_PER_FILE:
                    yield count, [b"\n".join(pieces), b"\n"]
                    pieces, count, size_bytes = [], 0, 0
        if pieces:
            yield count, [b"\n".join(pieces), b"\n"]

    @staticmethod
    def _items(piece: bytes) -> list:
        return parse_rows(piece.removeprefix(b"\n"))


def _with_paths(text: bytes, fields: Sequence[bytes]) -> bytes:
    """Return rows with paths for the numbers in the field 'blob'. Rows next to each other share few of them, and replacing each at once is quick."""
    for number in set(_BLOB.findall(text)) if fields else ():
        for end in (b",", b"}"):
            text = text.replace(b'"blob":%b%b' % (number, end), fields[int(number)] + end)
    return text


def parse_rows(lines: bytes) -> list[Any]:
    """Return the rows of JSON Lines: one call of the parser for all of them. Raises JSONDecodeError when a line is not JSON."""
    return loads(b"[%b]" % lines.removesuffix(b"\n").replace(b"\n", b","))
