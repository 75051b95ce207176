"""One run of a program, read from the manifest of its bundle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.manifest import read_manifest
from tlparse_bundle.bundle.store import open_store
from tlparse_bundle.statements.runs.trend.metrics import CACHES, COMPILE_TIME, FINDINGS, METRICS, PHASES

_AT_ONCE = 8
_MAX_TEXT = 100
_MOST_VERSIONS = 10
_EXACT = 1 << 53  # integers below it are the same in a browser
_OF_FUNCTIONS = ("recompile_count", "graph_break_count")
FunctionName = tuple[str, str]  # function, file
_LATEST_US = 253_402_300_800_000_000  # the year 10000


@dataclass(frozen=True, slots=True)
class Location:
    """A bundle: its ``name`` in the list of bundles, the name of its parent folder, and its path or URL."""

    name: str
    folder: str
    place: str


@dataclass(frozen=True, slots=True)
class Run:
    location: Location
    label: str | None
    commit: str | None
    start_epoch_us: int | None  # of the log that started first
    log_count: int
    torch_versions: tuple[str, ...]
    values: dict[str, int | None]  # by key of the metric; None: not recorded
    first_function: FunctionName | None = None  # that was compiled first
    by_function: dict[str, dict[FunctionName, int]] = field(default_factory=dict)  # by key of the metric

    @property
    def functions(self) -> frozenset[FunctionName]:
        """The functions that identify the program."""
        return frozenset(self.by_function.get("recompile_count", ()))


def ends_early(run: Run) -> bool:
    """Return whether a log of the run ends inside a compile."""
    return bool(run.values["unfinished_count"])


def read_run(location: Location) -> Run:
    """Read a run. Raise BundleError if its manifest cannot be read or its logs are still being written."""
    manifest = read_manifest(open_store(location.place))
    if manifest.get("growing"):
        raise BundleError(
            "its logs are still being written; it is included once it is finished", code="growing"
        )
    logs = manifest["logs"]
    summaries = [log["summary"] for log in logs]
    starts = [
        start
        for summary in summaries
        if (start := summary["start_epoch_us"]) is not None and 0 <= start < _LATEST_US
    ]
    named = [] if "redacted" in manifest else summaries  # pseudonyms differ between redactions
    versions = sorted({log["torch_version"][:_MAX_TEXT] for log in logs if log["torch_version"]})
    return Run(
        location,
        _name(manifest.get("label")),
        _name(manifest.get("commit")),
        min(starts, default=None),
        len(logs),
        tuple(versions[:_MOST_VERSIONS]),
        _values(summaries),
        _first_function(named),
        {key: _by_function(named, key) for key in _OF_FUNCTIONS},
    )


def read_runs(locations: Iterable[Location]) -> tuple[list[Run], list[tuple[Location, BundleError]]]:
    """Return (runs in order of start, those without a time last; bundles that cannot be read)."""
    runs, broken = [], []
    with ThreadPoolExecutor(_AT_ONCE) as pool:  # remote bundles are slow
        for location, run in pool.map(_tried, locations):
            if isinstance(run, Run):
                runs.append(run)
            else:
                broken.append((location, run))
    runs.sort(key=lambda run: (run.start_epoch_us is None, run.start_epoch_us or 0, run.location.name))
    return runs, broken


def _tried(location: Location) -> tuple[Location, Run | BundleError]:
    try:
        return location, read_run(location)
    except BundleError as error:
        return location, error


def _name(text: str | None) -> str | None:
    return text[:_MAX_TEXT] if text and text.strip() else None


def _values(summaries: Sequence[dict[str, Any]]) -> dict[str, int | None]:
    """Return the numbers of a run: times of its slowest log, lookups of the log with most misses per cache,
    otherwise the highest number.
    """
    values: dict[str, int | None] = {
        metric.key: _highest(summary.get(metric.key) for summary in summaries) for metric in METRICS
    }
    slowest = next(
        (
            summary
            for summary in summaries
            if values[COMPILE_TIME] is not None and summary[COMPILE_TIME] == values[COMPILE_TIME]
        ),
        {},
    )
    phases = slowest.get("phase_times_us") or {}
    values |= {key: _highest([phases.get(phase)]) for key, phase in PHASES.items()}
    values |= {
        key: _highest(summary["findings"][severity] for summary in summaries)
        for key, severity in FINDINGS.items()
    }
    for key, (cache, outcome) in CACHES.items():
        counted = [counts for summary in summaries if (counts := summary["cache_counts"].get(cache))]
        values[key] = (
            _highest([max(counted, key=lambda counts: counts["miss"])[outcome]]) if counted else None
        )
    return values


def _first_function(summaries: Sequence[dict[str, Any]]) -> FunctionName | None:
    return next((_function(row) for summary in summaries for row in summary.get("functions", ())), None)


def _by_function(summaries: Sequence[dict[str, Any]], key: str) -> dict[FunctionName, int]:
    """Return the highest number of any log, by function."""
    numbers: dict[FunctionName, int] = {}
    for summary in summaries:
        for row in summary.get("functions", ()):
            name = _function(row)
            numbers[name] = max(numbers.get(name, 0), _highest([row[key]]) or 0)
    return numbers


def _function(row: dict[str, Any]) -> FunctionName:
    return row["function"][:_MAX_TEXT], (row["file"] or "")[:_MAX_TEXT]


def _highest(numbers: Iterable[Any]) -> int | None:
    """Return the highest valid number; None if there is none."""
    return max((number for number in numbers if type(number) is int and 0 <= number < _EXACT), default=None)
