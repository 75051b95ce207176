"""Which payloads of a log are stored, and where. A large log has many, so that each takes little more than its 24 bytes."""

from __future__ import annotations

import struct

_PLACE = struct.Struct("<II")  # blob row, offset in the blob
_HASH_BYTES = 16
_RECORD_BYTES = _HASH_BYTES + _PLACE.size
_GROUPS = 1024


class BlobPlaces:
    """Blob row and offset in the blob, both below 2**32, by the hash of a payload, which is 32 hex digits."""

    def __init__(self) -> None:
        self._groups: dict[int, bytearray] = {}  # hashes, each with its place

    def _group_of(self, content: str) -> bytearray:
        # Of Python's own hash, which nobody can foresee: no log can have all of its payloads in one group.
        return self._groups.setdefault(hash(content) % _GROUPS, bytearray())

    def find(self, content: str) -> tuple[int, int] | None:
        key, group = bytes.fromhex(content), self._group_of(content)
        start = group.find(key)
        while start % _RECORD_BYTES and start > 0:  # it stands across two records
            start = group.find(key, start + 1)
        return None if start < 0 else _PLACE.unpack_from(group, start + _HASH_BYTES)

    def add(self, content: str, row: int, offset: int) -> None:
        self._group_of(content).extend(bytes.fromhex(content) + _PLACE.pack(row, offset))
