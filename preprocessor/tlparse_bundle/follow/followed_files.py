"""Finds the logs to follow, and waits for changes.

Network file systems (NFS, Lustre) don't notify about writes of other machines, so files are also polled;
notifications only make it faster. The library has no thread, which would conflict with forks.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import RemoteFile, is_url
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.log.discover import Skipped, discover
from tlparse_bundle.log.log_file import LogFile

try:
    from inotify_simple import INotify, flags  # type: ignore[import-untyped]  # it has no types
except (ImportError, OSError):  # not on Linux: the files are asked
    INotify = None

_MAX_FOLDERS = 2000
_SHORTEST_S, _SHORTER_S = 0.03, 0.15  # a log that is written in small pieces does not wake us for each
_SECONDS = 0.25  # at most, where the system does not report changes
_SECONDS_TOLD = 0.5
_LATER = frozenset(("not-found", "no-logs", "empty"))
_NO_TRACE_BYTES = 64 << 10  # a file that begins with so much of something else is not a log


class Watch:
    """Waits until something is written below the folders, or for a moment."""

    def __init__(self) -> None:
        self._watched: dict[int, str] = {}
        self._notify: Any = None
        if INotify is not None:
            with suppress(OSError):  # there are too many already
                self._notify = INotify(nonblocking=True)

    def folders(self, folders: Iterable[Path]) -> None:
        """Set the watched folders."""
        if self._notify is None:
            return
        wanted = set(map(str, list(folders)[:_MAX_FOLDERS]))
        for number, folder in list(self._watched.items()):
            if folder not in wanted:
                del self._watched[number]
                self._quietly(self._notify.rm_watch, number)
        for folder in wanted - set(self._watched.values()):
            mask = (
                flags.MODIFY | flags.CREATE | flags.MOVED_TO | flags.DELETE | flags.MOVED_FROM | flags.ONLYDIR
            )
            number = self._quietly(self._notify.add_watch, folder, mask)
            if number is not None:
                self._watched[number] = folder

    @staticmethod
    def _quietly(call: Any, *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except OSError:  # the folder is gone, or no more may be watched
            return None

    def wait(
        self, others: Sequence[Any] = (), at_most_s: float = _SECONDS_TOLD, idle_s: float = 0.0
    ) -> tuple[bool, list[Any]]:
        """Return whether files appeared or disappeared, and which of ``others`` are readable. Ignores writes
        within ``idle_s``.
        """
        begun = time.monotonic()
        longest = min(at_most_s, _SECONDS_TOLD if self._watched else _SECONDS)
        sources = [*others, *([self._notify] if self._notify is not None else [])]
        ready = select.select(sources, [], [], max(0.0, longest))[0]
        if self._notify not in ready:
            return False, ready
        if not others or len(ready) == 1:
            shortest = min(longest, max(_SHORTEST_S, min(idle_s, _SHORTER_S)))
            ready = [
                self._notify,
                *select.select(others, [], [], max(0.0, shortest - (time.monotonic() - begun)))[0],
            ]
        events = self._quietly(self._notify.read, 0) or []
        for event in events:
            if event.mask & flags.IGNORED:
                self._watched.pop(event.wd, None)
        return any(event.mask & ~flags.MODIFY for event in events), [
            source for source in ready if source is not self._notify
        ]

    def close(self) -> None:
        if self._notify is not None:
            self._notify.close()


def folders_of(traces: Iterable[str | os.PathLike[str]], out: Path) -> list[Path]:
    """Return the folders, possibly missing, in which files of the traces may appear."""
    found = []
    for trace in traces:
        place = Path(trace)
        while not place.exists() and place != place.parent:
            place = place.parent
        if not place.is_dir():
            place = place.parent
        elif place == Path(trace):
            for folder, below, _ in os.walk(place):
                if Path(folder).absolute() == out:
                    below.clear()
                    continue
                below[:] = [name for name in below if not name.startswith(".")]
                found.append(Path(folder))
                if len(found) > _MAX_FOLDERS:
                    break
            continue
        found.append(place)
    return found


class Found(NamedTuple):
    logs: list[LogFile]
    problems: list[dict[str, Any]]
    skipped: list[Skipped]
    complete: bool  # each trace has a log


def find(traces: Sequence[str | os.PathLike[str]], out: Path) -> Found:
    """Return the current logs; more logs, and the folder, may appear later.

    Raises BundleError for a file that can never be a log, or that cannot be read.
    """
    found: dict[Path | RemoteFile, LogFile] = {}
    problems: list[dict[str, Any]] = []
    skipped: list[Skipped] = []
    complete = True
    for trace in traces:
        try:
            logs = discover([trace], skipped=skipped)
        except BundleError as error:
            complete = False
            if error.code not in _LATER and not _may_become_one(trace, error):
                if error.code not in ("unreadable", "same-name"):
                    raise
                problems.append({"code": error.code, "message": error.message})
            continue
        for log in logs:
            if isinstance(log.path, RemoteFile) or out not in log.path.absolute().parents:
                found.setdefault(log.path.resolve(), log)
    by_id: dict[str, LogFile] = {}
    for log in sorted(found.values(), key=lambda log: (log.id.lower(), str(log.path))):
        other = by_id.setdefault(log.id.lower(), log)
        if other is not log:
            problems.append(
                {
                    "code": "same-name",
                    "message": f"{shown(log.path)} is left out: {shown(other.path)} has the same name",
                }
            )
    return Found(list(by_id.values()), problems, skipped, complete)


def _may_become_one(trace: str | os.PathLike[str], error: BundleError) -> bool:
    """Return whether the start of a file may be that of its first record."""
    return error.code == "not-a-trace" and not is_url(trace) and Path(trace).stat().st_size < _NO_TRACE_BYTES
