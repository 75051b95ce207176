"""Places in the user's code, for records whose own place is inside torch or a library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tlparse_bundle.base.machine_text import PACKAGES
from tlparse_bundle.base.wording import code
from tlparse_bundle.statements.export_calls import stack
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.source_places import is_generated, is_of_program
from tlparse_bundle.tables.text.record_values import frames_in

_STANDARD_LIBRARY = re.compile(r"[/\\]lib[/\\]python3[.\d]*[/\\](?!(?:site|dist)-packages[/\\])")
_TORCH = re.compile(r"[/\\]torch[/\\]")


class CodeLine(NamedTuple):
    """A line of code. ``inside``: the package that it is a part of; None in the user's code."""

    function: str | None
    file: str | None
    line: int | None
    source_line: str | None = None
    inside: str | None = None


def package_of(file: str | None) -> str | None:
    """Return the package of a file, such as "transformers"; None for the user's code and generated code."""
    if file is None or is_generated(file) or is_of_program(file):
        return None
    below = PACKAGES.sub("", file)
    if below != file:
        return re.split(r"[/\\]", below)[0].removesuffix(".py")
    return "Python" if _STANDARD_LIBRARY.search(file) else "torch" if _TORCH.search(file) else None


def own_place(row: Mapping[str, Any]) -> CodeLine:
    """Return the place that torch names in a row of ``graph_breaks`` or ``failures``."""
    return CodeLine(row["function"], row["file"], row["line"], row["source_line"], package_of(row["file"]))


def user_place(row: Mapping[str, Any]) -> CodeLine:
    """Return the innermost line of the user's code that led to a row of ``graph_breaks`` or ``failures``; the
    place that torch names where its traceback has no such line.
    """
    own = own_place(row)
    if own.inside is None and own.file is not None:
        return own
    for frame in reversed(frames_in(row["user_traceback"] or "")):
        if is_of_program(frame.file):
            return CodeLine(_name(frame.function), frame.file, frame.line, frame.source_line)
    return own


def is_in_users_hands(row: Mapping[str, Any]) -> bool:
    """Whether the line that torch names in such a row is the user's, or is called by the user's code."""
    if own_place(row).inside is None:
        return True
    frames = frames_in(row["user_traceback"] or "")
    return len(frames) > 1 and is_of_program(frames[-2].file)


def _name(function: str | None) -> str | None:
    return None if function == "<module>" else function


def calling_place(facts: Facts, number: int) -> CodeLine | None:
    """Return the innermost line of the user's code that led to the compile of a function of a library; None
    when the function is the user's, or its stack has no such line. ``number``: row of ``Facts.compiles``.
    """
    row = facts.compiles[number]
    if package_of(row["file"]) is None:
        return None
    for frame in reversed(stack(facts, row["stack"])):
        if is_of_program(frame.file):
            return CodeLine(_name(frame.name), frame.file, frame.line)
    return None


def inside_text(facts: Facts, own: CodeLine) -> str | None:
    """Return where torch saw a problem inside a library: "Inside transformers, at `…`: `…`."."""
    if own.inside is None:
        return None
    where = facts.short.place(own.file, own.line)
    source = f": {code(own.source_line)}" if own.source_line else ""
    return f"Inside {own.inside}, at {code(where or 'an unknown place')}{source}."
