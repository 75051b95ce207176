"""Places in the program: as short as they are unique, and without what differs between machines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_PATH = re.compile(r"(?:/[\w.@+~-]+){2,}|[A-Za-z]:(?:\\[\w.@+~ -]+)+")
_PACKAGES = re.compile(r".*[/\\](?:site|dist)-packages[/\\]")
_PYTHON = re.compile(
    r"[/\\\\]lib[/\\\\]python3[.\d]*[/\\\\]|[/\\\\]torch[/\\\\](?:_dynamo|_inductor|fx|_functorch|export|nn)[/\\\\]"
)
_SHOWN_PATH = re.compile(
    r"(?<![\w./:>)\]-])(?:/[\w.@+~-]+){2,}"
)  # neither a part of a relative path nor of an address
_BELOW = re.compile(r".*/(?:lib/(?=python3)|(?=torch/(?:_\w+|fx|export|nn|optim|autograd|utils)/))")
_AT = re.compile(r" at 0x[0-9a-fA-F]{6,16}(?=>)")
_TEMPORARY = re.compile(r"\btmp[a-z0-9_]{8}\b")  # of the module tempfile
_HASH = re.compile(r"\bc[a-z2-7]{51}\b")  # of code that Inductor writes
_NUMBER = re.compile(r"\b((?i:pid|process(?: id)?)[ =:]+)\d+\b|\b\d{10,}\b")  # a process, an object
_GENERATED = re.compile(r"(<eval_with_key>)\.\d+")


def normalised(text: str) -> str:
    """A text as another machine or another run writes it: without addresses, folders, temporary names,
    processes, numbers of generated code.
    """
    text = _PATH.sub(lambda path: tail(path[0]), text)
    text = _HASH.sub("c…", _TEMPORARY.sub("tmp…", _GENERATED.sub(r"\1", _ADDRESS.sub("0x…", text))))
    return _NUMBER.sub(lambda number: f"{number[1] or ''}…", text)


def tail(path: str) -> str:
    """The name of a file; of one in a package, the path from the package on."""
    below = _PACKAGES.sub("", path)
    return below if below != path else re.split(r"[/\\]", path)[-1]


def is_generated(file: str | None) -> bool:
    """Whether it is no file but code that torch generates, such as "<eval_with_key>.3"."""
    return file is not None and file.startswith("<")


def is_of_program(file: str) -> bool:
    """Whether a file is part of the program: not of a package, not generated, not Python's own."""
    return not is_generated(file) and not _PACKAGES.match(file) and not _PYTHON.search(file)


def where(row: Mapping[str, Any]) -> str | None:
    """The place of a finding: "model.py:12"."""
    file: str | None = row["file"]
    return file if file is None or row["line"] is None else f"{file}:{row['line']}"


class Shortener:
    """Paths without the folders that all files of the log share."""

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
        """The file as short as it is unique in the log; a file of a package from the package on."""
        plain = file.replace("\\", "/")
        below = _PACKAGES.sub("", plain)
        if below != plain:
            return below
        short = plain.removeprefix(self._start) if self._start else plain
        return _BELOW.sub("", plain) if short == plain else short

    def text(self, text: str) -> str:
        """A text in which files of the program, of packages and of Python are as short as elsewhere, and
        objects have no address.
        """
        return _AT.sub("", _SHOWN_PATH.sub(lambda path: self(path[0]), text))

    def place(self, file: str | None, line: int | None) -> str | None:
        """ "model.py:12"; None without a file."""
        return None if file is None else self(file) if line is None else f"{self(file)}:{line}"
