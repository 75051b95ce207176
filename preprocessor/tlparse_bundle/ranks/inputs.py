"""The inputs of a compile by name, as far as ranks should have the same: shape, stride, data type, kind of device."""

from __future__ import annotations

import re

from tlparse_bundle.ranks.frames import Frames

_DEVICE = re.compile(r"device\(type='(\w+)'")


def inputs(frames: Frames, number: int) -> dict[str, dict]:
    """Return the inputs of a frame compile by name: the described tensors with a source; for an attempt without any, the sizes in its graph."""
    described = [row for row in frames.log.table("tensors") if frames.number_of(row) == number]
    graphs = [row for row in frames.log.table("graph_tensors") if frames.number_of(row) == number]
    tensors: dict[str, dict] = {}
    for attempt in sorted({row["attempt"] for row in (*described, *graphs)}):
        tensors |= _described(described, attempt) or _in_graph(graphs, attempt)
    return tensors


def _described(rows: list[dict], attempt: int) -> dict[str, dict]:
    return {
        source: {"shape": row["shape"], "stride": row["stride"], "dtype": row["dtype"], "device": _device(row["device"])}
        for row in rows
        if row["attempt"] == attempt
        for source in row["sources"]
    }


def _in_graph(rows: list[dict], attempt: int) -> dict[str, dict]:
    """Return the inputs of the first graph of the attempt."""
    row = next((row for row in rows if row["attempt"] == attempt), None)
    if row is None:
        return {}
    nodes = zip(row["nodes"][: row["input_count"] or 0], row["shapes"])
    return {node: {"shape": shape, "stride": None, "dtype": None, "device": None} for node, shape in nodes}


def _device(text: str | None) -> str | None:
    if text is None:
        return None
    match = _DEVICE.match(text)
    return match[1] if match else re.sub(r":\d+$", "", text)
