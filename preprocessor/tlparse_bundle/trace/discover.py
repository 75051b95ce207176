"""Paths to log files: what a user names, to the logs in it, their ranks and their ids."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.zstd_codec import ZstdError, frame_decoder
from tlparse_bundle.remote import RemoteFile, RemoteFolder, is_url
from tlparse_bundle.trace.reader import PREFIX

TORCH_NAME = re.compile(r"dedicated_log_torch_trace_(?P<rest>.+)")
_RANK = re.compile(r"rank_(\d{1,9})(?:_|$)")
_ENDINGS = re.compile(r"(\.(log|txt|jsonl?))?(\.(gz|zst))?$", re.IGNORECASE)
_MAGIC = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_SNIFF_BYTES = 64 << 10
_ZSTD_INPUT_BYTES = 4 << 10  # at once; even the densest data expands to little of memory


@dataclass(frozen=True, slots=True)
class LogFile:
    path: Path | RemoteFile
    id: str  # unique in a bundle, safe as a name of a folder
    name_rank: int | None  # rank according to the file name
    compression: str | None  # gzip, zstd or None
    size_bytes: int  # on disk


class _ZstdFrames:
    """Reads zstd frames one after another; zstandard's own reader takes a frame that was cut for a whole one."""

    def __init__(self, raw: BinaryIO):
        self._raw = raw
        self._frame = None
        self._input = b""
        self._output = bytearray()

    def read(self, size: int) -> bytes:
        while len(self._output) < size:
            data = self._input or self._raw.read(_ZSTD_INPUT_BYTES)
            if not data:
                if self._frame is not None:
                    raise EOFError("it ends in the middle of a frame")
                break
            if self._frame is None:
                self._frame = frame_decoder()
            self._output += self._frame.decompress(data)
            self._input = b""
            if self._frame.eof:
                self._input, self._frame = self._frame.unused_data, None
        data = bytes(self._output[:size])
        del self._output[:size]
        return data

    def close(self) -> None:
        self._raw.close()


class _Gzip(gzip.GzipFile):
    """Closes the file that it reads."""

    def __init__(self, raw: BinaryIO):
        super().__init__(fileobj=raw)
        self.myfileobj = raw


class _LogStream(io.RawIOBase):
    """Reads on through a file or a compressed stream; turns their errors into sentences."""

    def __init__(self, stream: BinaryIO | _ZstdFrames, log: LogFile):
        self._stream = stream
        self._log = log

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        try:
            return self._stream.read(size)
        except (OSError, EOFError, zlib.error, ZstdError, ValueError) as error:
            if self._log.compression is None or getattr(error, "errno", None):  # the disk's, not the decompressor's
                raise BundleError(f"{self._log.path} cannot be read: {_reason(error)}", code="unreadable") from None
            raise BundleError(
                f"{self._log.path} cannot be decompressed: {error}",
                hint="The file is damaged or was cut. Decompress as much as possible by hand and pass the result.",
                code="compression",
            ) from None

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_log(log: LogFile) -> BinaryIO:
    """The bytes of a log, decompressed. Raises BundleError when it cannot be opened."""
    try:
        if log.compression == "gzip":
            return _LogStream(_Gzip(log.path.open("rb")), log)
        if log.compression == "zstd":
            return _LogStream(_ZstdFrames(log.path.open("rb")), log)
        return _LogStream(log.path.open("rb", buffering=0), log)
    except OSError as error:
        raise BundleError(f"{log.path} cannot be read: {_reason(error)}", code="unreadable") from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def discover(paths: Sequence[str | os.PathLike], *, latest: bool = False, ranks: Iterable[int] | None = None) -> list[LogFile]:
    """The logs that ``paths`` name: files, and folders with everything below them.

    ``latest`` keeps the logs of the newest run only, ``ranks`` those of the given ranks.
    Sorted by id. Raises BundleError when nothing is found, a file is no trace, or two logs have
    the same name.
    """
    logs: dict[Path | RemoteFile, LogFile] = {}
    for location in paths:
        if is_url(location):
            for log in _logs_at(str(location).rstrip("/")):
                logs.setdefault(log.path, log)
            continue
        given = Path(location)
        mode = _mode(given)
        if stat.S_ISDIR(mode):
            found = _logs_below(given)
            if not found:
                raise BundleError(
                    f"{given} holds no trace log",
                    hint="A log is written by TORCH_TRACE=<directory> python …; its name begins with dedicated_log_torch_trace_.",
                    code="no-logs",
                )
        elif stat.S_ISREG(mode):
            found = [_log_file(given)]
        else:
            raise BundleError(f"{given} is neither a file nor a directory", hint="Write what it gives into a file first.", code="not-a-file")
        for log in found:
            logs.setdefault(log.path.resolve(), log)
    found = sorted(logs.values(), key=lambda log: (log.id.lower(), str(log.path)))
    if latest:
        found = _newest_run(found)
    if ranks is not None:
        wanted = set(ranks)
        found = [log for log in found if log.name_rank in wanted]
        if not found:
            raise BundleError("no log has one of these ranks in its file name", hint="Leave out --ranks to take all logs.", code="no-logs")
    if all(log.size_bytes == 0 for log in found):
        names = ", ".join(str(log.path) for log in found)
        raise BundleError(f"{names}: empty", hint="The process wrote no record, or was killed before. Run it again with TORCH_TRACE set.", code="empty")
    for one, other in zip(found, found[1:]):
        if one.id.lower() == other.id.lower():
            raise BundleError(
                f"two logs have the same name:\n  {one.path}\n  {other.path}",
                hint="Rename one of them, or build a bundle of each.",
                code="same-name",
            )
    return found


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise BundleError(f"{path} does not exist", hint="Pass a trace log, or the directory that TORCH_TRACE named.", code="not-found") from None
    except (OSError, ValueError) as error:
        raise BundleError(f"{path} cannot be read: {_reason(error)}", code="unreadable") from None


