"""Memory of generated code: what each code allocates at its peak, and its buffers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tlparse_bundle.base.recent_cache import Newest
from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.fallbacks import Fallbacks, place_in
from tlparse_bundle.tables.memory.accounts import Accounts, Peak, Storage
from tlparse_bundle.tables.memory.code_memory import CodeMemory, memory_of
from tlparse_bundle.tables.memory.graph_text import GraphText
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache
from tlparse_bundle.tables.text.record_values import Frame, cut, payload_text

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import MemoryBuffersRow, MemoryRow
    from tlparse_bundle.tables.text.generated_code import Direction

    _Role = Literal["input", "output", "saved", "intermediate"]

POST_GRAD = "inductor_post_grad_graph"
_BACKWARD = "aot_backward_graph"
_MAX_GRAPH_BYTES = 32 << 20  # of the newest post-grad graphs
_MAX_NAME_BYTES = 4 << 20  # of symbols and of names of saved values
_MAX_BUFFERS = 2000  # rows of one code; the largest are kept
_PARAMETER = re.compile(r"(?:\A|,|\n)\s*(\w+)\s*:")
_COMMENT = re.compile(r"#[^\n]*")
_QUOTED = re.compile(r'"[^"\n]*"')
# Parameters of a backward that the forward did not save.
_NOT_SAVED = re.compile(r"tangents_|bwd_|fwd_seed|fwd_base_offset|fwd_rng_state")


class _Graph(NamedTuple):
    hash: str | None
    text: GraphText


class _Input(NamedTuple):
    """What the memory of a code is computed from."""

    event: Event
    hints: Mapping[str, int]
    graph: GraphText | None


class Memory:
    """Rows of memory and memory_buffers, from the codes of a log and the graphs of their compiles."""

    types = frozenset(("create_symbol", _BACKWARD, POST_GRAD))

    def __init__(self, fallbacks: Fallbacks) -> None:
        self._rows: Rows[MemoryRow] = Rows()
        self._buffers: Rows[MemoryBuffersRow] = Rows()
        self._fallbacks = fallbacks
        self._graphs: Newest[str, _Graph] = Newest(_MAX_GRAPH_BYTES)
        self._hints: Newest[str, dict[str, int]] = Newest(_MAX_NAME_BYTES)
        self._saved: Newest[str, frozenset[str]] = Newest(_MAX_NAME_BYTES)
        self._read = ParseCache(_memory)

    def observe(self, event: Event) -> None:
        """Remember a symbol, or a graph of a compile."""
        compile_key = event.compile
        if compile_key is None:
            return
        if event.type == "create_symbol":
            value = event.value if type(event.value) is dict else {}
            name, hint = value.get("symbol"), value.get("val")
            if type(name) is str and type(hint) is str and re.fullmatch(r"\d{1,15}", hint):
                hints = self._hints.get(compile_key) or {}
                hints[name[:100]] = int(hint)
                self._hints.add(compile_key, hints, 100 * len(hints))
        elif event.type == _BACKWARD:
            names = frozenset(_parameters(payload_text(event)))
            self._saved.add(compile_key, names, 100 * (1 + len(names)))
        elif event.payload is not None:
            graph = _Graph(event.hash, GraphText(payload_text(event)))
            self._graphs.add(compile_key, graph, len(event.payload))

    def observe_code(
        self, event: Event, direction: Direction | None, kernels: Iterable[Mapping[str, Any]]
    ) -> None:
        compile_key = event.compile or ""
        graph = self._graphs.get(compile_key)
        hints = self._hints.get(compile_key) or {}
        key = (event.hash, graph and graph.hash, tuple(hints.items())) if event.hash else None
        memory = self._read(key, _Input(event, hints, graph and graph.text))
        saved = self._saved.get(compile_key) if direction == "forward" else frozenset[str]()
        returned = _Returned(memory, saved)
        writers = {line: kernel for kernel in kernels for line in kernel["call_lines"]}
        storages = memory.accounts.storages
        self._rows.extend(_rows(event, memory.accounts, returned))
        kept = storages
        if len(storages) > _MAX_BUFFERS:
            largest = sorted(storages, key=lambda storage: -(storage.bytes or 0))[:_MAX_BUFFERS]
            chosen = set(map(id, largest))
            kept = [storage for storage in storages if id(storage) in chosen]
        dynamo_graph = self._fallbacks.graph_of(event.compile)
        places: dict[str, Frame | None] = {}
        for storage in kept:
            writer = writers.get(storage.written_line or 0)
            node = returned.node_of(storage)
            place = graph.text.place_of(node) if graph is not None and node is not None else None
            if place is None and writer is not None and dynamo_graph is not None and not storage.is_input:
                name = writer["name"]
                if name not in places:
                    places[name] = place_in(dynamo_graph, writer["source_nodes"], "")
                place = places[name]
            self._buffers.append(_buffer_row(event, storage, returned, node, writer, place))

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "memory", self._rows
        yield "memory_buffers", self._buffers


def _memory(of: _Input) -> CodeMemory:
    return memory_of(payload_text(of.event), of.hints, of.graph)


def _parameters(text: str) -> Iterator[str]:
    """Yield the parameters of a backward graph that its forward saves."""
    begin = text.find("def forward(")
    end = text.find("):\n", begin)
    if begin < 0 or end < 0:
        return
    signature = _QUOTED.sub("", _COMMENT.sub("", text[begin + len("def forward(") : end]))
    for name in _PARAMETER.findall(signature):
        if not _NOT_SAVED.match(name):
            yield name[:300]


class _Returned:
    """What a code returns: results of the program first, then values that a forward saves for its backward."""

    def __init__(self, memory: CodeMemory, saved: frozenset[str] | None):
        count = memory.accounts.returned_count
        self.knows_saved = saved is not None and len(saved) <= count
        self._output_count = count - len(saved or ()) if self.knows_saved else count
        self._nodes = memory.returned if len(memory.returned) == count else []

    def is_output(self, storage: Storage) -> bool:
        return any(position < self._output_count for position in storage.returned)

    def is_saved(self, storage: Storage) -> bool | None:
        if not self.knows_saved:
            return None
        return any(position >= self._output_count for position in storage.returned)

    def node_of(self, storage: Storage) -> str | None:
        has_node = storage.returned and self._nodes and not storage.is_input
        return self._nodes[storage.returned[0]] if has_node else None

    def role_of(self, storage: Storage) -> _Role:
        if storage.is_input:
            return "input"
        if self.is_output(storage):
            return "output"
        return "saved" if self.is_saved(storage) else "intermediate"


def _rows(event: Event, accounts: Accounts, returned: _Returned) -> Iterator[MemoryRow]:
    """Yield a row for each device."""
    storages = accounts.storages
    devices: dict[str | None, None] = dict.fromkeys(accounts.peaks)
    devices |= dict.fromkeys(storage.device for storage in storages if storage.device)
    unknown = list(accounts.reasons)
    for device in devices or {None: None}:
        peak = accounts.peaks.get(device or "", Peak())
        own = [storage for storage in storages if storage.device == device]
        outputs = [storage for storage in own if returned.role_of(storage) == "output"]
        saved = [storage for storage in own if returned.role_of(storage) == "saved"]
        yield {
            "code_event": event.index,
            "compile": event.compile,
            "attempt": event.attempt,
            "device": device,
            "peak_bytes": None if unknown else peak.bytes,
            "known_peak_bytes": peak.bytes,
            "peak_line": peak.line,
            "peak_step": peak.step,
            "unknown": unknown,
            "operators": list(accounts.operators),
            "is_hint": any(storage.is_hint and not storage.is_input for storage in own),
            "input_bytes": _sum([storage for storage in storages if storage.is_input], device),
            "output_bytes": _sum(outputs, device) if returned.knows_saved else None,
            "saved_bytes": _sum(saved, device) if returned.knows_saved else None,
            "buffer_count": len(own),
        }


def _sum(storages: list[Storage], device: str | None) -> int | None:
    """Return the bytes on a device; None when the size of one is unknown."""
    total = 0
    for storage in storages:
        if storage.device in (device, None):
            if storage.bytes is None:
                return None
            total += storage.bytes
    return total


def _buffer_row(
    event: Event,
    storage: Storage,
    returned: _Returned,
    node: str | None,
    writer: Mapping[str, Any] | None,
    place: Any,
) -> MemoryBuffersRow:
    written = None if storage.is_input else storage.written_line
    return {
        "code_event": event.index,
        "name": storage.name[:300],
        "aliases": [name[:300] for name in storage.names],
        "role": returned.role_of(storage),
        "saved": returned.is_saved(storage),
        "device": storage.device,
        "bytes": storage.bytes,
        "unknown": storage.unknown if storage.bytes is None else None,
        "is_hint": storage.is_hint,
        "dtype": storage.dtype,
        "shape": storage.shape,
        "first_line": storage.first_line,
        "last_line": storage.last_line,
        "first_step": storage.first_step,
        "last_step": storage.last_step,
        "kernel": writer["name"] if writer is not None and written is not None else None,
        "kernel_line": written,
        "node": node and node[:300],
        "file": place and cut(place.file),
        "line": place and place.line,
        "function": place and cut(place.function),
        "source_line": place and cut(_code(place)),
    }


def _code(place: Any) -> str | None:
    return place.source_line if isinstance(place, Frame) else place.code
