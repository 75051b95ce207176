"""Writes the files of a growing bundle that stay: where the disk is full it waits for room, so that nothing
that was read is lost.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from pathlib import Path

from tlparse_bundle.bundle.codecs import Codec
from tlparse_bundle.pipeline.file_writer import FileSink

NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT))


class PatientSink(FileSink):
    """``no_room`` is told of the error when there is no room, waits, and raises when it is not to be tried
    again.
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
