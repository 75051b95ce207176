"""Restores the source logs from a bundle, byte for byte."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic.folder import new_folder
from tlparse_bundle.bundle.checks import damaged
from tlparse_bundle.bundle.layout import guards
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.row_objects import Event

_TORCH_PREFIX = "dedicated_log_torch_trace_"
_DAMAGED = "The bundle is damaged. For details, run: tlparse-bundle validate BUNDLE"


def check_whole(bundle: Bundle) -> None:
    """Raise BundleError for a redacted bundle, which does not hold the original logs."""
    if "redacted" in bundle.manifest:
        raise BundleError(
            f"'{shown(bundle.location)}' is redacted, so it does not contain the logs",
            hint="Ask its author for the original bundle.",
            code="redacted",
        )


def restore(bundle: Bundle, folder: Path) -> list[Path]:
    """Write every log of ``bundle`` into ``folder``, new or empty; return the files.

    Compressed logs are written decompressed. Nothing is written when the SHA-256 of a log differs. Raises
    BundleError for that, for a folder that is not empty, and when it cannot be written.
    """
    check_whole(bundle)
    names = [_file_name(log) for log in bundle.logs]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise BundleError(
            f"two logs have the same name: {shown(folder / twice)}",
            hint=_DAMAGED,
            code="damaged",
        )
    _check_room(bundle, folder)
    with new_folder(folder, readers_of=guards(bundle.location)) as new:
        for log, name in zip(bundle.logs, names, strict=True):
            _write(log, new / name, folder / name)
    return [folder / name for name in names]


def _check_room(bundle: Bundle, folder: Path) -> None:
    """Check the disk space, since a small bundle can hold logs of any size."""
    needed = sum(log.row["source"]["size_bytes"] for log in bundle.logs)
    place = next(
        (place for place in (folder.absolute(), *folder.absolute().parents) if os.path.isdir(place)), None
    )
    free = needed if place is None else shutil.disk_usage(place).free
    if needed > free:
        raise BundleError(
            f"the logs need {needed:,} bytes, but only {free:,} are free at {shown(folder)}",
            hint="Restore into a folder on a larger disk.",
            code="no-space",
        )


def _write(log: Log, path: Path, target: Path) -> None:
    digest = hashlib.sha256()
    with open(path, "xb") as stream:
        for data in restored_bytes(log):
            digest.update(data)
            stream.write(data)
    if digest.hexdigest() != log.row["source"]["sha256"]:
        raise BundleError(
            f"{shown(target)} differs from the log that the bundle was built from: wrong SHA-256",
            hint=_DAMAGED,
            code="damaged",
        )


def _file_name(log: Log) -> str:
    """Return a safe file name that yields the same log id; the source name of a crafted bundle can be
    anything.
    """
    return f"{_TORCH_PREFIX if log.source.startswith(_TORCH_PREFIX) else ''}{log.id}.log"


def restored_bytes(log: Log) -> Iterator[bytes]:
    """Yield the bytes of a log, at most as many as declared. Raise BundleError when the bundle is damaged.

    The verbatim chunks are the log without payloads that blobs hold; each payload follows the line of its
    record.
    """
    left = log.row["source"]["size_bytes"]
    declared = sum(chunk["size_bytes"] for chunk in log.directory["verbatim"])
    if declared > left:
        raise _damaged(log, f"its verbatim chunks have {declared:,} bytes, but the log had {left:,}")
    verbatim = _Verbatim(log)
    for event in log.events():
        form = event.payload_form
        if form in (None, "verbatim"):
            continue
        for piece in verbatim.up_to_line_end(event):
            left -= len(piece)
            yield piece
        payload, line_end = event.bytes() or b"", b"\r\n" if form == "crlf" else b"\n"
        size = (payload.count(b"\n") + 1) * len(line_end + b"\t") + len(payload) - payload.count(b"\n")
        if size > left:
            raise _damaged(log, "its events have more bytes than the log")
        verbatim.inserted += size
        left -= size
        yield b"\t" + payload.replace(b"\n", line_end + b"\t") + line_end
    for piece in verbatim.rest():
        left -= len(piece)
        if left < 0:
            raise _damaged(log, "its events have more bytes than the log")
        yield piece


def verbatim_bytes(log: Log, chunk: dict[str, Any]) -> bytes:
    """Return a verbatim chunk, which must have the declared size."""
    data = log.bundle.read(chunk["path"], chunk["size_bytes"])
    if len(data) != chunk["size_bytes"]:
        raise damaged(
            log.bundle.where(chunk["path"]),
            f"it has {len(data)} bytes, but log.json has {chunk['size_bytes']}",
        )
    return data


def _damaged(log: Log, problem: str) -> BundleError:
    return BundleError(f"cannot restore log {log.id}: {problem}", hint=_DAMAGED, code="damaged")


class _Verbatim:
    """Reads the verbatim chunks in order. ``inserted``: bytes of the log that came from blobs."""

    def __init__(self, log: Log):
        self._log = log
        self._chunks = iter(log.directory["verbatim"])
        self._buf = b""
        self._pos = 0  # in the buffer
        self._base = 0  # of the buffer, in the verbatim bytes
        self.inserted = 0

    def _next(self) -> bool:
        chunk = next(self._chunks, None)
        self._base += len(self._buf)
        self._buf = b"" if chunk is None else verbatim_bytes(self._log, chunk)
        self._pos = 0
        return chunk is not None

    def up_to_line_end(self, event: Event) -> Iterator[bytes]:
        """Return the bytes up to the end of the first line of an event."""
        target = event.byte_offset - self.inserted
        while True:
            end = self._buf.find(b"\n", max(self._pos, target - self._base))
            if end >= 0:
                yield self._buf[self._pos : end + 1]
                self._pos = end + 1
                return
            yield self._buf[self._pos :]
            if not self._next():
                raise _damaged(self._log, f"it ends before event {event.index}, which has a payload")

    def rest(self) -> Iterator[bytes]:
        yield self._buf[self._pos :]
        while self._next():
            yield self._buf
