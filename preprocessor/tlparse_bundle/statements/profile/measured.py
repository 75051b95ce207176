"""Measured times of one profiler trace: rows of kernel_calls, region_calls and profile_remainder."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tlparse_bundle.log.profiler.recording import Recording
from tlparse_bundle.statements.profile.call_lines import CallLine, CallLines
from tlparse_bundle.statements.profile.call_tree import ROOT, Call, CallTree, Context
from tlparse_bundle.statements.profile.kernel_work import KernelWork, Work
from tlparse_bundle.statements.profile.log_index import (
    Candidate,
    LogIndex,
    file_keys,
    generated_name,
    looks_generated,
    narrowed,
)
from tlparse_bundle.statements.profile.peaks import Peak, share_of_peak
from tlparse_bundle.statements.profile.region_rows import region_rows

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import KernelCallsRow, ProfileRemainderRow, RegionCallsRow

MAX_ROWS = 10_000  # of one trace in kernel_calls; the others are in the remainder

JoinedBy = Literal["kernel_file", "record_name", "kernel_name", "operator"]
Reason = Literal["eager", "library", "copy", "ambiguous", "not_in_log", "unknown_launch"]
_COPIES = re.compile(r"(?:Memcpy|Memset)|aten::(?:copy_|_to_copy|clone|contiguous)\Z")


class _Join(NamedTuple):
    """The result of a search for the kernel of an event."""

    kernel: Candidate | None
    compile: str | None
    joined_by: JoinedBy | None
    candidate_count: int
    reason: Reason | None
    is_replay: bool = False


_NO_JOIN = _Join(None, None, None, 0, None)
_NO_LINE = CallLine()


class _Key(NamedTuple):
    """What events in one row have in common."""

    name: int
    queue: int  # -1 on the host
    kind: int  # of KINDS; -1 on the host
    join: _Join
    line: CallLine  # that calls the kernel


class Measured:
    """The tables of a trace that belongs to the log of ``index``. ``profile`` is its key in the tables."""

    def __init__(
        self,
        recording: Recording,
        index: LogIndex,
        profile: str,
        work: KernelWork | None = None,
        peaks: Sequence[Peak] = (),
    ):
        self._work, self._peaks = work, peaks
        self._recording, self._index, self._profile = recording, index, profile
        self._base_us = recording.base_us
        self._tree = CallTree(recording, self._compiles_of, self._is_generated)
        self._joins: dict[tuple[Any, ...], _Join] = {}
        self._groups: dict[_Key, array[float]] = {}
        self._lines: CallLines[tuple[_Key, float]] = CallLines(recording.spans.start)
        self._has_graphs = any(call.is_graph for call in self._tree.calls)
        self._has_devices = len(recording.device_events) > 0
        for number in range(len(recording.device_events)):
            self._device_event(number)
        for event in self._tree.host_events if not self._has_devices else ():
            search = self._generated_join if event.is_generated else self._library_join
            join = search(event.name, event.context, event.start)
            self._add(_Key(event.name, -1, -1, join, _NO_LINE), event.duration, event.context, event.span)
        for (key, duration), line in self._lines.lines():
            self._group(key._replace(line=line), duration)

    def _add(self, key: _Key, duration: float, context: Context, span: int) -> None:
        """Add an event. ``span``: its operator, or that which launched it; -1 if unknown."""
        kernel, line = key.join.kernel, _NO_LINE
        if kernel is not None and self._work is not None:
            order = self._work.order(kernel.code.event, kernel.kernel)
            found = self._lines.add((key, duration), kernel, order, context, span)
            if found is None:
                return
            line = found
        self._group(key._replace(line=line), duration)

    def _group(self, key: _Key, duration: float) -> None:
        self._groups.setdefault(key, array("d")).append(duration)

    def _compiles_of(self, compile_id: str, start: float) -> tuple[str, ...]:
        return self._index.compiles_of(compile_id, self._epoch_us(start))

    def _epoch_us(self, time: float) -> float | None:
        return None if self._base_us is None else self._base_us + time

    def _is_generated(self, name: str) -> bool:
        return name in self._index.by_record or looks_generated(name)

    def _device_event(self, number: int) -> None:
        events, launches, tree = self._recording.device_events, self._recording.launches, self._tree
        launch = launches.by_correlation.get(events.correlation[number])
        external = tree.contexts_by_external.get(events.external[number])
        context, start, is_replay = ROOT, events.start[number], False
        if launch is not None:
            context, start = tree.launch_contexts[launch], launches.start[launch]
            is_replay = bool(launches.is_graph[launch])
        if context.operation < 0 and external is not None and not is_replay:
            context = external
        for call in (context.region, context.graph):
            if call is not None:
                call.device_events.append(number)
        name = events.name[number]
        if events.kind[number]:
            join = _Join(None, self._compile_of(context), None, 0, "copy" if context != ROOT else "eager")
        elif context.operation >= 0:
            join = self._generated_join(context.operation, context, start)
        elif is_replay or looks_generated(self._recording.names[name].text):
            join = self._name_join(name, context, start, is_replay)
        elif launch is None and external is None:
            join = _Join(None, None, None, 0, "unknown_launch")
        else:
            join = self._library_join(name, context, start)
        key = _Key(name, events.queue[number], events.kind[number], join, _NO_LINE)
        self._add(key, events.duration[number], context, context.span)

    def _compile_of(self, context: Context) -> str | None:
        """Return the compile whose graph or region encloses an event, where only one can."""
        if context.graph is not None:
            compiles = self._compiles_of_graph(context.graph)
        else:
            compiles = context.region.compiles if context.region is not None else ()
        return compiles[0] if len(compiles) == 1 else None

    def _compiles_of_graph(self, graph: Call) -> tuple[str, ...]:
        time_us = self._epoch_us(graph.start)
        codes = [
            code
            for code in self._index.by_graph_key.get(graph.key, ())
            if time_us is None or code.start_us is None or code.start_us <= time_us
        ]
        compiles = tuple(dict.fromkeys(code.compile for code in codes if code.compile is not None))
        if len(compiles) > 1:
            return tuple(compile for compile in compiles if compile in graph.compiles) or compiles
        return compiles or graph.compiles

    def _generated_join(self, operation: int, context: Context, start: float) -> _Join:
        """Find the kernel that an operation of generated code launches or is."""
        name = self._recording.names[operation]
        key = (operation, *self._around(context, start))
        if key in self._joins:
            return self._joins[key]
        candidates: Sequence[Candidate] = ()
        by: JoinedBy = "kernel_file"
        if name.file is not None:
            path, content = file_keys(name.file)
            candidates = self._index.by_file.get(path) or self._index.by_file.get(content) or ()
            same = [one for one in candidates if one.kernel == name.text]
            candidates = same or candidates
        if not candidates and name.file is None:
            by, candidates = "record_name", self._index.by_record.get(name.text, ())
            if not candidates and name.is_triton:
                by, candidates = "kernel_name", self._index.by_name.get(generated_name(name.text), ())
        return self._joins.setdefault(key, self._chosen(candidates, by, context, start))

    def _name_join(self, name: int, context: Context, start: float, is_replay: bool) -> _Join:
        """Find a kernel by its name alone, as in the replay of a CUDA graph."""
        key = (-name - 1, is_replay, *self._around(context, start))
        if key not in self._joins:
            candidates = self._index.by_name.get(self._recording.names[name].text, ())
            if candidates or looks_generated(self._recording.names[name].text):
                join = self._chosen(candidates, "kernel_name", context, start)
            else:
                compile = self._compile_of(context)
                join = _Join(None, compile, None, 0, "library" if context != ROOT else "eager")
            self._joins[key] = join._replace(is_replay=is_replay)
        return self._joins[key]

    def _around(self, context: Context, start: float) -> tuple[Any, ...]:
        """Return what a choice between kernels depends on."""
        return (
            context.graph.key if context.graph is not None else None,
            self._regions(context),
            self._index.epoch(self._epoch_us(start)),
        )

    def _chosen(self, candidates: Sequence[Candidate], by: JoinedBy, context: Context, start: float) -> _Join:
        if not candidates:
            return _Join(None, self._compile_of(context), None, 0, "not_in_log")
        graph = context.graph.key if context.graph is not None else None
        left = narrowed(candidates, graph, self._regions(context), self._epoch_us(start))
        if len(left) == 1:
            return _Join(left[0], left[0].code.compile, by, 1, None)
        shared = {one.code.compile for one in left}
        compile = shared.pop() if len(shared) == 1 else None
        return _Join(None, compile, None, len(left), "ambiguous" if left else "not_in_log")

    def _library_join(self, name: int, context: Context, start: float) -> _Join:
        """Classify a kernel or operator that Inductor did not generate."""
        if context == ROOT:
            return _Join(None, None, None, 0, "eager")
        text = self._recording.names[name].text
        joined = self._operator_join(context, name, start)
        if joined is not None:
            return joined
        is_eager = context.graph is None and self._has_graphs
        reason: Reason = "eager" if is_eager else "copy" if _COPIES.match(text) else "library"
        return _Join(None, self._compile_of(context), None, 0, reason)

    def _operator_join(self, context: Context, name: int, start: float) -> _Join | None:
        """Find the call in the code of the graph that runs an operator, if there is one of this operator."""
        if context.graph is None:
            return None
        text = self._recording.names[context.operator if context.operator >= 0 else name].text
        key = ("operator", text, *self._around(context, start))
        if key not in self._joins:
            found = {
                one
                for code in self._index.by_graph_key.get(context.graph.key, ())
                for one in self._index.by_operator.get((code.event, text.rpartition("::")[2]), ())
            }
            left = narrowed([*found], context.graph.key, self._regions(context), self._epoch_us(start))
            is_one = len(left) == 1
            self._joins[key] = (
                _Join(left[0], left[0].code.compile, "operator", 1, None) if is_one else _NO_JOIN
            )
        join = self._joins[key]
        return join if join.kernel is not None else None

    @staticmethod
    def _regions(context: Context) -> tuple[str, ...]:
        return context.region.compiles if context.region is not None else ()

    def kernel_calls(self) -> Iterator[KernelCallsRow]:
        """Yield the rows, the longest time first; at most MAX_ROWS."""
        names: dict[Candidate, set[int]] = {}
        for key in self._groups:
            if key.join.kernel is not None:
                names.setdefault(key.join.kernel, set()).add(key.name)
        for key, times in self._sorted_groups()[:MAX_ROWS]:
            kernel = key.join.kernel
            yield self._kernel_row(key, times, kernel is not None and len(names[kernel]) > 1)

    def _sorted_groups(self) -> list[tuple[_Key, array[float]]]:
        totals = {key: fsum(times) for key, times in self._groups.items()}
        names = self._recording.names
        return sorted(
            self._groups.items(),
            key=lambda item: (-totals[item[0]], names[item[0].name].text, item[0].queue, str(item[0])),
        )

    def _work_of(self, join: _Join, line: int | None, is_one_of_several: bool) -> Work:
        if join.kernel is None or self._work is None:
            return Work(unknown="not_joined")
        if is_one_of_several:  # kernels on a device that one operator launches
            return Work(unknown="several")
        return self._work.of(join.kernel.code.event, join.kernel.kernel, line)

    def _kernel_row(self, key: _Key, times: array[float], is_one_of_several: bool) -> KernelCallsRow:
        join, candidate = key.join, key.join.kernel
        device, stream = self._recording.queues[key.queue] if key.queue >= 0 else (None, None)
        ordered = sorted(times)
        work, mean_us = self._work_of(join, key.line.line, is_one_of_several), fsum(times) / len(times)
        return {
            "profile": self._profile,
            "name": self._recording.names[key.name].text,
            "kind": _kind(join),
            "on_device": key.queue >= 0,
            "device": device,
            "stream": stream,
            "count": len(times),
            "total_us": round(fsum(times), 3),
            "median_us": round(_quantile(ordered, 0.5), 3),
            "p90_us": round(_quantile(ordered, 0.9), 3),
            "compile": join.compile,
            "code_event": candidate.code.event if candidate is not None else None,
            "kernel": candidate.kernel if candidate is not None else None,
            "call_line": key.line.line,
            "line_unknown": key.line.unknown,
            "direction": candidate.code.direction if candidate is not None else None,
            "joined_by": join.joined_by,
            "candidate_count": join.candidate_count,
            "reason": join.reason,
            "is_replay": join.is_replay,
            "call_bytes": work.bytes,
            "call_flops": work.flops,
            "work_unknown": work.unknown,
            "bandwidth_share": share_of_peak(self._peaks, "GB/s", work.bytes, mean_us, None),
            "flops_share": share_of_peak(self._peaks, "TFLOP/s", work.flops, mean_us, work.dtype),
        }

    def remainder(self) -> Iterator[ProfileRemainderRow]:
        """Yield what was not joined with a kernel of the log, by reason."""
        sums: dict[Reason | Literal["not_listed"], list[float]] = {}
        counts: dict[Reason | Literal["not_listed"], int] = {}
        for number, (key, times) in enumerate(self._sorted_groups()):
            reason = key.join.reason if number < MAX_ROWS else "not_listed"
            if reason is not None:
                sums.setdefault(reason, []).append(fsum(times))
                counts[reason] = counts.get(reason, 0) + len(times)
        for reason in sorted(sums):
            yield {
                "profile": self._profile,
                "reason": reason,
                "count": counts[reason],
                "total_us": round(fsum(sums[reason]), 3),
            }

    def totals(self) -> tuple[int, float, int, float]:
        """Return count and time of all kernels, and of those joined with a kernel of the log."""
        joined = [times for key, times in self._groups.items() if key.join.kernel is not None]
        every = self._groups.values()
        return (
            sum(map(len, every)),
            round(fsum(map(fsum, every)), 3),
            sum(map(len, joined)),
            round(fsum(map(fsum, joined)), 3),
        )

    @property
    def lookup_count(self) -> int:
        return self._tree.lookup_count

    @property
    def lookup_us(self) -> float:
        return self._tree.lookup_us

    def region_calls(self) -> Iterator[RegionCallsRow]:
        yield from region_rows(self._recording, self._tree.calls, self._compiles_of_graph, self._profile)


def _kind(join: _Join) -> Literal["generated", "library", "copy", "eager", "other"]:
    if join.kernel is not None:
        is_library = join.joined_by == "operator" or not (
            join.joined_by != "record_name" or looks_generated(join.kernel.kernel)
        )
        return "library" if is_library else "generated"
    if join.reason in ("ambiguous", "not_in_log"):
        return "generated"
    return join.reason if join.reason in ("library", "copy", "eager") else "other"


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile of sorted numbers, interpolated between neighbours."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
