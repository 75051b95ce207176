"""Viewers: their files, and which can show a bundle."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.schemas import shared_files

LIB = "lib"
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
