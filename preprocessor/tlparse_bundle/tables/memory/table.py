"""Memory of generated code: what each code allocates at its peak, and its buffers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tlparse_bundle.base.recent_cache import Newest
from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.memory.accounts import Accounts, Peak, Storage
from tlparse_bundle.tables.memory.code_memory import CodePart, memory_of, part_that_counts
from tlparse_bundle.tables.memory.graph_text import GraphText
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache
from tlparse_bundle.tables.text.record_values import Frame, cut, payload_text

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import MemoryBuffersRow, MemoryRow
    from tlparse_bundle.tables.text.generated_code import Direction

    _Role = Literal["input", "output", "saved", "intermediate"]
    _Described = tuple[Storage, _Role, bool | None, str | None]  # with whether it is saved, and its node

POST_GRAD = "inductor_post_grad_graph"
_BACKWARD = "aot_backward_graph"
_MAX_GRAPH_BYTES = 16 << 20  # of the newest post-grad graphs
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


class _Code(NamedTuple):
    """What the memory of a code is computed from."""

    part: CodePart
    hints: Mapping[str, int]
    graph: GraphText | None


class Memory:
    """Rows of memory and memory_buffers, from the codes of a log and the graphs of their compiles."""

    types = frozenset(("create_symbol", _BACKWARD, POST_GRAD))

    def __init__(self) -> None:
        self._rows: Rows[MemoryRow] = Rows()
        self._buffers: Rows[MemoryBuffersRow] = Rows()
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
            graph = _Graph(event.hash, GraphText(event.payload))
            self._graphs.add(compile_key, graph, len(event.payload))

    def observe_code(
        self,
        event: Event,
        direction: Direction | None,
        kernels: Sequence[Mapping[str, Any]],
        program: GraphText | None,
    ) -> dict[str, list[Frame]]:
        """Add the rows of a code; return the lines of the returned values that each kernel writes.

        ``program``: Dynamo's graph.
        """
        if event.payload is None:
            return {}
        compile_key = event.compile or ""
        graph = self._graphs.get(compile_key)
        own = (kernel["name"] for kernel in kernels if kernel["line"] is not None)
        part = part_that_counts(event.payload, own)
        accounts = self._accounts_of(part, self._hints.get(compile_key) or {}, graph)
        saved = self._saved.get(compile_key) if direction == "forward" else frozenset[str]()
        returned = _Returned(accounts, graph.text.returned if graph is not None else [], saved)
        described = [(storage, *returned.describe(storage)) for storage in accounts.storages]
        self._rows.extend(_rows(event, accounts, described, returned.knows_saved, part.line))
        if len(described) > _MAX_BUFFERS:
            sizes = sorted((storage.bytes or 0 for storage in accounts.storages), reverse=True)
            least = sizes[_MAX_BUFFERS - 1]
            described = [item for item in described if (item[0].bytes or 0) >= least][:_MAX_BUFFERS]
        sources = _Sources(kernels, graph and graph.text, program)
        self._buffers.extend(_buffer_row(event, item, sources, part.line) for item in described)
        return sources.results(described, part.line)

    def _accounts_of(self, part: CodePart, hints: Mapping[str, int], graph: _Graph | None) -> Accounts:
        """Follow a code, or take the result for one that differs only in its kernels."""
        digest = hashlib.blake2b(part.text, digest_size=16).digest()
        key = digest, part.kernels, tuple(hints.items())
        accounts = self._read(key, _Code(part, hints, None))
        if graph is None or "dtype" not in accounts.reasons:
            return accounts
        return self._read((*key, graph.hash) if graph.hash else None, _Code(part, hints, graph.text))

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "memory", self._rows
        yield "memory_buffers", self._buffers


def _memory(of: _Code) -> Accounts:
    return memory_of(of.part, of.hints, of.graph)


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
    """What a code returns: results of the program, then what a forward saves for its backward."""

    def __init__(self, accounts: Accounts, nodes: list[str], saved: frozenset[str] | None):
        count = accounts.returned_count
        self.knows_saved = saved is not None and len(saved) <= count
        self._output_count = count - len(saved or ()) if self.knows_saved else count
        self._nodes = nodes if len(nodes) == count else []

    def describe(self, storage: Storage) -> tuple[_Role, bool | None, str | None]:
        """Return role of a storage, whether it is saved, and its node."""
        positions = storage.returned
        is_saved = bool(positions) and positions[-1] >= self._output_count
        saved = is_saved if self.knows_saved else None
        if storage.is_input:
            return "input", saved, None
        node = self._nodes[positions[0]] if positions and self._nodes else None
        if not positions:
            return "intermediate", saved, None
        return "output" if positions[0] < self._output_count else "saved", saved, node


class _Sources:
    """Writers of buffers, and their lines in the program."""

    def __init__(
        self, kernels: Iterable[Mapping[str, Any]], graph: GraphText | None, program: GraphText | None
    ):
        self._writers = {line: kernel for kernel in kernels for line in kernel["call_lines"]}
        self._graph = graph
        self._program = program
        self._places: dict[str, Frame | None] = {}  # by kernel

    def writer_at(self, line: int | None) -> Mapping[str, Any] | None:
        return None if line is None else self._writers.get(line)

    def place_of(self, node: str | None, writer: Mapping[str, Any] | None) -> Frame | None:
        """Return the line of a node of the post-grad graph, or of the last source node of a kernel."""
        place = self._graph.place_of((node,)) if self._graph is not None and node is not None else None
        if place is None and writer is not None and self._program is not None:
            name = writer["name"]
            if name not in self._places:
                self._places[name] = self._program.place_of(writer["source_nodes"])
            place = self._places[name]
        return place

    def results(self, described: Iterable[_Described], line: int) -> dict[str, list[Frame]]:
        """Return the lines of the returned values that each kernel writes. ``line``: lines before the code.

        Memory with several names is left out: its first writer need not compute what is returned.
        """
        results: dict[str, list[Frame]] = {}
        for storage, _, _, node in described:
            if node is None or storage.is_input or storage.names or storage.written_line is None:
                continue
            writer = self.writer_at(storage.written_line + line)
            place = self._graph.place_of_computed(node) if self._graph is not None else None
            if writer is not None and place is not None:
                results.setdefault(writer["name"], []).append(place)
        return results


def _rows(
    event: Event, accounts: Accounts, described: list[_Described], knows_saved: bool, line: int
) -> Iterator[MemoryRow]:
    """Yield a row for each device. ``line``: lines before those of the accounts."""
    devices: dict[str | None, None] = dict.fromkeys(accounts.peaks)
    devices |= dict.fromkeys(storage.device for storage in accounts.storages if storage.device)
    unknown = list(accounts.reasons)
    for device in devices or {None: None}:
        peak = accounts.peaks.get(device or "", Peak())
        own = [item for item in described if item[0].device in (device, None)]
        yield {
            "code_event": event.index,
            "compile": event.compile,
            "attempt": event.attempt,
            "device": device,
            "peak_bytes": None if unknown else peak.bytes,
            "known_peak_bytes": peak.bytes,
            "peak_line": peak.line and peak.line + line,
            "peak_step": peak.step,
            "unknown": unknown,
            "operators": list(accounts.operators),
            "is_hint": any(storage.is_hint and not storage.is_input for storage, *_ in own),
            "input_bytes": _sum(own, "input"),
            "output_bytes": _sum(own, "output") if knows_saved else None,
            "saved_bytes": _sum(own, "saved") if knows_saved else None,
            "buffer_count": sum(item[0].device == device for item in own),
        }


def _sum(described: list[_Described], role: _Role) -> int | None:
    """Return the bytes of the buffers with a role; None when the size of one is unknown."""
    total = 0
    for storage, own_role, *_ in described:
        if own_role == role:
            if storage.bytes is None:
                return None
            total += storage.bytes
    return total


def _buffer_row(event: Event, item: _Described, sources: _Sources, line: int) -> MemoryBuffersRow:
    storage, role, saved, node = item
    written = None if storage.is_input or storage.written_line is None else storage.written_line + line
    writer = sources.writer_at(written)
    place = sources.place_of(node, writer)
    return {
        "code_event": event.index,
        "name": storage.name[:300],
        "aliases": [name[:300] for name in storage.names],
        "role": role,
        "saved": saved,
        "device": storage.device,
        "bytes": storage.bytes,
        "unknown": storage.unknown if storage.bytes is None else None,
        "is_hint": storage.is_hint,
        "dtype": storage.dtype,
        "shape": storage.shape,
        "first_line": storage.first_line + line,
        "last_line": storage.last_line and storage.last_line + line,
        "first_step": storage.first_step,
        "last_step": storage.last_step,
        "kernel": None if writer is None else writer["name"],
        "kernel_line": written,
        "node": node and node[:300],
        "file": place and cut(place.file),
        "line": place and place.line,
        "function": place and cut(place.function),
        "source_line": place and cut(place.source_line),
    }
