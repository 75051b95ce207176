"""The inputs of a compile by name, as far as ranks should have the same: shape, stride, data type, kind of device."""

from __future__ import annotations

import re

from tlparse_bundle.read.reader import Log

_DEVICE = re.compile(r"device\(type='(\w+)'")


def inputs(log: Log, compile_index: int) -> dict[str, dict]:
    """Name -> tensor (schema: ranks_graphs): the described tensors with a source, else the sizes in the graph."""
    table = log.table("tensors")
    described = _described(table, compile_index)
    return described or _in_graph(table, compile_index)


def _described(table: dict, compile_index: int) -> dict[str, dict]:
    tensors, strings, shapes = (table[key] for key in ("tensors", "strings", "shapes"))
    found = {}
    for row, index in enumerate(tensors["compile_index"]):
        if index == compile_index:
            for source in tensors["sources"][row]:
                if source >= 0:
                    found[strings[source]] = {
                        "shape": _at(shapes, tensors["shape"][row]),
                        "stride": _at(shapes, tensors["stride"][row]),
                        "dtype": _at(strings, tensors["dtype"][row]),
                        "device": _device(_at(strings, tensors["device"][row])),
                    }
    return found


def _in_graph(table: dict, compile_index: int) -> dict[str, dict]:
    graphs, strings, shapes = (table[key] for key in ("graphs", "strings", "shapes"))
    for row, index in enumerate(graphs["compile_index"]):
        if index == compile_index:
            count = graphs["input_count"][row]
            nodes = zip(graphs["nodes"][row][: max(count, 0)], graphs["shapes"][row])
            return {strings[node]: {"shape": _at(shapes, shape), "stride": None, "dtype": None, "device": None} for node, shape in nodes}
    return {}


def _at(values: list, position: int):
    return None if position < 0 else values[position]


def _device(text: str | None) -> str | None:
    if text is None:
        return None
    match = _DEVICE.match(text)
    return match[1] if match else re.sub(r":\d+$", "", text)
