"""Removes from text what differs between machines and runs: addresses, folders, temporary names, ids."""

from __future__ import annotations

import re

# Patterns for texts with their own comparison.
ADDRESS = r"\b0x[0-9a-f]{6,}"  # of an object in memory
CACHE_NAME = r"\bc[a-z2-7]{51}\b"  # of code that Inductor writes (torch/_inductor/codecache.py, code_hash)
PACKAGES = re.compile(r"\A.*[/\\](?:site|dist)-packages[/\\]", re.DOTALL)  # up to the package

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_AT_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_OBJECT = re.compile(r" at 0x[0-9a-fA-F]{6,16}(?=>)")
_PATH = re.compile(r"(?:/[\w.@+~-]+){2,}|[A-Za-z]:(?:\\[\w.@+~ -]+)+")
_TEMPORARY = re.compile(r"\btmp[a-z0-9_]{8}\b")  # of the module tempfile
_CACHE_NAME = re.compile(CACHE_NAME)
_NUMBER = re.compile(r"\b((?i:pid|process(?: id)?)[ =:]+)\d+\b|\b\d{10,}\b")  # a process, an object
_GENERATED = re.compile(r"(<eval_with_key>)\.\d+")


def normalised(text: str) -> str:
    """Return text without addresses, folders, temporary names, process ids and numbers of generated code."""
    if len(text) < 6 and text.isalnum():  # such as the value of most settings; nothing below is shorter
        return text
    text = _PATH.sub(lambda path: tail(path[0]), text)
    text = _CACHE_NAME.sub("c…", _TEMPORARY.sub("tmp…", _GENERATED.sub(r"\1", _ADDRESS.sub("0x…", text))))
    return _NUMBER.sub(lambda number: f"{number[1] or ''}…", text)


def tail(path: str) -> str:
    """Return the name of a file; in a package, its path from the package on."""
    below = PACKAGES.sub("", path)
    return below if below != path else re.split(r"[/\\]", path)[-1]


def without_addresses(text: str, *, of_objects: bool = False) -> str:
    """Return text without " at 0x…"; ``of_objects``: only at the end of an object, as in "<f at 0x…>"."""
    return (_OBJECT if of_objects else _AT_ADDRESS).sub("", text)
