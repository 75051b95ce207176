"""Viewers: their files, what these need, ES modules in import order, and which viewers can show a bundle."""

from __future__ import annotations

import re
import shutil
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.schemas import shared_files

LIB = "lib"
BUILT = "built"  # pages with few files of modules, which the package build writes; not in a checkout
ICON = f"{LIB}/page/icon.svg"
HOME = "home"  # the page that lists bundles and viewers
TREND = "trend"  # the page that shows all bundles over time
OPEN = "open"  # the page that opens logs and bundles of the reader's machine
PAGES = (HOME, TREND, OPEN)  # they show no single bundle
_SKIPPED = {"node_modules", "dist"}
TEXT = {".css", ".html", ".js", ".json", ".jsx", ".md", ".mjs", ".svg", ".ts", ".tsx"}
RANKS, PROVENANCE, PAIR, VLLM = "ranks", "provenance", "pair", "vllm"
# Required contents for viewers of the package (PAIR: two bundles); others show any bundle.
NEEDS = {"multirank": RANKS, "provenance": PROVENANCE, "compare": PAIR, "vllm": VLLM}
EXAMPLES = {"starter", "letter", "bytes", "strip"}  # to be copied, not to look with
_PROVENANCE_KINDS = {
    f"artifact:{name}"
    for name in (
        "inductor_provenance_tracking_node_mappings",
        "inductor_provenance_tracking_kernel_stack_traces",
        "inductor_triton_kernel_to_post_grad_nodes",
        "inductor_post_to_pre_grad_nodes",
    )
}
_VLLM_KINDS = {
    f"artifact:{name}"
    for name in ("vllm_compilation_config", "vllm_piecewise_compile_start", "vllm_execution_code")
}
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


def viewers_folder() -> Path:
    return (shared_files() / "viewers").resolve()


def forkable() -> list[str]:
    """Return the names of the package's viewers, including those that need a build."""
    return sorted(
        path.parent.name for path in viewers_folder().glob("*/index.html") if path.parent.name not in PAGES
    )


def viewers_with(own: Mapping[str, Path]) -> dict[str, Path]:
    """Return viewers that need no build, by name: the user's own, then the package's with other names."""
    folders = {name: viewers_folder() / name for name in forkable() if name not in own}
    return {
        **own,
        **{name: folder for name, folder in folders.items() if not (folder / "package.json").exists()},
    }


def viewer_folder(name_or_folder: str | Path) -> Path:
    """Return a viewer of the package by name, or a folder with an index.html. Raise BundleError."""
    named = viewers_folder() / str(name_or_folder)
    for folder in (
        (named, Path(name_or_folder)) if str(name_or_folder) in forkable() else (Path(name_or_folder),)
    ):
        if (folder / "index.html").is_file():
            return folder.resolve()
    hint = (
        f"The built-in viewers are: {', '.join(forkable())}. A viewer of your own is a folder with an"
        " index.html."
    )
    raise BundleError(f"{str(name_or_folder)!r} is not a viewer", hint=hint, code="not-found")


def files(folder: Path) -> Iterator[Path]:
    """Yield every file of a viewer in order, except hidden, installed or built ones."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in _SKIPPED:
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def copy_tree(source: Path, target: Path) -> None:
    for path in files(source):
        to = target / path.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)


def page_of(viewer: Path) -> Path:
    """Return the index.html that servers send for a viewer: the built one where the package has it."""
    packaged = viewers_folder()
    built = packaged / BUILT / viewer.name / "index.html"
    return built if viewer.parent == packaged and built.is_file() else viewer / "index.html"


def copy_viewers(viewers: Mapping[str, Path], target: Path) -> None:
    """Copy viewers and ``lib/`` by name, and the built modules of those that have them."""
    for name, folder in viewers.items():
        copy_tree(folder, target / name)
        page = page_of(folder)
        if page.parent != folder:
            copy_tree(page.parent, target / BUILT / name)
            shutil.copyfile(page, target / name / page.name)


def holds(manifest: Mapping[str, Any]) -> list[str]:
    """Return the optional contents of a bundle."""
    ranks, descriptors = manifest.get("rank_tables"), manifest.get("descriptors")
    kinds = set(descriptors) if isinstance(descriptors, dict) else set()
    has = {
        RANKS: isinstance(ranks, dict) and bool(ranks),
        PROVENANCE: bool(_PROVENANCE_KINDS & kinds),
        VLLM: bool(_VLLM_KINDS & kinds),
    }
    return [need for need, is_there in has.items() if is_there]


def fitting(viewers: Iterable[str], manifest: Mapping[str, Any]) -> list[str]:
    """Return the viewers, by name, that can show the bundle."""
    held = holds(manifest)
    return [name for name in viewers if NEEDS.get(name) in (None, *held)]


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


def needed(paths: Iterable[Path]) -> set[Path]:
    """Return files and their transitive dependencies: modules, workers, styles, type modules. Missing ones
    are left out.
    """
    reached = {path.resolve() for path in paths}
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
