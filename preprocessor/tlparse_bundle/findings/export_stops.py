"""Which exports stopped at a condition: several records tell of one such stop."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator

from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.findings.finding import Finding


def stops(facts: Facts) -> list[tuple[int, float]]:
    """Events from the begin of each export that stopped at a condition to that of the next one: make_fx tells of it, too."""
    table = facts.table("export")
    told = sorted(row["event_index"] for row in table["failures"] if _stops(row))
    return [(begin, end) for _, begin, end in _windows(table["exports"]) if _within(told, begin, end)]


def graph_ends(facts: Facts) -> dict[int, dict]:
    """For the records of such stops, by event: the row of the failure table in which make_fx says where the graph ends that it had made by then."""
    told = sorted(row["event_index"] for row in facts.table("export")["failures"] if _stops(row))
    ends: dict[int, dict] = {}
    for row in facts.table("failures")["failures"]:
        if row["kind"] == "make_fx" and row["file"] is not None:
            before = bisect_left(told, row["event_index"]) - 1
            if before >= 0 and any(begin <= told[before] and row["event_index"] < end for begin, end in facts.once(stops)):
                ends.setdefault(told[before], row)
    return ends


def _windows(exports: list[dict]) -> Iterator[tuple[dict, int, float]]:
    """(export, its first event, that of the next one)."""
    begins = [row["start_event_index"] for row in exports]
    for row, begin, end in zip(exports, begins, [*begins[1:], None]):
        if begin is not None:
            yield row, begin, math.inf if end is None else end


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
