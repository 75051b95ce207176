"""Types, returned values and source lines in the text of a graph (torch/fx/graph.py).

# File: train.py:12 in step, code: y = x @ w
mm: "f32[256, 512][512, 1]cpu" = torch.ops.aten.mm.default(x, w)
return (mm, x)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from tlparse_bundle.tables.fallbacks import place_above
from tlparse_bundle.tables.memory.operators import returns_argument
from tlparse_bundle.tables.memory.sizes import SHORT_TYPES
from tlparse_bundle.tables.text.record_values import Frame

_MAX_LINE = 4000
_NODE = re.compile(
    rb"\s*(?P<name>\w+)(?:: \"(?P<type>\w+)\[(?P<shape>[^\]\"]*)\](?:\[[^\]\"]*\])?(?P<device>\w*)[^\"]*\")?"
    rb" = (?P<value>[^\n]*)"
)
_CALL = re.compile(rb"(torch\.ops\.[\w.]+)\((\w+)")  # with its first argument
_MAX_VIEWS = 100  # of views
_OPERATOR = re.compile(rb"torch\.ops\.\w+\.(\w+)")
_ITEM = re.compile(rb"(\w+)\[(\d{1,6})\]")
_DEFINITION = re.compile(rb"\n[ \t]+(\w+)(?= ?: | = )")
_RETURN = re.compile(rb"\n[ \t]*return [(\[]([^\n]*)[)\]][ \t]*(?=\n|\Z)")
_Types = dict[tuple[bytes, int | None, tuple[bytes, ...]], set[tuple[bytes, bytes]]]


class GraphText:
    """A graph. Its text is read when something is asked for."""

    def __init__(self, text: bytes):
        self._text = text

    @cached_property
    def _types(self) -> _Types:
        """Return the types and devices of results, by operator, position among its results, and shape."""
        operators: dict[bytes, bytes] = {}
        types: _Types = {}
        for line in self._text.split(b"\n"):
            match = _NODE.match(line[:_MAX_LINE])
            if match is None:
                continue
            called, item = _OPERATOR.match(match["value"]), _ITEM.match(match["value"])
            operator = called[1] if called else operators.get(item[1], b"") if item else b""
            operators[match["name"]] = operator
            position = int(item[2]) if item and not called else None
            if operator and match["type"]:
                shape = tuple(size.strip() for size in match["shape"].split(b",") if size.strip())
                types.setdefault((operator, position, shape), set()).add((match["type"], match["device"]))
        return types

    def type_of(
        self, operator: str, position: int | None, shape: tuple[str, ...]
    ) -> tuple[str | None, str | None]:
        """Return type and device of the results of an operator with a shape; None unless they agree."""
        key = operator.encode(), position, tuple(size.encode() for size in shape)
        found = self._types.get(key, set())
        if len(found) != 1:
            return None, None
        ((short, device),) = found
        return SHORT_TYPES.get(short.decode()), device.decode("ascii", "replace").rstrip("0123456789") or None

    @cached_property
    def returned(self) -> list[str]:
        """Return the names of what the graph returns, in order."""
        begin = self._text.rfind(b"\n", 0, max(0, self._text.rfind(b"return ")))
        match = _RETURN.match(self._text, max(0, begin))
        names = match[1].split(b",") if match else []
        return [name.strip().decode("utf-8", "replace") for name in names if name.strip()]

    @cached_property
    def _positions(self) -> dict[bytes, int]:
        """Return the position of the line of each node."""
        return {match[1]: match.start() for match in _DEFINITION.finditer(self._text)}

    @cached_property
    def _repeated(self) -> set[bytes]:
        """Return the names that several nodes have, as in the branches of torch.cond."""
        counts = Counter(match[1] for match in _DEFINITION.finditer(self._text))
        return {name for name, count in counts.items() if count > 1}

    def place_of(self, nodes: Iterable[str]) -> Frame | None:
        """Return the line of the program in the comment above the last of some nodes."""
        positions = self._positions
        position = max((positions.get(node.encode(), -1) for node in nodes), default=-1)
        return None if position < 0 else place_above(self._text, position)

    def place_of_computed(self, node: str) -> Frame | None:
        """Return the line of the node that computes a value of which a node can be a view."""
        for _ in range(_MAX_VIEWS):
            position = self._positions.get(node.encode(), len(self._text))
            match = _NODE.match(self._text, position)
            call = _CALL.match(match["value"]) if match else None
            if call is None or not returns_argument(call[1].decode("ascii", "replace")):
                break
            node = call[2].decode("ascii", "replace")
        return self.place_of((node,))

    def place_of_only(self, node: str) -> Frame | None:
        """Return the line of the program in the comment above a node, unless several nodes have its name."""
        return None if node.encode() in self._repeated else self.place_of((node,))
