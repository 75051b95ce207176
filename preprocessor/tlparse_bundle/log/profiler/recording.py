"""Content of a torch.profiler trace in arrays: spans of threads, launches, and events of devices."""

from __future__ import annotations

import gc
import re
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tlparse_bundle.log.profiler.event_stream import BadTrace, TraceReader

HOST, LAUNCH, DEVICE, INSTANT = range(4)
_CATEGORIES = {
    "cpu_op": HOST,
    "user_annotation": HOST,
    "cuda_runtime": LAUNCH,
    "cuda_driver": LAUNCH,
    "xpu_runtime": LAUNCH,
    "xpu_driver": LAUNCH,
    "privateuse1_runtime": LAUNCH,
    "privateuse1_driver": LAUNCH,
    "mtia_runtime": LAUNCH,
    "kernel": DEVICE,
    "gpu_memcpy": DEVICE,
    "gpu_memset": DEVICE,
    "cpu_instant_event": INSTANT,
}
_MEMORY = "[memory]"
KINDS = ("kernel", "gpu_memcpy", "gpu_memset")
MAX_RECORDS = 8_000_000
MAX_NAMES = 200_000
_MAX_NAME = 2000  # characters
_MAX_TIME = 1e16  # microseconds; larger ones are not times
_MAX_NUMBER = 1 << 62
_GRAPH_LAUNCH = re.compile(r"(?:cuda|hip|cu)GraphLaunch")
_EPOCH_TIME = 1e15  # microseconds since 1970, where the trace has no base time: older torch


class Name(NamedTuple):
    """Name of an event, and for an operation that launches a generated kernel, the file of that kernel."""

    text: str
    file: str | None = None
    is_triton: bool = False


class Spans:
    """Ranges of time on threads of the host."""

    def __init__(self) -> None:
        self.start, self.duration = array("d"), array("d")
        self.name, self.thread, self.external = array("I"), array("I"), array("q")

    def __len__(self) -> int:
        return len(self.start)


class Launches:
    """Calls of the runtime of a device, by correlation."""

    def __init__(self) -> None:
        self.start, self.duration = array("d"), array("d")
        self.thread, self.is_graph = array("I"), array("b")
        self.by_correlation: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.start)


class DeviceEvents:
    """Kernels and copies on devices."""

    def __init__(self) -> None:
        self.start, self.duration = array("d"), array("d")
        self.name, self.queue, self.kind = array("I"), array("I"), array("b")
        self.correlation, self.external = array("q"), array("q")

    def __len__(self) -> int:
        return len(self.start)


class MemoryEvents:
    """Allocations (positive bytes) and frees of the allocators, with profile_memory=True."""

    def __init__(self) -> None:
        self.start, self.bytes, self.address = array("d"), array("q"), array("Q")
        self.thread, self.device = array("I"), array("i")  # device: its type, c10/core/DeviceType.h

    def __len__(self) -> int:
        return len(self.start)


class Recording:
    """The content of a profiler trace that the tables need."""

    def __init__(self) -> None:
        self.spans, self.launches, self.device_events = Spans(), Launches(), DeviceEvents()
        self.memory = MemoryEvents()
        self.names: list[Name] = []
        self.threads: list[tuple[int, int]] = []  # pid, tid
        self.queues: list[tuple[int | None, int | None]] = []  # device, stream
        self.pids: list[int] = []  # of processes with spans
        self.event_count = self.untimed_count = self.unreadable_count = self.size_bytes = 0
        self.category_counts: dict[str, int] = {}
        self.header: dict[str, Any] = {}
        self.problems: list[str] = []

    @property
    def base_us(self) -> float | None:
        """Microseconds since 1970 at time 0 of the trace; None when not recorded."""
        base = self.header.get("baseTimeNanoseconds")
        if type(base) is int and 0 < base < _MAX_NUMBER:
            return base / 1000
        first = next((times.start[0] for times in (self.spans, self.device_events) if len(times)), 0.0)
        return 0.0 if first > _EPOCH_TIME else None

    @property
    def rank(self) -> int | None:
        info = self.header.get("distributedInfo")
        rank = info.get("rank") if type(info) is dict else None
        return rank if type(rank) is int and 0 <= rank < 1 << 31 else None

    @property
    def device_names(self) -> list[str]:
        devices = self.header.get("deviceProperties")
        found = (
            [device.get("name") for device in devices[:1000] if type(device) is dict]
            if type(devices) is list
            else []
        )
        return list(dict.fromkeys(name[:200] for name in found if type(name) is str and name))


def read_recording(path: Path) -> Recording:
    """Read a trace. Raise BadTrace when it is not one, and OSError."""
    recording, reader = Recording(), TraceReader(path)
    add = _Adder(recording).add
    with no_collection():
        for batch in reader.batches():
            if not add(batch):
                reader.problems.append(
                    f"Only the first {recording.event_count:,} events were read: the trace is too large."
                )
                break
    if not recording.event_count and not reader.problems:
        raise BadTrace("its list of events is empty")
    recording.header, recording.problems = reader.header, reader.problems
    recording.unreadable_count, recording.size_bytes = reader.unreadable_count, reader.size_bytes
    return recording


