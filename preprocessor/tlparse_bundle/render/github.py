"""A report as annotations of a GitHub workflow (workflow commands: ::error file=…::…)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tlparse_bundle.base.terminal_text import shown

if TYPE_CHECKING:
    from tlparse_bundle.statements.selection import Section

_NOT_LOOKED_INTO = {"node_modules", "site-packages", "__pycache__"}
_MOST = 200_000  # files that are looked at
_COMMANDS = {"error": "error", "warning": "warning"}


def render(sections: Sequence[Section], places: Mapping[str, str] = {}, *, growing: str | None = None) -> str:
    """``places``: where files lie in the repository (see places_in).

    ``growing``: what to say of a growing bundle first.
    """
    first = [] if growing is None else [annotation("notice", "still growing", growing)]
    return "\n".join([*first, *(line for section in sections for line in _section(section, places))])


def _section(section: Section, places: Mapping[str, str]) -> Iterator[str]:
    yield annotation("notice", section.name, section.summary["text"])
    for row in section.findings:
        yield annotation(
            _COMMANDS.get(row["severity"], "notice"),
            row["kind"],
            said(row),
            places.get(row["file"], row["file"]),
            row["line"],
        )


def said(row: dict) -> str:
    """A finding as the text of an annotation: what it is, and what may help."""
    return "\n".join([row["title"], *(remedy["text"] for remedy in row["remedies"])])


def annotation(command: str, title: str, text: str, file: str | None = None, line: int | None = None) -> str:
    """A workflow command: 'notice', 'warning' or 'error', at a place of the program if there is one."""
    places = [] if file is None else [f"file={_property(file)}", *([] if line is None else [f"line={line}"])]
    return f"::{command} {','.join([*places, f'title={_property(title)}'])}::{_data(text)}"


def _data(text: str) -> str:
    return "%0A".join(shown(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return shown(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def places_in(folder: Path, files: Iterable[str | None]) -> dict[str, str]:
    """{file as a finding names it: its path below the folder}, of those that only one file there can be.

    A finding names a file without the folders that all files of its log share. Nothing of the log becomes a
    path: names are compared with those that are there.
    """
    wanted: dict[str, set[str]] = {}
    for file in files:
        if file:
            wanted.setdefault(file.rpartition("/")[2], set()).add(file)
    found: dict[str, list[str]] = {}
    seen = 0
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _NOT_LOOKED_INTO
        )
        seen += len(names)
        if seen > _MOST:
            return {}
        for name in names:
            for file in wanted.get(name, ()):
                path = Path(at, name).relative_to(folder).as_posix()
                if path == file or path.endswith(f"/{file}"):
                    found.setdefault(file, []).append(path)
    return {file: paths[0] for file, paths in found.items() if len(paths) == 1}
