"""Runs as records of the PyTorch benchmark database: a record for each number
(https://github.com/pytorch/pytorch/wiki/How-to-integrate-with-PyTorch-OSS-benchmark-database).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tlparse_bundle.statements.runs.trend.metrics import METRICS, day
from tlparse_bundle.statements.runs.trend.run import Run


def records(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """The known numbers of all runs.

    What is optional there and unknown here (mode, dtype, target) is left out; ``extra_info`` holds text only.
    """
    return [
        {
            "benchmark": {"name": "torch.compile", "extra_info": _about(run)},
            "model": {"name": run.series, "type": "program"},
            "metric": {"name": metric.key, "unit": metric.unit, "benchmark_values": [run.values[metric.key]]},
        }
        for run in runs
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
