"""Finds log files in the paths that a user names, with their ranks and ids."""

from __future__ import annotations

import datetime as dt
import os
import re
import stat
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import RemoteFile, RemoteFolder, is_url
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.log.log_file import LogFile, open_log, open_raw, reason, unreadable
from tlparse_bundle.log.record_reader import PREFIX

TORCH_NAME = re.compile(r"dedicated_log_torch_trace_(?P<rest>.+)")
_RANK = re.compile(r"rank_(\d{1,9})(?:_|$)")
ENDINGS = re.compile(r"(\.(log|txt|jsonl?))?(\.(gz|zst))?$", re.IGNORECASE)
_MAGIC = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_SNIFF_BYTES = 64 << 10
_NAMED = 5  # of those that were left out
CHECK_COMPILING = (
    "Check that the program calls torch.compile, and that neither TORCH_COMPILE_DISABLE nor"
    " TORCHDYNAMO_DISABLE is set."
)
_NOTHING_TRACED = f"""\
torch creates the TORCH_TRACE folder and its logs when it writes the first record. \
If this is that folder, then nothing was compiled, \
or TORCH_TRACE was not set when the process imported torch.
Check the variable with the same launcher: python -c "import os; print(os.environ.get('TORCH_TRACE'))"
{CHECK_COMPILING}
Or let tlparse-bundle set the variable: tlparse-bundle run -- python train.py"""


class Skipped(NamedTuple):
    """Files in a folder that were skipped but may be logs."""

    path: str
    reason: str


def left_out(skipped: Sequence[Skipped]) -> str:
    """Return a sentence about skipped files; empty for none."""
    if not skipped:
        return ""
    names = ", ".join(f"{shown(path)} ({reason})" for path, reason in skipped[:_NAMED])
    more = f" and {len(skipped) - _NAMED:,} more" if len(skipped) > _NAMED else ""
    return f"{len(skipped):,} left out: {names}{more}. Name them to read them."


def discover(
    paths: Sequence[str | os.PathLike[str]],
    *,
    latest: bool = False,
    ranks: Iterable[int] | None = None,
    skipped: list[Skipped] | None = None,
) -> list[LogFile]:
    """Return the logs at ``paths``: files, and folders searched recursively, sorted by id.

    ``latest`` keeps only logs of the newest run, ``ranks`` only those ranks. In folders, links are not
    followed and unreadable files are skipped unless they are named like a log; ``skipped`` collects
    these. Raises BundleError when there are no logs, a file is not a trace, or two logs have the same
    name.
    """
    logs: dict[Path | RemoteFile, LogFile] = {}
    skipped = [] if skipped is None else skipped
    for location in paths:
        if is_url(location):
            for log in _logs_at(str(location).rstrip("/"), skipped):
                logs.setdefault(log.path, log)
            continue
        given = Path(location)
        mode = _mode(given)
        if stat.S_ISDIR(mode):
            here = _logs_below(given, skipped)
            if not here:
                raise _no_logs(given, skipped)
        elif stat.S_ISREG(mode):
            here = [_named_log(given)]
        else:
            raise BundleError(
                f"'{shown(given)}' is not a file or a folder",
                hint="Write its contents to a file, and pass that.",
                code="not-a-file",
            )
        for log in here:
            logs.setdefault(log.path.resolve(), log)
    chosen = sorted(logs.values(), key=lambda log: (log.id.lower(), str(log.path)))
    if latest:
        chosen = _newest_run(chosen)
    if ranks is not None:
        all_ranks, chosen_ranks = chosen, set(ranks)
        chosen = [log for log in all_ranks if log.name_rank in chosen_ranks]
        if not chosen:
            raise BundleError(
                "no log has any of these ranks in its file name",
                hint=f"{_ranks_of(all_ranks)} Leave out --ranks to read all logs.",
                code="no-logs",
            )
    if all(log.size_bytes == 0 for log in chosen):
        names = ", ".join(f"'{shown(log.path)}'" for log in chosen)
        raise BundleError(
            f"{names} {'is' if len(chosen) == 1 else 'are'} empty",
            hint=(
                "The process was killed before it wrote the first record, or the disk was full. Run the"
                " program again."
            ),
            code="empty",
        )
    for one, other in pairwise(chosen):
        if one.id.lower() == other.id.lower():
            raise BundleError(
                f"two logs have the same name:\n  {shown(one.path)}\n  {shown(other.path)}",
                hint="Rename one of them, or build one bundle per log.",
                code="same-name",
            )
    return chosen


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        ending = ENDINGS.search(path.name)
        hint = (
            "Check the path. Pass the file or folder that TORCH_TRACE wrote."
            if TORCH_NAME.match(path.name) or (ending and ending[0])
            else _NOTHING_TRACED
        )
        raise BundleError(f"'{shown(path)}' does not exist", hint=hint, code="not-found") from None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def _no_logs(place: object, skipped: Sequence[Skipped]) -> BundleError:
    return BundleError(
        f"'{shown(place)}' has no TORCH_TRACE log",
        hint=f"{left_out(skipped)}\n{_NOTHING_TRACED}".strip(),
        code="no-logs",
    )


