"""Folders and files that appear at their path complete, or not at all."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic import leftovers, permissions
from tlparse_bundle.bundle.atomic.staging import Staging, is_ours

_EXCHANGE = {"linux": 2, "darwin": 2}  # RENAME_EXCHANGE (linux/fs.h), RENAME_SWAP (sys/stdio.h)
_FOLDER = -100  # AT_FDCWD: paths are taken as everywhere
_CANNOT = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}  # the system, or this file system
_TAKEN = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EISDIR}
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_RIGHT = {errno.EACCES, errno.EPERM, errno.EROFS}
_LITTLE_BYTES = 1 << 20  # free on a disk that is full
_TEMPORARY = re.compile(r"\.tlparse-bundle-[0-9a-f]{8}\.[0-9a-f]{8}\.partial")
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK}


@contextmanager
def new_folder(
    out: Path,
    *,
    may_replace: Callable[[Path], None] | None = None,
    readers_of: Iterable[Any] = (),
    last: str = "",
) -> Iterator[Path]:
    """Yield a folder to write into. It replaces ``out`` when the block succeeds; otherwise nothing changes.

    An existing empty folder is filled, since it may be a mount point or a working folder; ``last`` is
    then moved last. Anything else must satisfy ``may_replace``, which is called with its path, possibly
    several times, and raises BundleError. Only those who can read ``readers_of`` can read the files.
    Raises BundleError when another process is writing ``out``, or when it cannot be written.
    """
    with _sentences(out):
        place = _proper(out)
        fills = place.is_dir() and is_empty(place)
        if fills:
            place = place.resolve()
        elif may_replace is None:
            check_new(out)
        elif os.path.lexists(place):
            may_replace(place)
        allowed = permissions.readers(
            (*readers_of, place) if os.path.lexists(place) and not fills else readers_of
        )
        with Staging(place, place if fills else place.parent, out) as staging:
            staging.new.mkdir()
            yield staging.new
            permissions.seal(str(staging.new), allowed)
            if fills:
                _fill(staging, out, last)
            else:
                _put(staging, out, may_replace)


def check_new(out: Path) -> None:
    """Raise BundleError unless ``out`` is missing or an empty folder. Call it before long work."""
    with _sentences(out):
        if os.path.lexists(out) and not (out.is_dir() and is_empty(out)):
            raise BundleError(
                f"'{shown(out)}' already exists", hint="Pass a new or an empty folder.", code="exists"
            )


@contextmanager
def new_file(out: Path, *, overwrite: bool = False, readers_of: Iterable[Any] = ()) -> Iterator[Path]:
    """Yield the path of a file to write. It replaces ``out`` when the block succeeds; otherwise nothing
    changes.

    Raises BundleError when ``out`` exists, also when it appears meanwhile, unless it is a file or link to
    be overwritten. The target of a link is unchanged.
    """
    with _sentences(out):
        place = _proper(out)

        def check() -> None:
            if os.path.lexists(place) and not (overwrite and (place.is_symlink() or place.is_file())):
                hint = "" if overwrite else "Pass --overwrite to replace it."
                raise BundleError(
                    f"'{shown(out)}' already exists{' and is not a file' if overwrite else ''}",
                    hint=hint,
                    code="exists",
                )

        check()
        with Staging(place, place.parent, out) as staging:
            yield staging.new
            permissions.restrict(str(staging.new), permissions.readers(readers_of))
            permissions.sync(str(staging.new))
            check()
            if overwrite:
                os.replace(staging.new, place)
            else:
                _link(staging.new, place, out)
            staging.commit()
            permissions.sync(str(place.parent))


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a temporary folder, which is removed however this process ends."""
    import tempfile

    folder = Path(tempfile.gettempdir())
    staging = Staging(folder / f"tlparse-bundle-{os.urandom(4).hex()}", folder)
    try:
        with staging:
            staging.new.mkdir()
            yield staging.new
    except OSError as error:
        if not _is_of_temporary(error, staging):
            raise
        raise unwritable(staging.new, error) from error


