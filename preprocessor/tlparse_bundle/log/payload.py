"""Payloads of records, and those that came a short while ago: these are neither looked through nor hashed
again.

About half of the bytes of payloads are repetitions: a graph is written again on its way through the
compiler, and ranks write what their neighbours wrote. To compare bytes is much faster than to find the
end of a payload, to take its tabs away and to hash it.
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
    """What torch wrote (``data``), and the hashes of it, each computed when it is first asked for.

    ``raw`` are the lines of a payload that may come again, with their tabs and line ends; b"" for others.
    ``place``, which belongs to whoever stores payloads, says where this one is:
    (whose it is, (blob row, offset)).
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
        """What torch announces it by, as hex digits (torch/_logging/_internal.py, trace_structured)."""
        if self._md5 is None:
            self._md5 = md5(self.data)
        return self._md5

    @property
    def sha256(self) -> str:
        """What names a blob; the first half stands for the payload in a bundle."""
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(self.data).hexdigest()
        return self._sha256


def without_tabs(raw: bytes) -> tuple[bytes, int]:
    """Payload lines without the tab that each but the first begins with; and the number of line feeds."""
    if b"\n" not in raw:
        return raw, 0
    payload = raw.translate(None, b"\t")  # much quicker than to look for line feeds with a tab
    line_feeds = payload.count(b"\n")
    if len(raw) - len(payload) > line_feeds:  # there are other tabs
        payload = raw.replace(b"\n\t", b"\n")
    return payload, line_feeds


def payload_at(buf: bytes, start: int) -> tuple[Payload | None, int]:
    """The payload at ``start``, and where it ends in the buffer; None and 0 when that is not to be seen
    there.
    """
    next_line = UNTABBED_LINE.search(buf, start)
    if next_line is None:
        return None, 0
    stop = next_line.end() - 1
    return Payload(*without_tabs(buf[start + 1 : stop - 1])), stop


class RecentPayloads:
    """By the MD5 that their records announce.

    It need not be true: what comes later is the same when its bytes are.
    """

    def __init__(self) -> None:
        self._newest: Newest[bytes, Payload] = Newest(_RECENT_BYTES)
        self.get = self._newest.get

    def begin(self, *, one_of_many: bool) -> None:
        """A log begins. ``one_of_many``: the logs before may have been equal in part."""
        self._newest.max_bytes = _RECENT_BYTES_OF_MANY if one_of_many else _RECENT_BYTES

    def add(self, announced: bytes, payload: Payload) -> None:
        """``payload.raw`` stands behind a record that announces this."""
        if len(payload.raw) > _MAX_BYTES:
            payload.raw = b""  # it must not be in memory twice
        else:
            self._newest.add(announced, payload, len(payload.raw))


def md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).hexdigest().encode()


RECENT = RecentPayloads()  # of the process: it may read several ranks
