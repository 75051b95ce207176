"""Source lines as torch writes them: stacks of kernels, and the comments above the nodes of a graph."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_MAX_HEAD = 2000  # name and annotation are at the start of a line
_MAX_REMEMBERED = 250  # characters of a line that is remembered
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
# What only names an input or a parameter: 'l_x_ = L_x_', 'weight = self.fc.weight'.
_NAMES_ONLY = re.compile(r"[A-Za-z_][\w.]*+(?=;|\s*$)")
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
    """Return the frames of one stack trace, outermost first."""
    frames = []
    lines = stack.split("\n")
    for number, line in enumerate(lines):
        match = _FRAME.match(line[:_MAX_LINE])
        if match is None:
            continue
        code = lines[number + 1][:_MAX_LINE].strip() if number + 1 < len(lines) else ""
        if _MARKS.match(code) or _FRAME.match(code):
            code = ""
        frames.append(_source(match[1], match[2], match[3], code))
    return tuple(frames[-MAX_FRAMES:])


def source_of(comment: str) -> Source | None:
    """The line that a comment in the text of a graph names; None when it says that there is none.

    torch/fx/graph.py, _ParsedStackTrace.get_summary_str: 'File: FILE:LINE in FUNCTION, code: CODE', with
    notes about the node before it.
    """
    _, separator, text = comment[:_MAX_LINE].partition(" File: ")
    place, _, code = text.partition(", code:")
    match = _PLACE.search(place) if separator else None
    return (
        None
        if match is None
        else _source(place[: match.start()], match[1], place[match.end() :], code.strip())
    )


def _source(file: str, line: str, function: str | None, code: str) -> Source:
    return Source(_cut(file), int(line), _cut(function) if function else None, _cut(code) if code else None)


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"


class GraphText:
    """Nodes of a graph by line, from 1.

    A name can also occur in subgraphs, which come later in the text: ``lines`` has all lines of a name,
    those of the graph first.
    """

    def __init__(self, text: str):
        self.lines: dict[str, list[int]] = {}
        self.sources: dict[int, Source | None] = {}  # of each node line, in order
        self.operations: set[int] = set()  # lines of nodes that compute something
        source: Source | None = None
        for number, line in enumerate(text.split("\n"), 1):
            differs = len(line) > _MAX_REMEMBERED or "def forward(" in line  # as signatures do
            parsed = _parse.__wrapped__(line) if differs else _parse(line)
            if parsed is None:
                continue
            name, computes, source_below = parsed
            if name is None:
                source = source_below
                continue
            self.lines.setdefault(name, []).append(number)
            self.sources[number] = source
            if computes:
                self.operations.add(number)

    def lines_of(self, name: str, among: set[Source] | None = None) -> list[int]:
        """Return the lines of a node.

        For a repeated name: those with a source ``among`` these, else those of the outermost graph.
        """
        lines = self.lines.get(name, [])
        if len(lines) < 2:
            return lines
        return [line for line in lines if among and self.sources[line] in among] or lines[:1]


@lru_cache(4096)  # recompiles have most lines in common
def _parse(line: str) -> tuple[str | None, bool, Source | None] | None:
    """Return (name of a node, whether it computes something, source of the nodes below); None for a line that
    has neither a node nor a source.
    """
    stripped = line.strip()
    if stripped.startswith("#"):
        return None, False, source_of(stripped)
    if stripped.startswith(("class ", "def ")):
        return None, False, None
    name, equals, value = stripped[:_MAX_HEAD].partition(" = ")
    name = name.partition(":")[0].strip()
    if not equals or not _IDENTIFIER.match(name):
        return None
    return name, _NAMES_ONLY.match(value) is None, None
