"""Which line of a graph's text is which node (GraphModule.print_readable), and which source line it comes from."""

from __future__ import annotations

import re

from tlparse_bundle.provenance.frames import Source, source_of

_MAX_HEAD = 2000  # name and annotation stand at the beginning of a line
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
            stripped = line.strip()
            if stripped.startswith("#"):
                source = source_of(stripped)
            elif stripped.startswith(("class ", "def ")):
                source = None
            elif " = " in stripped:
                self._observe(number, stripped, source)

    def _observe(self, number: int, stripped: str, source: Source | None) -> None:
        name, equals, value = stripped[:_MAX_HEAD].partition(" = ")
        name = name.partition(":")[0].strip()
        if not equals or not _IDENTIFIER.match(name):
            return
        self.lines.setdefault(name, []).append(number)
        self.sources[number] = source
        if _NAMES_ONLY.match(value) is None:
            self.operations.add(number)

    def lines_of(self, name: str, among: set[Source] | None = None) -> list[int]:
        """Lines of a node. Of several with the name those whose source is ``among`` these, else the outermost graph's."""
        lines = self.lines.get(name, [])
        if len(lines) < 2:
            return lines
        return [line for line in lines if among and self.sources[line] in among] or lines[:1]