def _ranks_of(logs: Sequence[LogFile]) -> str:
    ranks = sorted({log.name_rank for log in logs if log.name_rank is not None})
    if not ranks:
        return "No file name has a rank."
    return (
        f"The file names have the ranks {', '.join(map(str, ranks[:20]))}{', …' if len(ranks) > 20 else ''}."
    )


def _logs_below(folder: Path, skipped: list[Skipped]) -> list[LogFile]:
    def unreadable_folder(error: OSError) -> None:
        if Path(error.filename) == folder:
            raise unreadable(folder, error) from None
        skipped.append(Skipped(str(error.filename), f"cannot be read: {reason(error)}"))

    logs = []
    for parent, folders, files in os.walk(folder, onerror=unreadable_folder):
        is_bundle = "manifest.json" in files and "logs" in folders
        folders[:] = [] if is_bundle else sorted(name for name in folders if not name.startswith("."))
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for name in () if is_bundle else sorted((*files, *links)):
            path = Path(parent, name)
            if not name.startswith("."):
                logs += _considered(path, skipped, folder)
    return logs


def _considered(path: Path | RemoteFile, skipped: list[Skipped], folder: Path | None = None) -> list[LogFile]:
    """Return the log at a path in a folder, if it is one."""
    try:
        kind = stat.S_IFREG if isinstance(path, RemoteFile) else stat.S_IFMT(path.lstat().st_mode)
        why = "" if kind == stat.S_IFREG else "a link" if kind == stat.S_IFLNK else "not a regular file"
        log = None if why else _log_file(path, folder)
        if log is not None and (TORCH_NAME.match(path.name) or (log.size_bytes and _looks_like_a_trace(log))):
            return [log]
    except FileNotFoundError:
        why = "it is gone"
    except OSError as error:
        if TORCH_NAME.match(path.name):
            raise _unreadable_log(path, error) from None
        why = f"cannot be read: {reason(error)}"
    except BundleError as error:  # it has no name of a log
        why = error.message.removeprefix(f"'{shown(path)}' ")
    if why:
        skipped.append(Skipped(str(path), why))
    return []


def _unreadable_log(path: object, error: OSError) -> BundleError:
    problem = unreadable(path, error)
    problem.hint = "Its name is that of a log. Make it readable, or pass only the logs to read."
    return problem


