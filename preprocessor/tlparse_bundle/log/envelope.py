"""Decodes records into events: JSON envelopes, context keys, interned strings, compile ids."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, NamedTuple

from tlparse_bundle.base.diagnostics import Diagnostics
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.bundle.layout import CONTEXT_KEYS, ID_KEYS
from tlparse_bundle.log.clock import Clock
from tlparse_bundle.log.compile_id import CompileId, FrameCompile, Occurrences
from tlparse_bundle.log.event import TIMELINE, Event
from tlparse_bundle.log.json_text import has_long_integer, is_deep, is_index, json_to_keep, lenient_json
from tlparse_bundle.log.payload import Payload, md5
from tlparse_bundle.log.record_reader import MAX_LINE_BYTES, Record
from tlparse_bundle.log.stacks import StackReader, StackTable

_MAX_HEADS = 2048
_MAX_TAILS = 1024
_MAX_HEAD_BYTES = 400  # a longer one, which says something itself, hardly comes again
_ANNOUNCES = b', "has_payload": "'  # then 32 hex digits
_END = b'"}'
_HASH_BYTES = 32 + len(_END)
_ANNOUNCEMENT_BYTES = len(_ANNOUNCES) + _HASH_BYTES
_TAIL_KEYS = frozenset((*ID_KEYS, "rank"))


class Head(NamedTuple):
    """First half of an envelope: {"type": value."""

    type: str
    name: str | None
    value: Any
    metadata: dict[str, Any] | None
    metadata_json: bytes


class Tail(NamedTuple):
    """Second half of an envelope: , "rank": 0, "frame_id": 1, "frame_compile_id": 0, "attempt": 0}."""

    compile_id: CompileId | None
    rank: int | None


class KnownEnvelopes:
    """Cache of envelopes. Call ``find``, and parse and ``add`` those that it lacks.

    torch writes the event's own key first, and writer, rank and compile id last
    (torch/_logging/_internal.py, trace_structured). Each half repeats often, so each is parsed once.
    """

    def __init__(self) -> None:
        self._heads: dict[bytes, Head] = {}
        # With the bracket that ends the envelope; without, where a payload is announced.
        self._tails: dict[bytes, Tail] = {}
        # Most records are timeline events: matches up to the hash of the payload.
        self._timeline: dict[bytes, tuple[Head, Tail]] = {}

    def find(self, envelope: bytes, payload: Payload | None) -> tuple[Head, Tail] | None:
        """Return a known envelope if both halves are known and it announces its payload."""
        if payload is not None:
            halves = self._timeline.get(envelope[:-_HASH_BYTES])
            if halves is not None:
                return halves if envelope.endswith(payload.md5 + _END) else None
        split = envelope.rfind(b"}", 0, -1) + 1
        head = self._heads.get(envelope[:split])
        if head is None:
            return None
        if payload is None:
            tail = self._tails.get(envelope[split:])
        else:
            tail = self._tails.get(envelope[split:-_ANNOUNCEMENT_BYTES])
            if tail is not None and not envelope.endswith(_ANNOUNCES + payload.md5 + _END):
                return None
        return None if tail is None else (head, tail)

    def add(self, envelope: bytes, head: Head, tail: Tail, *, announces: bool) -> None:
        """Add a parsed envelope that is valid and independent of earlier records."""
        split = envelope.rfind(b"}", 0, -1) + 1
        end = -_ANNOUNCEMENT_BYTES if announces else len(envelope)
        if (
            0 < split <= _MAX_HEAD_BYTES
            and self._is_head(envelope[:split], head)
            and _is_tail(envelope[split:end], announces=announces)
        ):
            if len(self._heads) >= _MAX_HEADS:
                self._heads.clear()
            self._heads[envelope[:split]] = head
            if len(self._tails) >= _MAX_TAILS:
                self._tails.clear()
            self._tails[envelope[split:end]] = tail
            if announces and head.type == TIMELINE:
                if len(self._timeline) >= _MAX_TAILS:
                    self._timeline.clear()
                self._timeline[envelope[:-_HASH_BYTES]] = head, tail

    def _is_head(self, text: bytes, head: Head) -> bool:
        if text in self._heads:
            return True
        try:
            fields = loads(text + b"}")
        except ValueError:
            return False
        return type(fields) is dict and list(fields) == [head.type]


def _is_tail(text: bytes, *, announces: bool) -> bool:
    """Return whether these are only ids, each key once."""
    if text in (b"", b"}"):
        return text == b"}" or announces
    try:
        fields = loads(b"{" + text[2:] + (b"}" if announces else b""))
    except ValueError:
        return False
    keys = text.count(b'"') == 2 * len(fields) and text.startswith(b', "')
    return keys and fields.keys() <= _TAIL_KEYS and all(type(value) is int for value in fields.values())


DAMAGED = "damaged_record"
UNTYPED = "untyped_record"

_STACK_KEYS = frozenset(("stack", "user_stack", "stack_index", "user_stack_index"))
_ID_TYPES = frozenset(product((int, type(None)), repeat=len(ID_KEYS)))
_EMPTY_MD5 = md5(b"").decode()
_MAX_PLACES = 1024  # in the source
_MAX_COMPILE_IDS = 4096  # that are at hand


class EventDecoder:
    """Decodes the records of one log, in order.

    ``origins`` (level, path, line of the code that wrote a record), ``pids`` and ``ranks`` are numbered
    in order of appearance.
    """

    def __init__(self, diagnostics: Diagnostics, strings: Mapping[int, str] = {}):
        self.diagnostics = diagnostics
        self.clock = Clock()
        self.stacks = StackTable()
        self.origins: dict[tuple[bytes, bytes, bytes], int] = {}
        self.pids: dict[int, int] = {}
        self.ranks: dict[int | None, None] = {}
        self._places: dict[tuple[bytes, bytes], tuple[int, int]] = {}
        self._known = KnownEnvelopes()
        self._occurrences = Occurrences()
        self._compile_ids: dict[tuple[Any, ...], CompileId] = {}
        self.stack_reader = StackReader(self.stacks, self._note, strings)
        self.event_count = 0
        self._anchored = False
        # The first dynamo_start of each frame compile, until the clock is anchored.
        self._began_us: dict[FrameCompile, int] = {}
        self._last_time_us = 0

    def end(self) -> None:
        """Free the memory that grows with the compiles. Call it after the last record."""
        self._compile_ids.clear()
        self._occurrences = Occurrences()

    def decode(self, record: Record) -> tuple[Event, bytes]:
        """Return the event, and the bytes of the record to keep verbatim."""
        event = Event()
        event.index = self.event_count
        self.event_count += 1
        event.line, event.byte_offset, event.size_bytes = record.line, record.byte_offset, record.size_bytes
        level, date_time, micros, place = record.prefix
        indexes = self._places.get((level, place))
        event.origin_index, event.pid_index = indexes or self._new_place(level, place)
        time_us = self.clock.time_us(date_time, micros)
        if time_us is None:
            self._note(event, "time-invalid", f"invalid time {date_time.decode()}")
            time_us = self._last_time_us
        event.time_us = self._last_time_us = time_us
        content = event.content = record.payload
        event.payload = None if content is None else content.data
        event.payload_form = "verbatim" if record.verbatim else "lf"

        halves = self._known.find(record.envelope, content)
        if halves is not None:
            (
                (event.type, event.name, event.value, event.metadata, event.metadata_json),
                (event.compile_id, event.rank),
            ) = halves
            kept = record.kept
        else:
            kept = self._read(event, record)
            content = event.content
        if event.rank not in self.ranks:
            self.ranks[event.rank] = None
        event.payload_size_bytes = None if content is None else len(content.data)

        span = event.trace_event = self._trace_event(event) if event.type == TIMELINE else None
        event.sha256 = None if content is None or span is not None else content.sha256
        # Records that torch writes before the dynamo_start of a frame compile.
        opens = (
            event.name == "recompile_reasons"
            if span is None
            else span["name"] == "dynamo" and span["ph"] == "B"
        )
        starts = event.type == "dynamo_start"
        if event.compile_id is None or not (starts or opens or self._occurrences.any_repeated):
            event.occurrence = 1
        else:
            ends = event.type == "compilation_metrics"
            event.occurrence = self._occurrences.of(event.compile_id, starts=starts, opens=opens, ends=ends)
        if not self._anchored and event.compile_id is not None:
            self._anchor_at_begin(event, event.compile_id)
        return event, kept

    def _anchor_at_begin(self, event: Event, compile_id: CompileId) -> None:
        """Set the clock from metrics: torch 2.4 writes no timeline, but the metrics have the time of
        dynamo_start.
        """
        key = compile_id.frame_compile
        if event.type == "dynamo_start":
            if compile_id.attempt == 0 and len(self._began_us) < _MAX_PLACES:
                self._began_us[key] = event.time_us
        elif event.type == "compilation_metrics" and type(event.value) is dict:
            start: Any = event.value.get("start_time")
            time_us = self._began_us.get(key)
            if time_us is not None and type(start) in (int, float) and 0 < start < 4e9:
                self._anchored = self.clock.anchor(start * 1e6, time_us)

    def _new_place(self, level: bytes, place: bytes) -> tuple[int, int]:
        """Return origin and pid of b"pid path:line"."""
        pid, code = place.split(b" ", 1)
        path, line = code.rsplit(b":", 1)
        origin = self.origins.setdefault((level, path, line), len(self.origins))
        indexes = origin, self.pids.setdefault(int(pid) if len(pid) < 16 else 0, len(self.pids))
        if len(self._places) < _MAX_PLACES:
            self._places[level, place] = indexes
        return indexes

    def _read(self, event: Event, record: Record) -> bytes:
        """Read the envelope; return the bytes of the record to keep verbatim."""
        self._noted = False
        fields = self._fields(event, record)
        for event.type in fields:  # the event's own key comes first
            if event.type not in CONTEXT_KEYS:
                break
        else:
            event.type = UNTYPED
        kept = self._check_payload(event, fields, record)
        value = event.value = fields.get(event.type)
        event.name = value["name"] if type(value) is dict and type(value.get("name")) is str else None
        event.rank = self._rank(event, fields)
        event.compile_id = self._compile_id(event, fields)
        if event.type == "str":
            self.stack_reader.define_string(event, value)
        has_stack = not _STACK_KEYS.isdisjoint(fields)
        if has_stack:
            self.stack_reader.replace(event, fields, "stack")
            if event.type != "user_stack":
                self.stack_reader.replace(event, fields, "user_stack")
        if type(value) is dict and not _STACK_KEYS.isdisjoint(value):
            has_stack = True
            self.stack_reader.replace(event, value, "stack")
            self.stack_reader.replace(event, value, "user_stack")
        event.metadata = None if value == {} and len(fields) == 1 else fields
        event.metadata_json = b"null" if event.metadata is None else json_to_keep(event.metadata)
        if not (has_stack or self._noted or event.type == "str" or "has_payload" in fields):
            head = Head(event.type, event.name, value, event.metadata, event.metadata_json)
            self._known.add(
                record.envelope,
                head,
                Tail(event.compile_id, event.rank),
                announces=record.payload is not None,
            )
        return kept

    def _note(self, event: Event, code: str, message: str) -> None:
        self._noted = True
        self.diagnostics.add(
            code, message, line=event.line, byte_offset=event.byte_offset, event_index=event.index
        )

    def _fields(self, event: Event, record: Record) -> dict[str, Any]:
        text = record.envelope
        fields: Any = None
        reason = "not an object"
        try:
            if not has_long_integer(text):
                fields = loads(text)
        except ValueError:
            pass
        if fields is None:
            try:
                fields, mended = lenient_json(text)
                if mended:
                    self._note(event, "text-invalid", "invalid UTF-8, or half of a surrogate pair")
            except ValueError as error:
                reason = str(error)
            except RecursionError:
                reason = "nested too deeply"
        if is_deep(text, fields):
            fields, reason = None, "nested too deeply"
        if type(fields) is dict:
            return fields
        code = "record-cut" if record.cut else "json-syntax"
        shown = text.decode("utf-8", "replace")
        self._note(event, code, f"{reason}: {shown[:80]!r}")
        return {DAMAGED: {"text": shown}}

    def _check_payload(self, event: Event, fields: dict[str, Any], record: Record) -> bytes:
        """Compare the payload with has_payload; return the bytes to keep verbatim."""
        announced = fields.get("has_payload")
        payload = record.payload
        if payload is None:
            if announced is not None and not record.left_out:
                if announced == _EMPTY_MD5:
                    event.content, event.payload, event.payload_form = Payload(b""), b"", "verbatim"
                    del fields["has_payload"]
                else:
                    self._note(event, "payload-missing", f"payload with MD5 {announced} is missing")
            return record.kept
        if type(announced) is str and payload.md5 == announced.encode("utf-8", "replace"):
            del fields["has_payload"]
            return record.kept
        if announced is None:
            if DAMAGED not in fields:
                self._note(event, "payload-unannounced", "payload lines after a record without has_payload")
            return record.kept
        data = payload.data
        if data.endswith(b"\r"):
            unix = Payload(data[:-1].replace(b"\r\n", b"\n"))
            if unix.md5.decode() == announced:
                del fields["has_payload"]
                self._note(event, "payload-line-ends", "payload lines end in CR LF")
                event.content, event.payload = unix, unix.data
                if record.verbatim or unix.data.replace(b"\n", b"\r\n") + b"\r" == data:
                    event.payload_form = "verbatim" if record.verbatim else "crlf"
                    return record.kept
                event.payload_form = "verbatim"
                return record.kept + b"\t" + data.replace(b"\n", b"\n\t") + b"\n"
        self._note(event, "payload-md5", f"MD5 of the payload is not {announced}")
        return record.kept

    def _rank(self, event: Event, fields: dict[str, Any]) -> int | None:
        rank = fields.get("rank")
        if rank is None:
            fields.pop("rank", None)
            return None
        if is_index(rank):
            index: int = fields.pop("rank")
            return index
        self._note(event, "rank-invalid", f"rank {rank!r:.40}")
        return None

    def _compile_id(self, event: Event, fields: dict[str, Any]) -> CompileId | None:
        if (
            "frame_id" not in fields
            and "compiled_autograd_id" not in fields
            and "frame_compile_id" not in fields
        ):
            return None
        values = tuple(map(fields.get, ID_KEYS))
        # True and 1.0 equal 1.
        compile_id = self._compile_ids.get(values) if tuple(map(type, values)) in _ID_TYPES else None
        if compile_id is not None:
            for key in ID_KEYS:
                fields.pop(key, None)
            return compile_id
        for key, value in zip(ID_KEYS, values, strict=True):
            if value is not None and not is_index(value):
                self._note(event, "compile-id-invalid", f"{key} {value!r:.40}")
                return None
        if values[:3] == (None, None, None):
            return None
        for key in ID_KEYS:
            fields.pop(key, None)
        # Runtime metrics pass a compile id without an attempt; they belong to attempt 0.
        if len(self._compile_ids) >= _MAX_COMPILE_IDS:
            self._compile_ids.clear()
        compile_id = self._compile_ids[values] = CompileId(values[0], values[1], values[2], values[3] or 0)
        return compile_id

    def _trace_event(self, event: Event) -> dict[str, Any] | None:
        try:
            span: dict[str, Any] = loads((event.payload or b"")[:MAX_LINE_BYTES])
            valid = (
                type(span) is dict
                and type(span["name"]) is str
                and type(span["ph"]) is str
                and type(span["ts"]) in (int, float)
            )
        except (ValueError, KeyError):
            valid = False
        if not valid:
            self._note(event, "timeline-invalid", "not a trace event with name, ph and ts")
            return None
        if not self._anchored and span["ph"] != "i":  # instants may carry an earlier time
            self._anchored = self.clock.anchor(span["ts"], event.time_us)
        return span
