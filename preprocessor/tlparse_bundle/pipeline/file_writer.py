"""Writes bundle files: buffers in memory, compresses, hashes, and puts them in place."""

from __future__ import annotations

import hashlib
import mmap
import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.codecs import Codec
from tlparse_bundle.bundle.layout import blob_path, log_path
from tlparse_bundle.tables.rows import Rows

_CAPACITY = 5 << 18  # what grows until it has 1 MiB seldom has more
# Gets pages faster.
_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
_MAX_CLOSED = 1
_SMALL_BYTES = 32 << 10
BlobRow = tuple[str, str, int, int]  # path, SHA-256, size, stored size


class FileSink:
    """Files below ``root``, stored with ``codec``.

    Several processes may write blobs at once, since equal content has equal names. There are no threads:
    a compressing thread slows the reading one more than it helps.
    """

    def __init__(self, root: Path, codec: Codec):
        self.root = root
        self.codec = codec
        # Before each path: where the files of one state of a growing bundle lie (layout.live_path).
        self.below = ""
        # Names of tables that are read again, while what they were made of is still here.
        self.keep: frozenset[str] = frozenset()
        self.kept: dict[str, Rows[Any]] = {}  # these, as ``put_rows`` got them

    def put(self, path: str, data: bytes | memoryview) -> str:
        """Store a file under a path from layout; return its final path."""
        self._write(self.below + path, [self.codec.encode(data)])
        return self.below + path

    def put_stored(self, path: str, data: bytes) -> str:
        """Store an encoded file; return its path."""
        self._write(self.below + path, [data])
        return self.below + path

    def put_rows(
        self, log_id: str, name: str, rows: Rows[Any], blobs: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """Store a table of a log as JSON Lines; return its directory entry (schema: log, 'tables').
        ``blobs``: see Rows.files.
        """
        if name in self.keep:
            self.kept[name] = rows
        return self.put_row_files(
            log_id, name, [(count, encoded_pieces(pieces, self.codec)) for count, pieces in rows.files(blobs)]
        )

    def put_row_files(
        self, log_id: str, name: str, files: Sequence[tuple[int, Iterable[bytes]]]
    ) -> dict[str, Any]:
        """Store a table from encoded files: (number of rows, pieces) of each."""
        entries = []
        for number, (count, pieces) in enumerate(files):
            path = self.below + log_path(log_id, layout.rows_file(name, number, len(files)), self.codec)
            self._write(path, pieces)
            entries.append({"path": path, "rows": count})
        return {"rows": sum(entry["rows"] for entry in entries), "files": entries}

    def remove(self, table: dict[str, Any]) -> None:
        """Remove the files of a table."""
        for file in table["files"]:
            os.remove(self.root / file["path"])

    def put_blob(
        self, data: bytes | memoryview, path: str | None = None, *, sha256: str | None = None
    ) -> BlobRow:
        """Store a blob.

        ``path`` is for content that no other log can have; None derives it from the hash, so equal blobs
        are shared. ``sha256``: hash of the data, if known.
        """
        sha256 = sha256 or hashlib.sha256(data).hexdigest()
        path = path and self.below + path
        place = path or blob_path(sha256, self.codec)
        target = self.root / place
        if path is not None or not target.exists():
            self._write(place, [self.codec.encode(data)])
        return place, sha256, len(data), target.stat().st_size

    def _write(self, path: str, pieces: Iterable[bytes]) -> None:
        # Many ranks mean thousands of files, so system calls per file matter.
        target = f"{self.root}/{path}"
        # Part of an unpublished state.
        written = target if self.below else f"{target}.{os.getpid()}.{threading.get_ident()}"
        try:
            _write_pieces(written, pieces)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            _write_pieces(written, pieces)
        if not self.below:
            os.replace(written, target)


def _write_pieces(path: str, pieces: Iterable[bytes]) -> None:
    with open(path, "wb") as file:
        file.writelines(pieces)


def encoded_pieces(pieces: Sequence[bytes], codec: Codec) -> list[bytes]:
    """Yield encoded pieces of a file whose content is given in pieces."""
    size_bytes = sum(map(len, pieces))
    if size_bytes <= _SMALL_BYTES:
        return [codec.encode(b"".join(pieces))]
    encoder = codec.encoder(size_bytes)
    return [*map(encoder.compress, pieces), encoder.flush()]


class Buffer:
    """Buffer with its own memory pages, which are all freed. On the heap, large bytes leave holes."""

    __slots__ = ("_hash", "_hashed", "_memory", "size")

    def __init__(self, data: bytes = b"") -> None:
        self.size = self._hashed = 0
        self._hash: hashlib._Hash | None = None
        self._memory = self._pages()
        self.add(data)

    def _pages(self) -> mmap.mmap:
        return mmap.mmap(-1, _CAPACITY, **_PRIVATE)

    def add(self, data: bytes) -> None:
        try:
            self._memory.write(data)
        except ValueError:  # it is full
            larger = mmap.mmap(-1, 2 * (self.size + len(data)), **_PRIVATE)
            larger.write(self.data())
            larger.write(data)
            self._memory = larger
        self.size += len(data)

    def settle(self) -> None:
        """Hash the data so far, so that forked copies need not."""
        if self._hash is None:
            self._hash = hashlib.sha256()
        self._hash_rest(self._hash)

    def _hash_rest(self, digest: hashlib._Hash) -> None:
        digest.update(memoryview(self._memory)[self._hashed : self.size])
        self._hashed = self.size

    def sha256(self) -> str | None:
        """Return the hash of all data; None when nothing was hashed before."""
        if self._hash is None:
            return None
        self._hash_rest(self._hash)
        return self._hash.hexdigest()

    def data(self) -> memoryview:
        """Return the data, after which nothing may be added."""
        return memoryview(self._memory)[: self.size]


class BufferOfSeries(Buffer):
    """Buffer that reuses the pages of the previous one, since new pages take longer to get than to fill."""

    __slots__ = ()
    _closed: ClassVar[list[mmap.mmap]] = []  # of the process

    def _pages(self) -> mmap.mmap:
        if not self._closed:
            return super()._pages()
        memory = self._closed.pop()
        memory.seek(0)
        return memory

    def close(self) -> None:
        """Release the pages for the next buffer."""
        if len(self._memory) == _CAPACITY and len(self._closed) < _MAX_CLOSED:
            self._closed.append(self._memory)
