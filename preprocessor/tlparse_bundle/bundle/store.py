"""Where a bundle is read from: a folder of this machine, or any place that fsspec knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from tlparse_bundle.bundle.layout import codec_of
from tlparse_bundle.errors import BundleError


_OBJECT_STORES = frozenset(("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"))  # they have no folders to make


class Store(Protocol):
    """The files of one bundle."""

    location: str

    def raw(self, path: str) -> bytes:
        """A file as it is stored. Raises BundleError when it cannot be read."""


class _Folder:
    def __init__(self, folder: Path):
        self.location = str(folder)
        self._folder = folder
        self._root = folder.resolve()

    def raw(self, path: str) -> bytes:
        target = (self._folder / path).resolve()
        if not target.is_relative_to(self._root):
            raise BundleError(f"{path!r} points out of the bundle {self.location}", code="bad-path")
        try:
            return target.read_bytes()
        except OSError as error:
            raise BundleError(f"{target} cannot be read: {error.strerror}", code="unreadable") from None


class RemoteFolder:
    """A folder at a URL that fsspec knows. Whatever goes wrong there is an OSError.

    Listings are not kept, since others write while we read. Raises BundleError without fsspec or the package for
    the protocol, and when the URL holds a password, which would end up in logs.
    """

    def __init__(self, url: str):
        parts = urlsplit(url)
        if parts.password is not None or parts.query or parts.username and parts.scheme in ("http", "https"):
            raise BundleError(
                f"the URL of {parts.scheme}://{parts.hostname or ''}{parts.path} holds a password or a key",
                hint="Leave it out; fsspec takes credentials from the environment and from configuration files.",
                code="credentials",
            )
        self.url = url.rstrip("/")
        try:
            import fsspec

            self._fs, root = fsspec.core.url_to_fs(self.url, use_listings_cache=False)
        except ImportError as error:
            hint = "Reading from a URL needs more packages: pip install 'tlparse-bundle[remote]'"
            raise BundleError(f"{url} is not a local folder, and cannot be read: {error}", hint=hint, code="no-fsspec") from None
        except ValueError as error:
            raise BundleError(f"{url} cannot be read: {error}", code="unreadable") from None
        self._root = root.rstrip("/")
        self._is_object_store = parts.scheme in _OBJECT_STORES

    def read(self, path: str) -> bytes:
        return self._ask(self._fs.cat_file, path)

    def write(self, path: str, data: bytes) -> None:
        """Store a file. Those who read meanwhile get the old one or the new one, where the place can do that."""
        if not self._is_object_store:
            self._ask(lambda target: self._fs.makedirs(target, exist_ok=True), path.rpartition("/")[0])
        self._ask(self._fs.pipe_file, path, value=data)

    def exists(self, path: str) -> bool:
        return self._ask(self._fs.exists, path)

    def files(self) -> dict[str, int]:
        """Size in bytes of each file below, by path."""
        found = self._ask(self._fs.find, "", detail=True)
        return {name[len(self._root) :].lstrip("/"): entry["size"] for name, entry in found.items() if entry["type"] == "file"}

    def remove(self, path: str) -> None:
        self._ask(self._fs.rm_file, path)

    def info(self, path: str) -> dict:
        """What the place says of a file or folder: 'type', and 'size' and marks of its version where it has them."""
        return self._ask(self._fs.info, path)

    def folders(self) -> list[str]:
        """Names of the folders below, in order."""
        entries = self._ask(self._fs.ls, "", detail=True)
        return sorted({str(entry["name"]).rstrip("/").split("/")[-1] for entry in entries if entry["type"] == "directory"})

    def _ask(self, call: Callable, path: str, **options: Any) -> Any:
        if ".." in path.split("/"):
            raise BundleError(f"{path!r} points out of the bundle {self.url}", code="bad-path")
        try:
            return call(f"{self._root}/{path}".rstrip("/"), **options)
        except OSError:
            raise
        except Exception as error:  # each protocol has exceptions of its own, such as for missing credentials
            raise OSError(f"{type(error).__name__}: {error}") from None


class _Remote:
    def __init__(self, url: str):
        self._folder = RemoteFolder(url)
        self.location = self._folder.url

    def raw(self, path: str) -> bytes:
        try:
            return self._folder.read(path)
        except OSError as error:
            raise BundleError(f"{self.location}/{path} cannot be read: {error}", code="unreadable") from None


def open_store(location: str | Path) -> Store:
    """The store at a folder or a URL."""
    if "://" in str(location):
        return _Remote(str(location))
    return _Folder(Path(location))


def read(store: Store, path: str) -> bytes:
    """A file of the bundle, decoded. Raises BundleError when it cannot be read or decoded."""
    try:
        return codec_of(path).decode(store.raw(path))
    except ValueError as error:
        raise BundleError(f"{store.location}/{path} is damaged: {error}", hint="Build the bundle again.", code="damaged") from None
