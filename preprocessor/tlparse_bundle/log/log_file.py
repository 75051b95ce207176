"""Opens a log file, decompresses it, and reads it up to its size when opened."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import RemoteFile
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.regular_file import open_regular
from tlparse_bundle.bundle.zstd_codec import FrameDecoder, ZstdError, frame_decoder

_ZSTD_INPUT_BYTES = 4 << 10  # at once; even the densest data expands to little of memory


@dataclass(frozen=True, slots=True)
class LogFile:
    path: Path | RemoteFile
    id: str  # unique in a bundle, safe as a name of a folder
    name_rank: int | None  # rank according to the file name
    compression: str | None  # gzip, zstd or None
    size_bytes: int  # on disk, when it was found
    modified_s: float = 0.0  # since 1970, then
    # Folder in which it was found, so that links are not followed; None when the user gave its path.
    folder: Path | None = None


class _Raw(Protocol):
    """Raw bytes of a file."""

    def read(self, size: int, /) -> bytes | None: ...

    def close(self) -> None: ...


class RawLog:
    """A file up to a fixed size, so that a fast-growing log has an end."""

    def __init__(self, raw: _Raw, size_bytes: int):
        self._raw = raw
        self._left = size_bytes

    def read(self, size: int = -1) -> bytes:
        data = self._raw.read(min(size, self._left) if size >= 0 else self._left) or b""
        self._left -= len(data)
        return data

    def close(self) -> None:
        self._raw.close()

    def seekable(self) -> bool:
        return False

    def seek(self, offset: int, /) -> int:
        raise io.UnsupportedOperation("seek")


class _ZstdFrames:
    """Reads consecutive zstd frames; zstandard's own reader accepts a cut frame as complete."""

    def __init__(self, raw: RawLog):
        self._raw = raw
        self._frame: FrameDecoder | None = None
        self._input = b""
        self._output = bytearray()

    def read(self, size: int) -> bytes:
        while len(self._output) < size:
            data = self._input or self._raw.read(_ZSTD_INPUT_BYTES)
            if not data:
                if self._frame is not None:
                    raise EOFError("it ends in the middle of a frame")
                break
            if self._frame is None:
                self._frame = frame_decoder()
            self._output += self._frame.decompress(data)
            self._input = b""
            if self._frame.eof:
                self._input, self._frame = self._frame.unused_data, None
        data = bytes(self._output[:size])
        del self._output[:size]
        return data

    def close(self) -> None:
        self._raw.close()


class _Gzip(gzip.GzipFile):
    """Gzip reader that closes its file."""

    def __init__(self, raw: RawLog):
        super().__init__(fileobj=raw, mode="rb")
        self._raw_log = raw

    def close(self) -> None:
        super().close()
        self._raw_log.close()


class LogStream(io.RawIOBase):
    """Reads a file or compressed stream and turns errors into BundleError."""

    def __init__(self, stream: RawLog | _ZstdFrames | gzip.GzipFile, log: LogFile):
        self._stream = stream
        self._log = log

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        try:
            return self._stream.read(size)
        except (OSError, EOFError, zlib.error, ZstdError, ValueError) as error:
            # An error of the disk, not of the decompressor.
            if self._log.compression is None or getattr(error, "errno", None):
                raise unreadable(self._log.path, error) from None
            raise BundleError(
                f"'{shown(self._log.path)}' cannot be decompressed: {error}",
                hint=(
                    "The file is damaged or incomplete. Decompress as much as possible by hand, and pass the"
                    " result."
                ),
                code="compression",
            ) from None

    def close(self) -> None:
        self._stream.close()
        super().close()


class About(NamedTuple):
    size_bytes: int
    modified_s: float


def open_raw(path: Path | RemoteFile, folder: Path | None = None) -> tuple[RawLog, About]:
    """Return the raw bytes of a file and its size when opened. Links below ``folder`` are not followed.

    Raises OSError, also for a file that is not regular, such as a pipe or device.
    """
    if isinstance(path, RemoteFile):
        remote = About(*path.stat())
        return RawLog(path.open("rb"), remote.size_bytes), remote
    file, status = _open_file(path, folder)
    return RawLog(file, status.st_size), About(status.st_size, status.st_mtime)


def _open_file(path: Path, folder: Path | None) -> tuple[io.RawIOBase, os.stat_result]:
    if folder is not None:
        file = open_regular(folder, path.relative_to(folder).as_posix()).detach()
    else:
        file = io.FileIO(
            os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        )
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        file.close()
        raise OSError(None, "it is not a regular file")
    return file, status


def open_from(log: LogFile, start: int) -> tuple[RawLog, int, Hashable]:
    """Return the raw bytes of a growing log from ``start``, its size, and its identity. Raise OSError.

    The file is opened each time, because network file systems refresh the size only then.
    """
    if isinstance(log.path, RemoteFile):
        size = log.path.stat().st_size
        return RawLog(log.path.open_at(start), max(0, size - start)), size, None
    file, status = _open_file(log.path, log.folder)
    file.seek(start)
    size = status.st_size
    return RawLog(file, max(0, size - start)), size, (status.st_dev, status.st_ino)


def open_log(log: LogFile) -> LogStream:
    """Return the decompressed bytes of a log. Raise BundleError when it cannot be opened."""
    try:
        if isinstance(log.path, RemoteFile):  # which needs not be asked again how large it is
            raw = RawLog(log.path.open("rb"), log.size_bytes)
        else:
            raw, _ = open_raw(log.path, log.folder)
    except OSError as error:
        raise unreadable(log.path, error) from None
    if log.compression == "gzip":
        return LogStream(_Gzip(raw), log)
    return LogStream(_ZstdFrames(raw) if log.compression == "zstd" else raw, log)


def unreadable(path: object, error: Exception) -> BundleError:
    return BundleError(f"'{shown(path)}' cannot be read: {reason(error)}", code="unreadable")


def reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
