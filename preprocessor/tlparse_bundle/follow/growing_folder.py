"""Folder of a growing bundle, readable from the first state on, however this process ends."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import is_url
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.atomic import permissions
from tlparse_bundle.bundle.atomic.folder import is_empty, unwritable
from tlparse_bundle.bundle.atomic.staging import Staging
from tlparse_bundle.bundle.codecs import Codec
from tlparse_bundle.bundle.json_codec import dumps_indented
from tlparse_bundle.bundle.manifest import read_manifest
from tlparse_bundle.bundle.reader import Bundle, named_files
from tlparse_bundle.bundle.store import open_store
from tlparse_bundle.pipeline.file_writer import FileSink
from tlparse_bundle.pipeline.target import is_bundle, others_in

NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT))


class Place:
    """Context manager for the locked folder. ``old`` is the manifest of an existing growing bundle, or None.

    Raises BundleError when the folder holds something else, or a finished bundle that may not be
    overwritten.
    """

    _staging: Staging  # from __enter__ on

    def __init__(self, out: str | os.PathLike[str], *, overwrite: bool):
        if is_url(out):
            raise BundleError(
                f"'{out}' is not a local folder",
                hint="Pass a local folder, and copy the bundle when it is finished.",
                code="bad-out",
            )
        self.called = Path(out)
        self.root = self.called.absolute()
        self._overwrite = overwrite
        self._allowed = permissions.EVERYBODY
        self.old: dict[str, Any] | None = None

    def __enter__(self) -> Self:
        try:
            return self._enter()
        except OSError as error:
            raise unwritable(self.called, error) from error

    def _enter(self) -> Self:
        self._fills = fills = self.root.is_dir() and is_empty(self.root)
        if fills:
            self.root = self.root.resolve()
        self._staging = Staging(self.root, self.root if fills else self.root.parent, self.called)
        self._staging.__enter__()
        try:
            if not fills and os.path.lexists(self.root):
                self.old = self._growing()
            self.root.mkdir(exist_ok=True)
            # Write the marker of a folder without a manifest first.
            (self.root / layout.LIVE).mkdir(exist_ok=True)
            (self.root / "logs").mkdir(exist_ok=True)
        except BaseException:
            self._staging.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._staging.__exit__(*error)

    def _growing(self) -> dict[str, Any] | None:
        """Return the manifest of an existing bundle to continue; otherwise remove it, if allowed."""
        begun = not os.path.lexists(self.root / layout.MANIFEST) and (self.root / layout.LIVE).is_dir()
        if not begun and not is_bundle(self.root):
            hint = "Choose a different path. Only bundles are replaced."
            raise BundleError(f"'{shown(self.called)}' exists and is not a bundle", hint=hint, code="exists")
        manifest = None if begun else read_manifest(open_store(self.root))
        growing = manifest is None or bool(manifest.get("growing"))
        if not growing and not self._overwrite:
            raise BundleError(
                f"'{shown(self.called)}' already exists", hint="Use --overwrite to replace it.", code="exists"
            )
        others = sorted(path for path in others_in(self.root) if not path.endswith("/"))
        if others:
            hint = "Move them away first, or they would be lost."
            raise BundleError(
                f"'{shown(self.called)}' contains files that are not part of a bundle: "
                f"{', '.join(map(shown, others[:5]))}",
                hint=hint,
                code="exists",
            )
        for path in filter(layout.is_unfinished, [*_files_below(self.root)]):
            (self.root / path).unlink()
        if growing and manifest is not None and not self._overwrite:
            return manifest
        self.clear()
        return None

    def clear(self) -> None:
        """Remove an existing bundle, manifest first."""
        (self.root / layout.LIVE).mkdir(exist_ok=True)
        (self.root / layout.MANIFEST).unlink(missing_ok=True)
        for name in os.listdir(self.root):
            path = self.root / name
            if name != layout.LIVE:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for state in self.states():
            self.remove(state)

    def allow(self, sources: Sequence[Any]) -> None:
        """Restrict readers of the bundle to those of all these files, before any of them is read."""
        allowed = self._allowed & permissions.readers(sources)
        if allowed != self._allowed:
            self._allowed = allowed
            for path in layout.guards(self.root):
                if path.exists():
                    permissions.restrict(str(path), allowed)

    # Interface of Destination, for parts of a build that write beside the logs.

    def write(self, path: str, data: bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def put_manifest(self, manifest: dict[str, Any]) -> None:
        """Replace the manifest atomically."""
        partial = self.root / layout.UNFINISHED_MANIFEST
        partial.write_bytes(dumps_indented(manifest))
        permissions.restrict(str(partial), self._allowed)
        partial.replace(self.root / layout.MANIFEST)

    def shown(self) -> None:
        """Keep the bundle when this process ends, since it now exists."""
        if not self._staging.done:
            self._staging.commit()

    def states(self) -> Iterator[int]:
        """Return the states that have files here."""
        for name in os.listdir(self.root / layout.LIVE):
            if name.isdecimal():
                yield int(name)

    def remove(self, counter: int) -> None:
        shutil.rmtree(self.root / layout.live_path(counter), ignore_errors=True)

    def remove_log(self, log_id: str) -> None:
        """Remove the files of a log that no manifest names."""
        shutil.rmtree(self.root / "logs" / log_id, ignore_errors=True)

    def finish(self, manifest: dict[str, Any]) -> tuple[int, int]:
        """Put the finished manifest in place and remove other files; return the number of files and bytes."""
        permissions.seal(str(self.root), self._allowed)
        self.put_manifest(manifest)
        kept = set(named_files(Bundle(open_store(self.root), manifest, verify=False, trusted=True)))
        for path in _files_below(self.root):
            if path not in kept and (layout.is_own(path) or layout.is_unfinished(path)):
                (self.root / path).unlink()
        shutil.rmtree(self.root / layout.LIVE)
        for folder, _, _ in os.walk(self.root, topdown=False):
            if folder != str(self.root) and not os.listdir(folder):
                os.rmdir(folder)
        permissions.sync(str(self.root / layout.MANIFEST))
        permissions.sync(str(self.root))
        sizes = [(self.root / path).stat().st_size for path in _files_below(self.root)]
        return len(sizes), sum(sizes)

    def unlist(self) -> None:
        """Remove the manifest while files of the last state change."""
        (self.root / layout.MANIFEST).unlink(missing_ok=True)

    def drop(self) -> None:
        """Remove everything, since there was nothing to follow."""
        self.clear()
        (self.root / layout.LIVE).rmdir()
        if not self._fills:
            self.root.rmdir()


class PatientSink(FileSink):
    """Writes permanent files, waiting while the disk is full, so that no data is lost.

    ``no_room`` gets the error when the disk is full, waits, and raises to give up.
    """

    def __init__(self, root: Path, codec: Codec, no_room: Callable[[OSError], None]):
        super().__init__(root, codec)
        self._no_room = no_room

    def _write(self, path: str, pieces: Iterable[bytes]) -> None:
        if self.below:  # a state, for which another one comes
            super()._write(path, pieces)
            return
        pieces = list(pieces)
        while True:
            try:
                super()._write(path, pieces)
                return
            except OSError as error:
                if error.errno not in NO_ROOM:
                    raise
                self._no_room(error)


def _files_below(root: Path) -> Iterator[str]:
    for folder, _, files in os.walk(root):
        for name in files:
            yield (Path(folder) / name).relative_to(root).as_posix()
