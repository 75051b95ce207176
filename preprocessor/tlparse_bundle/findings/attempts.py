"""Attempts of compiles: what broke in them, and what they cost."""

from __future__ import annotations

from tlparse_bundle.findings.facts import Facts, FrameCompile


def breaks_by_frame(facts: Facts) -> dict[tuple, list[dict]]:
    """The graph breaks of each frame compile, a row of the table for each occurrence."""
    found: dict[tuple, list[dict]] = {}
    for row in facts.table("graph_breaks")["graph_breaks"]:
        for at in row["occurrences"]:
            found.setdefault(facts.frame_key(facts.compiles[at["compile_index"]]), []).append(row)
    return found


def tells_of(breaks: list[dict] | tuple, message: str | None) -> bool:
    """Whether one of these graph breaks is what a message is about."""
    return any(row["reason"] in (message or "") for row in breaks)


def lost_us(facts: Facts, frame: FrameCompile) -> int | None:
    """Time of the attempts of a frame compile before its last one, as its metrics tell; None when they do not."""
    event = frame.row["metrics_event"]
    values = facts.metrics_of.get(event, {})
    lost = values.get("dynamo_compile_time_before_restart_us")
    if lost is None and values.get("dynamo_time_before_restart_s") is not None:
        lost = values["dynamo_time_before_restart_s"] * 1e6
    return round(lost) if isinstance(lost, int | float) else None
