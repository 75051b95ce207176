"""Envelopes that were there before: looked up, not parsed.

torch writes the event's own key first, and who wrote it, rank and compile id, last
(torch/_logging/_internal.py, trace_structured). Each half comes again and again, so that it is read once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.bundle.layout import ID_KEYS
from tlparse_bundle.log.compile_id import CompileId
from tlparse_bundle.log.event import TIMELINE
from tlparse_bundle.log.payload import Payload

_MAX_HEADS = 2048
_MAX_TAILS = 1024
_MAX_HEAD_BYTES = 400  # a longer one, which says something itself, hardly comes again
_ANNOUNCES = b', "has_payload": "'  # then 32 hex digits
_END = b'"}'
_HASH_BYTES = 32 + len(_END)
_ANNOUNCEMENT_BYTES = len(_ANNOUNCES) + _HASH_BYTES
_TAIL_KEYS = frozenset((*ID_KEYS, "rank"))


class Head(NamedTuple):
    """What the first half says: {"type": value."""

    type: str
    name: str | None
    value: Any
    metadata: dict[str, Any] | None
    metadata_json: bytes


class Tail(NamedTuple):
    """What the second half says, such as , "rank": 0, "frame_id": 1, "frame_compile_id": 0, "attempt": 0}."""

    compile_id: CompileId | None
    rank: int | None


class KnownEnvelopes:
    """Use ``find``; what it does not know is to be parsed, and then to be told with ``add``."""

    def __init__(self) -> None:
        self._heads: dict[bytes, Head] = {}
        # With the bracket that ends the envelope; without, where a payload is announced.
        self._tails: dict[bytes, Tail] = {}
        # Most records are of the timeline: up to the hash of the payload.
        self._timeline: dict[bytes, tuple[Head, Tail]] = {}

    def find(self, envelope: bytes, payload: Payload | None) -> tuple[Head, Tail] | None:
        """What an envelope says, if both halves are known, and it announces the payload that it has."""
        if payload is not None:
            known = self._timeline.get(envelope[:-_HASH_BYTES])
            if known is not None:
                return known if envelope.endswith(payload.md5 + _END) else None
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
        """An envelope that was parsed, has nothing odd about it, and depends on no record before."""
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
    """Whether these are ids and nothing else, each key once."""
    if text in (b"", b"}"):
        return text == b"}" or announces
    try:
        fields = loads(b"{" + text[2:] + (b"}" if announces else b""))
    except ValueError:
        return False
    keys = text.count(b'"') == 2 * len(fields) and text.startswith(b', "')
    return keys and fields.keys() <= _TAIL_KEYS and all(type(value) is int for value in fields.values())
