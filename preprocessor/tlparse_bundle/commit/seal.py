"""What is done to a folder once it is written: who may read it, and that it is on disk."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_WRITE = 2  # SYNC_FILE_RANGE_WRITE: begin to write, do not wait
EVERYBODY = 0o777
_NO_SUCH_THING = {errno.EINVAL, errno.EBADF, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}  # folders, on some file systems


def readers(sources: Iterable[Any]) -> int:
    """Mode bits of those who may read all of these files and folders; what is not here says nothing."""
    allowed = EVERYBODY
    for source in sources:
        try:
            mode = os.stat(source).st_mode if isinstance(source, (str, Path)) else EVERYBODY
        except OSError:
            continue
        for others in (0o070, 0o007):
            if not mode & others & 0o444:
                allowed &= ~others
    return allowed


def seal(folder: str, allowed: int = EVERYBODY) -> None:
    """Take from everything below, and from the folder itself, what others may not do; bring it to disk."""
    folders, files = [folder], []
    for place in folders:  # grows meanwhile
        with os.scandir(place) as entries:
            for entry in entries:
                if not entry.is_symlink():
                    (folders if entry.is_dir() else files).append(entry.path)
    for path in (*files, *folders):
        restrict(path, allowed)
    _begin_to_write(files)
    for path in (*files, *reversed(folders)):
        sync(path)


def restrict(path: str, allowed: int) -> None:
    if allowed == EVERYBODY:
        return
    mode = stat.S_IMODE(os.stat(path).st_mode)
    if mode & ~allowed & 0o777:
        os.chmod(path, mode & (allowed | 0o7000))


def sync(path: str) -> None:
    """Wait until a file or a folder is on disk, where the system can say so."""
    try:
        file = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows: a folder
        return
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in _NO_SUCH_THING:
            raise
    finally:
        os.close(file)


def _begin_to_write(files: list[str]) -> None:
    """All files at once, since to wait for one after the other takes more than twice as long."""
    if sys.platform != "linux":
        return
    import ctypes

    begin = getattr(ctypes.CDLL(None), "sync_file_range", None)
    for path in files if begin else ():
        file = os.open(path, os.O_RDONLY)
        begin(file, ctypes.c_int64(0), ctypes.c_int64(0), _WRITE)
        os.close(file)
