"""Files that a killed writer leaves, and how they are removed.

Also a program, the guardian (see staging.py): it runs without our package, so this module imports nothing
of it.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # asked for before it is used

# In the staging folder.
NEW = "new"  # what is being written
OLD = "old"  # what was at the place, where two folders cannot be exchanged
# while it exists, the exchange that it describes has to be undone; else the new folder is in place, or its
# exchange has not begun
UNDO = "undo"
_DROPPED = "dropped"

_ROUNDS, _ROUND_SECONDS = 3, 0.02
_WAITS, _WAIT_SECONDS = 400, 0.005


def clean(out: str, staging: str) -> None:
    """Restore the old state unless the new one is complete; remove the staging folder."""
    try:
        with open(os.path.join(staging, UNDO), encoding="utf-8", errors="surrogateescape") as file:
            kind, *words = file.read().split("\0")
    except (OSError, ValueError):
        pass
    else:
        if kind == "swap":
            _swap_back(out, staging, tuple(map(int, words)))
        elif kind == "fill":
            _take_back(out, staging, words)
    remove(staging)


def _swap_back(out: str, staging: str, new_identity: tuple[int, ...]) -> None:
    for place in (os.path.join(staging, OLD), os.path.join(staging, NEW)):
        if identity(place) in (None, new_identity):
            continue
        if identity(out) == new_identity:
            os.rename(out, os.path.join(staging, _DROPPED))
        if not os.path.lexists(out):
            os.rename(place, out)
    if identity(out) == new_identity:  # there was nothing before
        os.rename(out, os.path.join(staging, _DROPPED))


def _take_back(out: str, staging: str, names: list[str]) -> None:
    for name in names:
        home, place = os.path.join(staging, NEW, name), os.path.join(out, name)
        if not os.path.lexists(home) and os.path.lexists(place):
            os.rename(place, home)


def identity(place: str | os.PathLike[str] | int) -> tuple[int, int] | None:
    """Return the identity of a file or folder, from a path or an open file."""
    try:
        status = os.fstat(place) if isinstance(place, int) else os.lstat(place)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def remove(folder: str) -> None:
    """Remove a folder and its contents, if it exists."""
    import shutil

    for _ in range(_ROUNDS):  # a process that is about to end may write meanwhile
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        for place, folders, _ in os.walk(folder):
            for path in (os.path.join(place, name) for name in folders):
                if not os.path.islink(path):
                    os.chmod(path, 0o700)  # nothing can be removed from one that is read-only


def try_lock(file: int) -> bool:
    """Return whether this process now has the lock of an open file, until the file is closed or the process
    ends.
    """
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]  # Windows
    except (BlockingIOError, PermissionError):
        return False
    return True


def unlock(lock: str, staging: str) -> bool:
    """Remove the lock file of a dead writer unless another writer has it. Return False if it is locked."""
    try:
        # It may be a pipe.
        file = os.open(lock, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return True
    try:
        if os.read(file, 1024).decode("utf-8", "surrogateescape") not in ("", os.path.basename(staging)):
            return True
        if not try_lock(file):
            return False
        if identity(lock) == identity(file):
            os.unlink(lock)
    except OSError:
        pass
    finally:
        os.close(file)
    return True


def remove_empty(folders: list[str]) -> None:
    """Remove nested folders, outermost first, as long as they are empty."""
    for folder in reversed(folders):
        try:
            os.rmdir(folder)
        except OSError:
            return


def _guard(writer: str, out: str, staging: str, lock: str, *new_folders: str) -> None:
    """Wait until the writer and all processes with its end of the pipe have gone; then remove its files."""
    import time

    with suppress(OSError):  # it has one
        os.setsid()
    os.closerange(3, 1 << 20)
    while os.read(0, 1):
        pass
    for _ in range(_WAITS):  # until those that die with it got their signal
        if os.getppid() != int(writer):
            break
        time.sleep(_WAIT_SECONDS)
    for _ in range(_ROUNDS):
        clean(out, staging)
        time.sleep(_ROUND_SECONDS)  # what was on its way when they were killed
    clean(out, staging)
    # One that dies has closed its end of the pipe a moment before it gives up the lock.
    for _ in range(_WAITS if lock else 0):
        if unlock(lock, staging):
            break
        time.sleep(_WAIT_SECONDS)
    remove_empty(list(new_folders))


if __name__ == "__main__":
    _guard(*sys.argv[1:])
