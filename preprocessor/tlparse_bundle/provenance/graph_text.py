"""Which line of a graph's text is which node (GraphModule.print_readable), and which source line it comes from."""

from __future__ import annotations

import re
from functools import lru_cache

from tlparse_bundle.provenance.frames import Source, source_of

_MAX_HEAD = 2000  # name and annotation stand at the beginning of a line
_MAX_REMEMBERED = 250  # characters of a line that is remembered
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
# What only names an input or a parameter: 'l_x_ = L_x_', 'weight = self.fc.weight'.
_NAMES_ONLY = re.compile(r"[A-Za-z_][\w.]*+(?=;|\s*$)")


class GraphText:
    """The nodes of a graph by line, from 1.

    A name can occur in the graph and in graphs inside of it, which stand behind it in the text:
    ``lines`` has all lines of a name, those of the graph itself first.
    """

    def __init__(self, text: str):
        self.lines: dict[str, list[int]] = {}
        self.sources: dict[int, Source | None] = {}  # of each node line, in order
        self.operations: set[int] = set()  # lines of nodes that compute something
        source: Source | None = None
        for number, line in enumerate(text.split("\n"), 1):
            differs = len(line) > _MAX_REMEMBERED or "def forward(" in line  # as signatures do
            said = _said.__wrapped__(line) if differs else _said(line)
            if said is None:
                continue
            name, what = said
            if name is None:
                source = what
                continue
            self.lines.setdefault(name, []).append(number)
            self.sources[number] = source
            if what:
                self.operations.add(number)

    def lines_of(self, name: str, among: set[Source] | None = None) -> list[int]:
        """Lines of a node. Of several with the name those whose source is ``among`` these, else the outermost graph's."""
        lines = self.lines.get(name, [])
        if len(lines) < 2:
            return lines
        return [line for line in lines if among and self.sources[line] in among] or lines[:1]


@lru_cache(4096)  # graphs that were compiled again have most lines in common
def _said(line: str) -> tuple[str, bool] | tuple[None, Source | None] | None:
    """Of a node its name, and whether it computes something; else the source of the nodes below; None when a line says neither."""
    stripped = line.strip()
    if stripped.startswith("#"):
        return None, source_of(stripped)
    if stripped.startswith(("class ", "def ")):
        return None, None
    name, equals, value = stripped[:_MAX_HEAD].partition(" = ")
    name = name.partition(":")[0].strip()
    if not equals or not _IDENTIFIER.match(name):
        return None
    return name, _NAMES_ONLY.match(value) is None
