"""Inputs of compiles, and the tensor sizes in Dynamo graphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import JsonList, Rows
from tlparse_bundle.tables.shape_records import fields_of, unexpected
from tlparse_bundle.tables.spill import Numbers
from tlparse_bundle.tables.table import TableContext, place_of
from tlparse_bundle.tables.text.described_tensors import input_names, plain_name, shape_of
from tlparse_bundle.tables.text.record_values import text_of

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphTensorsRow, TensorsRow, TensorStoragesRow

_FLAGS = ("requires_grad", "is_parameter", "is_leaf", "is_view")
# Fields with their own column or without information. view_func is the repr of a function with its address in
# memory.
_IN_COLUMNS = frozenset(
    (
        "describer_id",
        "id",
        "ndim",
        "dtype",
        "device",
        "size",
        "stride",
        "storage",
        "dynamo_dynamic_indices",
        "view_func",
        *_FLAGS,
    )
)
_DEVICE = re.compile(r"device\(type='([^']*)'(?:, index=(\d+))?\)")  # repr of a torch.device


class Tensors:
    """Storages, tensors and sources of MetaTensorDescriber (torch/_subclasses/meta_utils.py), by describer
    and id.

    A describer belongs to one trace and numbers its tensors. When a pair of numbers repeats, the newest
    earlier record counts.
    """

    name = "tensors"
    types = frozenset(("describe_storage", "describe_tensor", "describe_source", "dynamo_output_graph"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._storages: Rows[TensorStoragesRow] = Rows()
        self._tensors: Rows[TensorsRow] = Rows()
        self._graphs: Rows[GraphTensorsRow] = Rows()
        # Of each source the position of its tensor, and the text.
        self._source_tensors: Numbers[int] = Numbers("i")
        self._source_texts: JsonList[str] = JsonList()
        self._storage_events: dict[tuple[int, int], int] = {}
        self._positions: dict[tuple[int, int], int] = {}  # of the tensors

    def observe(self, event: Event) -> None:
        value = fields_of(event, self._diagnostics)
        if value is None:
            return
        if event.type == "dynamo_output_graph":
            self._add_graph(event, value.get("sizes"))
            return
        key: tuple[int, int] = (value.get("describer_id", -1), value.get("id", -1))
        if not (_is_number(key[0]) and _is_number(key[1])):
            unexpected(event, self._diagnostics, "describer_id or id is not a number")
        elif event.type == "describe_storage":
            self._storage_events[key] = event.index
            size = value.get("size")
            self._storages.append(
                {**place_of(event), "size_bytes": size if type(size) is int else text_of(size)}
            )
        elif event.type == "describe_tensor":
            self._positions[key] = len(self._tensors)
            self._add_tensor(event, key, value)
        elif key in self._positions:
            self._add_source(self._positions[key], text_of(value.get("source")))
        else:
            unexpected(event, self._diagnostics, f"source of tensor {key}, which the log does not describe")

    def _add_source(self, position: int, source: str | None) -> None:
        if source is not None:
            self._source_tensors.append(position)
            self._source_texts.append(source)

    def _add_tensor(self, event: Event, key: tuple[int, int], value: dict[str, Any]) -> None:
        storage = value.get("storage")
        if type(value.get("size")) is not list:
            unexpected(event, self._diagnostics, "size is not a list")
        self._tensors.append(
            {
                **place_of(event),
                "describer_id": key[0],
                "tensor_id": key[1],
                "shape": shape_of(value.get("size")),
                "stride": shape_of(value.get("stride")),
                "dynamic_dims": shape_of(value.get("dynamo_dynamic_indices")),
                "dtype": text_of(value.get("dtype")),
                "device": _device(text_of(value.get("device"))),
                "storage_event": self._storage_events.get((key[0], storage))
                if type(storage) is int
                else None,
                "other": None if _IN_COLUMNS.issuperset(value) else _other(value),
                "requires_grad": value.get("requires_grad") is True,
                "is_parameter": value.get("is_parameter") is True,
                "is_leaf": value.get("is_leaf") is True,
                "is_view": value.get("is_view") is True,
                "sources": [],  # logged after their tensor
            }
        )

    def _add_graph(self, event: Event, sizes: Any) -> None:
        if sizes is None:
            return
        if type(sizes) is not dict:
            unexpected(event, self._diagnostics, "sizes is not an object")
            return
        self._graphs.append(
            {
                **place_of(event),
                "input_count": _input_count(sizes, event.payload),
                "nodes": [text_of(name) for name in sizes],
                "shapes": [shape_of(shape) for shape in sizes.values()],
            }
        )

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "tensor_storages", self._storages
        yield (
            "tensors",
            Rows(
                {**row, "sources": sources}
                for row, sources in zip(self._tensors, self._sources(), strict=True)
            ),
        )
        yield "graph_tensors", self._graphs

    def _sources(self) -> Iterator[list[str]]:
        """Yield the sources of each tensor."""
        positions, texts = self._source_tensors.whole(), self._source_texts
        in_order = iter(
            sorted(range(len(positions)), key=positions.__getitem__)
        )  # those of one tensor stay in the order of the log
        number = next(in_order, None)
        for position in range(len(self._tensors)):
            sources: dict[str, None] = {}
            while number is not None and positions[number] == position:
                sources[texts[number]] = None
                number = next(in_order, None)
            yield list(sources)


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**31


def _other(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the fields without a column in the table."""
    other = {name: field for name, field in value.items() if name not in _IN_COLUMNS and field != {}}
    return {
        text_of(name): field if len(dumps(field)) <= 2000 else text_of(field) for name, field in other.items()
    } or None


@lru_cache(256)
def _device(text: str | None) -> str | None:
    """Return 'cuda:0' for the repr of a torch.device; other values are unchanged."""
    match = _DEVICE.fullmatch(text or "")
    return text if match is None else ":".join(part for part in match.groups() if part is not None)


def _input_count(sizes: dict[str, Any], payload: bytes | None) -> int | None:
    """Return how many nodes, in graph order, are inputs; None when unknown."""
    inputs = input_names(payload)
    if inputs is None:
        return None
    return next((number for number, name in enumerate(sizes) if plain_name(name) not in inputs), len(sizes))
