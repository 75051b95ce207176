"""Bytes to records: splits a TORCH_TRACE log without interpreting the JSON in it.

A record is a glog prefix, a JSON envelope on the same line, and payload lines that begin with a
tab (torch/_logging/_internal.py, TorchLogsFormatter and trace_structured). The reader streams:
it holds one block, or one record when that is larger.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from tlparse_bundle.diagnostics import Diagnostics

BLOCK_BYTES = 4 << 20

# Level, MMDD, time, pid, then the shortest path that is followed by ":line] ".
PREFIX = re.compile(rb"([A-Z])(\d{4} \d\d:\d\d:\d\d)[.,](\d{6}) +(\d+) (.+?):(\d+)\] ?")
_LINE_FEED_BEFORE_TEXT = re.compile(rb"\n(?!\t)")
_LINE_FEEDS = re.compile(rb"\n+")
_BLANKS_INSIDE = re.compile(rb"\n\n+\t")
_BOM = b"\xef\xbb\xbf"


class Record:
    """One record of a log.

    ``prefix`` is (level, date and time, microseconds, pid, path, line); None marks a long stretch of
    bytes that are no record. ``kept`` holds all bytes since the end of the record before, except a payload whose lines can
    be written again from ``payload``: concatenated over a log they are the verbatim chunks.
    """

    __slots__ = ("line", "byte_offset", "size_bytes", "prefix", "envelope", "payload", "verbatim", "cut", "kept")

    def __init__(self, line, byte_offset, size_bytes, prefix, envelope, payload, verbatim, cut, kept):
        self.line: int = line
        self.byte_offset: int = byte_offset
        self.size_bytes: int = size_bytes
        self.prefix: tuple[bytes, bytes, bytes, bytes, bytes, bytes] | None = prefix
        self.envelope: bytes = envelope
        self.payload: bytes | None = payload
        self.verbatim: bool = verbatim
        self.cut: bool = cut
        self.kept: bytes = kept


class RecordReader:
    """Iterates over the records of a stream of bytes.

    After the iteration ``tail`` holds the bytes behind the last record. What is no record is
    reported to ``diagnostics``.
    """

    def __init__(self, stream: BinaryIO, diagnostics: Diagnostics):
        self._stream = stream
        self._diagnostics = diagnostics
        self._buf = b""
        self._base = 0  # offset of _buf[0] in the log
        self._eof = False
        self.tail = b""

    @property
    def position(self) -> int:
        """Bytes read from the stream so far."""
        return self._base + len(self._buf)

    def _more(self, start: int) -> None:
        """Read on, keeping the buffer from ``start``; grows with what it keeps."""
        keep = self._buf[start:]
        block = self._stream.read(max(BLOCK_BYTES, len(keep)))
        self._eof = not block
        self._base += start
        self._buf = keep + block if keep else block

    def __iter__(self) -> Iterator[Record]:
        while len(self._buf) < len(_BOM) and not self._eof:
            self._more(0)
        kept_from = 0  # in the buffer: end of the record before
        pos = len(_BOM) if self._buf.startswith(_BOM) else 0
        if pos:
            self._diagnostics.add("byte-order-mark", "UTF-8 byte order mark", line=1, byte_offset=0)
        line = 1
        while True:
            buf = self._buf
            end = buf.find(b"\n", pos)
            if end < 0 and not self._eof or end == len(buf) - 1 and not self._eof:
                self._more(kept_from)
                pos, kept_from = pos - kept_from, 0
                continue
            if end < 0:
                if pos >= len(buf):
                    break
                end = len(buf)
            match = PREFIX.match(buf, pos, end)
            if match is None:
                self._not_a_record(buf[pos:end], line, self._base + pos)
                pos = end + 1
                line += 1
                if pos - kept_from > BLOCK_BYTES:  # garbage without end must not grow the buffer
                    yield Record(line, self._base + pos, 0, None, b"", None, False, False, buf[kept_from:pos])
                    kept_from = pos
                continue

            payload, verbatim = None, False
            stop = min(end + 1, len(buf))
            if buf[end + 1 : end + 2] in (b"\t", b"\n"):
                last = self._payload_end(buf, end)
                if last is None:
                    self._more(kept_from)
                    pos, kept_from = pos - kept_from, 0
                    continue
                if last > end:
                    payload, verbatim = self._payload(buf, end + 1, last, line + 1)
                    stop = min(last + 1, len(buf))
            kept = buf[kept_from : stop if payload is None or verbatim else end + 1]
            lines = buf.count(b"\n", pos, stop)
            cut = end >= len(buf)
            yield Record(
                line, self._base + pos, stop - pos, match.groups(), buf[match.end() : end].removesuffix(b"\r"), payload, verbatim, cut, kept
            )
            line += lines
            kept_from = pos = stop
        self.tail = self._buf[kept_from:]

    def _payload_end(self, buf: bytes, end: int) -> int | None:
        """Position of the line feed (or the end of the log) that ends the payload behind ``end``.

        ``end`` itself when no payload line follows; None when more bytes are needed to know.
        """
        last = pos = end
        while True:
            match = _LINE_FEED_BEFORE_TEXT.search(buf, pos)
            if match is None:  # payload lines up to the end of what we have
                return len(buf) if self._eof else None
            blanks_end = _LINE_FEEDS.match(buf, match.start()).end()
            if blanks_end == len(buf) and not self._eof:
                return None
            if match.start() > end:
                last = match.start()
            if buf[blanks_end : blanks_end + 1] != b"\t":
                return last
            pos = blanks_end  # empty lines, then more of the payload

    def _payload(self, buf: bytes, start: int, last: int, line: int) -> tuple[bytes, bool]:
        """The payload in buf[start:last] and whether its lines must be kept verbatim."""
        raw = buf[start:last]
        verbatim = last >= len(buf)
        if raw[:1] == b"\n" or b"\n\n" in raw:
            blanks = sum(len(m) - 2 for m in _BLANKS_INSIDE.findall(b"\n" + raw))
            self._diagnostics.add(
                "payload-blank-lines", f"{blanks} empty lines inside a payload", line=line, byte_offset=self._base + start, count=blanks
            )
            raw = _BLANKS_INSIDE.sub(b"\n\t", b"\n" + raw)[1:]
            verbatim = True
        return raw[1:].replace(b"\n\t", b"\n"), verbatim

    def _not_a_record(self, text: bytes, line: int, byte_offset: int) -> None:
        if not text.strip(b"\r"):
            code, message = "blank-line", "empty line"
        else:
            shown = text[:80].decode("utf-8", "replace")
            code, message = "not-a-record", f"not a record: {shown!r}"
        self._diagnostics.add(code, message, line=line, byte_offset=byte_offset)
