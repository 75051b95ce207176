"""Tensors as Dynamo describes them: their sizes, and the names of a graph's inputs."""

from __future__ import annotations

import re
from typing import Any

from tlparse_bundle.tables.text.record_values import text_of

_SIGNATURE = re.compile(r"def forward\(self,?(.*?)\)(?: *->[^\n]*)?:\s", re.DOTALL)
_PARAMETER = re.compile(r"(?:^|,)\s*(\w+)\s*(?=[:,=]|$)")
_MAX_SIGNATURE = 1_000_000
_MAX_DIMENSIONS = 100


def shape_of(sizes: Any) -> list[int | str] | None:
    """Return a list of sizes; None when it is not a list."""
    if type(sizes) is not list:
        return None
    return [size if type(size) is int else _size(size) for size in sizes[:_MAX_DIMENSIONS]]


def _size(size: Any) -> int | str:
    """Return a size that is not a number: an expression. torch writes a specialized symbol as text ('7')."""
    text = text_of(size) or "null"
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else text


def input_names(payload: bytes | None) -> set[str] | None:
    """Return the inputs of a Dynamo graph, without underscores and in lower case; None when unknown.

    The signature has Dynamo's input names (L_x_), the nodes lower-case ones (torch.fx.Graph).
    """
    match = _SIGNATURE.search((payload or b"")[:_MAX_SIGNATURE].decode("utf-8", "replace"))
    if match is None:
        return None
    # Annotations hold commas and brackets: without them.
    parameters = re.sub(r'"[^"]*"', "", match[1])
    return {plain_name(name) for name in _PARAMETER.findall(parameters)}


def plain_name(name: str) -> str:
    """Return a name without underscores and in lower case."""
    return name.replace("_", "").lower()
