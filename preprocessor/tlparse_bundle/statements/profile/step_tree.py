"""Rows of step_tree: what ran inside what in one step of a profiler trace, added up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from tlparse_bundle.log.profiler.recording import Recording

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import StepTreeRow

MAX_ROWS = 2000  # of one trace
_MAX_NODES = 500_000
_MAX_DEPTH = 200
_STEP = re.compile(r"ProfilerStep#\d+")


class _Step(NamedTuple):
    name: str
    start: float
    duration: float

    @property
    def end(self) -> float:
        return self.start + self.duration


class _Node:
    """Ranges with one name inside ranges of one node, added up."""

    __slots__ = ("children", "count", "first", "name", "total")

    def __init__(self, name: str, first: float):
        self.name, self.first = name, first
        self.count, self.total = 0, 0.0
        self.children: dict[str, _Node] = {}

    def add(self, duration: float) -> None:
        self.count += 1
        self.total += duration


class _Lane(NamedTuple):
    """A thread or a device."""

    kind: Literal["thread", "device"]
    number: int | None
    root: _Node


def step_rows(recording: Recording, profile: str) -> Iterator[StepTreeRow]:
    """Yield the tree of the step with the median duration, else of the longest range that no other encloses.

    The first row is the step; its children are the threads and devices that worked in it.
    """
    step = _step_of(recording)
    if step is None:
        return
    lanes = [*_threads(recording, step), *_devices(recording, step)]
    yield _row(profile, 0, None, "step", _Node(step.name, step.start), step, step.duration)
    chosen = _largest(lanes)
    number = 0
    for lane in lanes:
        work: list[tuple[_Node, int]] = [(lane.root, 0)]
        while work:
            node, parent = work.pop()
            if id(node) not in chosen:
                continue
            number += 1
            is_lane = node is lane.root
            kind: _Kind = lane.kind if is_lane else "kernel" if lane.kind == "device" else "range"
            yield _row(profile, number, parent, kind, node, step, node.total)
            order = sorted(node.children.values(), key=lambda child: child.first, reverse=True)
            work += [(child, number) for child in order]


_Kind = Literal["step", "thread", "device", "range", "kernel"]


def _row(
    profile: str, number: int, parent: int | None, kind: _Kind, node: _Node, step: _Step, total: float
) -> StepTreeRow:
    children = sum(child.total for child in node.children.values())
    return {
        "profile": profile,
        "id": number,
        "parent": parent,
        "kind": kind,
        "name": node.name,
        "count": max(1, node.count),
        "start_us": round(max(0.0, node.first - step.start), 3),
        "total_us": round(total, 3),
        "self_us": round(max(0.0, total - children), 3) if kind in ("range", "kernel") else 0.0,
    }


def _step_of(recording: Recording) -> _Step | None:
    spans = recording.spans
    names = {number for number, name in enumerate(recording.names) if _STEP.fullmatch(name.text) is not None}
    if names:
        steps = [number for number, name in enumerate(spans.name) if name in names]
        steps.sort(key=lambda number: (spans.duration[number], spans.start[number]))
        chosen = steps[(len(steps) - 1) // 2]
    elif len(spans):  # the longest range is inside no other
        chosen = max(range(len(spans)), key=spans.duration.__getitem__)
    else:
        return None
    return _Step(recording.names[spans.name[chosen]].text, spans.start[chosen], spans.duration[chosen])


def _threads(recording: Recording, step: _Step) -> Iterator[_Lane]:
    spans = recording.spans
    starts, durations = spans.start, spans.duration
    threads: dict[int, list[int]] = {}
    for number, start in enumerate(starts):
        if step.start <= start < step.end:
            threads.setdefault(spans.thread[number], []).append(number)
    left = _MAX_NODES
    ordered = sorted(threads.items(), key=lambda item: min(starts[number] for number in item[1]))
    for thread, numbers in ordered:
        numbers.sort(key=lambda number: (starts[number], -durations[number]))
        root = _Node(f"thread {recording.threads[thread][1]}", starts[numbers[0]])
        stack: list[tuple[float, _Node]] = []
        for number in numbers:
            start, end = starts[number], starts[number] + durations[number]
            while stack and stack[-1][0] <= start:
                stack.pop()
            name = recording.names[spans.name[number]].text
            if (name == step.name and start == step.start) or len(stack) >= _MAX_DEPTH:
                continue
            parent = stack[-1][1] if stack else root
            node = parent.children.get(name)
            if node is None:
                if left == 0:
                    continue
                left -= 1
                node = parent.children[name] = _Node(name, start)
            node.add(min(end, stack[-1][0] if stack else end) - start)
            if not stack:
                root.add(end - start)
            stack.append((end, node))
        if root.children:
            root.count = 1
            yield _Lane("thread", recording.threads[thread][1], root)


def _devices(recording: Recording, step: _Step) -> Iterator[_Lane]:
    events = recording.device_events
    devices: dict[int | None, _Node] = {}
    for number, start in enumerate(events.start):
        if not step.start <= start < step.end:
            continue
        device, _ = recording.queues[events.queue[number]]
        root = devices.setdefault(device, _Node(f"device {'?' if device is None else device}", start))
        name = recording.names[events.name[number]].text
        node = root.children.setdefault(name, _Node(name, start))
        node.add(events.duration[number])
        root.total += events.duration[number]
    for device in sorted(devices, key=str):
        yield _Lane("device", device, devices[device])


def _largest(lanes: list[_Lane]) -> set[int]:
    """Return the nodes with the most time, each with all nodes around it."""
    nodes: list[tuple[float, int, _Node, _Node | None]] = []
    for lane in lanes:
        work: list[tuple[_Node, _Node | None, int]] = [(lane.root, None, 0)]
        while work:
            node, parent, depth = work.pop()
            nodes.append((-node.total, depth, node, parent))
            work += [(child, node, depth + 1) for child in node.children.values()]
    nodes.sort(key=lambda item: item[:2])
    chosen: set[int] = set()
    for _, _, node, parent in nodes:
        if len(chosen) >= MAX_ROWS - 1:
            break
        if parent is None or id(parent) in chosen:
            chosen.add(id(node))
    return chosen
