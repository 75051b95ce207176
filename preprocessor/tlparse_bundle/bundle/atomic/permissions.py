"""Permissions of a written folder, and syncing it to disk."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_BEGIN, _AND_WAIT = 2, 7  # SYNC_FILE_RANGE_WRITE; the same with WAIT_BEFORE and WAIT_AFTER
EVERYBODY = 0o777
# Folders, on some file systems.
_NO_SUCH_THING = {errno.EINVAL, errno.EBADF, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


def readers(sources: Iterable[Any]) -> int:
    """Return the mode bits of those who may read all of these files and folders; missing ones don't count."""
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
    """Remove permissions of others from a folder and its contents, and sync it to disk."""
    folders = [folder]
    files: list[str] = []
    for place in folders:  # grows meanwhile
        with os.scandir(place) as entries:
            for entry in entries:
                if not entry.is_symlink():
                    (folders if entry.is_dir() else files).append(entry.path)
    for path in (*files, *folders):
        restrict(path, allowed)
    for path in (*files[-1:], folder) if _written(files) else (*files, *reversed(folders)):
        sync(path)


def restrict(path: str, allowed: int) -> None:
    if allowed == EVERYBODY:
        return
    mode = stat.S_IMODE(os.stat(path).st_mode)
    if mode & ~allowed & 0o777:
        os.chmod(path, mode & (allowed | 0o7000))


def sync(path: str) -> None:
    """Sync a file or folder to disk, if the system supports it."""
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


def _written(files: list[str]) -> bool:
    """Sync the content of all files at once, as git does with core.fsyncMethod=batch. Return False if
    unsupported.

    One fsync is then enough for metadata and disk cache; one per file would take several times as long.
    """
    if sys.platform != "linux":
        return False
    import ctypes

    bring = getattr(ctypes.CDLL(None, use_errno=True), "sync_file_range", None)
    if bring is None:
        return False
    for how in (_BEGIN, _AND_WAIT):
        for path in files:
            file = os.open(path, os.O_RDONLY)
            try:
                if bring(file, ctypes.c_int64(0), ctypes.c_int64(0), how):
                    return False
            finally:
                os.close(file)
    return True
