"""Writes the source logs again from a bundle, byte for byte."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from tlparse_bundle.errors import BundleError
from tlparse_bundle.read.reader import Bundle, Log

_ENDINGS = {"gzip": ".gz", "zstd": ".zst"}
_DAMAGED = "The bundle is damaged; tlparse-bundle validate says where."


def restore(bundle: Bundle, folder: Path) -> list[Path]:
    """Write every log of ``bundle`` into ``folder``; returns the files.

    Compressed logs come back decompressed. Raises BundleError when a file exists already, or when
    what was restored has another SHA-256 than the log had.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        targets = [folder / _file_name(log) for log in bundle.logs]
        for target in targets:
            if target.exists() or targets.count(target) > 1:
                raise BundleError(f"{target} exists already", hint="Restore into an empty folder.", code="exists")
        for log, target in zip(bundle.logs, targets):
            _write(log, target)
    except OSError as error:
        raise BundleError(f"{error.filename or folder} cannot be written: {error.strerror or error}", code="unwritable") from None
    return targets


def _write(log: Log, target: Path) -> None:
    digest = hashlib.sha256()
    with open(target, "xb") as stream:
        for data in restored_bytes(log):
            digest.update(data)
            stream.write(data)
    if digest.hexdigest() != log.row["source"]["sha256"]:
        raise BundleError(f"{target} is not the log that the bundle was made from: its SHA-256 differs", hint=_DAMAGED, code="damaged")


def _file_name(log: Log) -> str:
    """The name of the source, if it is a plain file name; it comes from a bundle that may be crafted."""
    name = log.source.removesuffix(_ENDINGS.get(log.row["source"]["compression"], "\0"))
    plain = name not in ("", ".", "..") and not any(c in name for c in "/\\\0:")
    return name if plain and len(name) <= 200 else f"{log.id}.log"


def restored_bytes(log: Log) -> Iterator[bytes]:
    """The bytes of a log, in pieces. Raises BundleError when the bundle is damaged.

    The verbatim chunks are the log without the payloads that can be written again from blobs;
    each of those goes behind the line of its record.
    """
    try:
        yield from _pieces(log)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BundleError(f"log {log.id} cannot be restored: {type(error).__name__}: {error}", hint=_DAMAGED, code="damaged") from None


def _pieces(log: Log) -> Iterator[bytes]:
    verbatim = _Verbatim(log)
    for event in log.events():
        form = event.payload_form
        if form in (None, "verbatim"):
            continue
        yield from verbatim.up_to_line_end(event.row["byte_offset"])
        end = b"\r\n" if form == "crlf" else b"\n"
        payload = b"\t" + event.bytes().replace(b"\n", end + b"\t") + end
        verbatim.inserted += len(payload)
        yield payload
    yield from verbatim.rest()


class _Verbatim:
    """Reads the verbatim chunks in order. ``inserted`` is how much of the log came from blobs."""

    def __init__(self, log: Log):
        self._log = log
        self._chunks = iter(log.directory["verbatim"])
        self._buf = b""
        self._pos = 0  # in the buffer
        self._base = 0  # of the buffer, in the verbatim bytes
        self.inserted = 0

    def _next(self) -> bool:
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        self._base += len(self._buf)
        self._buf = self._log.bundle.read(chunk["path"])
        self._pos = 0
        return True

    def up_to_line_end(self, byte_offset: int) -> Iterator[bytes]:
        """Everything up to the end of the line that is at ``byte_offset`` in the log."""
        target = byte_offset - self.inserted
        while True:
            end = self._buf.find(b"\n", max(self._pos, target - self._base))
            if end >= 0:
                yield self._buf[self._pos : end + 1]
                self._pos = end + 1
                return
            yield self._buf[self._pos :]
            if not self._next():
                return

    def rest(self) -> Iterator[bytes]:
        yield self._buf[self._pos :]
        while self._next():
            yield self._buf
