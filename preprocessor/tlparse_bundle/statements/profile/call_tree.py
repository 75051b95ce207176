"""Finds out what encloses what in a recording: calls of regions, of graphs, and the kernels they launch."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from tlparse_bundle.log.profiler.recording import Recording
from tlparse_bundle.statements.profile.log_index import GRAPH_CALL

REGION_NAME = re.compile(r"Torch-Compiled Region: (.+)", re.DOTALL)
_LOOKUP = "TorchDynamo Cache Lookup"
_PROLOGUES = ("Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue")
OTHER, REGION, GRAPH, LOOKUP, PROLOGUE, GENERATED = range(6)


class Call:
    """A call of a compiled region or of a compiled graph."""

    __slots__ = (
        *("is_graph", "key", "start", "duration", "compiles"),
        *("lookup_us", "prologue_us", "launch_us", "children_us", "eager_us", "launch_count"),
        *("last_graph_end", "device_events"),
    )

    def __init__(self, key: str, is_graph: bool, start: float, duration: float):
        self.key, self.is_graph, self.start, self.duration = key, is_graph, start, duration
        self.compiles: tuple[str, ...] = ()  # that a region can be
        self.lookup_us: float | None = None
        self.prologue_us = self.launch_us = self.children_us = self.eager_us = 0.0
        self.launch_count = 0
        self.last_graph_end: float | None = None  # of a region: where its last graph ended
        self.device_events: list[int] = []


class Context(NamedTuple):
    """What encloses an event on a thread."""

    region: Call | None = None
    graph: Call | None = None
    operation: int = -1  # the generated kernel that is launched: its name
    operator: int = -1  # the outermost operator of a library in the graph: its name
    span: int = -1  # of that kernel or operator


ROOT = Context()


class HostEvent(NamedTuple):
    """A kernel that ran on the host, or the outermost operator of a library inside a graph."""

    name: int
    duration: float
    start: float
    context: Context  # around it
    span: int
    is_generated: bool


class CallTree:
    """Calls in the order of their threads, and the context of each launch."""

    def __init__(
        self,
        recording: Recording,
        compiles_of: Callable[[str, float], tuple[str, ...]],
        is_generated: Callable[[str], bool],
    ):
        self.calls: list[Call] = []
        self.host_events: list[HostEvent] = []
        self.launch_contexts: list[Context] = [ROOT] * len(recording.launches)
        self.contexts_by_external: dict[int, Context] = {}
        self.lookup_count, self.lookup_us = 0, 0.0  # that belong to no region
        self._recording, self._compiles_of = recording, compiles_of
        self._roles, self._keys = _roles(recording, is_generated)
        self._wants_external = len(recording.device_events) > 0
        # Spans, then launches.
        self._starts = recording.spans.start + recording.launches.start
        threads: list[list[int]] = [[] for _ in recording.threads]
        for number, thread in enumerate(recording.spans.thread + recording.launches.thread):
            threads[thread].append(number)
        for items in threads:
            self._sweep(self._ordered(items))

    def _ordered(self, items: list[int]) -> list[int]:
        """Return spans and launches by start; of those with equal starts, the longest first."""
        starts, durations = self._starts, self._recording.spans.duration
        items.sort(key=starts.__getitem__)
        if any(starts[one] == starts[other] for one, other in pairwise(items)):
            count = len(durations)
            items.sort(key=lambda one: (starts[one], -durations[one] if one < count else 0.0))
        return items

    def _sweep(self, order: Sequence[int]) -> None:
        spans, starts, roles = self._recording.spans, self._starts, self._roles
        names, durations, span_count = spans.name, spans.duration, len(spans)
        stack: list[tuple[float, Context]] = [(math.inf, ROOT)]
        end, context = stack[-1]
        lookup: tuple[float, float] | None = None  # duration and start; its region has not begun
        for number in order:
            start = starts[number]
            while end <= start:
                stack.pop()
                end, context = stack[-1]
            if number >= span_count:
                self._launch(number - span_count, context)
                continue
            name = names[number]
            role, inner = roles[name], context
            if role == OTHER:
                if context.graph is not None and context.operation < 0 and context.operator < 0:
                    self.host_events.append(HostEvent(name, durations[number], start, context, number, False))
                    inner = context._replace(operator=name, span=number)
            elif role == LOOKUP:
                if lookup is not None:
                    self._lost(lookup[0])
                lookup = durations[number], start
            elif role == PROLOGUE:
                if context.region is not None:
                    context.region.prologue_us += durations[number]
            elif role == GENERATED:
                self.host_events.append(HostEvent(name, durations[number], start, context, number, True))
                inner = context._replace(operation=name, span=number)
            else:
                begin = start if lookup is None or role == GRAPH else lookup[1]
                inner = self._call(role == GRAPH, self._keys[name], start, durations[number], context, begin)
                if role == REGION and lookup is not None:
                    inner.region.lookup_us = lookup[0]  # type: ignore[union-attr]
                    lookup = None
            if self._wants_external and inner is not ROOT and spans.external[number] >= 0:
                self.contexts_by_external.setdefault(spans.external[number], inner)
            if inner is not context:
                end, context = start + durations[number], inner
                stack.append((end, inner))
        if lookup is not None:
            self._lost(lookup[0])

    def _lost(self, lookup_us: float) -> None:
        self.lookup_count += 1
        self.lookup_us += lookup_us

    def _launch(self, number: int, context: Context) -> None:
        self.launch_contexts[number] = context
        for call in (context.region, context.graph):
            if call is not None:
                call.launch_count += 1
                call.launch_us += self._recording.launches.duration[number]

    def _call(
        self, is_graph: bool, key: str, start: float, duration: float, context: Context, begin: float
    ) -> Context:
        """Add a call. ``begin``: where the lookup of a region began, before which its caller ran eager."""
        outer = context.region
        call = Call(key, is_graph, start, duration)
        self.calls.append(call)
        if is_graph:
            if outer is not None:
                outer.last_graph_end = start + duration
                call.compiles = outer.compiles
            return Context(outer, call)
        call.compiles = self._compiles_of(key, start)
        if outer is not None:
            outer.children_us += duration
            if context.graph is None and outer.last_graph_end is not None:
                outer.eager_us += max(0.0, begin - outer.last_graph_end)
                outer.last_graph_end = None
        return Context(call, None)


def _roles(recording: Recording, is_generated: Callable[[str], bool]) -> tuple[bytearray, dict[int, str]]:
    """Return the role of each name, and the compile id or graph key in it."""
    roles, keys = bytearray(len(recording.names)), {}
    for number, name in enumerate(recording.names):
        text = name.text
        if match := REGION_NAME.fullmatch(text):
            roles[number], keys[number] = REGION, match[1]
        elif match := GRAPH_CALL.fullmatch(text):
            roles[number], keys[number] = GRAPH, match[1]
        elif text == _LOOKUP:
            roles[number] = LOOKUP
        elif text in _PROLOGUES:
            roles[number] = PROLOGUE
        elif name.is_triton or is_generated(text):
            roles[number] = GENERATED
    return roles, keys
