"""Files and folders at URLs, through fsspec."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from tlparse_bundle.base.errors import BundleError, Refused

_REQUESTS = 16  # at once
_MAX_MESSAGE = 300
_PIECE_BYTES = 1 << 20
_OBJECT_STORES = frozenset(("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"))  # they have no folders to make

# Otherwise s3fs queries the size of each file before it reads it (S3FileSystem._cat_file).
_OPTIONS = {scheme: {"max_concurrency": 1} for scheme in ("s3", "s3a")}


def is_url(location: str | os.PathLike[str]) -> bool:
    return "://" in str(location)


class RemoteFolder:
    """A folder at a URL that fsspec supports. All failures are OSError.

    Listings are not cached, since others write while we read. Raises BundleError without fsspec or the
    package for the protocol, and when the URL holds a password, which would end up in logs.
    """

    def __init__(self, url: str):
        parts = urlsplit(url)
        if (
            parts.password is not None
            or parts.query
            or (parts.username and parts.scheme in ("http", "https"))
        ):
            raise BundleError(
                f"the URL {parts.scheme}://{parts.hostname or ''}{parts.path} contains a password or a key",
                hint=(
                    "Leave it out. fsspec reads credentials from the environment and from configuration"
                    " files."
                ),
                code="credentials",
            )
        self.url = url.rstrip("/")
        try:
            import fsspec  # type: ignore[import-untyped]  # it has no types

            self._is_web = parts.scheme in ("http", "https")
            options = _web_options() if self._is_web else _OPTIONS.get(parts.scheme, {})
            # Such as zip://x::https://…: fsspec gives each protocol what is named after it.
            if "::http" in self.url:
                options = {**options, "http": _web_options(), "https": _web_options()}
            self._fs, root = fsspec.core.url_to_fs(self.url, use_listings_cache=False, **options)
        except ImportError as error:
            hint = "To read URLs, install: pip install 'tlparse-bundle[remote]'"
            raise BundleError(f"{url} cannot be read: {error}", hint=hint, code="no-fsspec") from None
        except ValueError as error:
            raise BundleError(f"{url} cannot be read: {error}", code="unreadable") from None
        self._root = root.rstrip("/")
        self._is_object_store = parts.scheme in _OBJECT_STORES

    def read(self, path: str, max_bytes: int) -> bytes:
        """Return a file, up to this many bytes."""
        if self._is_web:
            content: bytes = self._ask(self._fs.cat_file, path, trace_request_ctx=max_bytes)
            return content
        try:
            data: bytes = self._ask(self._fs.cat_file, path, start=0, end=max_bytes + 1)
        except OSError:
            if self.info(path).get("size") != 0:  # of which no byte can be asked for
                raise
            return b""
        if len(data) > max_bytes:
            raise OSError(f"it has more than {max_bytes:,} bytes, the limit")
        return data

    def open(self, path: str) -> OpenFile:
        """Open a file for sequential reading."""
        return OpenFile(self._ask(self._fs.open, path, mode="rb"))

    def open_at(self, path: str, start: int) -> OpenFile:
        """Open a file at an offset. A web server without ranges also sends what is before it."""
        file = self.open(path)
        try:
            file.seek(start)
            if start and file.read(1):
                file.seek(start)
            return file
        except (OSError, ValueError):
            file.close()
        file = OpenFile(self._ask(self._fs.open, path, mode="rb", block_size=0))
        try:
            while start and (data := file.read(min(start, _PIECE_BYTES))):
                start -= len(data)
        except BaseException:
            file.close()
            raise
        return file

    def modified(self, path: str) -> dt.datetime:
        moment: dt.datetime = self._ask(self._fs.modified, path)
        return moment

    def write(self, path: str, data: bytes) -> None:
        """Store a file. Readers get the old or the new one, if the place supports that."""
        if not self._is_object_store:
            self._ask(lambda target: self._fs.makedirs(target, exist_ok=True), path.rpartition("/")[0])
        self._ask(lambda target: self._fs.pipe_file(target, data), path)

    def exists(self, path: str) -> bool:
        exists: bool = self._ask(self._fs.exists, path)
        return exists

    def files(self) -> dict[str, int]:
        """Return the size in bytes of each file below, by path."""
        entries = (
            self._ask(_walk_web(self._fs), "") if self._is_web else self._ask(self._fs.find, "", detail=True)
        )
        return {
            name[len(self._root) :].lstrip("/"): entry["size"]
            for name, entry in entries.items()
            if entry["type"] == "file"
        }

    def remove(self, path: str) -> None:
        self._ask(self._fs.rm_file, path)

    def for_each(self, do: Callable[[Any], None], items: Iterable[Any]) -> None:
        """Call a function for each item, several at once in object stores (fsspec/asyn.py). Raise the first
        error and start no more.
        """
        # Slow to import, and every command imports this module.
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_REQUESTS if self._is_object_store else 1) as pool:
            try:
                for _ in pool.map(do, items):
                    pass
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def info(self, path: str) -> dict[str, Any]:
        """Return information about a file or folder: 'type', and 'size' and version marks if it has them."""
        info: dict[str, Any] = self._ask(self._fs.info, path)
        return info

    def folders(self) -> list[str]:
        """Return the names of the folders below, in order."""
        entries = self._ask(self._fs.ls, "", detail=True)
        return sorted(
            {
                str(entry["name"]).rstrip("/").split("/")[-1]
                for entry in entries
                if entry["type"] == "directory"
            }
        )

    def _ask(self, call: Callable[..., Any], path: str, **options: Any) -> Any:
        if ".." in unquote(path).replace("\\", "/").split("/"):
            raise BundleError(f"{path!r} points outside the bundle {self.url}", code="bad-path")
        with _os_errors():
            return call(f"{self._root}/{path}".rstrip("/"), **options)


@contextmanager
def _os_errors() -> Iterator[None]:
    """Turn exceptions of protocols, such as missing credentials, into OSError."""
    try:
        yield
    except OSError as error:
        raise _reason(error, error) from None
    except Exception as error:
        message = str(error).partition("\n")[0][:_MAX_MESSAGE]  # it may quote what the server sent
        raise _reason(error, OSError(f"{type(error).__name__}: {message}")) from None


def _reason(error: Exception, instead: OSError) -> OSError:
    """Return the original error that fsspec wraps."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, Refused):
        cause = cause.__cause__ or cause.__context__
    return cause or instead


