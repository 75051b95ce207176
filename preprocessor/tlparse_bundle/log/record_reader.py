"""Bytes to records: splits a TORCH_TRACE log without interpreting the JSON in it.

A record is a glog prefix, a JSON envelope on the same line, and payload lines that begin with a
tab (torch/_logging/_internal.py, TorchLogsFormatter and trace_structured). The reader streams:
it holds one block, or one record when that is larger. What is larger than any real record (a file
without line ends, a compressed file that expands without end) is passed on in pieces.
"""

from __future__ import annotations

import io
import re
from collections.abc import Generator, Iterator
from typing import Protocol

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.log.payload import (
    RECENT,
    UNTABBED_LINE,
    Payload,
    RecentPayloads,
    payload_at,
    without_tabs,
)

BLOCK_BYTES = 256 << 10
MAX_LINE_BYTES = 16 << 20  # of a prefix and an envelope; parsed, JSON takes up to thirty times its size
MAX_RECORD_BYTES = 256 << 20  # with the payload

# Level, MMDD, time, pid, then the shortest path that is followed by ":line] ".
_LEVEL_AND_TIME = rb"([A-Z])(\d{4} \d\d:\d\d:\d\d)[.,](\d{6}) +"
PREFIX = re.compile(_LEVEL_AND_TIME + rb"(\d+) (.+?):(\d+)\] ?")
# The same of a path without a colon, but for a drive; quicker, as it does not look for line feeds, and may
# cross them.
_HEAD = re.compile(_LEVEL_AND_TIME + rb"(\d+ (?:[A-Z]:\\)?[^:]++:\d+)\] ?")
_PAYLOAD_LINES = re.compile(rb"(?:\n++\t[^\n]*+)*+")
_LINE_FEEDS = re.compile(rb"\n+")
_LINE_END = re.compile(rb"\n")
_PAYLOAD_END = re.compile(rb"\n(?![\t\n])")
_TIMELINE = b'{"chromium_event"'
# Position of the payload's hash, counted back from the payload: ..."has_payload": "<32
# digits>"}, line feed.
_MD5_FROM_END, _MD5_END = 35, 3
_BOM = b"\xef\xbb\xbf"


def _end_of(pattern: re.Pattern[bytes], buf: bytes, start: int, stop: int) -> int:
    """Return the end of a pattern's match at ``start``; ``start`` without one."""
    match = pattern.match(buf, start, stop)
    return start if match is None else match.end()


class ByteStream(Protocol):
    """Source of the bytes of a log."""

    def read(self, size: int, /) -> bytes | None:
        """Return at most so many bytes; b"" at the end, None when nothing more is there yet."""


class Record:
    """One record of a log.

    ``prefix`` is (level, date and time, microseconds, b"pid path:line"); () marks a long stretch of
    bytes that are not a record. ``left_out`` says that there is a payload, too large to be read. ``kept``
    holds all bytes since the end of the record before, except a payload whose lines can be written
    again from ``payload``: concatenated over a log they are the verbatim chunks.
    """

    __slots__ = (
        "byte_offset",
        "cut",
        "envelope",
        "kept",
        "left_out",
        "line",
        "payload",
        "prefix",
        "size_bytes",
        "verbatim",
    )

    def __init__(
        self,
        line: int,
        byte_offset: int,
        size_bytes: int,
        prefix: tuple[bytes, ...],
        envelope: bytes,
        payload: Payload | None,
        kept: bytes,
        verbatim: bool = False,
        cut: bool = False,
        left_out: bool = False,
    ):
        self.line = line
        self.byte_offset = byte_offset
        self.size_bytes = size_bytes
        self.prefix = prefix
        self.envelope = envelope
        self.payload = payload
        self.kept = kept
        self.verbatim = verbatim
        self.cut = cut
        self.left_out = left_out


