"""Locked and guarded staging folders beside the target."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import signal
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.signals import finished_places
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle.atomic import leftovers

_HELD_BACK = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE")
    if hasattr(signal, name)
)

_MAX_NAME = 200  # of the 255 bytes that a name may have
_TRIES, _TRY_SECONDS = 5, 0.02  # a guardian has the lock for a moment
_LOCK_CONTENT = 1024


class Staging:
    """Context manager for a staging folder, which is removed however this process ends.

    ``out`` is the target, ``called`` its name for the user, ``folder`` the parent of the staging folder,
    created if needed. Raises BundleError when another process is writing ``out``, and OSError.
    """

    def __init__(self, out: Path, folder: Path, called: object = None):
        name = (
            out.name
            if len(os.fsencode(out.name)) <= _MAX_NAME
            else hashlib.sha256(os.fsencode(out.name)).hexdigest()
        )
        self.out = out
        self._called = called or out
        self._names = names_of(name)
        self.path = folder / f".{name}.{os.urandom(4).hex()}.partial"
        self.new = self.path / leftovers.NEW
        self.old = self.path / leftovers.OLD
        self._lock_path = folder / f".{name}.tlparse-lock"
        self._lock: int | None = None
        self._made = [str(path) for path in reversed((folder, *folder.parents)) if not path.exists()]
        self._guardian: Guardian | None = None
        self.done = False

    def __enter__(self) -> Staging:
        # The guardian comes first, so a file of ours never exists without it.
        try:
            self._guardian = Guardian(str(self.out), str(self.path), str(self._lock_path), self._made)
            _make(self._lock_path.parent)
            self._take_lock()
            self.path.mkdir(0o700)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def undo_as(self, kind: str, *words: object) -> None:
        """Undo later actions at the end unless commit() is called; see leftovers.clean."""
        text = "\0".join((kind, *map(str, words)))
        (self.path / "next").write_text(text, encoding="utf-8", errors="surrogateescape")
        (self.path / "next").rename(self.path / leftovers.UNDO)

    def commit(self) -> None:
        """Keep the changes."""
        (self.path / leftovers.UNDO).unlink(missing_ok=True)
        self.done = True
        finished_places.append(str(self.out))

    def _end(self) -> None:
        """End the guardian; it keeps running when this is interrupted."""
        if self.path.exists():
            leftovers.clean(str(self.out), str(self.path))
        if self._lock is not None:
            if os.name == "nt":  # where no open file can be removed
                os.close(self._lock)
            self._lock_path.unlink(missing_ok=True)
            if os.name != "nt":
                os.close(self._lock)
            self._lock = None
        elif not self.done:  # interrupted when it had just been taken
            leftovers.unlock(str(self._lock_path), str(self.path))
        if not self.done:
            leftovers.remove_empty(self._made)
        if self._guardian is not None:
            self._guardian.end()

    def _take_lock(self) -> None:
        import time

        for number in range(_TRIES):
            if number:
                time.sleep(_TRY_SECONDS)
            file = os.open(
                self._lock_path,
                os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0),
                0o600,
            )
            try:
                if self._locked(file) and leftovers.identity(file) == leftovers.identity(self._lock_path):
                    self._recover(file)
                    self._lock, file = file, -1
                    return
            finally:
                if file >= 0:
                    os.close(file)
        raise BundleError(
            f"another process is writing '{shown(self._called)}'",
            hint="Wait until it is done, or choose a different path.",
            code="busy",
        )

    def _locked(self, file: int) -> bool:
        try:
            return leftovers.try_lock(file)
        except OSError as error:
            if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL):
                return True  # no locks on this file system; what is checked at the end still holds
            raise

    def _recover(self, lock: int) -> None:
        """Clean up after a writer that was killed with its guardian; return what may stay."""
        regular = stat.S_ISREG(os.fstat(lock).st_mode)
        content = os.read(lock, _LOCK_CONTENT).decode("utf-8", "surrogateescape") if regular else ""
        if not regular or (content and not self._names.fullmatch(content)):
            raise BundleError(
                f"'{shown(self._lock_path)}' is not a lock file of tlparse-bundle",
                hint="Move it away.",
                code="exists",
            )
        if content:
            leftovers.clean(str(self.out), str(self.path.with_name(content)))
        os.ftruncate(lock, 0)
        os.lseek(lock, 0, os.SEEK_SET)
        os.write(lock, os.fsencode(self.path.name))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:  # what is there is something else
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), error.filename) from None


def names_of(name: str) -> re.Pattern[str]:
    """Return the names of staging folders for a target of this name."""
    return re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{8}}\.partial", re.DOTALL)


def is_ours(name: str) -> bool:
    """Return whether a name is that of a temporary file or folder of a writer."""
    return re.fullmatch(r"\..*\.([0-9a-f]{8}\.partial|tlparse-lock)", name, re.DOTALL) is not None


class Guardian:
    """Process that cleans up after its writer. Starts at once; call ``end`` when nothing is left to remove.

    It has its own session and ignores signals of terminals and supervisors, so it ends with the writer,
    never before. Without it, the next writer cleans up.
    """

    def __init__(self, out: str, staging: str, lock: str, new_folders: Sequence[str]):
        self._pid = self._pipe = None
        if not hasattr(os, "posix_spawn") or not sys.executable:
            return
        import fcntl

        command = [
            sys.executable,
            "-I",
            "-S",
            leftovers.__file__,
            str(os.getpid()),
            out,
            staging,
            lock,
            *new_folders,
        ]
        source = None
        try:
            source, self._pipe = os.pipe()
            high = fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, 10)  # clear of the ones that are set below
            os.close(source)
            source = high
            streams = [
                (os.POSIX_SPAWN_DUP2, source, 0),
                *((os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)),
            ]
            self._pid = os.posix_spawn(
                sys.executable,
                command,
                os.environ,
                file_actions=streams,
                setsigmask=_HELD_BACK,
                setsid=sys.platform == "linux",  # elsewhere it makes its session itself, a moment later
            )
        except (OSError, NotImplementedError):
            self._close()
        finally:
            if source is not None:
                os.close(source)

    def end(self) -> None:
        if self._pid is not None:
            try:
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
            except (ProcessLookupError, ChildProcessError):  # somebody else waits for all children
                pass
            self._pid = None
        self._close()

    def _close(self) -> None:
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
