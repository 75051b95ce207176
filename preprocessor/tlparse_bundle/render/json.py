"""Reports, checks and trends as JSON documents, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlparse_bundle.bundle.growing import live_of
from tlparse_bundle.statements.runs.check.limits import Outcome, failing
from tlparse_bundle.statements.runs.trend.metrics import METRICS, day
from tlparse_bundle.statements.runs.trend.run import Run

if TYPE_CHECKING:
    from tlparse_bundle.statements.selection import Section


def benchmark_records(runs: Iterable[tuple[str, Run]]) -> list[dict[str, Any]]:
    """Return the recorded numbers of runs as records of the PyTorch benchmark database
    (https://github.com/pytorch/pytorch/wiki/How-to-integrate-with-PyTorch-OSS-benchmark-database).

    ``runs``: each with the name of its series. Optional fields without a value (mode, dtype, target) are left
    out; ``extra_info`` holds text only.
    """
    return [
        {
            "benchmark": {"name": "torch.compile", "extra_info": _about(run)},
            "model": {"name": series, "type": "program"},
            "metric": {"name": metric.key, "unit": metric.unit, "benchmark_values": [run.values[metric.key]]},
        }
        for series, run in runs
        for metric in METRICS
        if run.values[metric.key] is not None
    ]


def _about(run: Run) -> dict[str, str]:
    about = {
        "run": run.location.name,
        "started_utc": day(run.start_epoch_us) if run.start_epoch_us is not None else "",
        "commit": run.commit or "",
        "torch_version": ", ".join(run.torch_versions),
        "log_count": str(run.log_count),
    }
    return {key: text for key, text in about.items() if text}


_FINDING_FIELDS = (
    "kind",
    "fingerprint",
    "severity",
    "title",
    "function",
    "file",
    "line",
    "count",
)  # of a check


def report(
    sections: Sequence[Section], manifest: dict[str, Any], *, growing: str | None = None
) -> dict[str, Any]:
    """Return the summary and findings of all ranks together and of each log.

    ``growing``: the note for a growing bundle, whose logs include their running compiles.
    """
    ranks: dict[str, Any] | None = None
    logs: list[dict[str, Any]] = []
    for section in sections:
        content = {"summary": section.summary, "findings": section.findings}
        if section.log is None:
            ranks = content
            continue
        log = {"id": section.log.id, "rank": section.log.rank, **content}
        if growing is not None:
            log["running"] = (live_of(manifest, section.log.id) or {"running": []})["running"]
        logs.append(log)
    first = {} if growing is None else {"growing": True, "note": growing}
    return {"ok": True, **first, "ranks": ranks, "logs": logs}


def check(outcomes: Sequence[Outcome], *, allow_unknown: bool) -> dict[str, Any]:
    """Return whether no check failed, and each outcome with the findings that made it fail."""
    return {
        "ok": not failing(outcomes, allow_unknown=allow_unknown),
        "checks": [
            {
                "rule": outcome.rule,
                "log": outcome.log or None,
                "outcome": outcome.outcome,
                "text": outcome.text,
                "findings": [{field: row[field] for field in _FINDING_FIELDS} for row in outcome.findings],
            }
            for outcome in outcomes
        ],
    }


def trend(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a trend (schema: trend) with ``ok``."""
    return {"ok": True, **document}
