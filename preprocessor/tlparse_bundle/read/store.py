"""Where a bundle is read from: a folder of this machine, or any place that fsspec knows."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format.codecs import codec_of
from tlparse_bundle.remote import RemoteFolder, is_url


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
    if is_url(location):
        return _Remote(str(location))
    return _Folder(Path(location))


def read(store: Store, path: str) -> bytes:
    """A file of the bundle, decoded. Raises BundleError when it cannot be read or decoded."""
    try:
        return codec_of(path).decode(store.raw(path))
    except ValueError as error:
        raise BundleError(f"{store.location}/{path} is damaged: {error}", hint="Build the bundle again.", code="damaged") from None
