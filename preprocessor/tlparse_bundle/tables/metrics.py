"""Tables of compilation metrics, with JSON strings parsed, and of configurations and fields."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.log.event import Event
from tlparse_bundle.log.events.metric_fields import BY_NAME
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import TableContext, place_of

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import MetricConfigsRow, MetricFieldsRow, MetricsRow

    _Type = Literal[
        "compilation_metrics",
        "bwd_compilation_metrics",
        "compilation_metrics_runtime",
        "bwd_compilation_metrics_runtime",
        "aot_autograd_backward_compilation_metrics",
    ]

MAX_TEXT = 20_000  # characters of one value
MAX_PARSED = 1_000_000  # of a value that is parsed; of a larger one 'cut' has the name
MAX_CONFIG = 500_000
MAX_CONFIGS = 1000  # different ones

_INTEGER = re.compile(r"-?\d{1,15}")
_NODE = re.compile(r"""\s*(?:'([^'\\\n]*)'|"([^"\\\n]*)"): (.*)""", re.DOTALL)
_MAX_DEPTH = 20  # of brackets


_TYPES: dict[str, _Type] = {
    "compilation_metrics": "compilation_metrics",
    "bwd_compilation_metrics": "bwd_compilation_metrics",
    "compilation_metrics_runtime": "compilation_metrics_runtime",
    "bwd_compilation_metrics_runtime": "bwd_compilation_metrics_runtime",
    "aot_autograd_backward_compilation_metrics": "aot_autograd_backward_compilation_metrics",  # older torch
}


