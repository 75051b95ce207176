"""Which exports stopped at a condition: several records tell of one such stop."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator

from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.findings.finding import Finding


def stops(facts: Facts) -> list[tuple[int, float]]:
    """Events from the begin of each export that stopped at a condition to that of the next one: make_fx tells of it, too."""
    table = facts.table("export")
    told = sorted(row["event_index"] for row in table["failures"] if _stops(row))
    return sorted((begin, end) for begin, end in _windows(table["exports"]) if _within(told, begin, end))


def stop_around(facts: Facts, event_index: int) -> tuple[int, float] | None:
    """Which of these stops a record belongs to."""
    windows = facts.once(stops)
    position = bisect_right(windows, (event_index, math.inf)) - 1
    return windows[position] if position >= 0 and event_index < windows[position][1] else None


def graph_ends(facts: Facts) -> dict[int, dict]:
    """For the records of such stops, by event: the row of the failure table in which make_fx says where the graph ends that it had made by then."""
    told = sorted(row["event_index"] for row in facts.table("export")["failures"] if _stops(row))
    ends: dict[int, dict] = {}
    for row in facts.table("failures")["failures"]:
        if row["kind"] == "make_fx" and row["file"] is not None:
            before, stop = bisect_left(told, row["event_index"]) - 1, stop_around(facts, row["event_index"])
            if before >= 0 and stop is not None and stop[0] <= told[before]:
                ends.setdefault(told[before], row)
    return ends


def _windows(exports: list[dict]) -> Iterator[tuple[int, float]]:
    """The first event of each export, and that of the next one."""
    begins = [row["start_event_index"] for row in exports]
    for begin, end in zip(begins, [*begins[1:], None]):
        if begin is not None:
            yield begin, math.inf if end is None else end


def _stops(row: dict) -> bool:
    return row["kind"] == "data_dependent_error" and row["result"] is None


def _within(events: list[int], start: int, end: float) -> bool:
    position = bisect_left(events, start)
    return position < len(events) and events[position] < end


def failure_count(found: Iterable[Finding]) -> int:
    """What stood in the way of exports; one that left no program since it stopped at a condition counts once."""
    counts = Counter[str]()
    for finding in found:
        if finding.kind == "export-failure":
            counts[finding.details["problem"]] += finding.count
    counts["no_program"] = max(0, counts["no_program"] - counts["data_dependent_error"])
    return counts.total()