class OpenFile:
    """A file that is read sequentially. All failures are OSError."""

    def __init__(self, file: Any):
        self._file = file

    def __enter__(self) -> OpenFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def seek(self, offset: int, /) -> int:
        position: int = self._file.seek(offset)
        return position

    def read(self, size: int = -1, /) -> bytes:
        with _os_errors():
            data: bytes = self._file.read(size)
            return data


def _web_options() -> dict[str, Any]:
    from tlparse_bundle.base.remote_http import open_session

    return {"get_client": open_session}


def _walk_web(fs: Any) -> Callable[[str], dict[str, dict[str, Any]]]:
    from fsspec.asyn import sync  # type: ignore[import-untyped]  # it has no types

    from tlparse_bundle.base.remote_http import walk

    return lambda root: sync(fs.loop, walk, fs, root)


class _Stat(NamedTuple):
    st_size: int
    st_mtime: float


class RemoteFile:
    """A file at a URL, used like a local path. Only the URL is pickled."""

    def __init__(self, url: str):
        self.url = url
        place, _, self.name = url.rstrip("/").rpartition("/")
        self._folder = RemoteFolder(place)

    def __str__(self) -> str:
        return self.url

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoteFile) and self.url == other.url

    def __hash__(self) -> int:
        return hash(self.url)

    def __reduce__(self) -> tuple[type[RemoteFile], tuple[str]]:
        return RemoteFile, (self.url,)

    def resolve(self) -> RemoteFile:
        return self

    def absolute(self) -> RemoteFile:
        return self

    def open(self, mode: str = "rb", buffering: int = -1) -> OpenFile:
        return self._folder.open(self.name)

    def open_at(self, start: int) -> OpenFile:
        return self._folder.open_at(self.name, start)

    def stat(self) -> _Stat:
        size = self._folder.info(self.name)["size"]
        if size is None:
            raise OSError("the server does not say its size")
        try:
            return _Stat(size, self._folder.modified(self.name).timestamp())
        except (OSError, NotImplementedError):
            return _Stat(size, 0.0)
