"""Attempts of compiles: what broke in them, and what they cost."""

from __future__ import annotations

from tlparse_bundle.findings.facts import Facts, FrameCompile


def breaks_by_frame(facts: Facts) -> dict[tuple, list[dict]]:
    """Return the graph breaks of each frame compile: a row of `graph_breaks` for each record."""
    breaks: dict[tuple, list[dict]] = {}
    for row in facts.table("graph_breaks"):
        for number in facts.once(break_attempts)[row["id"]]:
            breaks.setdefault(facts.frame_key(facts.compiles[number]), []).append(row)
    return breaks


def break_attempts(facts: Facts) -> list[list[int]]:
    """Return, for each graph break, the attempt of each of its records."""
    attempts: list[list[int]] = [[] for _ in facts.table("graph_breaks")]
    for record in facts.table("graph_break_records"):
        attempts[record["graph_break"]].append(facts.number_of(record))
    return attempts


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
