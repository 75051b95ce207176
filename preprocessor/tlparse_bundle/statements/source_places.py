"""Short, machine-independent names of places in the program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tlparse_bundle.base.machine_text import PACKAGES, without_addresses

_PYTHON = re.compile(
    r"[/\\\\]lib[/\\\\]python3[.\d]*[/\\\\]|[/\\\\]torch[/\\\\](?:_dynamo|_inductor|fx|_functorch|export|nn)[/\\\\]"
)
_SHOWN_PATH = re.compile(r"(?<![\w./:>)\]-])(?:/[\w.@+~-]+){2,}")  # not a part of a relative path or a URL
_BELOW = re.compile(
    r"\A.*/(?:lib/(?=python3)|(?=torch/(?:_\w+|fx|export|nn|optim|autograd|utils)/))", re.DOTALL
)


def is_generated(file: str | None) -> bool:
    """Whether it is code that torch generates, such as "<eval_with_key>.3"."""
    return file is not None and file.startswith("<")


def is_of_program(file: str) -> bool:
    """Whether a file is part of the program: not of a package, not generated, not Python's own."""
    return not is_generated(file) and not PACKAGES.match(file) and not _PYTHON.search(file)


def where(row: Mapping[str, Any]) -> str | None:
    """Return the place of a finding, such as "model.py:12"; None without a file."""
    file: str | None = row["file"]
    return file if file is None or row["line"] is None else f"{file}:{row['line']}"


class Shortener:
    """Shorten paths by the folders that all files of the log share."""

    def __init__(self, files: Iterable[str | None]):
        folders = [
            file.replace("\\", "/").split("/")[:-1]
            for file in {file for file in files if file}
            if not is_generated(file)
        ]
        self._common = 0
        if folders:
            shortest = min(map(len, folders))
            while self._common < shortest and len({folder[self._common] for folder in folders}) == 1:
                self._common += 1
        self._start = "/".join(folders[0][: self._common]) + "/" if self._common else ""

    def __call__(self, file: str) -> str:
        """Return a path without shared folders; for a file of a package, the path from the package on."""
        plain = file.replace("\\", "/")
        below = PACKAGES.sub("", plain)
        if below != plain:
            return below
        short = plain.removeprefix(self._start) if self._start else plain
        return _BELOW.sub("", plain) if short == plain else short

    def text(self, text: str) -> str:
        """Return a text with shortened paths and without addresses of objects."""
        return without_addresses(_SHOWN_PATH.sub(lambda path: self(path[0]), text), of_objects=True)

    def place(self, file: str | None, line: int | None) -> str | None:
        """Return a place such as "model.py:12"; None without a file."""
        return None if file is None else self(file) if line is None else f"{self(file)}:{line}"
