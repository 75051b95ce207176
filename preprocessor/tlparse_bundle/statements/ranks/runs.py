"""Grouping of logs into runs. Only logs of one run are compared.

A run has each rank once. A second log of a rank, a different world size or an hour without records start a
new one. A log belongs to the run with which it has versions, code, graphs and its start in common. If no rank
has two logs, all logs are one run, regardless of clocks. An attempt is a run of the same job.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median_low
from typing import Any, NamedTuple

from tlparse_bundle.statements.ranks.collective_calls import WORLD, Call
from tlparse_bundle.statements.ranks.frames import Code, Frames

_HOUR_US = 3_600_000_000
_APART_US = 30_000_000  # between the starts of two ranks of a job that do not start together


class RunOfLog(NamedTuple):
    """Facts about the run in one log; None: not recorded."""

    log_id: str
    rank: int
    torch_version: str | None
    world_size: int | None
    start_epoch_us: int | None
    last_epoch_us: int | None
    compile_count: int = 0
    event_count: int = 0
    codes: frozenset[Code] = frozenset()  # that it compiled
    graphs: frozenset[str] = frozenset()  # hashes of its captured graphs
    pid: int | None = None

    @property
    def weight(self) -> tuple[int, int]:
        return self.compile_count, self.event_count


@dataclass
class Run:
    """Logs of one run, one per rank."""

    logs: dict[int, RunOfLog] = field(default_factory=dict)  # by rank

    @property
    def world_size(self) -> int | None:
        return max((log.world_size for log in self.logs.values() if log.world_size), default=None)

    @property
    def start_epoch_us(self) -> int | None:
        return min(
            (log.start_epoch_us for log in self.logs.values() if log.start_epoch_us is not None), default=None
        )

    @property
    def versions(self) -> set[str]:
        return {log.torch_version for log in self.logs.values() if log.torch_version}

    @property
    def codes(self) -> frozenset[Code]:
        return frozenset[Code]().union(*(log.codes for log in self.logs.values()))

    @property
    def last_epoch_us(self) -> int | None:
        return max(
            (log.last_epoch_us for log in self.logs.values() if log.last_epoch_us is not None), default=None
        )

    def misfit(self, log: RunOfLog) -> tuple[int, ...]:
        """Return a key that is larger the less a log fits to this run.

        First versions of torch count, then code, graphs, the time of the start, and the process id.
        """
        others = [own for own in self.logs.values() if own is not log]
        distance = self.distance(log)
        pids = [abs(own.pid - log.pid) for own in others if own.pid is not None and log.pid is not None]
        return (
            not self.versions.issuperset({log.torch_version} - {None}),
            _has_nothing_of(log.codes, (own.codes for own in others)),
            _has_nothing_of(log.graphs, (own.graphs for own in others)),
            distance // _APART_US,
            min(pids, default=0),
            distance,
        )

    def distance(self, log: RunOfLog) -> int:
        """Return the microseconds between the median start of the run and the start of a log."""
        starts = [
            own.start_epoch_us
            for own in self.logs.values()
            if own is not log and own.start_epoch_us is not None
        ]
        return (
            abs(log.start_epoch_us - median_low(starts)) if starts and log.start_epoch_us is not None else 0
        )

    def takes(self, log: RunOfLog) -> bool:
        """Return whether a log can belong to this run."""
        if log.rank in self.logs or (
            log.world_size and self.world_size and log.world_size != self.world_size
        ):
            return False
        if (log.world_size and log.world_size <= max(self.logs)) or (
            self.world_size and self.world_size <= log.rank
        ):
            return False
        last = self.last_epoch_us
        return last is None or log.start_epoch_us is None or log.start_epoch_us - last < _HOUR_US


def runs_of(logs: Sequence[RunOfLog]) -> list[Run]:
    """Return the runs in order of start."""
    if len({log.rank for log in logs}) == len(logs):
        return [Run({log.rank: log for log in logs})]
    runs: list[Run] = []
    for log in sorted(
        logs,
        key=lambda log: (
            log.start_epoch_us is None,
            log.start_epoch_us or 0,
            log.rank,
            -log.compile_count,
            -log.event_count,
        ),
    ):
        taking = [run for run in runs if run.takes(log)]
        if taking:
            run = min(taking, key=lambda run: run.misfit(log))
        else:
            runs.append(run := Run())
        run.logs[log.rank] = log
    # Move a log that started a later run but was added to an earlier one.
    for run in runs:
        for log in list(run.logs.values()):
            others = [other for other in runs if other is not run and other.takes(log)]
            nearest = min(others, key=lambda other: other.misfit(log), default=None)
            if nearest is not None and len(run.logs) > 1 and nearest.misfit(log) < run.misfit(log):
                del run.logs[log.rank]
                nearest.logs[log.rank] = log
    for run in runs:
        for other in runs:
            if 2 * len(other.logs) <= len(run.logs):
                _swap(run, other)
    return sorted(runs, key=lambda run: (run.start_epoch_us is None, run.start_epoch_us or 0))


def _swap(run: Run, other: Run) -> None:
    """Move the log with more compiles into ``run``, for ranks with two logs (a process and its child)."""
    last = run.last_epoch_us
    for rank in run.logs.keys() & other.logs.keys():
        log, other_log = run.logs[rank], other.logs[rank]
        at_once = last is None or other_log.start_epoch_us is None or other_log.start_epoch_us <= last
        if at_once and other_log.weight > log.weight:
            run.logs[rank], other.logs[rank] = other_log, log


def to_compare(runs: Sequence[Run]) -> int:
    """Return the index of the newest attempt of the run with the most ranks."""
    largest = max(range(len(runs)), key=lambda number: (len(runs[number].logs), number))
    return max(
        number
        for number, run in enumerate(runs)
        if number >= largest and (number == largest or is_attempt(run, runs[largest]))
    )


def is_attempt(run: Run, other: Run) -> bool:
    """Return whether two runs are attempts of one job: one after the other, of similar size, with code in
    common and the same world size and torch versions.
    """
    sizes = {run.world_size, other.world_size} - {None}
    return (
        len(sizes) < 2
        and not _overlap(run, other)
        and not _has_nothing_of(run.codes, [other.codes])
        and run.versions == other.versions
        and 2 * len(run.logs) > len(other.logs)
        and 2 * len(other.logs) > len(run.logs)
    )


def _overlap(run: Run, other: Run) -> bool:
    """Return whether two runs ran at the same time."""
    first, second = sorted((run, other), key=lambda one: one.start_epoch_us or 0)
    start, last = second.start_epoch_us, first.last_epoch_us
    return run is not other and start is not None and last is not None and start < last


def _has_nothing_of(own: frozenset[Any], others: Iterable[frozenset[Any]]) -> bool:
    """Return whether a set has nothing in common with any of some sets, and neither it nor all of those are
    empty.
    """
    known = [other for other in others if other]
    return bool(own) and bool(known) and all(own.isdisjoint(other) for other in known)


def run_described(
    frames: Frames, calls: Iterable[Call]
) -> tuple[int | None, int | None, int | None, int | None]:
    """Return (world size, time of the first record, time of the last record, process id); None: not recorded.

    Times are microseconds since 1970-01-01 UTC. ``calls`` are the collective calls of the log; the world size
    is in calls of the default group and in tables of estimates.
    """
    clock, chunks = frames.log.directory["clock"], frames.log.files("events")
    origin = clock["origin_epoch_us"]
    last = (
        None
        if origin is None or not chunks
        else origin + max(row["time_us"] for row in frames.log.part("events", len(chunks) - 1))
    )
    sizes = {row["world_size"] for row in frames.table("estimate_tables")} | {
        call.group_size for call in calls if call.group == WORLD
    }
    pids = frames.log.directory["pids"]
    return max((size for size in sizes if size), default=None), origin, last, pids[0] if pids else None
