"""Where a bundle is written: beside its place until it is whole, or at a URL with the manifest last."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, Self

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format import layout
from tlparse_bundle.format.json_codec import loads
from tlparse_bundle.remote import RemoteFolder, is_url


class Target(Protocol):
    """A bundle that is being written. Use as a context manager: it is there when the block ends well, else nothing is."""

    root: str  # a folder or a URL, for those that write logs and read them again

    def __enter__(self) -> Self: ...

    def __exit__(self, kind, value, traceback) -> None: ...

    def write(self, path: str, data: bytes) -> None:
        """Store a file of the bundle as it is."""

    def size(self) -> tuple[int, int]:
        """Number of files and of their bytes, at the end."""


def open_target(out: str | os.PathLike, *, overwrite: bool) -> Target:
    """The target at a folder or a URL. Raises BundleError unless a bundle may be written there."""
    if is_url(out):
        return _RemoteTarget(str(out), overwrite)
    return _Folder(Path(out), overwrite)


class _Folder:
    def __init__(self, out: Path, overwrite: bool):
        _check_folder(out, overwrite)
        self._out = out
        self._staging = out.absolute().parent / f".{out.name}.{os.getpid()}.partial"
        self.root = str(self._staging)

    def __enter__(self) -> Self:
        try:
            self._staging.mkdir(parents=True)
        except OSError as error:
            raise _unwritable(self._out, error) from error
        return self

    def __exit__(self, kind, value, traceback) -> None:
        try:
            if kind is None:
                _put_in_place(self._staging, self._out)
        except OSError as error:
            raise _unwritable(self._out, error) from error
        finally:
            shutil.rmtree(self._staging, ignore_errors=True)
        if isinstance(value, OSError):
            raise _unwritable(self._out, value) from value

    def write(self, path: str, data: bytes) -> None:
        target = self._staging / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def size(self) -> tuple[int, int]:
        sizes = [path.stat().st_size for path in self._out.rglob("*") if path.is_file()]
        return len(sizes), sum(sizes)


class _RemoteTarget:
    """A prefix of an object store, or another folder that fsspec can write to: what has no manifest is no bundle."""

    def __init__(self, url: str, overwrite: bool):
        self._folder = RemoteFolder(url)
        self.root = self._folder.url
        files = self._files()
        if layout.MANIFEST in files and not overwrite:
            raise BundleError(f"{self.root} exists already", hint="Use --overwrite to replace it.", code="exists")
        others = sorted(path for path in files if not layout.is_own(path))
        if others or files and layout.MANIFEST not in files and not overwrite:
            held = ", ".join((others or sorted(files))[:5])
            raise BundleError(
                f"{self.root} exists and holds {held}", hint="Choose another place; only bundles are ever replaced.", code="exists"
            )
        self._old = files

    def __enter__(self) -> Self:
        if self._old:
            self._remove(self._old)
        return self

    def __exit__(self, kind, value, traceback) -> None:
        if kind is not None:
            self._remove(self._files())
        if isinstance(value, OSError):
            raise BundleError(f"{self.root} cannot be written: {value}", code="unwritable") from value

    def write(self, path: str, data: bytes) -> None:
        self._folder.write(path, data)

    def size(self) -> tuple[int, int]:
        files = self._files()
        return len(files), sum(files.values())

    def _files(self) -> dict[str, int]:
        try:
            return self._folder.files()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise BundleError(f"{self.root} cannot be listed: {error}", code="unreadable") from None

    def _remove(self, files: Iterable[str]) -> None:
        """The manifest first: from then on it is no bundle, until the new one is whole."""
        paths = set(files)
        if layout.MANIFEST in paths:
            self._folder.remove(layout.MANIFEST)
        self._folder.for_each(self._folder.remove, sorted(paths - {layout.MANIFEST}))


class Uploads:
    """A folder of this machine whose files go to ``root`` at the end, if that is a URL; else ``root`` itself."""

    def __init__(self, root: str):
        self._root = root
        self._temporary = None
        if is_url(root):
            from tempfile import TemporaryDirectory

            self._temporary = TemporaryDirectory(prefix="tlparse-bundle-")

    def __enter__(self) -> Path:
        return Path(self._temporary.name if self._temporary else self._root)

    def __exit__(self, kind, value, traceback) -> None:
        if self._temporary is None:
            return
        with self._temporary as folder:
            if kind is None:
                upload(Path(folder), self._root)


def upload(folder: Path, url: str) -> None:
    """Copy what is below a folder to a URL. A blob that is there already has the same content."""
    remote = RemoteFolder(url)

    def send(path: Path) -> None:
        name = path.relative_to(folder).as_posix()
        if not (name.startswith("blobs/") and remote.exists(name)):
            remote.write(name, path.read_bytes())

    remote.for_each(send, sorted(path for path in folder.rglob("*") if path.is_file()))


def _check_folder(out: Path, overwrite: bool) -> None:
    try:
        if out.is_dir() and not any(out.iterdir()):
            return
        if not out.exists() and not out.is_symlink():
            return
    except OSError as error:
        raise _unwritable(out, error) from error
    if not is_bundle(out):
        raise BundleError(f"{out} exists and is not a bundle", hint="Choose another place; only bundles are ever replaced.", code="exists")
    if not overwrite:
        raise BundleError(f"{out} exists already", hint="Use --overwrite to replace it.", code="exists")
    files = (path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_symlink() or not path.is_dir())
    others = sorted(path for path in files if not layout.is_own(path))
    if others:
        raise BundleError(
            f"{out} holds more than a bundle: {', '.join(others[:5])}",
            hint="Move these away first; they would be lost.",
            code="exists",
        )


def _unwritable(out: Path, error: OSError) -> BundleError:
    where = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS)
    hint = "Choose a place with enough room where you may write." if where else ""
    return BundleError(f"{out} cannot be written: {error.strerror or error}", hint=hint, code="unwritable")


def is_bundle(path: Path) -> bool:
    try:
        manifest = loads((path / layout.MANIFEST).read_bytes())
        return manifest["format"]["name"] == layout.FORMAT_NAME
    except (OSError, ValueError, TypeError, KeyError):
        return False


def _put_in_place(staging: Path, out: Path) -> None:
    old = None
    if out.is_dir() and not out.is_symlink() and not any(out.iterdir()):
        out.rmdir()
    elif out.exists():
        old = out.parent / f".{out.name}.{os.getpid()}.old"
        out.rename(old)
    try:
        staging.rename(out)
    except BaseException:
        if old is not None:
            old.rename(out)
        raise
    if old is not None:
        if old.is_symlink():
            old.unlink()
        else:
            shutil.rmtree(old, ignore_errors=True)