class Metrics:
    name = "metrics"
    types = frozenset(_TYPES)

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._rows: Rows[MetricsRow] = Rows()
        self._fields: dict[str, None] = {}
        self._configs: list[MetricConfigsRow] = []
        self._config_numbers: dict[tuple[str, bytes], int] = {}
        self._config_bases: dict[str, tuple[int, dict[str, Any]]] = {}
        self._newest_configs: dict[str, tuple[str, int]] = {}

    def observe(self, event: Event) -> None:
        row: MetricsRow = {
            **place_of(event),
            "type": _TYPES[event.type],
            "values": {},
            "configs": {},
            "cut": [],
        }
        if type(event.value) is dict:
            self._observe_fields(event, row)
        else:
            self._note(event, f"{event.type} is not an object")
        self._rows.append(row)

    def _observe_fields(self, event: Event, row: MetricsRow) -> None:
        for key, value in event.value.items():
            if value is None:
                continue
            self._fields.setdefault(key)
            if key.endswith("_config") and type(value) is str:
                row["configs"][key] = self._config(event, key, value)
                continue
            if type(value) is str and key in _PARSERS and len(value) <= MAX_PARSED:
                parsed = _PARSERS[key](value)
                if parsed is None:
                    self._note(event, f"{key} has an unknown format and is kept as text")
                else:
                    value = parsed
            value, cut = _bounded(value)
            row["values"][key] = value
            if cut:
                row["cut"].append(key)

    def _note(self, event: Event, message: str) -> None:
        self._diagnostics.add(
            "table-parse", message, line=event.line, byte_offset=event.byte_offset, event_index=event.index
        )

    def _config(self, event: Event, field: str, text: str) -> int | None:
        """Return the id of a configuration. Most equal the newest one of their field, so that is compared
        first.
        """
        newest = self._newest_configs.get(field)
        if newest is not None and newest[0] == text:
            number = newest[1]
        else:
            new = self._config_number(event, field, text)
            if new is None:
                return None
            number = new
            self._newest_configs[field] = text, number
        self._configs[number]["record_count"] += 1
        return number

    def _config_number(self, event: Event, field: str, text: str) -> int | None:
        key = field, hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        number = self._config_numbers.get(key)
        if number is None:
            if len(self._configs) >= MAX_CONFIGS:
                self._note(
                    event,
                    f"more than {MAX_CONFIGS} different configurations; only the metadata has this {field}",
                )
                return None
            number = self._config_numbers[key] = len(self._configs)
            self._configs.append(self._config_row(event, field, text))
        return number

    def _config_row(self, event: Event, field: str, text: str) -> MetricConfigsRow:
        """Return the first configuration of a field in full, and differences for later ones."""
        row: MetricConfigsRow = {
            "id": len(self._configs),
            "field": field,
            "event": event.index,
            "record_count": 0,
            "base": None,
            "value": None,
            "changes": {},
            "removed": [],
            "text": None,
        }
        try:
            value = parse_json(text) if len(text) <= MAX_CONFIG else None
        except ValueError:
            value = None  # torch writes a sentence when a setting cannot be written as JSON
        if type(value) is not dict:
            row["text"] = text[:MAX_TEXT]
            return row
        base_id, base = self._config_bases.setdefault(field, (len(self._configs), value))
        if base is value:
            row["value"] = value
        else:
            row["base"] = base_id
            row["changes"] = {
                key: setting
                for key, setting in value.items()
                if key not in base or not _same(base[key], setting)
            }
            row["removed"] = [key for key in base if key not in value]
        return row

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "metrics", self._rows
        yield "metric_configs", Rows(self._configs)
        yield "metric_fields", Rows(self._field_rows())

    def _field_rows(self) -> Iterator[MetricFieldsRow]:
        described = sorted(
            (BY_NAME[name] for name in self._fields if name in BY_NAME), key=lambda item: item[0]
        )
        for _, field in described:
            yield {
                "name": field.name,
                "unit": field.unit,  # type: ignore[typeddict-item]  # one of metric_fields.UNITS
                "group": field.group,  # type: ignore[typeddict-item]  # one of metric_fields.GROUPS
                "meaning": field.meaning,
            }
        for name in self._fields:
            if name not in BY_NAME:
                yield {"name": name, "unit": None, "group": "other", "meaning": None}


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal and of one type: 1 is not True."""
    return one == other and dumps(one) == dumps(other)


def _bounded(value: Any) -> tuple[Any, bool]:
    """Return the value with long texts and lists cut, and whether anything was cut."""
    if type(value) is str:
        return (value, False) if len(value) <= MAX_TEXT else (value[:MAX_TEXT], True)
    if type(value) not in (list, dict):
        return value, False
    if len(dumps(value)) <= MAX_TEXT:
        return value, False
    kept: list[Any] = []
    left = MAX_TEXT
    items: Iterable[Any] = value.items() if type(value) is dict else value
    for item in items:
        part = item[:MAX_TEXT] if type(item) is str else item
        left -= len(dumps(part))
        if left < 0 and (kept or type(part) is not str):
            break
        kept.append(part)
    return (dict(kept) if type(value) is dict else kept), True


def _kernel_times(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return None


def _node_shapes(text: str) -> dict[str, Any] | None:
    """Return the Python repr of {node: sizes} as an object; None for other text.

    Dynamic sizes stay text (s77, (s77 + 1)//2). No Python parser reads the log.
    """
    if text[:1] != "{" or text[-1:] != "}":
        return None
    nodes, parts = {}, _split(text[1:-1])
    for part in parts or ():
        node = _NODE.fullmatch(part)
        if node is None:
            return None
        nodes[node[1] if node[1] is not None else node[2]] = _sizes(node[3].strip(), 0)
    return None if parts is None else nodes


def _sizes(text: str, depth: int) -> Any:
    if _INTEGER.fullmatch(text):
        return int(text)
    if text == "None":
        return None
    if text[:1] + text[-1:] in ("[]", "()") and depth < _MAX_DEPTH:
        parts = _split(text[1:-1])
        if parts is not None and (text[0] == "[" or len(parts) != 1 or text[-2] == ","):
            return [_sizes(part.strip(), depth + 1) for part in parts]
    quoted = text[:1] == text[-1:] == "'" and len(text) > 1 and "'" not in text[1:-1]
    return text[1:-1] if quoted else text


def _split(text: str) -> list[str] | None:
    """Split at commas outside brackets; None when brackets don't match."""
    parts, begin, depth = [], 0, 0
    for place, character in enumerate(text):
        if character in "[({":
            depth += 1
        elif character in "])}":
            depth -= 1
            if depth < 0:
                return None
        elif character == "," and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
    if text[begin:].strip():
        parts.append(text[begin:])
    return parts if depth == 0 else None


_PARSERS = {"triton_kernel_compile_times_us": _kernel_times, "graph_node_shapes": _node_shapes}
