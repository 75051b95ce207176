"""Source lines as torch writes them: stacks of kernels, and the comments above the nodes of a graph."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_FRAMES = 200  # of one stack; the innermost stay
_MAX_TEXT = 2000
_MAX_LINE = 20_000  # characters of a line that are looked at

_FRAME = re.compile(r'\s*File "(.+)", line (\d{1,9})(?:, in (.+))?$')
_MARKS = re.compile(r"[\s^~]*$")  # below the code of a frame Python marks the part that ran
_PLACE = re.compile(r":(\d{1,9}) in ")


class Source(NamedTuple):
    """A line of the program."""

    file: str
    line: int
    function: str | None
    code: str | None


def frames_of(stack: str) -> tuple[Source, ...]:
    """The frames of one stack trace, outermost first."""
    found = []
    lines = stack.split("\n")
    for number, line in enumerate(lines):
        match = _FRAME.match(line[:_MAX_LINE])
        if match is None:
            continue
        code = lines[number + 1][:_MAX_LINE].strip() if number + 1 < len(lines) else ""
        if _MARKS.match(code) or _FRAME.match(code):
            code = ""
        found.append(_source(match[1], match[2], match[3], code))
    return tuple(found[-MAX_FRAMES:])


def source_of(comment: str) -> Source | None:
    """The line that a comment in the text of a graph names; None when it says that there is none.

    torch/fx/graph.py, _ParsedStackTrace.get_summary_str: 'File: FILE:LINE in FUNCTION, code: CODE', with notes
    about the node before it.
    """
    _, found, text = comment[:_MAX_LINE].partition(" File: ")
    place, _, code = text.partition(", code:")
    match = _PLACE.search(place) if found else None
    return None if match is None else _source(place[: match.start()], match[1], place[match.end() :], code.strip())


def _source(file: str, line: str, function: str | None, code: str) -> Source:
    return Source(_cut(file), int(line), _cut(function) if function else None, _cut(code) if code else None)


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
