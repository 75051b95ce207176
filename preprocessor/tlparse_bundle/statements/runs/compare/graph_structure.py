"""The structure of a captured graph: operators, shapes and edges."""

from __future__ import annotations

import hashlib
import re

_INPUT = re.compile(rb'(\w{1,300}) ?: "[^"\n]{1,300}"')
_RESULT = re.compile(rb'^ +(\w{1,300})(?:: "[^"\n]*")? = ', re.MULTILINE)
_WORD = re.compile(rb"(?<![\w.])[A-Za-z_]\w*")  # not an operator, as in `x.sin()` and `torch.relu(x)`
_SYMBOL = re.compile(rb"\b[suz]\d+\b")
_MAX_GRAPH = 4_000_000  # bytes of a graph that is compared


def structure(graph: bytes) -> str | None:
    """Return a hash of a graph without names and comments; None if it is empty or too large."""
    if not graph or len(graph) > _MAX_GRAPH:
        return None
    lines = [line for line in graph.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    text = b"\n".join(line.partition(b";  ")[0].rstrip() for line in lines)
    names: dict[bytes, bytes] = {}
    for name in (*_INPUT.findall(text), *_RESULT.findall(text)):
        names.setdefault(name, b"v%d" % len(names))
    text = _WORD.sub(lambda word: names.get(word[0], word[0]), text)
    symbols: dict[bytes, bytes] = {}
    text = _SYMBOL.sub(lambda symbol: symbols.setdefault(symbol[0], b"s%d" % len(symbols)), text)
    return hashlib.sha256(text).hexdigest()[:16]
