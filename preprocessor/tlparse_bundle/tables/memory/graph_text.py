"""Types, returned values and source lines in the text of a post-grad graph (torch/fx/graph.py).

    # File: train.py:12 in step, code: y = x @ w
    mm: "f32[256, 512][512, 1]cpu" = torch.ops.aten.mm.default(x, w)
    return (mm, x)
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from tlparse_bundle.tables.memory.sizes import SHORT_TYPES

_MAX_LINE = 4000
_PLACE = re.compile(r"\s*# File: (?P<file>.+):(?P<line>\d{1,9}) in (?P<function>.+?), code: (?P<code>.*)")
_NODE = re.compile(
    r"\s*(?P<name>\w+)(?:: \"(?:Sym\()?(?P<type>\w+)\[(?P<shape>[^\]\"]*)\](?:\[[^\]\"]*\])?(?P<device>\w*)[^\"]*\")?"
    r" = (?P<value>[^\n]*)"
)
_OPERATOR = re.compile(r"torch\.ops\.\w+\.(\w+)")
_ITEM = re.compile(r"(\w+)\[\d+\]")
_RETURN = re.compile(r"\s*return [(\[](?P<values>.*)[)\]]\s*\Z")


class Place(NamedTuple):
    """A line of the program."""

    file: str
    line: int
    function: str
    code: str


class GraphText:
    """A post-grad graph. Its text is read when something is asked for."""

    def __init__(self, text: str):
        self._text = text

    @cached_property
    def _lines(self) -> tuple[dict[str, Place], dict[str, str], dict[tuple[str, tuple[str, ...]], set[tuple[str, str]]], list[str]]:
        places: dict[str, Place] = {}
        operators: dict[str, str] = {}
        types: dict[tuple[str, tuple[str, ...]], set[tuple[str, str]]] = {}
        returned: list[str] = []
        place = None
        for line in self._text.split("\n"):
            line = line[:_MAX_LINE] if "return" not in line[:40] else line
            if match := _PLACE.match(line):
                place = Place(match["file"], int(match["line"]), match["function"], match["code"])
            elif match := _RETURN.match(line):
                returned = [value.strip() for value in match["values"].split(",") if value.strip()]
            elif match := _NODE.match(line):
                name, value = match["name"], match["value"]
                if place is not None:
                    places[name] = place
                called, item = _OPERATOR.match(value), _ITEM.match(value)
                operator = called[1] if called else operators.get(item[1], "") if item else ""
                operators[name] = operator
                if operator and match["type"]:
                    shape = tuple(size.strip() for size in match["shape"].split(",") if size.strip())
                    types.setdefault((operator, shape), set()).add((match["type"], match["device"]))
        return places, operators, types, returned

    def type_of(self, operator: str, shape: tuple[str, ...]) -> tuple[str | None, str | None]:
        """Return type and device of the results of an operator with a shape; None unless they agree."""
        found = self._lines[2].get((operator, shape), set())
        if len(found) != 1:
            return None, None
        ((short, device),) = found
        return SHORT_TYPES.get(short), re.sub(r"\d+\Z", "", device) or None

    @property
    def returned(self) -> list[str]:
        """Return the names of what the graph returns, in order."""
        return self._lines[3]

    def place_of(self, node: str) -> Place | None:
        return self._lines[0].get(node)
