"""Places where the server finds bundles: local folders, or locations that fsspec supports.

A place is a bundle or a folder of bundles, checked on each request, so that new bundles appear.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import RemoteFolder
from tlparse_bundle.bundle.codecs import MAX_FILE_BYTES
from tlparse_bundle.bundle.layout import MANIFEST, is_own
from tlparse_bundle.bundle.regular_file import open_regular

_MEASURED = 200_000  # files whose sizes are summed up
LISTED = 500  # bundles of one folder that are looked at for a list


class Stored(NamedTuple):
    """A stored file. ``tag`` changes with its content; ``open`` raises OSError."""

    tag: str
    size: int | None  # None: it lies elsewhere
    open: Callable[..., BinaryIO]  # of what lies elsewhere it takes how many bytes there may be
    modified: float | None = None  # seconds since 1970, of a file of this machine


class Place(Protocol):
    remote: bool  # its methods take their time

    def file(self, path: str, folder: str = "") -> Stored | None:
        """Return the file below the place or a folder of it; None if missing or outside."""

    def folders(self, most: int = LISTED) -> list[str]:
        """Return the names of the first ``most`` folders in the place, in order."""

    def size(self, folder: str = "") -> int | None:
        """Return the size of a bundle in bytes; None when that is slow."""

    def location(self, folder: str = "") -> str:
        """Return the path or URL of a bundle, to open it. Raise OSError."""

    def files(self, folder: str = "") -> list[str]:
        """Return the paths of all files of a bundle, in order. Raise OSError."""


def proper(path: str) -> bool:
    """Return whether every part of a request path is a file name that is not hidden."""
    return all(
        part and not part.startswith(".") and not set(part) & set('\\?#%*[]"') and part.isprintable()
        for part in path.split("/")
    )


def inside(root: Path, path: str, exists: Callable[[Path], bool] = Path.is_file) -> Path | None:
    """Return the file or folder at ``path`` below ``root`` (resolved); None if missing or outside."""
    if any(part.startswith(".") for part in Path(path).parts):
        return None
    try:
        target = Path(os.path.realpath(root / path))  # resolve() raises RuntimeError for links in a circle
        return target if target != root and target.is_relative_to(root) and exists(target) else None
    except (OSError, ValueError):  # a name that no file can have
        return None


def local_file(root: Path, path: str) -> Stored | None:
    """Return the regular file at ``path`` below ``root``, without following links; None without one."""
    try:
        status = os.lstat(root / path)
    except (OSError, ValueError):  # a name that no file can have
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return Stored(
        f"{status.st_mtime_ns:x}-{status.st_size:x}",
        status.st_size,
        lambda _=0: open_regular(root, path),
        status.st_mtime,
    )


def bytes_below(folder: str | Path) -> int:
    """Return the size of all files below a folder; in a very large tree, only of the first ones."""
    total, left = 0, _MEASURED
    waiting = [str(folder)]
    while waiting and left > 0:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return total


class LocalPlace:
    """A local folder. A bundle may be a link to a bundle in it; files of a bundle may not be links."""

    remote = False

    def __init__(self, folder: Path):
        self._root = Path(os.path.realpath(folder))

    def file(self, path: str, folder: str = "") -> Stored | None:
        base = inside(self._root, folder, Path.is_dir) if folder else self._root
        return None if base is None else local_file(base, path)

    def folders(self, most: int = LISTED) -> list[str]:
        try:
            with os.scandir(self._root) as entries:
                names = sorted(entry.name for entry in entries if proper(entry.name) and _is_folder(entry))
        except OSError:
            return []
        return list(islice((name for name in names if inside(self._root, name, Path.is_dir)), most))

    def size(self, folder: str = "") -> int | None:
        try:
            return bytes_below(self.location(folder))
        except FileNotFoundError:
            return None

    def location(self, folder: str = "") -> str:
        base = inside(self._root, folder, Path.is_dir) if folder else self._root
        if base is None:
            raise FileNotFoundError(errno.ENOENT, "there is no such folder any more", folder)
        return str(base)

    def files(self, folder: str = "") -> list[str]:
        base = self.location(folder)
        paths = (
            os.path.relpath(os.path.join(parent, name), base).replace(os.sep, "/")
            for parent, _, names in os.walk(base)
            for name in names
        )
        return sorted(path for path in paths if is_own(path) and local_file(Path(base), path))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


class RemotePlace:
    """A remote place. fsspec handles credentials (environment, configuration files); URLs have none."""

    remote = True

    def __init__(self, url: str):
        self._url = url
        self._folder = RemoteFolder(url)

    def file(self, path: str, folder: str = "") -> Stored | None:
        path = f"{folder}/{path}" if folder else path
        if not proper(path):
            return None

        def stored(tag: str) -> Stored:
            return Stored(
                _tag(tag), None, lambda most=MAX_FILE_BYTES: io.BytesIO(self._folder.read(path, most))
            )

        if "blobs" in path.split("/"):  # named by its content: no need to ask for its version
            return stored(path)
        try:
            info = self._folder.info(path)
        except OSError:
            return None
        marks = " ".join(str(info.get(key)) for key in ("size", "ETag", "LastModified", "mtime", "created"))
        return stored(marks) if info["type"] == "file" else None

    def folders(self, most: int = LISTED) -> list[str]:
        try:
            return [name for name in self._folder.folders() if proper(name)][:most]
        except OSError:
            return []

    def size(self, folder: str = "") -> int | None:
        return None

    def location(self, folder: str = "") -> str:
        return f"{self._url.rstrip('/')}/{folder}" if folder else self._url

    def files(self, folder: str = "") -> list[str]:
        below = f"{folder}/" if folder else ""
        held = RemoteFolder(self.location(folder)).files() if folder else self._folder.files()
        return sorted(path for path in held if is_own(path) and proper(f"{below}{path}"))


def _tag(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def open_place(location: str | Path) -> Place:
    """Return the place at a folder or URL. Raise BundleError when it is missing, or without fsspec for a
    URL.
    """
    if "://" in str(location):
        return RemotePlace(str(location))
    if not Path(location).is_dir():
        raise BundleError(f"{location} is not a bundle or a folder of bundles", code="not-a-bundle")
    return LocalPlace(Path(location))


def is_bundle(place: Place, folder: str = "") -> bool:
    return place.file(MANIFEST, folder) is not None
