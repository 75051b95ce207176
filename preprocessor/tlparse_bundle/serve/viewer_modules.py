"""Dependencies of viewer files: all files that they need, and ES modules in import order."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from pathlib import Path
from typing import NamedTuple

from tlparse_bundle.base.errors import BundleError

IMPORT, LATER, WORKER, TYPE, LINK = "import", "later", "worker", "type", "link"

# Static imports begin a line; import() and workers stand anywhere. In a comment, import() is a type of JSDoc.
_SCRIPT = {
    IMPORT: re.compile(r'^(?:import|export)\s(?:[^;"]*?from\s+)?"(\.{1,2}/[^"]+)"', re.MULTILINE),
    LATER: re.compile(r'\bimport\(\s*"(\.{1,2}/[^"]+\.js)"'),
    WORKER: re.compile(r'\bnew URL\(\s*"(\.{1,2}/[^"]+\.js)", import\.meta\.url'),
}
_PATTERNS = dict.fromkeys((".js", ".jsx", ".mjs", ".ts", ".tsx"), _SCRIPT) | {
    ".css": {LINK: re.compile(r"""(?:@import\s+["']|\burl\(\s*["']?)([^"'():\s]+)""")},
    ".html": {LINK: re.compile(r'<(?:link|script)\b[^>]*?\s(?:href|src)="([^":]+)"')},
}
_MARKS = {IMPORT: "@module:", LATER: "@module:", WORKER: "@worker:"}


class Reference(NamedTuple):
    """A relative path in a text: ``text[start:end]``."""

    kind: str
    start: int
    end: int
    target: Path


class Modules(NamedTuple):
    """``modules``: [name, text] of each, those first that others import; a name is a path below the root.

    The address of another module is ``"@module:<name>"`` in a text, that of a worker ``"@worker:<name>"``;
    ``workers`` has the modules of each, the last being the one that starts.
    """

    modules: list[tuple[str, str]]
    workers: dict[str, list[tuple[str, str]]]


def references(path: Path, text: str) -> list[Reference]:
    """Return the references in a module, style or page, in order. Targets may be missing."""
    places: list[Reference] = []
    for kind, pattern in _PATTERNS.get(path.suffix, {}).items():
        for match in pattern.finditer(text):
            commented = kind in (LATER, WORKER) and _in_comment(text, match.start())
            if not commented or kind == LATER:
                places.append(
                    Reference(TYPE if commented else kind, *match.span(1), (path.parent / match[1]).resolve())
                )
    return sorted(places, key=lambda reference: reference.start)


def needed(files: Iterable[Path]) -> set[Path]:
    """Return files and their transitive dependencies: modules, workers, styles, type modules. Missing ones
    are left out.
    """
    reached = {path.resolve() for path in files}
    waiting = list(reached)
    while waiting:
        path = waiting.pop()
        if path.suffix not in _PATTERNS:
            continue
        targets = {
            reference.target for reference in references(path, path.read_text(encoding="utf-8"))
        } - reached
        new = [target for target in targets if target.is_file()]
        reached.update(new)
        waiting += new
    return reached


def modules(entry: Path, root: Path, *others: Path, without: Container[str] = ()) -> Modules:
    """``entry`` and ``others``, and all that they need; the last that is named is the last of the modules,
    unless another one needs it.

    ``without``: names of files that are left out where they are imported later.

    Raises BundleError when a module is missing or lies outside, and when modules import each other in a
    circle.
    """
    texts: dict[Path, str] = {}
    workers: dict[Path, None] = {}

    def visit(path: Path, way: tuple[Path, ...]) -> None:
        if path in way:
            circle = " > ".join(step.name for step in (*way[way.index(path) :], path))
            raise BundleError(f"circular import of modules: {circle}", code="export")
        if path in texts:
            return
        if not path.is_relative_to(root) or not path.is_file():
            raise BundleError(
                f"{way[-1] if way else root} imports {path}, which does not exist", code="export"
            )
        text = path.read_text(encoding="utf-8")
        pieces, done = [], 0
        for kind, start, end, target in references(path, text):
            if (
                kind not in _MARKS
                or (kind != IMPORT and not target.is_file())
                or (kind == LATER and target.name in without)
            ):
                continue  # what is fetched later may be missing; the page says so then
            if kind == WORKER:
                workers[target] = None
            else:
                visit(target, (*way, path))
            pieces.append(f"{text[done:start]}{_MARKS[kind]}{_name(target, root)}")
            done = end
        texts[path] = "".join(pieces) + text[done:]

    for path in (entry, *others):
        visit(path.resolve(), ())
    return Modules(
        [(_name(path, root), text) for path, text in texts.items()],
        {_name(path, root): worker_modules for path in workers if (worker_modules := _worker(path, root))},
    )


def _worker(path: Path, root: Path) -> list[tuple[str, str]]:
    """Return the modules of a worker; empty when one is missing, such as a decoder."""
    try:
        return modules(path, root).modules
    except BundleError:
        return []


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _in_comment(text: str, position: int) -> bool:
    """Return whether a position is inside a comment."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return (
        line.lstrip().startswith("*")
        or line.rfind("/*") > line.rfind("*/")
        or bool(re.search(r"(?<!:)//", line))
    )