class RecordReader:
    """Iterates over the records of a byte stream.

    For a growing log, when ``read`` of the stream returns None, None comes instead of a record, and the
    iteration can continue later; ``stop_at`` ends the log. Afterwards ``tail`` holds the bytes after the
    last record. Bytes outside records are reported to ``diagnostics``.
    """

    def __init__(self, stream: ByteStream, diagnostics: Diagnostics, recent: RecentPayloads = RECENT):
        self._stream = stream
        self._diagnostics = diagnostics
        self._recent = recent
        self._buf = b""
        self._base = 0  # offset of _buf[0] in the log
        self._eof = False
        self._stop_at: int | None = None
        self.certain = 0  # offset in the log up to which nothing that comes can change what was read
        # While a long payload is read: its data so far, and the bytes after it.
        self._long: tuple[io.BytesIO, bytes] = io.BytesIO(), b""
        self.tail = b""

    @property
    def position(self) -> int:
        """Return the bytes read from the stream so far."""
        return self._base + len(self._buf)

    @property
    def waiting(self) -> tuple[bytes, bytes]:
        """Return the bytes of a possibly incomplete record, and of its payload if already separated."""
        payload, raw = self._long
        return self._buf[max(0, self.certain - self._base) :] + raw, payload.getvalue()

    def stop_at(self, offset: int) -> None:
        """End the log, while waiting, at ``certain`` or after everything that was read."""
        self._stop_at = offset

    def _more(self, start: int, pos: int) -> Generator[None]:
        """Read more, keeping the buffer from ``start``; read more at once when it keeps more. ``pos``: of
        the record.
        """
        kept_bytes = len(self._buf) - start
        self.certain = self._base + pos
        block = yield from self._read(
            max(BLOCK_BYTES, min(kept_bytes, MAX_RECORD_BYTES + BLOCK_BYTES - kept_bytes))
        )
        keep = self._buf[start:]
        self._eof = not block
        self._base += start
        self._buf = keep + block if keep else block

    def _read(self, size: int) -> Generator[None, None, bytes]:
        while (block := self._stream.read(size)) is None:
            yield
        if self._stop_at is not None:
            self._buf = self._buf[: self._stop_at - self._base]
        return block

    def __iter__(self) -> Iterator[Record | None]:  # noqa: C901 - one loop over the bytes of a log, for speed
        while len(self._buf) < len(_BOM) and not self._eof:
            yield from self._more(0, 0)
        kept_from = 0  # in the buffer: end of the record before
        pos = len(_BOM) if self._buf.startswith(_BOM) else 0
        if pos:
            self._diagnostics.add("byte-order-mark", "UTF-8 byte order mark", line=1, byte_offset=0)
        line, recent, head = 1, self._recent.get, _HEAD.match
        while True:
            buf = self._buf
            match = head(buf, pos)
            if match is not None:
                start = stop = buf.find(b"\n", pos) + 1
                end, payload, announced = match.end(), None, None
                if buf[start : start + 1] == b"\t":
                    if not buf.startswith(_TIMELINE, end):  # no payload of which is like another one
                        announced = buf[start - _MD5_FROM_END : start - _MD5_END]
                        payload = recent(announced)
                    if (
                        payload is not None
                        and buf.startswith(payload.raw, start)
                        and not buf.startswith(b"\t", start + len(payload.raw))
                    ):
                        stop = start + len(payload.raw)
                    else:
                        payload, stop = payload_at(buf, start)
                if end < start <= stop <= pos + MAX_LINE_BYTES and buf[stop : stop + 1] not in (b"\n", b""):
                    # A complete regular record, as nearly all are.
                    lines = 1
                    if payload is not None:
                        lines = 2 + payload.line_feeds
                        if announced is not None and not payload.raw:
                            payload.raw = buf[start:stop]
                            self._recent.add(announced, payload)
                    envelope = buf[end : start - 1].removesuffix(b"\r")
                    yield Record(
                        line,
                        self._base + pos,
                        stop - pos,
                        match.group(1, 2, 3, 4),
                        envelope,
                        payload,
                        buf[kept_from:start],
                    )
                    line += lines
                    kept_from = pos = stop
                    continue
            end = buf.find(b"\n", pos, pos + MAX_LINE_BYTES)
            too_long = end < 0 and len(buf) - pos > MAX_LINE_BYTES
            if not too_long and not self._eof and (end < 0 or end == len(buf) - 1):
                yield from self._more(kept_from, pos)
                pos, kept_from = pos - kept_from, 0
                continue
            if too_long:
                self._too_large("a line", MAX_LINE_BYTES, line, self._base + pos)
                pos, lines = yield from self._pass_on(kept_from, pos, line, _LINE_END)
                line, kept_from = line + lines, pos
                continue
            if end < 0:
                if pos >= len(buf):
                    break
                end = len(buf)
            match = PREFIX.match(buf, pos, end)
            if match is None:
                lines = 1 if end > pos else _end_of(_LINE_FEEDS, buf, pos, len(buf)) - pos
                self._not_a_record(buf[pos:end], line, self._base + pos, lines)
                pos = end + lines
                line += lines
                if pos - kept_from > BLOCK_BYTES:  # garbage without end must not grow the buffer
                    yield self._piece(kept_from, pos, line)
                    kept_from = pos
                continue

            base = self._base
            data: bytes | None = None
            verbatim = left_out = False
            stop, lines = min(end + 1, len(buf)), 0
            if buf[end + 1 : end + 2] in (b"\t", b"\n"):
                limit = pos + MAX_RECORD_BYTES
                last = self._payload_end(buf, end, limit)
                long = (
                    (yield from self._long_payload(pos, end + 1, limit))
                    if last is None and len(buf) - end > BLOCK_BYTES
                    else None
                )
                if long is not None:
                    data, lines = long
                    stop = self._base - base
                elif last is None:
                    yield from self._more(kept_from, pos)
                    pos, kept_from = pos - kept_from, 0
                    continue
                else:
                    left_out = last > limit
                    if last > end and not left_out:
                        data, verbatim = self._payload(buf, end + 1, last, line + 1)
                        stop = min(last + 1, len(buf))
            kept = buf[kept_from : stop if data is None or verbatim else end + 1]
            lines = lines or buf.count(b"\n", pos, stop)
            cut = end >= len(buf)
            envelope = buf[match.end() : end].removesuffix(b"\r")
            if left_out:
                self._too_large("a record", MAX_RECORD_BYTES, line, base + pos)
            prefix = (*match.group(1, 2, 3), buf[match.start(4) : match.end(6)])
            yield Record(
                line,
                base + pos,
                stop - pos,
                prefix,
                envelope,
                None if data is None else Payload(data),
                kept,
                verbatim,
                cut,
                left_out,
            )
            line += lines
            kept_from = pos = base + stop - self._base
            if left_out:
                pos, lines = yield from self._pass_on(pos, pos, line, _PAYLOAD_END)
                line, kept_from = line + lines, pos
        self.tail = self._buf[kept_from:]

    def _piece(self, start: int, stop: int, line: int) -> Record:
        return Record(line, self._base + start, 0, (), b"", None, self._buf[start:stop])

    def _pass_on(
        self, kept_from: int, pos: int, line: int, pattern: re.Pattern[bytes]
    ) -> Generator[Record | None, None, tuple[int, int]]:
        """Pass on in pieces what lies up to the line feed that ``pattern`` finds.

        Returns the position after it in the buffer, and the number of line feeds passed. All pieces but the
        last are whole blocks, however much there was to be read at once.
        """
        lines = 0
        while True:
            buf = self._buf
            match = pattern.search(buf, pos)
            if match is not None and (match.end() < len(buf) or self._eof):
                last, looked = True, match.end()
            else:  # of a line feed at the end, what follows decides
                last, looked = self._eof, max(pos, len(buf) - (not self._eof))
            lines += buf.count(b"\n", pos, looked)
            stop = looked if last else kept_from + max(0, looked - kept_from) // BLOCK_BYTES * BLOCK_BYTES
            for start in range(kept_from, stop, BLOCK_BYTES):
                yield self._piece(start, min(start + BLOCK_BYTES, stop), line)
            if last:
                return stop, lines
            yield from self._more(stop, len(buf))
            pos, kept_from = looked - stop, 0

    def _payload_end(self, buf: bytes, end: int, limit: int) -> int | None:
        """Position of the line feed, or the end of the log, that ends the payload after ``end``.

        ``end`` itself when no payload line follows; None when more bytes are needed to know.
        """
        beyond = len(buf) > limit
        stop = min(len(buf), limit)
        last = _end_of(_PAYLOAD_LINES, buf, end, stop)
        if last == stop:
            return limit + 1 if beyond else len(buf) if self._eof else None
        blanks_end = _end_of(_LINE_FEEDS, buf, last, stop)  # more of the payload may follow empty lines
        if blanks_end == len(buf) and not self._eof:
            return None
        return limit + 1 if blanks_end == limit and buf[limit : limit + 1] == b"\t" else last

    def _long_payload(
        self, pos: int, start: int, limit: int
    ) -> Generator[None, None, tuple[bytes, int] | None]:
        """Read in blocks a payload at ``start``, of a record at ``pos``, that does not end in the buffer.

        Returns it and the number of lines of its record; the buffer then begins after it. None when there is
        anything odd about it, or it may end after ``limit``: then all that was read is in the buffer.
        """
        head, raw = self._buf[: start + 1], self._buf[start + 1 :]
        if head[-1:] != b"\t":
            return None
        self.certain = self._base + pos
        self._buf = head
        payload, line_feeds, end, block = io.BytesIO(), 0, start + 1, b" "
        while True:
            next_record = UNTABBED_LINE.search(raw)
            stop = len(raw) - raw.endswith(b"\n") if next_record is None else next_record.start()
            text, count = without_tabs(raw[:stop])
            payload.write(text)
            line_feeds, end, raw = line_feeds + count, end + stop, raw[stop:]
            if next_record is not None or end >= limit or not block:
                break
            self._long = payload, raw
            block = yield from self._read(BLOCK_BYTES)
            self._long = io.BytesIO(), b""
            if len(self._buf) < len(head):  # the log ends before the record
                return None
            raw += block
        if raw[:1] != b"\n" or raw[1:2] == b"\n" or end >= limit:
            self._buf = head + payload.getvalue().replace(b"\n", b"\n\t") + raw
            return None
        self._base += end + 1
        self._buf = raw[1:]
        return payload.getvalue(), line_feeds + 2

    def _payload(self, buf: bytes, start: int, last: int, line: int) -> tuple[bytes, bool]:
        """Return the payload in buf[start:last], and whether its lines must be kept verbatim."""
        raw = buf[start:last]
        verbatim = last >= len(buf)
        if raw[:1] == b"\n" or b"\n\n" in raw:
            size, raw = len(raw), b"\n" + raw
            while b"\n\n" in raw:
                raw = raw.replace(b"\n\n", b"\n")
            raw = raw[1:]
            blanks = size - len(raw)
            self._diagnostics.add(
                "payload-blank-lines",
                f"{blanks} empty lines inside a payload",
                line=line,
                byte_offset=self._base + start,
                count=blanks,
            )
            verbatim = True
        return raw[1:].replace(b"\n\t", b"\n"), verbatim

    def _too_large(self, what: str, limit: int, line: int, byte_offset: int) -> None:
        self._diagnostics.add(
            "too-large", f"{what} of more than {limit:,} bytes", line=line, byte_offset=byte_offset
        )

    def _not_a_record(self, text: bytes, line: int, byte_offset: int, count: int) -> None:
        if not text.strip(b"\r"):
            code, message = "blank-line", "empty line"
        else:
            shown = text[:80].decode("utf-8", "replace")
            code, message = "not-a-record", f"not a record: {shown!r}"
        self._diagnostics.add(code, message, line=line, byte_offset=byte_offset, count=count)
