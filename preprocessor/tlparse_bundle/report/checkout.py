"""Where the files that a log names lie in a checkout, for annotations: GitHub shows one only at a path of the repository."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_NOT_LOOKED_INTO = {"node_modules", "site-packages", "__pycache__"}
_MOST = 200_000  # files that are looked at


def places_in(folder: Path, files: Iterable[str | None]) -> dict[str, str]:
    """{file as a finding names it: its path below the folder}, of those that only one file there can be.

    A finding names a file without the folders that all files of its log share. Nothing of the log becomes a path: names are
    compared with those that are there.
    """
    wanted: dict[str, set[str]] = {}
    for file in files:
        if file:
            wanted.setdefault(file.rpartition("/")[2], set()).add(file)
    found: dict[str, list[str]] = {}
    seen = 0
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_LOOKED_INTO)
        seen += len(names)
        if seen > _MOST:
            return {}
        for name in names:
            for file in wanted.get(name, ()):
                path = Path(at, name).relative_to(folder).as_posix()
                if path == file or path.endswith(f"/{file}"):
                    found.setdefault(file, []).append(path)
    return {file: paths[0] for file, paths in found.items() if len(paths) == 1}
