"""Records of a log as torch wrote them: the text of each envelope, from the verbatim chunks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from tlparse_bundle.bundle.layout import ID_KEYS
from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.bundle.restore import verbatim_bytes
from tlparse_bundle.bundle.row_objects import Event
from tlparse_bundle.legacy import rust_json
from tlparse_bundle.log.record_reader import MAX_LINE_BYTES, PREFIX

_U32_MAX = 2**32 - 1
# An id above would make tlparse reserve that many places; torch counts from 0.
MAX_STRINGS = 1 << 20
_MAX_LINE_BYTES = 2 * MAX_LINE_BYTES  # no record has a longer one, whatever a bundle says
# The year when the log does not record it; not today's, so that equal bundles make equal reports.
UNKNOWN_YEAR = 1970


class Record:
    """One record: ``event``, its ``envelope`` (dict) and what stood before it (``prefix``, dict)."""

    def __init__(self, event: Event, envelope: dict[str, Any], prefix: dict[str, Any]):
        self.event = event
        self.envelope = envelope
        self.prefix = prefix

    @property
    def rank(self) -> int | None:
        rank = self.envelope.get("rank")
        return rank if _is_u32(rank) else None

    @cached_property
    def compile_id(self) -> tuple[int | None, ...] | None:
        """Return the four parts of its compile id; None when one is not a 32-bit number."""
        parts = tuple(self.envelope.get(key) for key in ID_KEYS)
        return parts if all(part is None or _is_u32(part) for part in parts) else None

    @property
    def folder(self) -> str:
        """Return the name of the folder of its files."""
        parts = self.compile_id
        if parts is None:
            return f"unknown_{self.event.row['line']}"
        return "_".join("-" if part is None else str(part) for part in parts)

    @property
    def shown_id(self) -> str:
        """Return its compile id as a heading."""
        if self.compile_id is None:
            return "unknown"
        autograd, frame, compile, attempt = self.compile_id
        shown = [f"!{autograd}"] if autograd is not None else []
        shown += ["-" if part is None else str(part) for part in (frame, compile)]
        return "[" + "/".join(shown) + (f"_{attempt}" if attempt else "") + "]"

    def metadata(self, key: str) -> dict[str, Any] | None:
        """Return the value of ``key``: None without one, {} when it is not an object."""
        value = self.envelope.get(key)
        return None if value is None else value if type(value) is dict else {}

    @cached_property
    def payload(self) -> bytes:
        return self.event.bytes() or b""


def records(log: Log) -> Iterator[Record]:
    """Yield the records in order, except those whose envelope is not a JSON object."""
    lines, years = _Lines(log), _Years(log)
    for event in log.events():
        line = lines.line_of(event)
        match = PREFIX.match(line)
        if match is None:
            continue
        text = line[match.end() :].rstrip(b"\r\n")
        try:
            envelope = _envelope(text)
        except ValueError:
            continue
        if type(envelope) is dict:
            yield Record(event, envelope, _prefix(match.groups(), years.of(event)))


def _envelope(text: bytes) -> Any:
    try:
        return rust_json.loads(text)
    except ValueError:
        return rust_json.loads_leniently(text)


def string_table(log: Log) -> list[str | None]:
    """Return the interned strings by id."""
    strings: dict[int, str] = {}
    for event in log.events(type="str"):
        text_and_id = interned(event.metadata)
        if text_and_id is not None and text_and_id[1] < MAX_STRINGS:
            strings[text_and_id[1]] = text_and_id[0]
    return [strings.get(number) for number in range(max(strings, default=0) + 1)]


def interned(envelope: Mapping[str, Any]) -> tuple[str, int] | None:
    """Return (text, id) when the record defines a string."""
    value = envelope.get("str")
    if type(value) is list and len(value) == 2 and type(value[0]) is str and _is_u32(value[1]):
        return value[0], value[1]
    return None


def _prefix(groups: tuple[bytes, ...], year: int) -> dict[str, Any]:
    _, date_time, micros, thread, path, line = (group.decode("utf-8", "replace") for group in groups)
    month, day, time = date_time[:2], date_time[2:4], date_time[5:]
    return {
        "timestamp": f"{year:04}-{month}-{day}T{time}.{micros}Z",
        "thread": _number(thread),
        "pathname": f" {path}",  # tlparse takes the space for a part of it
        "lineno": _number(line),
    }


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) < 20 else digits


def _is_u32(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _U32_MAX


class _Years:
    """Year of each event: from the log's clock, and one more after New Year."""

    def __init__(self, log: Log):
        clock = log.directory["clock"]
        self._year: int = clock["year"] or UNKNOWN_YEAR
        self._origin: dt.datetime | None
        try:
            self._origin = dt.datetime.strptime(f"{self._year}-{clock['origin']}", "%Y-%m-%d %H:%M:%S.%f")
        except ValueError:
            self._origin = None

    def of(self, event: Event) -> int:
        if self._origin is None:
            return self._year
        try:
            return (self._origin + dt.timedelta(microseconds=event.row["time_us"])).year
        except OverflowError:
            return self._year


class _Lines:
    """Reads the lines of all events from the verbatim chunks, in order."""

    def __init__(self, log: Log):
        self._log = log
        self._chunks = iter(log.directory["verbatim"])
        self._buf = b""
        self._base = 0  # of the buffer, in the verbatim bytes
        self._left_out = 0  # bytes of the log before here that are in blobs alone

    def line_of(self, event: Event) -> bytes:
        """Return the line of the next event's prefix and envelope, with its line end."""
        start = event.byte_offset - self._left_out
        while self._base + len(self._buf) <= start and self._next(keep=False):
            pass
        end = self._buf.find(b"\n", max(0, start - self._base)) + 1
        while not end and len(self._buf) < _MAX_LINE_BYTES and self._next(keep=True):
            end = self._buf.find(b"\n", max(0, start - self._base)) + 1
        line = self._buf[max(0, start - self._base) : end or None]
        if event.payload_form in ("lf", "crlf"):
            self._left_out += event.row["size_bytes"] - len(line)
        return line

    def _next(self, keep: bool) -> bool:
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        data = verbatim_bytes(self._log, chunk)
        if keep:
            self._buf += data
        else:
            self._base += len(self._buf)
            self._buf = data
        return True