def _is_of_temporary(error: OSError, staging: Staging) -> bool:
    """Return whether an error is about a temporary folder. Without a path and room, the full disk decides."""
    path = _path_of(error)
    if path is not None:
        return any(part.startswith(f".{staging.out.name}.") for part in path.parts)
    if error.errno != errno.ENOSPC:
        return error.errno in NO_ROOM
    import shutil  # here, since it loads codecs of archives

    return shutil.disk_usage(staging.path.parent).free < _LITTLE_BYTES


def is_empty(folder: Path) -> bool:
    """Return whether a folder is empty, apart from files of a writer."""
    return all(is_ours(entry.name) for entry in os.scandir(folder))


def _proper(out: Path) -> Path:
    """Return an absolute path with a name."""
    return out.absolute() if out.name not in ("", "..") else out.resolve()


def _fill(staging: Staging, out: Path, last: str) -> None:
    names = sorted(os.listdir(staging.new), key=lambda name: (name == last, name))
    staging.undo_as("fill", *names)
    if not is_empty(staging.out):
        raise _appeared(out)
    for name in names:
        if os.path.lexists(staging.out / name):
            raise _appeared(out / name)
        (staging.new / name).rename(staging.out / name)
    staging.commit()
    permissions.sync(str(staging.out))


def _put(staging: Staging, out: Path, may_replace: Callable[[Path], None] | None) -> None:
    new, place = leftovers.identity(staging.new), staging.out
    staging.undo_as("swap", *(new or ()))
    if may_replace is None or not os.path.lexists(place):
        _rename(staging.new, place, out)
    else:
        may_replace(place)  # it may have changed
        old = place.is_symlink()
        if exchange(staging.new, place):
            replaced = staging.new
        else:
            replaced = staging.old
            place.rename(replaced)
            _rename(staging.new, place, out)
        if not old:
            may_replace(replaced)  # and again, up to the moment in which nobody could find it any more
    staging.commit()
    permissions.sync(str(place.parent))


def _rename(new: Path, place: Path, out: Path) -> None:
    try:
        if sys.platform == "win32" and place.is_dir():
            place.rmdir()
        new.rename(place)  # an empty folder is replaced, nothing else is
    except OSError as error:
        if error.errno in _TAKEN:
            raise _appeared(out) from None
        raise


def _link(new: Path, place: Path, out: Path) -> None:
    try:
        os.link(new, place)
    except FileExistsError:
        raise _appeared(out) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        os.replace(new, place)


def _appeared(out: Path) -> BundleError:
    return BundleError(
        f"'{shown(out)}' was created by another process; it was not changed",
        hint="Choose a different path, or move it away.",
        code="exists",
    )


@contextmanager
def _sentences(out: Path) -> Iterator[None]:
    """Turn errors of writing ``out`` into BundleError; other errors pass."""
    try:
        yield
    except OSError as error:
        path = _path_of(error)
        if path is not None and not _concerns(path, _proper(out)):
            raise
        raise unwritable(out, error) from error


def _path_of(error: OSError) -> Path | None:
    """Return the path that an error is about: without room, that of the copy, not that of its source."""
    name = error.filename
    if error.errno in NO_ROOM and error.filename2 is not None:
        name = error.filename2
    return Path(os.fsdecode(name)) if isinstance(name, str | bytes | os.PathLike) else None


def _concerns(path: Path, place: Path) -> bool:
    return path in (place, *place.parents) or place in path.parents or any(map(is_ours, path.parts))


def unwritable(out: object, error: OSError) -> BundleError:
    temporary = next((path for path in Path(str(out)).parents if _TEMPORARY.fullmatch(path.name)), None)
    if error.errno in NO_ROOM:
        hint = "Choose a path on a disk with enough space."
        if temporary is not None:
            out, hint = temporary.parent, "Set TMPDIR to a folder on a disk with enough space."
    elif error.errno in _NO_RIGHT:
        hint = "Choose a path that you can write to."
    elif error.errno in (errno.EBUSY, errno.EXDEV):
        hint = "If it is a mount point, empty it first: it cannot be replaced."
    else:
        hint = ""
    return BundleError(
        f"'{shown(out)}' cannot be written: {error.strerror or error}", hint=hint, code="unwritable"
    )


def exchange(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Swap two paths atomically. Return False when that is not supported; raise OSError otherwise."""
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
