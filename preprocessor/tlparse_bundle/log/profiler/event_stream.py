"""Reads the events of a torch.profiler trace in batches, in bounded memory.

A trace is JSON, plain or gzip: an object with a list ``traceEvents``, or that list alone. It is cut between
two events, and each piece is parsed as a list. A piece that ends inside an event or a string is not a valid
list, so a wrong cut is noticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.log.profiler.bounded_gzip import MAGIC, Gunzip

_PIECE_BYTES = 128 << 10  # its events fit into the cache of a processor: twice as fast as 2 MB
_MAX_EVENT_BYTES = 8 << 20  # parsed, it takes up to twenty times as much
_MAX_HEADER_BYTES = 8 << 20
_MAX_TRACE_BYTES = 32 << 30
_MAX_OBJECTS = 200  # that are looked at for one cut
_TRIES = 4  # cuts that are tried before the text is scanned

_BLANK = b" \t\r\n"
_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)
_NOT_A_NUMBER = re.compile(rb":\s*-?(?:nan|inf|NaN|Infinity)\b")
_File = IO[bytes] | Gunzip


class BadTrace(Exception):
    """A file that is not a profiler trace."""


class TraceReader:
    """Events of a trace. After ``batches``, ``header`` has the other keys, and ``problems`` says what was not
    read.
    """

    def __init__(self, path: Path):
        self._path = path
        self.header: dict[str, Any] = {}
        self.problems: list[str] = []
        self.unreadable_count = 0  # events that are not JSON objects
        self.size_bytes = 0  # uncompressed, as far as it was read
        self._buffer = b""
        self._ended = False  # no more data

    def batches(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the events in batches. Raise BadTrace when the file has no events, and OSError."""
        with self._path.open("rb") as raw:
            is_gzip = raw.read(2) == MAGIC
            raw.seek(0)
            file = Gunzip(raw) if is_gzip else raw
            self._begin(file)
            while True:
                if not self._ended:
                    self._fill(file, max(_PIECE_BYTES, len(self._buffer)))
                before = len(self._buffer)
                events, at_end = self._piece()
                if events:
                    yield events
                if at_end:
                    self._finish(file)
                    return
                if self._ended and len(self._buffer) == before:
                    self.problems.append("The file ends inside the list of events.")
                    return
                if len(self._buffer) > _MAX_EVENT_BYTES:
                    self.problems.append(
                        f"An event is larger than {_MAX_EVENT_BYTES >> 20} MB; what follows it was not read."
                    )
                    return

    def _fill(self, file: _File, size: int) -> None:
        """Read more."""
        data = file.read(size)
        if isinstance(file, Gunzip) and file.problem is not None and not self.problems:
            self.problems.append(file.problem)
        self.size_bytes += len(data)
        if self.size_bytes > _MAX_TRACE_BYTES:
            self.problems.append(f"Only the first {_MAX_TRACE_BYTES >> 30} GB were read.")
            data = b""
        self._ended = not data
        self._buffer += data

    def _begin(self, file: _File) -> None:
        """Read to the first event."""
        while not self._ended and len(self._buffer) < _MAX_HEADER_BYTES:
            self._fill(file, 1 << 16)
            text = self._buffer.lstrip(_BLANK)
            if text.startswith(b"\xef\xbb\xbf"):
                text = text[3:].lstrip(_BLANK)
            if text.startswith(b"["):
                self._buffer = text[1:]
                return
            if text and not text.startswith(b"{"):
                break
            for found in _EVENTS.finditer(text):
                try:
                    self.header = loads(text[: found.end()] + b"]}")
                except ValueError:  # a key of this name inside something else
                    continue
                del self.header["traceEvents"]
                self._buffer = text[found.end() :]
                return
        raise BadTrace("it is not a trace of torch.profiler: it has no list 'traceEvents'")

    def _piece(self) -> tuple[list[dict[str, Any]], bool]:
        """Take the whole events from the buffer. Return them, and whether they were the last."""
        end = len(self._buffer)
        for _ in range(_TRIES):
            end = _last_cut(self._buffer, end)
            if end < 0:
                break
            try:
                events = loads(b"[" + self._buffer[:end] + b"]")
            except ValueError:
                continue
            self._buffer = self._buffer[self._buffer.index(b",", end) + 1 :]
            return self._objects(events), False
        return self._one_by_one()

    def _one_by_one(self) -> tuple[list[dict[str, Any]], bool]:
        """Take the whole events from the buffer by scanning it: at the end, or for a damaged event."""
        events: list[dict[str, Any]] = []
        depth = start = 0
        is_last = False
        for token in _TOKEN.finditer(self._buffer):
            first = self._buffer[token.start()]
            if token[0] == b'"':  # of a string that goes on
                break
            if first in b"{[":
                if depth == 0:
                    start = token.start()
                depth += 1
            elif first in b"}]":
                depth -= 1
                if depth < 0:
                    is_last = True
                    start = token.end()
                    break
                if depth == 0:
                    self._add(events, self._buffer[start : token.end()])
                    start = token.end()
        self._buffer = self._buffer[start:]
        if not is_last and depth == 0:
            self._buffer = self._buffer.lstrip(_BLANK + b",")
        return events, is_last

    def _add(self, events: list[dict[str, Any]], text: bytes) -> None:
        try:
            events += self._objects([loads(_NOT_A_NUMBER.sub(b": null", text))])  # torch writes such numbers
        except (ValueError, RecursionError):
            self.unreadable_count += 1

    def _objects(self, events: list[Any]) -> list[dict[str, Any]]:
        objects = [event for event in events if type(event) is dict]
        self.unreadable_count += len(events) - len(objects)
        return objects

    def _finish(self, file: _File) -> None:
        """Read the keys after the list of events."""
        while not self._ended and len(self._buffer) < _MAX_HEADER_BYTES:
            self._fill(file, 1 << 16)
        rest = self._buffer.strip(_BLANK)
        if not self._ended:
            self.problems.append("The text after the list of events is too long and was not read.")
        elif rest not in (b"", b"}"):
            try:
                after = loads(b"{" + rest.lstrip(b", \t\r\n"))
            except ValueError:
                self.problems.append("The text after the list of events is not valid JSON.")
                return
            if "traceEvents" in after:
                self.problems.append("The file has a second list of events, which was not read.")
            self.header |= after


def _last_cut(text: bytes, end: int) -> int:
    """Return where the last '}' before ``end`` that looks like the end of an event ends; -1 without one."""
    for _ in range(_MAX_OBJECTS):
        end = text.rfind(b"{", 0, end)
        if end < 0:
            break
        before = text[max(0, end - 80) : end].rstrip(_BLANK)
        if before.endswith(b",") and (before := before[:-1].rstrip(_BLANK)).endswith(b"}"):
            return max(0, end - 80) + len(before)
    return -1
