"""Reads profiler traces, decides which log each belongs to, and measures its kernels there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import listed, plural
from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.log.profiler.event_stream import BadTrace
from tlparse_bundle.log.profiler.recording import Recording, no_collection, read_recording
from tlparse_bundle.pipeline.matching_files import matching_files
from tlparse_bundle.statements.profile.kernel_work import KernelWork
from tlparse_bundle.statements.profile.log_index import Evidence, LogIndex, rows_of
from tlparse_bundle.statements.profile.measured import Measured
from tlparse_bundle.statements.profile.measured_memory import memory_rows
from tlparse_bundle.statements.profile.peaks import Peak, peaks_of
from tlparse_bundle.statements.profile.step_tree import step_rows

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        KernelCallsRow,
        MeasuredMemoryRow,
        ProfileRemainderRow,
        ProfilesRow,
        RegionCallsRow,
        StepTreeRow,
    )

UNREADABLE, PARTLY, UNASSIGNED = "profile-unreadable", "profile-partly", "profile-unassigned"
CODES = (UNREADABLE, PARTLY, UNASSIGNED)
AssignedBy = Literal["rank", "process", "keys"]
Problems = dict[str, list[str]]  # messages by code
_MAX_LISTED = 100


class Profile(NamedTuple):
    """The rows of a trace for the tables of its log. ``row["profile"]`` is the name of the file."""

    row: ProfilesRow
    kernels: list[KernelCallsRow]
    regions: list[RegionCallsRow]
    remainder: list[ProfileRemainderRow]
    step: list[StepTreeRow]
    memory: list[MeasuredMemoryRow]


class _Candidate(NamedTuple):
    log: Log
    evidence: Evidence
    has_rank: bool
    has_process: bool


def find_profiles(patterns: Sequence[str], option: str = "--profile") -> list[Path]:
    """Return the files that match patterns. Raise BundleError for a pattern without files."""
    return matching_files(
        patterns, option=option, files="profiler traces", code="profiles", example="/tmp/prof*.json.gz"
    )


def profiles_of(
    paths: Sequence[Path], logs: Sequence[Log], problems: Problems, peaks: Sequence[Peak] = ()
) -> Iterator[tuple[str, Profile]]:
    """Yield the id of its log and the rows of each trace that belongs to a log. The others are problems."""
    indexes = {log.id: LogIndex(log) for log in logs}
    works = {log.id: KernelWork(log, indexes[log.id].codes) for log in logs}
    known = set[str]()
    for path in paths:
        name = path.name.encode("utf-8", "replace").decode()
        try:
            sha256 = _sha256(path)
            if sha256 in known:
                continue
            known.add(sha256)
            recording = read_recording(path)
        except (BadTrace, OSError) as error:
            reason = (error.strerror or error) if isinstance(error, OSError) else error
            problems.setdefault(UNREADABLE, []).append(f"{shown(name)}: {reason}")
            continue
        for problem in recording.problems:
            problems.setdefault(PARTLY, []).append(f"{shown(name)}: {problem}")
        chosen = _chosen(recording, logs, indexes)
        if isinstance(chosen, str):
            problems.setdefault(UNASSIGNED, []).append(f"{shown(name)}: {chosen}")
            continue
        candidate, assigned_by = chosen
        own_peaks = peaks_of(peaks, recording.device_names, len(recording.device_events) > 0)
        with no_collection():
            log_id = candidate.log.id
            measured = Measured(recording, indexes[log_id], name, works[log_id], own_peaks)
            memory = memory_rows(recording, indexes[log_id], rows_of(candidate.log, "memory"), name)
            profile = _profile(
                recording, measured, candidate.evidence, name, sha256, assigned_by, own_peaks, list(memory)
            )
        yield candidate.log.id, profile


def _chosen(
    recording: Recording, logs: Sequence[Log], indexes: Mapping[str, LogIndex]
) -> tuple[_Candidate, AssignedBy] | str:
    """Return the log that a trace belongs to and why, or why that cannot be decided."""
    pids, rank = set(recording.pids), recording.rank
    candidates = [
        _Candidate(
            log,
            indexes[log.id].evidence(recording),
            rank is not None and log.rank == rank,
            not pids.isdisjoint(log.directory["pids"]),
        )
        for log in logs
    ]
    possible = [one for one in candidates if one.has_rank or rank is None or one.log.rank is None]
    if not possible:
        return f"it has rank {rank}, and the bundle has no log of that rank"
    most = max(one.evidence.known for one in possible)
    total = possible[0].evidence.total
    if most == 0 and total:
        return (
            "none of its kernel files, graph keys and kernel names"
            f" ({plural(total, 'different name')}) is in a log"
        )
    with_keys = [one for one in possible if one.evidence.known == most]
    reasons: tuple[tuple[AssignedBy, list[_Candidate]], ...] = (
        ("process", [one for one in with_keys if one.has_process]),
        ("rank", [one for one in with_keys if one.has_rank]),
        ("keys", with_keys if most else []),
    )
    for reason, found in reasons:
        if len(found) == 1:
            return found[0], reason
        both = [one for one in found if one.has_process and one.has_rank]
        if len(both) == 1:
            return both[0], reason
    if not total and not any(found for _, found in reasons):
        return "it has no name that identifies generated code, and no log has its process"
    names = listed([shown(one.log.id) for one in with_keys], 3)
    return (
        f"it fits {plural(len(with_keys), 'log')} equally well ({names}):"
        " its process, rank and names do not tell them apart"
    )


def _profile(
    recording: Recording,
    measured: Measured,
    evidence: Evidence,
    name: str,
    sha256: str,
    assigned_by: AssignedBy,
    peaks: Sequence[Peak],
    memory: list[MeasuredMemoryRow],
) -> Profile:
    count, total_us, joined_count, joined_us = measured.totals()
    start, end = _extent(recording)
    base = recording.base_us
    row: ProfilesRow = {
        "profile": name,
        "sha256": sha256,
        "size_bytes": recording.size_bytes,
        "assigned_by": assigned_by,
        "profile_rank": recording.rank,
        "pids": recording.pids[:_MAX_LISTED],
        "device_names": recording.device_names,
        "peaks": [
            {"unit": peak.unit, "dtype": peak.dtype, "rate": peak.rate, "source": peak.source}
            for peak in peaks
        ],
        "start_epoch_us": max(0, round(base + start)) if base is not None else None,
        "duration_us": round(end - start, 3),
        "complete": not recording.problems,
        "event_count": recording.event_count,
        "skipped_count": recording.untimed_count + recording.unreadable_count,
        "key_count": evidence.total,
        "known_key_count": evidence.known,
        "on_device": len(recording.device_events) > 0,
        "kernel_count": count,
        "kernel_us": total_us,
        "joined_count": joined_count,
        "joined_us": joined_us,
        "lookup_count": measured.lookup_count,
        "lookup_us": round(measured.lookup_us, 3),
    }
    return Profile(
        row,
        list(measured.kernel_calls()),
        list(measured.region_calls()),
        list(measured.remainder()),
        list(step_rows(recording, name)),
        memory,
    )


def _extent(recording: Recording) -> tuple[float, float]:
    """Return the start of the first and the end of the last event; zeros without events."""
    times = [part for part in (recording.spans, recording.device_events) if len(part)]
    if not times:
        return 0.0, 0.0
    ends = (max(map(add, part.start, part.duration)) for part in times)
    return min(min(part.start) for part in times), max(ends)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
