"""Putting one thing at the place of another in one step, where the system can do that."""

from __future__ import annotations

import errno
import os
import sys

_EXCHANGE = {"linux": 2, "darwin": 2}  # RENAME_EXCHANGE (linux/fs.h), RENAME_SWAP (sys/stdio.h)
_FOLDER = -100  # AT_FDCWD: paths are taken as everywhere
_CANNOT = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}  # the system, or this file system


def exchange(one: str | os.PathLike, other: str | os.PathLike) -> bool:
    """Let two paths trade what they name, at once. False where that cannot be done; raises OSError otherwise."""
    flag = _EXCHANGE.get(sys.platform)
    if flag is None:
        return False
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    try:
        if sys.platform == "linux":
            failed = library.renameat2(_FOLDER, os.fsencode(one), _FOLDER, os.fsencode(other), flag)
        else:
            failed = library.renamex_np(os.fsencode(one), os.fsencode(other), flag)
    except AttributeError:  # an older C library
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), os.fspath(one), None, os.fspath(other))
