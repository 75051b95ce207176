"""The blobs of a bundle, decoded; those that were read last are kept."""

from __future__ import annotations

import hashlib
import threading

from tlparse_bundle.base.recent_cache import Newest
from tlparse_bundle.bundle.checks import damaged
from tlparse_bundle.bundle.codecs import MAX_FILE_BYTES
from tlparse_bundle.bundle.store import Store, once, read

_CACHED_BYTES = (
    64_000_000  # in the order of the log payloads come in turn from as many as were open when it was split
)


class Blobs:
    """Several threads may read. ``verify``: a blob must have the hash that it is named by."""

    def __init__(self, store: Store, *, verify: bool):
        self._store = store
        self._verify = verify
        self._newest: Newest[str, bytes] = Newest(_CACHED_BYTES)
        self._sound: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Let go of the blobs that were read."""
        with self._lock:
            self._newest = Newest(_CACHED_BYTES)

    def read(self, path: str, sha256: str, size_bytes: int | None = None) -> bytes:
        """The blob at a path, which must have this hash and size. Raises BundleError."""
        return once(self._store, (path, sha256, size_bytes), lambda: self._read(path, sha256, size_bytes))

    def _read(self, path: str, sha256: str, size_bytes: int | None) -> bytes:
        data = self._newest.get(path)
        if data is None:
            data = read(self._store, path, MAX_FILE_BYTES if size_bytes is None else size_bytes)
            with self._lock:
                if self._newest.get(path) is None:
                    self._newest.add(path, data, len(data))
        if self._verify and (path, sha256) not in self._sound:
            if hashlib.sha256(data).hexdigest() != sha256:
                raise damaged(f"{self._store.location}/{path}", "the content has another hash")
            self._sound.add((path, sha256))
        if size_bytes is not None and len(data) != size_bytes:
            raise damaged(
                f"{self._store.location}/{path}",
                f"it has {len(data)} bytes, the blob table says {size_bytes}",
            )
        return data
