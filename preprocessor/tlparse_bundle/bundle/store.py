"""Access to the files of a bundle: a local folder, or any place that fsspec supports.

A bundle may be hostile: only paths in ``layout.is_own`` and regular files are opened, and reads are
bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import RemoteFolder, is_url
from tlparse_bundle.bundle.codecs import MAX_FILE_BYTES, codec_of
from tlparse_bundle.bundle.json_codec import JSONDecodeError, loads
from tlparse_bundle.bundle.layout import is_own
from tlparse_bundle.bundle.regular_file import NotRegular, read_regular

MAX_JSON_BYTES = 256 << 20  # of a table; of a usual log of 10 GB the largest has 100 MB
_FEW_BYTES = 8 << 20
_MAX_VALUES = 16 << 20  # parsed, a value takes up to fifty times the memory of its text
_MAX_CONTAINERS = 8 << 20
_AGAIN = "Rebuild the bundle from its logs."
T = TypeVar("T")


class Store(Protocol):
    """The files of one bundle."""

    location: str
    damaged: dict[Hashable, BundleError]  # what ``once`` found out

    def raw(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """Return a file as stored. Raise BundleError when it cannot be read or is too large."""


class _Folder:
    def __init__(self, folder: Path):
        self.location = str(folder)
        self.damaged: dict[Hashable, BundleError] = {}
        self._folder = folder

    def raw(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        _check(path, self.location)
        try:
            return read_regular(self._folder, path, max_bytes)
        except NotRegular as error:
            hint = "A bundle must not contain links. If the links are your own, copy it with: cp -rL"
            raise BundleError(
                f"'{self._folder / path}' cannot be read: {error.strerror}", hint=hint, code="bad-file"
            ) from None
        except OSError as error:
            raise BundleError(
                f"'{self._folder / path}' cannot be read: {error.strerror}", code="unreadable"
            ) from None


class _Remote:
    def __init__(self, url: str):
        self._folder = RemoteFolder(url)
        self.location = self._folder.url
        self.damaged: dict[Hashable, BundleError] = {}

    def raw(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        _check(path, self.location)
        try:
            return self._folder.read(path, max_bytes)
        except OSError as error:
            raise BundleError(f"{self.location}/{path} cannot be read: {error}", code="unreadable") from None


def _check(path: object, location: str) -> None:
    if type(path) is not str or not is_own(path):
        shown = repr(path) if len(repr(path)) <= 200 else repr(path)[:200] + "…"
        raise BundleError(f"{shown} is not a path in the bundle {location}", hint=_AGAIN, code="bad-path")


def open_store(location: str | Path) -> Store:
    """Return the store at a folder or URL."""
    if is_url(location):
        return _Remote(str(location))
    return _Folder(Path(location))


def once(store: Store, what: Hashable, read_it: Callable[[], T]) -> T:
    """Return the result of ``read_it``, remembering failures, since a damaged file can be slow to read."""
    if what in store.damaged:
        raise store.damaged[what].with_traceback(None)
    try:
        return read_it()
    except BundleError as error:
        if error.code == "damaged":
            store.damaged[what] = error
        raise


def read_json(store: Store, path: str, max_bytes: int = MAX_JSON_BYTES) -> Any:
    """Return a JSON file of the bundle. Raise BundleError, also when it would need too much memory."""
    _check(path, store.location)
    return once(store, path, lambda: _read_json(store, path, max_bytes))


def _read_json(store: Store, path: str, max_bytes: int) -> Any:
    return _parsed(read(store, path, max_bytes), f"{store.location}/{path}")


def read_rows(store: Store, path: str) -> list[Any]:
    """Return the rows of a JSON Lines file. Raise BundleError, also when it would need too much memory."""
    _check(path, store.location)
    return once(store, path, lambda: _read_rows(store, path))


def _read_rows(store: Store, path: str) -> list[Any]:
    data, where = read(store, path, MAX_JSON_BYTES), f"{store.location}/{path}"
    _check_values(data, where)
    rows: list[Any] = _parsed(b"[%b]" % data.removesuffix(b"\n").replace(b"\n", b","), where)
    return rows


def _check_values(data: bytes, where: str) -> None:
    if len(data) > _FEW_BYTES and (
        data.count(b",") > _MAX_VALUES or data.count(b"[") + data.count(b"{") > _MAX_CONTAINERS
    ):
        raise BundleError(
            f"{where} is damaged: it has more values than a table can have", hint=_AGAIN, code="damaged"
        )


def _parsed(data: bytes, where: str) -> Any:
    _check_values(data, where)
    try:
        return loads(data)
    except JSONDecodeError as error:
        raise BundleError(f"{where} is not JSON: {error}", hint=_AGAIN, code="damaged") from None


def read(store: Store, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return a decoded file. Raise BundleError when it cannot be read or decoded, or is larger than
    ``max_bytes``.
    """
    _check(path, store.location)
    max_bytes = min(max_bytes, MAX_FILE_BYTES)
    return decoded(
        store.raw(path, codec_of(path).max_stored_bytes(max_bytes)), path, store.location, max_bytes
    )


def decoded(data: bytes, path: str, location: str, max_bytes: int) -> bytes:
    """Return the content of a stored file. Raise BundleError when it is damaged or larger than
    ``max_bytes``.
    """
    try:
        return codec_of(path).decode(data, max_bytes)
    except ValueError as error:
        raise BundleError(f"{location}/{path} is damaged: {error}", hint=_AGAIN, code="damaged") from None
