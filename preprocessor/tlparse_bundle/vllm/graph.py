"""What the table of vLLM reads from the text of graphs and generated code."""

from __future__ import annotations

import hashlib
import re

_MAX_TEXT = 4_000_000  # characters of a graph that is compared with others
_FORWARD = re.compile(r"def forward\(self(?:, )?([^\n]*)\)")
_EXPANDED = re.compile(r"def forward\(\n\s*self,?\n((?:[^\n,]*+,[^\n]*+\n)*+)\s*\)")  # an argument on each line
_ARGUMENT = re.compile(r'(?:^|(?<=, )|(?<=\n))\s*(\w+)(?: *: *("[^"]*"|[\w.]+))?(?=,|$)')
_ASSIGNED = re.compile(r"^ *(\w+)(?: *: *\"[^\"]*\")? = ", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?:#.*)?\n|^ *class .*\n", re.MULTILINE)
_NAME = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
_AOT_ID = re.compile(rb"^# AOT ID: \['([\w.-]{1,100})'\]", re.MULTILINE)


def _arguments(text: str) -> list[tuple[str, str]] | None:
    """(name, type) of the arguments of a graph; None for what is no graph."""
    match = _FORWARD.search(text) or _EXPANDED.search(text)
    return None if match is None else _ARGUMENT.findall(match[1])


def signature(text: str) -> str | None:
    """The arguments of a graph with their types, the same in whichever form the graph was written."""
    found = _arguments(text)
    return None if found is None else ", ".join(f"{name}: {kind}" for name, kind in found)


def arguments(text: str) -> tuple[str, ...]:
    """The names of a graph's arguments."""
    return tuple(name for name, _ in _arguments(text) or ())


def shape_of(text: str) -> str | None:
    """The same for graphs that are equal but for the names of their values: those of layers, for instance. None for what is no graph."""
    if len(text) > _MAX_TEXT or _arguments(text) is None:
        return None
    body = _COMMENT.sub("", text)
    own = {*arguments(body), *_ASSIGNED.findall(body)}
    numbers: dict[str, str] = {}
    renamed = _NAME.sub(lambda match: numbers.setdefault(match[0], f"%{len(numbers)}") if match[0] in own else match[0], body)
    return hashlib.sha256(renamed.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def aot_id(code: bytes) -> str | None:
    """The number that AOTAutograd gave the graph of this code, in the process that compiled it."""
    match = _AOT_ID.search(code, 0, 100_000)
    return match[1].decode() if match else None


def difference(before: dict[str, int], after: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """(calls that are new, calls that are gone), by operation."""
    added = {name: count - before.get(name, 0) for name, count in after.items() if count > before.get(name, 0)}
    removed = {name: count - after.get(name, 0) for name, count in before.items() if count > after.get(name, 0)}
    return added, removed
