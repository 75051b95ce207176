"""The rows of ``call_inputs``: what a log knows of the call of each compile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tlparse_bundle.guards.inputs import is_shown
from tlparse_bundle.guards.predicates import shown
from tlparse_bundle.guards.savings import Compiled
from tlparse_bundle.guards.values import Named, Tensor

_KINDS = {bool: "bool", int: "int", float: "float", str: "str", type(None): "none", Named: "named"}


def input_rows(compiled: Compiled) -> Iterator[dict[str, Any]]:
    """Yield the rows of ``call_inputs`` of a compile."""
    if compiled.input is None:
        return
    for source, value in compiled.input.values.items():
        if not is_shown(source, value):
            continue
        tensor = value if isinstance(value, Tensor) else None
        yield {
            "compile": compiled.compile,
            "source": source,
            "kind": "tensor" if tensor is not None else _KINDS.get(type(value), "other"),
            "value": None if tensor is not None else shown(value)[:1000],
            "shape": tensor and list(tensor.size),
            "stride": tensor and tensor.stride and list(tensor.stride),
            "dtype": tensor and tensor.dtype,
            "device": tensor and tensor.device,
            "requires_grad": tensor and tensor.requires_grad,
            "known_from": compiled.input.known_from[source],
        }