@contextmanager
def no_collection() -> Iterator[None]:
    """Pause the garbage collector: events have no cycles, and it would visit all of them several times."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Adder:
    def __init__(self, recording: Recording):
        self._recording = recording
        self._names: dict[Name, int] = {}
        self._threads: dict[tuple[int, int], int] = {}
        self._queues: dict[tuple[int | None, int | None], int] = {}
        self._pids: dict[int, None] = {}
        self._plain_names: dict[str, int] = {}  # of operations that launch no generated kernel, uncut
        spans = recording.spans
        self._add_start, self._add_duration = spans.start.append, spans.duration.append
        self._add_name, self._add_thread = spans.name.append, spans.thread.append
        self._add_external = spans.external.append
        self._add: tuple[Callable[[dict[str, Any], Any, float, float], None], ...] = (
            self._span,
            self._launch,
            self._device_event,
        )

    def add(self, events: list[dict[str, Any]]) -> bool:
        """Add events. Return whether there is room for more."""
        recording, adders, category_of = self._recording, self._add, _CATEGORIES.get
        for event in events:
            try:
                kind = category_of(event.get("cat"))  # type: ignore[arg-type]
                if kind is None:
                    continue
                if kind == INSTANT:
                    self._instant(event)
                    continue
                start, duration = event["ts"], event["dur"]
                if not (0 <= duration < _MAX_TIME and -_MAX_TIME < start < _MAX_TIME):
                    raise ValueError
                adders[kind](event, event.get("args"), start, duration)
            except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
                recording.untimed_count += 1
        recording.event_count += len(events)
        size = len(recording.spans) + len(recording.launches) + len(recording.device_events)
        size += len(recording.memory)
        return size < MAX_RECORDS and len(self._names) < MAX_NAMES

    def _span(self, event: dict[str, Any], args: Any, start: float, duration: float) -> None:
        text, external, number = event["name"], -1, None
        if type(args) is dict:
            external = args.get("External id", -1)
            if type(external) is not int or not -1 <= external < _MAX_NUMBER:
                external = -1
            if "kernel_backend" in args or "kernel_file" in args:
                number = self._name(text, _kernel_file(args), True)
        if number is None:  # most events: the same few names, threads and numbers again
            number = self._plain_names.get(text)
            if number is None:
                number = self._name(text, None, False)
                if len(text) <= _MAX_NAME:
                    self._plain_names[text] = number
        key = event.get("pid"), event.get("tid")
        thread = self._threads.get(key)  # type: ignore[arg-type]
        if thread is None:
            thread = self._thread(event)
        self._add_start(start)
        self._add_duration(duration)
        self._add_name(number)
        self._add_thread(thread)
        self._add_external(external)

    def _launch(self, event: dict[str, Any], args: Any, start: float, duration: float) -> None:
        launches = self._recording.launches
        correlation = _number(args.get("correlation"))
        if correlation < 0:
            return
        place = self._thread(event)
        # A driver call inside a runtime call has the same correlation: the first one stays.
        launches.by_correlation.setdefault(correlation, len(launches))
        launches.start.append(start)
        launches.duration.append(duration)
        launches.thread.append(place)
        launches.is_graph.append(_GRAPH_LAUNCH.match(event["name"]) is not None)

    def _device_event(self, event: dict[str, Any], args: Any, start: float, duration: float) -> None:
        events = self._recording.device_events
        args = args if type(args) is dict else {}
        name = self._name(event["name"], None, False)
        queue = self._queue(args, event)
        events.name.append(name)
        events.queue.append(queue)
        events.start.append(start)
        events.duration.append(duration)
        events.kind.append(KINDS.index(event["cat"]))
        events.correlation.append(_number(args.get("correlation")))
        events.external.append(_number(args.get("External id")))

    def _instant(self, event: dict[str, Any]) -> None:
        if event["name"] != _MEMORY:
            return
        memory, args = self._recording.memory, event["args"]
        start, size, address, device = event["ts"], args["Bytes"], args["Addr"], args["Device Type"]
        if not -_MAX_TIME < start < _MAX_TIME or not -_MAX_NUMBER < size < _MAX_NUMBER:
            raise ValueError
        if type(size) is not int or type(address) is not int or type(device) is not int:
            raise TypeError
        if not 0 <= device < 1000 or not 0 <= address < 1 << 64:
            raise ValueError
        thread = self._thread(event)
        memory.device.append(device)
        memory.address.append(address)
        memory.bytes.append(size)
        memory.start.append(start)
        memory.thread.append(thread)

    def _name(self, text: Any, file: str | None, is_triton: bool) -> int:
        if type(text) is not str:
            raise TypeError
        name = Name(text[:_MAX_NAME], file, is_triton)
        number = self._names.get(name)
        if number is None:
            number = self._names[name] = len(self._names)
            self._recording.names.append(name)
        return number

    def _thread(self, event: dict[str, Any]) -> int:
        thread = event.get("pid"), event.get("tid")
        number = self._threads.get(thread)  # type: ignore[arg-type]
        if number is None:
            pid, tid = (_number(value) for value in thread)
            number = self._threads[thread] = len(self._threads)  # type: ignore[index]
            self._recording.threads.append((pid, tid))
            if pid >= 0 and pid not in self._pids:
                self._pids[pid] = None
                self._recording.pids.append(pid)
        return number

    def _queue(self, args: dict[str, Any], event: dict[str, Any]) -> int:
        device, stream = _number(args.get("device", event.get("pid"))), _number(args.get("stream"))
        queue = (None if device < 0 else device), (None if stream < 0 else stream)
        number = self._queues.get(queue)
        if number is None:
            number = self._queues[queue] = len(self._queues)
            self._recording.queues.append(queue)
        return number


def _kernel_file(args: dict[str, Any]) -> str | None:
    """Return the file of a generated kernel, or the hash in its name; None when neither is recorded."""
    for key in ("kernel_file", "kernel_hash"):
        file = args.get(key)
        if type(file) is str and file:
            return file[:_MAX_NAME]
    return None


def _number(value: Any) -> int:
    """Return a number that is not negative; -1 for everything else."""
    return value if type(value) is int and 0 <= value < _MAX_NUMBER else -1