def _unreadable_folder(error: OSError) -> None:
    raise BundleError(f"{error.filename} cannot be read: {_reason(error)}", code="unreadable") from None


def _logs_below(folder: Path) -> list[LogFile]:
    logs = []
    for parent, folders, files in os.walk(folder, onerror=_unreadable_folder):
        is_bundle = "manifest.json" in files and "logs" in folders
        folders[:] = [] if is_bundle else sorted(name for name in folders if not name.startswith("."))
        for name in () if is_bundle else sorted(files):
            path = Path(parent, name)
            if name.startswith(".") or not path.is_file():
                continue
            log = _log_file(path, must_be_log=False)
            if log is not None:
                logs.append(log)
    return logs


def _logs_at(url: str) -> list[LogFile]:
    """The logs at a URL: a file, or a folder with everything below it."""
    place, _, name = url.rpartition("/")
    try:
        is_folder = RemoteFolder(place).info(name)["type"] == "directory"
        if not is_folder:
            return [_log_file(RemoteFile(url))]
        files = RemoteFolder(url).files()
    except OSError as error:
        raise BundleError(f"{url} cannot be read: {_reason(error)}", code="unreadable") from None
    bundles = [path.removesuffix("manifest.json") for path in files if path.rpartition("/")[2] == "manifest.json"]
    found = []
    for path in sorted(files):
        hidden = any(part.startswith(".") for part in path.split("/"))
        if not hidden and not path.startswith(tuple(bundles)):
            log = _log_file(RemoteFile(f"{url}/{path}"), must_be_log=False)
            found += [log] if log is not None else []
    if not found:
        raise BundleError(f"{url} holds no trace log", hint="Is it the folder that TORCH_TRACE named?", code="no-logs")
    return found


def _log_file(path: Path | RemoteFile, *, must_be_log: bool = True) -> LogFile | None:
    try:
        size_bytes = path.stat().st_size
        with path.open("rb") as stream:
            magic = stream.read(4)
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {_reason(error)}", code="unreadable") from None
    compression = next((name for name, start in _MAGIC.items() if magic.startswith(start)), None)
    torch_name = TORCH_NAME.match(path.name)
    stem = _ENDINGS.sub("", torch_name["rest"] if torch_name else path.name)
    rank = _RANK.search(stem)
    log_id = re.sub(r"[^A-Za-z0-9._-]", "_", stem).lstrip(".-")[:100] or "log"
    log = LogFile(path, log_id, int(rank[1]) if rank else None, compression, size_bytes)
    if size_bytes == 0:
        return log if must_be_log or torch_name else None
    if _looks_like_a_trace(log) or torch_name:
        return log
    if must_be_log:
        raise BundleError(
            f"{path} is no trace log: its beginning holds no record",
            hint="A record looks like: V1121 01:36:58.369000 7877 torch/_dynamo/convert_frame.py:303] {…}\n"
            "Logs of TORCH_LOGS are something else; set TORCH_TRACE=<directory> instead.",
            code="not-a-trace",
        )
    return None


def _looks_like_a_trace(log: LogFile) -> bool:
    try:
        with open_log(log) as stream:
            start = stream.read(_SNIFF_BYTES)
    except BundleError:
        return False
    return any(match and match.string.startswith(b"{", match.end()) for match in map(PREFIX.match, start.split(b"\n")[:200]))


def _newest_run(logs: list[LogFile]) -> list[LogFile]:
    """The newest log, and the logs of other ranks that were written while it was."""

    def span(log: LogFile) -> tuple[float, float]:
        end = log.path.stat().st_mtime
        return min(_first_time(log, end), end), end

    spans = {log: span(log) for log in logs}
    newest = max(logs, key=lambda log: (spans[log][1], log.id))
    start, end = spans[newest]
    ranked = newest.name_rank is not None
    run = {newest}
    for log in sorted(logs, key=lambda log: spans[log][1], reverse=True):
        same_rank = ranked and any(log.name_rank == other.name_rank for other in run)
        if log not in run and not same_rank and spans[log][1] >= start and spans[log][0] <= end:
            run.add(log)
    return [log for log in logs if log in run]


def _first_time(log: LogFile, end: float) -> float:
    """When the first record was written, taking the log's clock for this machine's."""
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