def _logs_at(url: str, skipped: list[Skipped]) -> list[LogFile]:
    """Return the logs at a URL: a file, or a folder searched recursively."""
    place, _, name = url.rpartition("/")
    try:
        is_folder = RemoteFolder(place).info(name)["type"] == "directory"
        if not is_folder:
            return [_named_log(RemoteFile(url))]
        files = RemoteFolder(url).files()
    except OSError as error:
        raise unreadable(url, error) from None
    bundles = [
        path.removesuffix("manifest.json") for path in files if path.rpartition("/")[2] == "manifest.json"
    ]
    logs = []
    for path in sorted(files):
        hidden = any(part.startswith(".") for part in path.split("/"))
        if not hidden and not path.startswith(tuple(bundles)):
            logs += _considered(RemoteFile(f"{url}/{path}"), skipped)
    if not logs:
        raise _no_logs(url, skipped)
    return logs


def _named_log(path: Path | RemoteFile) -> LogFile:
    """Return the log at a path that the user named, which may be a link."""
    try:
        log = _log_file(path)
    except OSError as error:
        raise unreadable(path, error) from None
    if log.size_bytes == 0 or TORCH_NAME.match(path.name) or _looks_like_a_trace(log):
        return log
    raise BundleError(
        f"'{shown(path)}' is not a TORCH_TRACE log: no record found in its first 256 kB",
        hint=(
            "Pass the file or folder that TORCH_TRACE wrote. Output of TORCH_LOGS is a different format.\n"
            "A record looks like: V1121 01:36:58.369000 7877 torch/_dynamo/convert_frame.py:303] {…}"
        ),
        code="not-a-trace",
    )


def _log_file(path: Path | RemoteFile, folder: Path | None = None) -> LogFile:
    """Return a file with the rank and kind in its name and first bytes. Raise OSError."""
    raw, about = open_raw(path, folder)
    try:
        magic = raw.read(4)
    finally:
        raw.close()
    compression = next((name for name, start in _MAGIC.items() if magic.startswith(start)), None)
    torch_name = TORCH_NAME.match(path.name)
    stem = ENDINGS.sub("", torch_name["rest"] if torch_name else path.name)
    rank = _RANK.search(stem)
    log_id = re.sub(r"[^A-Za-z0-9._-]", "_", stem).lstrip(".-")[:100] or "log"
    return LogFile(path, log_id, int(rank[1]) if rank else None, compression, *about, folder)


def _looks_like_a_trace(log: LogFile) -> bool:
    """Return whether a file starts with a record. Raise BundleError when it cannot be read."""
    with open_log(log) as stream:
        start = stream.read(_SNIFF_BYTES)
    return any(
        match and match.string.startswith(b"{", match.end())
        for match in map(PREFIX.match, start.split(b"\n")[:200])
    )


def _newest_run(logs: list[LogFile]) -> list[LogFile]:
    """Return the newest log, and logs of other ranks whose times overlap with it."""

    def span(log: LogFile) -> tuple[float, float]:
        return min(_first_time(log, log.modified_s), log.modified_s), log.modified_s

    spans = {log: span(log) for log in logs}
    newest = max(logs, key=lambda log: (spans[log][1], log.id))
    start, _ = spans[newest]
    ranked = newest.name_rank is not None
    run = {newest}
    for log in sorted(logs, key=lambda log: spans[log][1], reverse=True):
        same_rank = ranked and any(log.name_rank == other.name_rank for other in run)
        if log not in run and not same_rank and spans[log][1] >= start:
            run.add(log)
    return [log for log in logs if log in run]


def _first_time(log: LogFile, end: float) -> float:
    """Return the time of the first record, assuming the clock of this machine."""
    try:
        with open_log(log) as stream:
            lines = stream.read(_SNIFF_BYTES).split(b"\n")[:200]
    except BundleError:
        return end
    match = next(filter(None, map(PREFIX.match, lines)), None)
    if match is None:
        return end
    last = dt.datetime.fromtimestamp(end)
    for year in (last.year, last.year - 1):
        try:
            first = dt.datetime.strptime(f"{year}{match[2].decode()}", "%Y%m%d %H:%M:%S")
        except ValueError:
            return end
        if first <= last + dt.timedelta(days=1):
            return first.timestamp()
    return end
