"""The tensor table: inputs of compiles as torch described them, and the sizes in Dynamo's graphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from tlparse_bundle.format.json_codec import dumps
from tlparse_bundle.tables.columns import Columns, Interner, Strings, text_of
from tlparse_bundle.tables.json_list import JsonList
from tlparse_bundle.tables.numbers import Numbers
from tlparse_bundle.tables.shape_records import fields_of, unexpected
from tlparse_bundle.tables.table import TableContext
from tlparse_bundle.trace.event import Event

_FLAGS = ("requires_grad", "is_parameter", "is_leaf", "is_view")
# What has a column or says nothing. view_func is the repr of a function, with its address in memory.
_IN_COLUMNS = frozenset(
    ("describer_id", "id", "ndim", "dtype", "device", "size", "stride", "storage", "dynamo_dynamic_indices", "view_func", *_FLAGS)
)
_DEVICE = re.compile(r"device\(type='([^']*)'(?:, index=(\d+))?\)")  # repr of a torch.device
_SIGNATURE = re.compile(r"def forward\(self,?(.*?)\)(?: *->[^\n]*)?:\s", re.DOTALL)
_PARAMETER = re.compile(r"(?:^|,)\s*(\w+)\s*(?=[:,=]|$)")
_MAX_SIGNATURE = 1_000_000
_MAX_DIMENSIONS = 100


class Tensors:
    """torch/_subclasses/meta_utils.py, MetaTensorDescriber: storages, tensors and sources, joined by describer and id.

    A describer belongs to one trace and numbers its tensors; describers are numbered in the process. Where a log
    has a pair of numbers twice, the newest earlier record is meant.
    """

    name = "tensors"
    types = frozenset(("describe_storage", "describe_tensor", "describe_source", "dynamo_output_graph"))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._strings, self._shapes, self._others = Strings(), Interner(), Interner()
        self._sizes = JsonList()
        self._storages = Columns("event_index", "compile_index")
        self._tensors = Columns(
            "event_index", "compile_index", "describer_id", "tensor_id", "shape", "stride", "dynamic_dims", "dtype", "device",
            "storage_index", "other", *_FLAGS,
        )  # fmt: skip
        self._source_rows, self._source_texts = map(Numbers, "ii")
        self._storage_rows: dict[tuple[int, int], int] = {}
        self._tensor_rows: dict[tuple[int, int], int] = {}
        self._graphs = Columns("event_index", "compile_index", "input_count", "nodes", "shapes", lists=("nodes", "shapes"))

    def observe(self, event: Event) -> None:
        value = fields_of(event, self._diagnostics)
        if value is None:
            return
        if event.type == "dynamo_output_graph":
            self._add_graph(event, value.get("sizes"))
            return
        key = (value.get("describer_id"), value.get("id"))
        if not (_is_number(key[0]) and _is_number(key[1])):
            unexpected(event, self._diagnostics, "describer_id or id is no number")
        elif event.type == "describe_storage":
            self._storage_rows[key] = self._storages.add(event_index=event.index, compile_index=event.compile_index)
            size = value.get("size")
            self._sizes.append(size if type(size) is int else text_of(size))
        elif event.type == "describe_tensor":
            self._tensor_rows[key] = self._add_tensor(event, key, value)
        elif key in self._tensor_rows:
            self._source_rows.append(self._tensor_rows[key])
            self._source_texts.append(self._strings.text(value.get("source")))
        else:
            unexpected(event, self._diagnostics, f"source of a tensor {key} that the log does not describe")

    def _add_tensor(self, event: Event, key: tuple[int, int], value: dict) -> int:
        storage = value.get("storage")
        if type(value.get("size")) is not list:
            unexpected(event, self._diagnostics, "size is no list")
        other = None if _IN_COLUMNS.issuperset(value) else _other(value)
        return self._tensors.add(
            event_index=event.index,
            compile_index=event.compile_index,
            describer_id=key[0],
            tensor_id=key[1],
            shape=self._shape(value.get("size")),
            stride=self._shape(value.get("stride")),
            dynamic_dims=self._shape(value.get("dynamo_dynamic_indices")),
            dtype=self._strings.text(value.get("dtype")),
            device=self._strings(_device(text_of(value.get("device")))),
            storage_index=self._storage_rows.get((key[0], storage), -1) if type(storage) is int else -1,
            other=self._others.by_json(other),
            **{flag: value.get(flag) is True for flag in _FLAGS},
        )

    def _shape(self, sizes: Any) -> int:
        """Position of a list of sizes; -1 when it is none."""
        if type(sizes) is not list:
            return -1
        return self._shapes(tuple([size if type(size) is int else _size(size) for size in sizes[:_MAX_DIMENSIONS]]))

    def _add_graph(self, event: Event, sizes: Any) -> None:
        if sizes is None:
            return
        if type(sizes) is not dict:
            unexpected(event, self._diagnostics, "sizes is not an object")
            return
        self._graphs.add(
            event_index=event.index,
            compile_index=event.compile_index,
            input_count=_input_count(sizes, event.payload),
            nodes=[self._strings.text(name) for name in sizes],
            shapes=[self._shape(shape) for shape in sizes.values()],
        )

    def table(self) -> dict:
        tensors = self._tensors.table()
        tensors["sources"] = JsonList(self._sources())
        tensors |= {flag: JsonList(cell == 1 for cell in self._tensors[flag]) for flag in _FLAGS}
        return {
            "strings": self._strings.table(),
            "shapes": self._shapes.table(),
            "others": self._others.table(),
            "storages": {**self._storages.table(), "size_bytes": self._sizes},
            "tensors": tensors,
            "graphs": self._graphs.table(),
        }

    def _sources(self) -> Iterator[list[int]]:
        """Of each tensor."""
        rows, texts = self._source_rows.whole(), self._source_texts.whole()
        in_order = iter(sorted(range(len(rows)), key=rows.__getitem__))  # those of one tensor stay in the order of the log
        place = next(in_order, None)
        for row in range(len(self._tensors)):
            sources: dict[int, None] = {}
            while place is not None and rows[place] == row:
                sources[texts[place]] = None
                place = next(in_order, None)
            yield list(sources)


def _size(size: Any) -> int | str:
    """A size that is no number: an expression of symbols. torch writes the constant that a symbol became as text ('7')."""
    text = text_of(size) or "null"
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else text


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**31


def _other(value: dict) -> dict | None:
    """The fields that have no column."""
    other = {name: field for name, field in value.items() if name not in _IN_COLUMNS and field != {}}
    return {text_of(name): field if len(dumps(field)) <= 2000 else text_of(field) for name, field in other.items()} or None


@lru_cache(256)
def _device(text: str | None) -> str | None:
    """'cuda:0' for the repr of a torch.device, anything else as it is."""
    match = _DEVICE.fullmatch(text or "")
    return text if match is None else ":".join(part for part in match.groups() if part is not None)


def _input_count(sizes: dict, payload: bytes | None) -> int:
    """How many of the nodes, which stand in the order of the graph, are inputs; -1 when the graph's text does not say.

    The signature names the inputs as Dynamo did (L_x_), the nodes are named in lower case (torch.fx.Graph).
    """
    match = _SIGNATURE.search((payload or b"")[:_MAX_SIGNATURE].decode("utf-8", "replace"))
    if match is None:
        return -1
    # Annotations hold commas and brackets: without them.
    parameters = re.sub(r'"[^"]*"', "", match[1])
    inputs = {_plain(name) for name in _PARAMETER.findall(parameters)}
    return next((number for number, name in enumerate(sizes) if _plain(name) not in inputs), len(sizes))


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
