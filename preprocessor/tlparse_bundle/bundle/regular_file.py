"""Opens regular files in untrusted folders, without following links."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

_STEP_BY_STEP = os.open in os.supports_dir_fd  # not on Windows
if _STEP_BY_STEP:
    _FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
    # A pipe without a writer must not wait.
    _FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOT_REGULAR = (errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EISDIR, errno.EMLINK)


class NotRegular(OSError):
    """Not a regular file, or a link on the way to it."""

    def __init__(self, path: str | os.PathLike[str]):
        super().__init__(errno.EINVAL, "it is not a regular file, or its path has a link", str(path))


def open_regular(folder: str | os.PathLike[str], path: str) -> BufferedReader:
    """Open the file at ``path`` below ``folder``. The folder may be a link, but nothing below it.

    Raises OSError: NotRegular for anything but a regular file.
    """
    *parents, name = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in (*parents, name)):
        raise NotRegular(Path(folder) / path.replace("\0", "\\0"))
    if not _STEP_BY_STEP:
        return _open_checked(Path(folder), path)
    at = os.open(folder, _FOLDER)
    try:
        for parent in parents:
            below = os.open(parent, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        file = os.open(name, _FILE, dir_fd=at)
    except OSError as error:
        if error.errno in _NOT_REGULAR:
            raise NotRegular(Path(folder) / path) from None
        raise
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotRegular(Path(folder) / path)
    return open(file, "rb")


def _open_checked(folder: Path, path: str) -> BufferedReader:
    """Open a file on systems without openat. A concurrent swap of a folder goes unnoticed."""
    at = folder.resolve() / path
    if at.resolve() != at or not stat.S_ISREG(at.stat().st_mode):
        raise NotRegular(folder / path)
    return at.open("rb")


def read_regular(folder: str | os.PathLike[str], path: str, max_bytes: int) -> bytes:
    """Return the content of such a file. Raise OSError, EFBIG when it is larger than ``max_bytes``."""
    with open_regular(folder, path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > max_bytes:
            raise OSError(
                errno.EFBIG,
                f"it has {size:,} bytes, more than the {max_bytes:,} that it may have",
                str(Path(folder) / path),
            )
        return stream.read(size)
