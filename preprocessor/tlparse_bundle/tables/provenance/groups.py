"""Groups records of one graph: pre-grad graph, post-grad graph, generated code, mapping.

AOTInductor code consists of the calling wrapper and the bodies of its C++ kernels. The rule, for records
of one compile and one subgraph_name in log order:

- a post-grad graph starts a group, unless the open group has no code or mapping yet: then it is another
  view of the same graph;
- code, mapping and stacks join the open group; a second one of a kind starts a new group, without graphs;
- a pre-grad graph ends the open group. It belongs to every later group until the next pre-grad graph,
  since a forward and its backward share one. A mapping without pre-grad nodes (a backward that was
  compiled later) only has it if it is the only one of the compile; otherwise it is ambiguous.

torch/_inductor/compile_fx.py writes pre-grad graph, post-grad graph, code, mapping, stacks, in this
order; older releases wrote the mapping of AOTInductor before its code. A group needs a mapping or stacks.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tlparse_bundle.log.event import Event

MAX_OPEN_BYTES = 8_000_000  # of texts of groups that are open; the newest is always kept

PRE_GRAD, POST_GRAD, CODE, WRAPPER, BODIES = "pre_grad", "post_grad", "code", "wrapper", "bodies"
NODES, STACKS, KERNELS, ORIGINS = "nodes", "stacks", "kernels", "origins"
_EVENTS = {
    "inductor_pre_grad_graph": PRE_GRAD,
    "inductor_post_grad_graph": POST_GRAD,
    "inductor_output_code": CODE,
}
_ARTIFACTS = {
    "before_pre_grad_graph": PRE_GRAD,
    "inductor_pre_grad_graph": PRE_GRAD,
    "after_post_grad_graph": POST_GRAD,
    "inductor_post_grad_graph": POST_GRAD,
    "inductor_provenance_tracking_node_mappings": NODES,
    "inductor_provenance_tracking_kernel_stack_traces": STACKS,
    "inductor_triton_kernel_to_post_grad_nodes": KERNELS,
    "inductor_post_to_pre_grad_nodes": ORIGINS,
}
_DUMPS = {"inductor_aot_wrapper_code": WRAPPER, "inductor_aot_kernel_code": BODIES}
_MAPPINGS = frozenset((NODES, STACKS, KERNELS, ORIGINS))
_NO_KERNELS: frozenset[str] = frozenset()
_GRAPH_ID = re.compile(rb"# graph id: (\d{1,19})\s*\Z")


def part_of(event: Event) -> str | None:
    """Return the part of a group that a record is; None for other records."""
    if event.payload is None:
        return None
    if event.type == "artifact":
        return _ARTIFACTS.get(event.name or "")
    if event.type == "graph_dump":
        return _DUMPS.get(event.name or "")
    return _EVENTS.get(event.type)


@dataclass(slots=True)
class PreGrad:
    """A pre-grad graph, which groups can share."""

    event_index: int
    payload: bytes | None  # None once it was let go
    hash: str | None
    graph_id: int | None
    nth: int  # of its compile, from 1
    written: bool = False  # whether its lines are in the table: once a group that has it is closed


@dataclass(slots=True)
class Group:
    """Records of one graph. ``parts``: payloads by part, while the group is open."""

    compile: str | None
    attempt: int | None
    subgraph_name: str | None
    number: int  # of its compile and subgraph_name, from 1
    pre_grad: PreGrad | None
    earlier_kernels: frozenset[str]  # named by the code of earlier groups of the same pre-grad graph
    parts: dict[str, bytes] = field(default_factory=dict)
    hashes: dict[str, str | None] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)  # line and byte offset in the log
    texts: object = None  # what the table has read of its parts already; None when they have changed since

    @property
    def has_mapping(self) -> bool:
        return not _MAPPINGS.isdisjoint(self.parts)

    @property
    def key(self) -> tuple[object, ...] | None:
        """Return a key for the inputs of the maps; None when unknown."""
        pre_grad = self.pre_grad
        hashes = {PRE_GRAD: pre_grad.hash, **self.hashes} if pre_grad else self.hashes
        if None in hashes.values():
            return None
        state = pre_grad and (pre_grad.payload is None, pre_grad.nth == 1)
        return state, self.earlier_kernels, tuple(hashes.items())


@dataclass(slots=True)
class _State:
    """State of one compile and subgraph_name."""

    pre_grad: PreGrad | None = None
    group: Group | None = None
    count: int = 0
    kernels: frozenset[str] = _NO_KERNELS

    def size(self) -> int:
        held = sum(map(len, self.group.parts.values())) if self.group else 0
        return held + (len(self.pre_grad.payload or b"") if self.pre_grad else 0)


class Groups:
    """Groups records. ``close`` gets each complete group with a mapping, and returns the kernels in its
    code.
    """

    def __init__(self, close: Callable[[Group], frozenset[str]]):
        self._close = close
        self._states: dict[tuple[int, str | None], _State] = {}
        # Groups that may have texts, by their newest records.
        self._holding: OrderedDict[tuple[int, str | None], _State] = OrderedDict()
        self._bytes = 0
        # Kept at the end: to free their texts would copy memory that is shared with the process that this one
        # is a copy of.
        self._ended: list[Group | None] = []

    def observe(self, event: Event, part: str) -> None:
        name = event.metadata.get("subgraph_name") if event.metadata else None
        name = name if type(name) is str else None
        payload = event.payload or b""  # part_of saw that there is one
        key = event.compile_index, name
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = _State()
        self._holding[key] = state
        self._holding.move_to_end(key)
        self._bytes -= state.size()
        if part == PRE_GRAD:
            self._end(state)
            match = _GRAPH_ID.search(payload[-100:])
            nth = state.pre_grad.nth + 1 if state.pre_grad else 1
            state.pre_grad = PreGrad(event.index, payload, event.hash, int(match[1]) if match else None, nth)
            state.kernels = _NO_KERNELS
        else:
            held = state.group.parts.keys() if state.group else set()
            if held - {POST_GRAD} if part == POST_GRAD else part in held:
                self._end(state)
            if state.group is None:
                state.count += 1
                state.group = Group(
                    event.compile, event.attempt, name, state.count, state.pre_grad, state.kernels
                )
            state.group.texts = None
            state.group.parts[part] = payload
            state.group.hashes[part] = event.hash
            state.group.events[part] = event.index
            state.group.places[part] = event.line, event.byte_offset
        self._bytes += state.size()
        while self._bytes > MAX_OPEN_BYTES and len(self._holding) > 1:
            _, oldest = self._holding.popitem(last=False)
            self._let_go(oldest)

    def _end(self, state: _State) -> None:
        group, state.group = state.group, None
        if group is None:
            return
        if group.has_mapping:
            kernels = self._close(group)
            if kernels:
                state.kernels = (
                    state.kernels | kernels if state.kernels else kernels
                )  # equal groups share them
        else:
            state.count -= 1

    def _let_go(self, state: _State) -> None:
        """Drop the texts of a compile; a later backward still finds its pre-grad graph."""
        self._bytes -= state.size()
        self._end(state)
        if state.pre_grad is not None:
            state.pre_grad.payload = None

    def waiting(self) -> Iterator[Group]:
        """Return open groups with a mapping, except the newest, which may be incomplete."""
        for state in list(self._holding.values())[:-1]:
            if state.group is not None and state.group.has_mapping:
                yield state.group

    def end(self) -> None:
        """Close all groups at the end of the log."""
        for state in self._holding.values():
            group = state.group
            self._end(state)
            self._ended.append(group)
