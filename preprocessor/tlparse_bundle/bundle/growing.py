"""Growing bundles: findings and numbers without compiles that are still running.

A state is built like a finished bundle, so its tables have findings for open compiles and an incomplete
last record. Readers get findings without these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import duration, large, listed, plural

_PIECES = 4  # of a list of ranks that is shown as it is
_UNFINISHED = "unfinished-compile"
_CUT = frozenset(("record-cut", "empty-log"))  # diagnostics of a log whose rest is still to come
# Findings of the ranks that a rank which is compiling cannot help.
_OPEN = frozenset((_UNFINISHED, "cut-log"))
_COUNTS = (
    ("failure_count", "failure"),
    ("graph_break_count", "graph break"),
    ("recompile_count", "recompile"),
)


def who(rows: Iterable[dict[str, Any]]) -> str:
    """Return the ranks of logs, "ranks 0–3, 7", or of many pieces "56 ranks (0–6, 8–14, …)"; the ids of those
    without one.
    """
    rows = list(rows)
    ranks = sorted({row["rank"] for row in rows if row["rank"] is not None})
    others = [shown(row["id"]) for row in rows if row["rank"] is None]
    pieces = _ranges(ranks)
    if len(pieces) > _PIECES:
        parts = [f"{len(ranks):,} ranks ({', '.join(pieces[:2])}, …)"]
    else:
        parts = [f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(pieces)}"] if ranks else []
    parts += others if len(others) <= 2 else [f"{len(others):,} logs without a rank"]
    return ", ".join(parts)


def _ranges(numbers: Sequence[int]) -> list[str]:
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return [str(first) if first == last else f"{first}–{last}" for first, last in spans]


def is_growing(manifest: dict[str, Any]) -> bool:
    """Return whether logs of a bundle are still being written."""
    return manifest.get("growing") is True and "live" in manifest


def live_of(manifest: dict[str, Any], log_id: str) -> dict[str, Any] | None:
    """Return the row of a log in ``live`` of the manifest; None in a finished bundle."""
    return (
        next((log for log in manifest["live"]["logs"] if log["id"] == log_id), None)
        if is_growing(manifest)
        else None
    )


def running_in(manifest: dict[str, Any], log_id: str) -> set[str | None]:
    """Return the keys of open compiles."""
    live = live_of(manifest, log_id)
    return {running["compile"] for running in live["running"]} if live else set()


def log_now(manifest: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a log in the manifest, in a growing bundle with its current summary."""
    if not is_growing(manifest):
        return row
    live = live_of(manifest, row["id"])
    count = len(live["running"]) if live else 0
    summary = _summary_now(row["summary"], count)
    return {
        **row,
        "summary": {**summary, "findings": _left(summary["findings"], [{"severity": "error"}] * count)},
    }


def findings_now(
    manifest: dict[str, Any], row: dict[str, Any], findings: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the findings of a log of a growing bundle, without running compiles and an incomplete last
    record.
    """
    if not is_growing(manifest):
        return list(findings)
    running, last = running_in(manifest, row["id"]), row["event_count"] - 1

    def is_open(one: dict[str, Any]) -> bool:
        return one["kind"] == _UNFINISHED and running.issuperset(one["compiles"] or (None,))

    def is_cut(one: dict[str, Any]) -> bool:
        events = one["events"]
        return (
            one["kind"] == "data-problem"
            and one["count"] == 1
            and (events[0] >= last if events else one["details"].get("code") in _CUT)
        )

    gone = {one["id"] for one in findings if is_open(one) or is_cut(one)}
    return [
        {**one, "because_of": None} if one["because_of"] in gone else one
        for one in findings
        if one["id"] not in gone
    ]


def rank_findings_now(manifest: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the findings across ranks (schema: rank_findings), without those that only say that ranks are
    compiling.
    """
    staying, gone = _ended(manifest, rows)
    return [{**row, "id": number} for number, row in enumerate(staying)] if gone else rows


def job_now(manifest: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the job entry of a manifest, without findings that only say that ranks are compiling.

    ``rows``: the stored rank findings.
    """
    job: dict[str, Any] = manifest["job"]
    staying, gone = _ended(manifest, rows)
    if not gone:
        return job
    count = plural(len(staying), "finding") if staying else "no difference"
    text = f"{large(who(manifest['logs']))}: {count} so far."
    return {**job, "text": text, "findings": _left(job["findings"], gone)}


def _ended(
    manifest: dict[str, Any], findings: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rank findings that stay in a growing bundle, and the others."""
    if not is_growing(manifest):
        return findings, []
    rows = {row["id"]: row for row in manifest["logs"]}
    busy = {
        rows[log["id"]]["rank"] for log in manifest["live"]["logs"] if log["running"] and log["id"] in rows
    }

    def is_open(one: dict[str, Any]) -> bool:  # a log may claim any rank: the runs may be long
        return one["kind"] in _OPEN and all(
            last - first < len(busy) and busy.issuperset(range(first, last + 1))
            for first, last in one["ranks"]
        )

    return _without(findings, is_open)


def _without(
    rows: Sequence[dict[str, Any]], goes: Callable[[dict[str, Any]], bool]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return findings without some, with references between them renumbered."""
    stays = [number for number, row in enumerate(rows) if not goes(row)]
    places = {number: place for place, number in enumerate(stays)}
    gone = [row for number, row in enumerate(rows) if number not in places]
    return [{**rows[number], "because_of": places.get(rows[number]["because_of"])} for number in stays], gone


def _left(counts: Mapping[str, int], gone: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return the number of findings by severity, without some."""
    return {
        severity: max(0, count - sum(one["severity"] == severity for one in gone))
        for severity, count in counts.items()
    }


def _summary_now(summary: dict[str, Any], open_count: int) -> dict[str, Any]:
    return {
        **summary,
        "text": _so_far(summary),
        "unfinished_count": max(0, summary["unfinished_count"] - open_count),
    }


def _so_far(summary: dict[str, Any]) -> str:
    if not summary["compile_count"]:
        return "No compiles so far."
    timed = f" in {duration(summary['compile_us'])}" if summary["compile_us"] is not None else ""
    wrong = [plural(summary[key], one) for key, one in _COUNTS if summary[key]]
    return (
        f"{plural(summary['compile_count'], 'compile')} of {plural(summary['function_count'], 'function')} so"
        f" far{timed}" + (f": {listed(wrong)}" if wrong else "") + "."
    )
