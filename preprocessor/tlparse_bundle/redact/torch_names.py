"""Names that torch and Python ship, by version-independent list. ``scripts/torch-names`` writes them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.bundle.json_codec import loads

_ROOTS = frozenset(("torch", "torchgen", "functorch", "triton"))
_MAX_PATH = 1000  # characters
_MAX_DEPTH = 12  # folders that a shipped file can be in
PYTHON_NAMES = frozenset(("<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"))


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a list of names."""
    return frozenset(text.split())


@cache
def _document() -> dict[str, Any]:
    path = Path(__file__).with_name("torch_names.json.zst")
    document: dict[str, Any] = loads(CODECS["zstd"].decode(path.read_bytes()))
    return document


@cache
def names(kind: str) -> frozenset[str]:
    """Return a list: 'operators', 'overloads', 'spans', 'types', 'artifacts', 'settings', 'guards', …"""
    return frozenset(_document()[kind])


@cache
def _functions(file: str) -> frozenset[str] | None:
    text = _document()["files"].get(file)
    return None if text is None else frozenset(text.split())


@cache
def functions_below(folder: str) -> frozenset[str]:
    """Return the functions and classes of the files of a folder, such as 'torch/_inductor/'."""
    files = _document()["files"]
    return frozenset(name for file in files if file.startswith(folder) for name in files[file].split())


def shipped_file(path: str) -> str | None:
    """Return the place of a file of torch or of Python's standard library; None for any other path.

    The folders above the package are left out. The path counts, never the name of a folder alone.
    """
    if len(path) > _MAX_PATH:
        return None
    parts = path.replace("\\", "/").split("/")[-_MAX_DEPTH:]
    for start, part in enumerate(parts):
        if part in _ROOTS and (file := "/".join(parts[start:])) in _document()["files"]:
            return file
        if start and part.startswith("python3") and parts[start - 1] == "lib":
            file = "/".join(parts[start + 1 :])
            if file in _document()["files"]:
                return file
    return None


def ships_function(file: str, function: str) -> bool:
    """Return whether a file that torch or Python ships has a function or class of this name."""
    functions = _functions(file)
    return functions is not None and (function in functions or function in PYTHON_NAMES)
