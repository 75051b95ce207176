"""Rows of measured_memory: what compiled graphs allocated, from the allocator's events in a trace."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tlparse_bundle.log.profiler.recording import Recording
from tlparse_bundle.statements.profile.log_index import GRAPH_CALL, Code, LogIndex

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import MeasuredMemoryRow, MemoryRow

_DEVICES = {0: "cpu", 1: "cuda", 6: "cuda", 12: "xpu"}  # c10/core/DeviceType.h; 6 is HIP
_Group = tuple[int, str]  # code and device


class _Call(NamedTuple):
    key: str  # of the graph
    thread: int
    start: float
    end: float


class _Events(NamedTuple):
    starts: list[float]
    numbers: list[int]  # of the recording


_NONE = _Events([], [])


def memory_rows(
    recording: Recording, index: LogIndex, computed: Sequence[MemoryRow], profile: str
) -> Iterator[MeasuredMemoryRow]:
    """Yield a row for each code and device, in file order. ``computed``: rows of table memory."""
    if not len(recording.memory):
        return
    events = _events(recording)
    peaks: dict[_Group, list[int]] = {}
    for call in _calls(recording):
        code = _code_of(recording, index, call)
        if code is not None:
            for device, peak in _peaks(recording, events.get(call.thread, _NONE), call).items():
                peaks.setdefault((code.event, device), []).append(peak)
    of_code = {(row["code_event"], row["device"]): row["peak_bytes"] for row in computed}
    for (event, device), own in sorted(peaks.items()):
        own.sort()
        yield {
            "profile": profile,
            "code_event": event,
            "compile": index.codes[event].compile,
            "device": device,
            "count": len(own),
            "peak_bytes": own[(len(own) - 1) // 2],
            "least_bytes": own[0],
            "most_bytes": own[-1],
            "computed_bytes": of_code.get((event, device)),
        }


def _calls(recording: Recording) -> Iterator[_Call]:
    keys = {
        number: match[1]
        for number, name in enumerate(recording.names)
        if (match := GRAPH_CALL.fullmatch(name.text))
    }
    spans = recording.spans
    for number, name in enumerate(spans.name):
        if name in keys:
            start = spans.start[number]
            yield _Call(keys[name], spans.thread[number], start, start + spans.duration[number])


def _code_of(recording: Recording, index: LogIndex, call: _Call) -> Code | None:
    """Return the code of a graph. Codes with one key are equal; the last one before the call is taken."""
    base = recording.base_us
    codes = [
        code
        for code in index.by_graph_key.get(call.key, ())
        if base is None or code.start_us is None or code.start_us <= base + call.start
    ]
    return max(codes, key=lambda code: code.start_us or 0, default=None)


def _events(recording: Recording) -> dict[int, _Events]:
    """Return the allocations and frees of each thread, in order."""
    memory = recording.memory
    threads: dict[int, list[int]] = {}
    for number in sorted(range(len(memory)), key=memory.start.__getitem__):
        threads.setdefault(memory.thread[number], []).append(number)
    return {
        thread: _Events([memory.start[number] for number in numbers], numbers)
        for thread, numbers in threads.items()
    }


def _peaks(recording: Recording, events: _Events, call: _Call) -> dict[str, int]:
    """Return the most bytes of each device that the call allocated and had not freed yet.

    What it frees but did not allocate, such as its inputs, does not count.
    """
    memory = recording.memory
    live: dict[int, int] = {}
    peaks: dict[str, int] = {}
    own: dict[tuple[int, int], int] = {}
    first, last = bisect_left(events.starts, call.start), bisect_right(events.starts, call.end)
    for number in events.numbers[first:last]:
        device, size = memory.device[number], memory.bytes[number]
        place = device, memory.address[number]
        if size > 0:
            own[place] = size
            live[device] = live.get(device, 0) + size
            name = _DEVICES.get(device, "other")
            peaks[name] = max(peaks.get(name, 0), live[device])
        elif place in own:
            live[device] -= own.pop(place)
    return peaks
