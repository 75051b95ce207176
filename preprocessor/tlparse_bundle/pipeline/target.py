"""Targets of a bundle: a staging folder, or a URL with the manifest last."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import RemoteFolder, is_url
from tlparse_bundle.base.signals import finished_places
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.atomic.folder import is_empty, new_folder, temporary_folder, unwritable
from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.bundle.regular_file import read_regular

_MAX_MANIFEST_BYTES = 256 << 20


class Destination(Protocol):
    """Destination of bundle files."""

    @property
    def root(self) -> str | Path:
        """Folder or URL, for code that writes logs and reads them back."""

    def write(self, path: str, data: bytes) -> None:
        """Store a file of the bundle as it is."""


class Target(Destination, Protocol):
    """A bundle that is being written. Context manager: it appears when the block succeeds."""

    @property
    def root(self) -> str:
        """See Destination; only in the block."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...

    def size(self) -> tuple[int, int]:
        """Return the number of files and of their bytes, at the end."""


def open_target(out: str | os.PathLike[str], *, overwrite: bool, sources: Sequence[Any] = ()) -> Target:
    """Return the target at a folder or URL. Raise BundleError unless a bundle may be written there.

    In a folder, only those who can read all ``sources`` can read the bundle; in an object store, its own
    rules apply.
    """
    if is_url(out):
        return _RemoteTarget(str(out), overwrite)
    return _Folder(Path(out), overwrite, sources)


class _Folder:
    def __init__(self, out: Path, overwrite: bool, sources: Sequence[Any]):
        self._out = out
        may_replace = _Replaceable(out, overwrite)
        new = not os.path.lexists(out) or _is_empty(out)
        if not new:
            may_replace(out)
        self._folder = new_folder(
            out, may_replace=None if new else may_replace, readers_of=sources, last=layout.MANIFEST
        )

    def __enter__(self) -> Self:
        self.root = str(self._folder.__enter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        return self._folder.__exit__(kind, value, trace)

    def write(self, path: str, data: bytes) -> None:
        target = Path(self.root) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def size(self) -> tuple[int, int]:
        sizes = [path.stat().st_size for path in self._out.rglob("*") if path.is_file()]
        return len(sizes), sum(sizes)


class _RemoteTarget:
    """A remote prefix or folder that fsspec can write to. Without a manifest it is not a bundle."""

    def __init__(self, url: str, overwrite: bool):
        self._folder = RemoteFolder(url)
        self.root = self._folder.url
        files = self._files()
        if layout.MANIFEST in files and not overwrite:
            raise BundleError(
                f"'{self.root}' already exists", hint="Use --overwrite to replace it.", code="exists"
            )
        others = sorted(path for path in files if not layout.is_own(path))
        if others or (files and layout.MANIFEST not in files and not overwrite):
            held = ", ".join((others or sorted(files))[:5])
            raise BundleError(
                f"'{self.root}' exists and contains {held}",
                hint="Choose a different path. Only bundles are replaced.",
                code="exists",
            )
        self._old = files

    def __enter__(self) -> Self:
        if self._old:
            self._remove(self._old)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: object, /) -> None:
        if kind is None:
            finished_places.append(self.root)
        else:
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
        """Remove the bundle, manifest first, so that it is not a bundle until the new one is complete."""
        paths = set(files)
        if layout.MANIFEST in paths:
            self._folder.remove(layout.MANIFEST)
        self._folder.for_each(self._folder.remove, sorted(paths - {layout.MANIFEST}))


@contextmanager
def folder_of(root: str) -> Iterator[Path]:
    """Yield a local folder, uploaded to ``root`` at the end if that is a URL; else ``root`` itself."""
    if not is_url(root):
        yield Path(root)
        return
    with temporary_folder() as folder:
        yield folder
        upload(folder, root)


def upload(folder: Path, url: str) -> None:
    """Upload a folder to a URL. Existing blobs have the same content."""
    remote = RemoteFolder(url)

    def send(path: Path) -> None:
        name = path.relative_to(folder).as_posix()
        if not (name.startswith("blobs/") and remote.exists(name)):
            remote.write(name, path.read_bytes())

    remote.for_each(send, sorted(path for path in folder.rglob("*") if path.is_file()))


def _is_empty(out: Path) -> bool:
    try:
        return out.is_dir() and is_empty(out)
    except OSError as error:
        raise unwritable(out, error) from error


class _Replaceable:
    """Checks whether a path holds the bundle that was at ``out`` at first, and nothing else."""

    def __init__(self, out: Path, overwrite: bool):
        self._out = out
        self._overwrite = overwrite
        self._seen = _version(out)

    def __call__(self, path: Path) -> None:
        if not is_bundle(path):
            hint = "Choose a different path. Only bundles are replaced."
            raise BundleError(f"'{shown(self._out)}' exists and is not a bundle", hint=hint, code="exists")
        if not self._overwrite:
            raise BundleError(
                f"'{shown(self._out)}' already exists", hint="Use --overwrite to replace it.", code="exists"
            )
        others = sorted(others_in(path))
        if others:
            hint = "Move them away first, or they would be lost."
            raise BundleError(
                f"'{shown(self._out)}' contains files that are not part of a bundle: "
                f"{', '.join(map(shown, others[:5]))}",
                hint=hint,
                code="exists",
            )
        if _version(path) != self._seen:
            hint = "Check its contents, and run the command again to replace it."
            raise BundleError(
                f"'{shown(self._out)}' was changed by another process; it was not replaced",
                hint=hint,
                code="exists",
            )


def _version(bundle: Path) -> tuple[int, ...] | None:
    try:
        status = (bundle / layout.MANIFEST).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def others_in(bundle: Path) -> Iterator[str]:
    """Yield files in a bundle folder that are not part of it, and empty folders."""
    for place, folders, files in os.walk(bundle):
        at = Path(place).relative_to(bundle)
        for name in files:
            path = (at / name).as_posix()
            if not (layout.is_own(path) or layout.is_unfinished(path)) or (Path(place) / name).is_symlink():
                yield path
        for name in folders:
            if (Path(place) / name).is_symlink():
                yield (at / name).as_posix()
        if not folders and not files and place != str(bundle) and not layout.is_own_folder(at.as_posix()):
            yield f"{at.as_posix()}/"


def is_bundle(path: Path) -> bool:
    try:
        manifest = loads(read_regular(path, layout.MANIFEST, _MAX_MANIFEST_BYTES))
        return bool(manifest["format"]["name"] == layout.FORMAT_NAME)
    except (OSError, ValueError, TypeError, KeyError):
        return False
