"""The ES modules of a viewer, in an order in which each can be given the addresses of those that it imports."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tlparse_bundle.errors import BundleError

# Static imports begin a line; import() and workers stand anywhere, but not in comments, where JSDoc has its types.
_STATIC = re.compile(r'^(?:import|export)\s(?:[^;"]*?from\s+)?"(\.{1,2}/[^"]+)"', re.MULTILINE)
_LATER = re.compile(r'\bimport\(\s*"(\.{1,2}/[^"]+\.js)"')
_WORKER = re.compile(r'\bnew URL\(\s*"(\.{1,2}/[^"]+\.js)", import\.meta\.url')
_MARKS = {_STATIC: "@module:", _LATER: "@module:", _WORKER: "@worker:"}


class Modules(NamedTuple):
    """``modules``: [name, text] of each, those first that others import; a name is a path below the root.

    The address of another module is ``"@module:<name>"`` in a text, that of a worker ``"@worker:<name>"``;
    ``workers`` has the modules of each, the last being the one that starts.
    """

    modules: list[tuple[str, str]]
    workers: dict[str, list[tuple[str, str]]]


def modules(entry: Path, root: Path) -> Modules:
    """``entry`` and all that it needs; ``entry`` is the last of the modules.

    Raises BundleError when a module is missing or lies outside, and when modules import each other in a circle.
    """
    texts: dict[Path, str] = {}
    workers: dict[Path, None] = {}

    def visit(path: Path, way: tuple[Path, ...]) -> None:
        if path in way:
            circle = " > ".join(step.name for step in (*way[way.index(path) :], path))
            raise BundleError(f"modules import each other in a circle: {circle}", code="export")
        if path in texts:
            return
        if not path.is_relative_to(root) or not path.is_file():
            raise BundleError(f"{way[-1] if way else root} needs {path}, which is not there", code="export")
        text = path.read_text(encoding="utf-8")
        matches = (match for pattern in _MARKS for match in pattern.finditer(text))
        pieces, done = [], 0
        for match in sorted(matches, key=lambda match: match.start()):
            target = (path.parent / match[1]).resolve()
            if match.re is not _STATIC and (_in_comment(text, match.start()) or not target.is_file()):
                continue  # what is fetched later may be missing; the page says so then
            if match.re is _WORKER:
                workers[target] = None
            else:
                visit(target, (*way, path))
            pieces.append(f"{text[done : match.start(1)]}{_MARKS[match.re]}{_name(target, root)}")
            done = match.end(1)
        texts[path] = "".join(pieces) + text[done:]

    visit(entry.resolve(), ())
    return Modules(
        [(_name(path, root), text) for path, text in texts.items()],
        {_name(path, root): found for path in workers if (found := _worker(path, root))},
    )


def _worker(path: Path, root: Path) -> list[tuple[str, str]]:
    """The modules of a worker; none when one is missing, such as a decoder: the page says so when it needs it."""
    try:
        return modules(path, root).modules
    except BundleError:
        return []


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _in_comment(text: str, position: int) -> bool:
    """Whether a comment begins before the position in its line, or goes on in it."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line.lstrip().startswith("*") or line.rfind("/*") > line.rfind("*/") or bool(re.search(r"(?<!:)//", line))
