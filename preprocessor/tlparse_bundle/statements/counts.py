"""Numbers that several findings and the headline tell, each counted in one way."""

from __future__ import annotations

from collections import Counter

from tlparse_bundle.statements.export_calls import ahead_of_time, captures
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.failure_groups import CALLED, failures
from tlparse_bundle.statements.source_places import is_generated

_CACHES = ("fx_graph", "aot_autograd", "precompile")
_OUTCOMES = ("hit", "miss", "bypass")


def place_count(facts: Facts) -> int:
    """Distinct places of graph breaks; a break whose place is unknown is a place of its own."""
    rows = facts.table("graph_breaks")
    return len(
        {(row["file"], row["line"]) if row["file"] is not None else number for number, row in enumerate(rows)}
    )


def break_count(facts: Facts) -> int:
    """How often a graph broke: each record once."""
    return sum(row["count"] for row in facts.table("graph_breaks"))


def export_count(facts: Facts) -> int:
    """Calls of torch.export: those that left records (with TORCH_DTRACE), or else spans of the timeline and
    failures outside of these.
    """
    captured = len(set(captures(facts)) - set(facts.once(ahead_of_time)))
    return max(
        captured + sum(failure.export == CALLED for failure in facts.once(failures)),
        len(facts.table("exports")),
    )


def phase_times_us(facts: Facts) -> dict[str, int] | None:
    """Time of all frames by phase, in microseconds, as the metrics measured it; None when a frame has none,
    or there is no frame.
    """
    rows = [frame.row for frame in facts.frames]
    if not rows or any(row["dynamo_us"] is None for row in rows):
        return None
    sums = dict.fromkeys(("dynamo", "aot", "inductor", "backward"), 0)
    for row in rows:  # a part that is null was not reached
        sums["dynamo"] += row["dynamo_us"] + (row["restart_us"] or 0)
        for part in ("aot", "inductor", "backward"):
            sums[part] += row[f"{part}_us"] or 0
    return sums


def cache_counts(facts: Facts) -> dict[str, dict[str, int]]:
    """How often a cache was asked and had it, had it not, or could not be asked; only caches that were asked."""
    asked = Counter((row["cache"], row["outcome"]) for row in facts.table("caches"))
    counts = {cache: {outcome: asked[cache, outcome] for outcome in _OUTCOMES} for cache in _CACHES}
    return {cache: outcomes for cache, outcomes in counts.items() if any(outcomes.values())}


def specialization_count(facts: Facts) -> int:
    """Sizes of functions of the program that became constants; what compiled autograd generates has many, by
    design.
    """
    compiles = (facts.compiles[facts.number_of(row)] for row in facts.table("specializations"))
    return sum(not is_generated(compile["file"]) for compile in compiles)
