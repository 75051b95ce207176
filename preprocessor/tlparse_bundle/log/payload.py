"""Payloads of records, with a cache that skips scanning and hashing of repeated ones.

About half of all payload bytes repeat: the compiler writes a graph several times, and ranks write equal
payloads. Comparing bytes is much faster than finding the end, removing tabs and hashing.
"""

from __future__ import annotations

import hashlib
import re

from tlparse_bundle.base.recent_cache import Newest

_RECENT_BYTES = 4 << 20  # of one log
_RECENT_BYTES_OF_MANY = 16 << 20  # payloads of a rank come again in the next
UNTABBED_LINE = re.compile(rb"\n[^\t]")
_MAX_BYTES = 1 << 20  # of one that is remembered


class Payload:
    """A payload (``data``) with hashes that are computed on demand.

    ``raw`` are the lines of a payload that may repeat, with tabs and line ends; b"" otherwise. ``place``,
    set by whoever stores payloads, is (owner, (blob row, offset)).
    """

    __slots__ = ("_md5", "_sha256", "data", "line_feeds", "place", "raw")

    def __init__(self, data: bytes, line_feeds: int = 0, raw: bytes = b""):
        self.data = data
        self.raw = raw
        self.line_feeds = line_feeds  # in data
        self.place: tuple[object, tuple[int, int]] | None = None
        self._md5: bytes | None = None
        self._sha256: str | None = None

    @property
    def md5(self) -> bytes:
        """Return the MD5 that torch announces, as hex digits (torch/_logging/_internal.py,
        trace_structured).
        """
        if self._md5 is None:
            self._md5 = md5(self.data)
        return self._md5

    @property
    def sha256(self) -> str:
        """Return the SHA-256, which names blobs; its first half identifies the payload."""
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(self.data).hexdigest()
        return self._sha256


def without_tabs(raw: bytes) -> tuple[bytes, int]:
    """Return payload lines without the tab at the start of each, and the number of line feeds."""
    if b"\n" not in raw:
        return raw, 0
    payload = raw.translate(None, b"\t")  # much quicker than to look for line feeds with a tab
    line_feeds = payload.count(b"\n")
    if len(raw) - len(payload) > line_feeds:  # there are other tabs
        payload = raw.replace(b"\n\t", b"\n")
    return payload, line_feeds


def payload_at(buf: bytes, start: int) -> tuple[Payload | None, int]:
    """Return the payload at ``start`` and its end in the buffer; None and 0 when it is not known."""
    next_line = UNTABBED_LINE.search(buf, start)
    if next_line is None:
        return None, 0
    stop = next_line.end() - 1
    return Payload(*without_tabs(buf[start + 1 : stop - 1])), stop


class RecentPayloads:
    """Recent payloads by announced MD5. A wrong MD5 is harmless, since bytes are compared."""

    def __init__(self) -> None:
        self._newest: Newest[bytes, Payload] = Newest(_RECENT_BYTES)
        self.get = self._newest.get

    def begin(self, *, one_of_many: bool) -> None:
        """Start a log. ``one_of_many``: earlier logs may be partly equal."""
        self._newest.max_bytes = _RECENT_BYTES_OF_MANY if one_of_many else _RECENT_BYTES

    def add(self, announced: bytes, payload: Payload) -> None:
        """Add a payload that follows a record with this MD5."""
        if len(payload.raw) > _MAX_BYTES:
            payload.raw = b""  # it must not be in memory twice
        else:
            self._newest.add(announced, payload, len(payload.raw))


def md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).hexdigest().encode()


RECENT = RecentPayloads()  # of the process: it may read several ranks
