"""The logs that there are now of what is followed: some may come later, and so may the folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import RemoteFile, is_url
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.log.discover import Skipped, discover
from tlparse_bundle.log.log_file import LogFile

_LATER = frozenset(("not-found", "no-logs", "empty"))
_NO_TRACE_BYTES = 64 << 10  # a file that begins with so much of something else is no log


class Found(NamedTuple):
    logs: list[LogFile]
    problems: list[dict]
    skipped: list[Skipped]
    complete: bool  # each trace has a log


def find(traces: Sequence[str | os.PathLike], out: Path) -> Found:
    """What is there. Raises BundleError for what will never be a log, and what cannot be read."""
    found: dict[Path | RemoteFile, LogFile] = {}
    problems: list[dict] = []
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


def _may_become_one(trace: str | os.PathLike, error: BundleError) -> bool:
    """Whether the beginning of a file may be that of its first record."""
    return error.code == "not-a-trace" and not is_url(trace) and Path(trace).stat().st_size < _NO_TRACE_BYTES
