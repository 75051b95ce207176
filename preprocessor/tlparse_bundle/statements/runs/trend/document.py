"""The trend document (schema: documents/trend): runs, metrics, series and jumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.statements.runs.trend.jumps import Jump, jumps, last_differs
from tlparse_bundle.statements.runs.trend.metrics import (
    COMPILE_TIME,
    METRICS,
    MICROSECONDS,
    OF_THE_END,
    PHASES,
    Metric,
    step,
)
from tlparse_bundle.statements.runs.trend.run import Location, Run, ends_early
from tlparse_bundle.statements.runs.trend.sentences import sentence
from tlparse_bundle.statements.runs.trend.series import series_of

_ORDER = {
    metric.key: (metric.key in PHASES, number) for number, metric in enumerate(METRICS)
}  # of changes in a row: phases last
NAME, VERSION = "tlparse-bundle-trend", 1
_MAX_PROBLEM = 500


def document(
    runs: Sequence[Run],
    broken: Sequence[tuple[Location, BundleError]] = (),
    urls: Mapping[str, str] = {},
    compare_url: str | None = None,
) -> dict[str, Any]:
    """Return the document of runs in order of time.

    ``urls``: URLs of bundles by name, for pages. ``compare_url``: URL of the page that compares two bundles.
    """
    series = series_of(runs)
    changes = [
        change for number, one in enumerate(series) for change in _changes(runs, number, one.run_indexes)
    ]
    return {
        "format": {"name": NAME, "version": VERSION},
        "compare_url": compare_url,
        "metrics": [
            {
                "key": metric.key,
                "title": metric.title,
                "unit": metric.unit,
                "worse": metric.worse,
                "help": metric.help,
                "of_the_end": metric.key in OF_THE_END,
            }
            for metric in METRICS
        ],
        "runs": [_run(run, urls.get(run.location.name)) for run in runs],
        "values": {metric.key: [run.values[metric.key] for run in runs] for metric in METRICS},
        "series": [one._asdict() for one in series],
        "jumps": sorted((change for change in changes if change["confirmed"]), key=_weight),
        "latest": sorted((change for change in changes if not change["confirmed"]), key=_weight),
        "skipped": [
            {
                "name": location.name,
                "problem": error.message.replace(location.place, location.name)[:_MAX_PROBLEM],
            }
            for location, error in broken
        ],
    }


def _run(run: Run, url: str | None) -> dict[str, Any]:
    return {
        "name": run.location.name,
        "url": url,
        "label": run.label,
        "commit": run.commit,
        "start_epoch_us": run.start_epoch_us,
        "log_count": run.log_count,
        "ends_early": ends_early(run),
        "torch_versions": list(run.torch_versions),
    }


def _changes(runs: Sequence[Run], series_index: int, run_indexes: Sequence[int]) -> list[dict[str, Any]]:
    """Return a row for each run of a series with a jump, or with a recent change that is not yet confirmed.

    Runs that end early only count in ``OF_THE_END``. Counts locate a run exactly. Times are noisy, so a jump
    in time is assigned to an adjacent run that has a different change.
    """
    rows: dict[tuple[int, bool], dict[str, Any]] = {}
    for metric in sorted(METRICS, key=lambda metric: (metric.unit == MICROSECONDS, METRICS.index(metric))):
        values = {
            index: number
            for index in run_indexes
            if (number := runs[index].values[metric.key]) is not None
            and runs[index].start_epoch_us is not None
            and (metric.key in OF_THE_END or not ends_early(runs[index]))
        }
        indexes, numbers = list(values), list(values.values())
        sure = jumps(numbers, metric.least)
        last = last_differs(numbers, metric.least, sure[-1].at if sure else 0)
        for jump, confirmed in [*((jump, True) for jump in sure), *([(last, False)] if last else [])]:
            near = indexes[jump.at - 1 : jump.at + 2] if metric.unit == MICROSECONDS else []
            at = next(
                (index for index in (indexes[jump.at], *near) if (index, confirmed) in rows), indexes[jump.at]
            )
            row = rows.setdefault(
                (at, confirmed),
                {
                    "series_index": series_index,
                    "run_index": at,
                    "base_run_index": _before(indexes, at),
                    "run_count": len(indexes) - indexes.index(at),
                    "comparison_url": None,
                    "text": "",
                    "changes": [],
                },
            )
            row["changes"].append(_change(metric, jump))
    for row in rows.values():
        row["changes"].sort(key=lambda change: _ORDER[change["metric"]])
        row["text"] = sentence(runs[row["base_run_index"]], runs[row["run_index"]], row["changes"])
    return [{**row, "confirmed": confirmed} for (_, confirmed), row in rows.items()]


def _before(indexes: Sequence[int], at: int) -> int:
    """Return the previous run with a value, for comparisons."""
    return indexes[indexes.index(at) - 1]


def _change(metric: Metric, jump: Jump) -> dict[str, Any]:
    more = "more" if jump.after > jump.before else "less"
    text = f"{metric.title} {step(metric.key, jump.before, jump.after)}"
    return {
        "metric": metric.key,
        "text": text,
        "before": jump.before,
        "after": jump.after,
        "is_worse": None if metric.worse is None else metric.worse == more,
    }


def _weight(row: dict[str, Any]) -> tuple[float, ...]:
    """Sort key: largest increase of compile time first, then most worse metrics; largest saving last."""
    times = [
        change["after"] - change["before"] for change in row["changes"] if change["metric"] == COMPILE_TIME
    ]
    worse = sum(change["is_worse"] is True for change in row["changes"])
    better = sum(change["is_worse"] is False for change in row["changes"])
    return -(times[0] if times else 0), -worse, better, -row["run_index"]
