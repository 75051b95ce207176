"""Logs that end early: what is not in them may come behind their end."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.findings.words import plural


def ends_early(summary: dict, rows: Sequence[dict], growing: bool) -> str | None:
    """Why a log lacks what came later, in words behind "the log"; None when it is whole. ``rows``: its findings."""
    if growing:
        return "is still being written"
    if any(row["kind"] == "data-problem" and row["details"].get("loses_records", True) for row in rows):
        return "is damaged"
    if summary["unfinished_count"]:
        return f"ends inside {plural(summary['unfinished_count'], 'compile')}"
    return None
