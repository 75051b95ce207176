"""Rows of a table while a log is read: JSON Lines, packed as they come, so that memory hardly grows with the
log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.bundle.layout import BYTES_PER_FILE, ROWS_PER_FILE
from tlparse_bundle.tables.json_list import JsonList

_BATCH = 256  # rows that are encoded at once
_BLOB = re.compile(
    rb'("blob":[0-9]+)'
)  # in a text of the log, the quotation marks would have a backslash before them


class Rows(JsonList):
    """Rows of one table, in order.

    Each is written when it is added: later changes of it are not seen. ``size_bytes`` is that of the JSON
    Lines.
    """

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

        A file ends with the row that is its 4,096th or that fills its first MiB. ``blobs``: paths that are
        written for the numbers in the field 'blob' of the rows.
        """
        if blobs is None and len(self) <= ROWS_PER_FILE and self.size_bytes <= BYTES_PER_FILE:
            if len(self):
                yield len(self), [*self._texts(), b"\n"]
            return
        fields = {
            b'"blob":%d' % number: b'"blob":%b' % dumps(path) for number, path in enumerate(blobs or ())
        }
        pieces: list[bytes] = []
        count = size_bytes = 0
        for text in filter(None, self._texts()):
            text = text.removeprefix(b"\n")
            if fields:
                parts = _BLOB.split(text)
                parts[1::2] = map(fields.__getitem__, parts[1::2])
                text = b"".join(parts)
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


def parse_rows(lines: bytes) -> list[Any]:
    """Return the rows of JSON Lines: one call of the parser for all of them.

    Raises JSONDecodeError when a line is not JSON.
    """
    return loads(b"[%b]" % lines.removesuffix(b"\n").replace(b"\n", b","))
