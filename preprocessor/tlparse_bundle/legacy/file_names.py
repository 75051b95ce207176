"""Names from a log to paths below the report, numbered as tlparse numbers them.

tlparse joins names to its output folder as they are and writes wherever that leads. Here they stay
inside: what is no plain name of a file is left out or replaced.
"""

from __future__ import annotations

import hashlib
import re

_MAX_PART_BYTES = 200
_MAX_PATH_BYTES = 1000
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")


def safe_path(name: str) -> str:
    """A relative path without '..' and the like; the same as ``name`` for names of no ill will."""
    if len(name) > _MAX_PATH_BYTES:  # as one name, which is cut below
        name = name.replace("/", "_")
    parts = [_safe_part(part) for part in _UNSAFE.sub("_", name).split("/") if part not in ("", ".", "..")]
    return "/".join(parts) or "_"


def _safe_part(part: str) -> str:
    data = part.encode()
    if len(data) <= _MAX_PART_BYTES:
        return part
    stem, ending = split_ending(part)
    digest = hashlib.sha256(data).hexdigest()[:8]
    return f"{_cut(stem, 100)}-{digest}{_cut(ending, 40)}"


def _cut(text: str, size: int) -> str:
    return text.encode()[:size].decode("utf-8", "ignore")


def split_ending(name: str) -> tuple[str, str]:
    """A file name as stem and ending with its dot, as Rust's Path does: '.txt' has no ending."""
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if stem and name != ".." else (name, "")


def numbered(path: str, number: int) -> str:
    """``path`` with the number before its last ending."""
    folder, slash, name = path.rpartition("/")
    stem, ending = split_ending(name)
    return f"{folder}{slash}{stem}_{number}{ending}"


class Places:
    """The paths taken so far: no file becomes a folder, no folder a file."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def place(self, path: str) -> str:
        """Where to put what should be at ``path``; nearly always there.

        The same path again is the same file.
        """
        if not self._is_free(path):
            folder, _, name = path.partition("/")
            path = f"{folder}/{name.replace('/', '_')}"
            while not self._is_free(path):
                path += "_"
        self._files.add(path)
        self._folders.update(_parents(path))
        return path

    def _is_free(self, path: str) -> bool:
        return path not in self._folders and self._files.isdisjoint(_parents(path))


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
