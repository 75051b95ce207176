"""Sums over the logs of a bundle (schema: manifest, 'totals')."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

_COUNTS = ("compile_count", "compile_us", "failure_count", "graph_break_count", "recompile_count")


def totals(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the sums over logs. ``rows``: their rows in the manifest."""
    summaries = [row["summary"] for row in rows]
    caches: dict[str, Counter[str]] = {}
    for summary in summaries:
        for cache, outcomes in summary["cache_counts"].items():
            caches.setdefault(cache, Counter()).update(outcomes)
    return {
        **{name: _sum([summary[name] for summary in summaries]) for name in _COUNTS},
        "cache_counts": {cache: dict(outcomes) for cache, outcomes in caches.items()},
        "event_count": sum(row["event_count"] for row in rows),
        "size_bytes": sum(row["source"]["size_bytes"] for row in rows),
    }


def _sum(numbers: Sequence[int | None]) -> int | None:
    """Return the sum of the known numbers; None when none is known."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
