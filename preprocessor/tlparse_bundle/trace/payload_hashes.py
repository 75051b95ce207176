"""Hashes of payloads; those of a payload that came a short while ago are not computed again.

About half of the bytes of payloads are repetitions: a graph is written again on its way through the
compiler, and ranks write what their neighbours wrote. To compare bytes is much faster than to hash them.
"""

from __future__ import annotations

import hashlib

from tlparse_bundle.trace.newest import Newest

_KNOWN_BYTES = 4 << 20  # of one log
_KNOWN_BYTES_OF_MANY = 16 << 20  # payloads of a rank come again in the next
_MAX_BYTES = 1 << 20  # of one that is remembered


class _Hashes:
    __slots__ = ("md5", "sha256")

    def __init__(self) -> None:
        self.md5: str | None = None
        self.sha256: str | None = None


class PayloadHashes:
    def __init__(self) -> None:
        self._known: Newest[bytes, _Hashes] = Newest(_KNOWN_BYTES)

    def begin(self, *, one_of_many: bool) -> None:
        """A log begins. ``one_of_many``: the logs before may have been equal in part."""
        self._known.max_bytes = _KNOWN_BYTES_OF_MANY if one_of_many else _KNOWN_BYTES

    def md5(self, payload: bytes) -> str:
        """What torch announces a payload by (torch/_logging/_internal.py, trace_structured)."""
        hashes = self._of(payload)
        if hashes.md5 is None:
            hashes.md5 = md5(payload)
        return hashes.md5

    def sha256(self, payload: bytes) -> str:
        """What names a blob; the first half stands for a payload in a bundle."""
        hashes = self._of(payload)
        if hashes.sha256 is None:
            hashes.sha256 = hashlib.sha256(payload).hexdigest()
        return hashes.sha256

    def _of(self, payload: bytes) -> _Hashes:
        if len(payload) > _MAX_BYTES:
            return _Hashes()
        hashes = self._known.get(payload)
        if hashes is None:
            hashes = _Hashes()
            self._known.add(payload, hashes, len(payload))
        return hashes


def md5(payload: bytes) -> str:
    return hashlib.md5(payload, usedforsecurity=False).hexdigest()


HASHES = PayloadHashes()  # of the process: it may read several ranks
