"""The numbers of the headline, each with one definition (schema: findings), and the headline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tlparse_bundle.base.wording import code, duration, large, listed, plural
from tlparse_bundle.model.status import statuses
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.failure_groups import export_count
from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.guard_changes import noun, what_changed
from tlparse_bundle.statements.not_recorded import not_recorded_text, untold
from tlparse_bundle.statements.recompile_causes import causes
from tlparse_bundle.statements.source_places import is_generated
from tlparse_bundle.statements.statement import SEVERITIES
from tlparse_bundle.statements.torch_messages import CACHES

_COUNTED_CACHES = ("fx_graph", "aot_autograd", "precompile")
_OUTCOMES = ("hit", "miss", "bypass")


def summary(facts: Facts, findings: Sequence[Finding], compiles: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the numbers of the headline (schema: manifest, 'summary'). ``compiles``: rows of the table."""

    def count(*kinds: str) -> int:
        return sum(finding.count for finding in findings if finding.kind in kinds)

    exports = export_count(facts)
    ahead = sum(row["kind"] == "ahead_of_time" for row in compiles)
    numbers = {
        "compile_count": len(compiles),
        "statuses": statuses(compiles),
        "attempt_count": sum(row["attempt_count"] for row in compiles),
        "limit_count": facts.row_count("limits"),
        "capture_count": facts.row_count("captures"),
        "frame_count": len(compiles) - ahead,
        "ahead_of_time_count": ahead,
        "export_count": exports,
        "function_count": len(facts.functions),
        "compile_us": facts.compile_us,
        "wall_us": facts.wall_us,
        "failure_count": count("failure") if facts.tells_ends else None,
        "unfinished_count": count("unfinished-compile"),
        "graph_break_count": _break_count(facts) if facts.tells_breaks else None,
        "graph_break_place_count": _place_count(facts) if facts.tells_breaks else None,
        "recompile_count": facts.row_count("recompiles") if facts.tells_recompiles else None,
        "recompile_cause_count": facts.row_count("recompile_causes") if facts.tells_recompiles else None,
        "restart_count": count("restart"),
        "recompile_limit_count": (
            sum(finding.kind == "recompile-limit" for finding in findings) if facts.tells_recompiles else None
        ),
        "specialization_count": _specialization_count(facts),
        "export_failure_count": count("export-failure"),
        "export_assumption_count": count("export-assumption"),
        "cudagraph_skip_count": count("cudagraph-skip"),
        "start_epoch_us": facts.directory["clock"]["origin_epoch_us"],
        "phase_times_us": _phase_times_us(facts),
        "cache_counts": _cache_counts(facts),
        "untold": untold(facts),
    }
    return {
        "text": _text(facts, numbers, findings),
        **numbers,
        "findings": {
            severity: sum(finding.severity == severity for finding in findings) for severity in SEVERITIES
        },
    }


def _text(facts: Facts, numbers: dict[str, Any], findings: Sequence[Finding]) -> str:
    begin = large(_compiles(facts, numbers))
    wrong = list(_wrong(facts, numbers))
    damaged = any(finding.kind == "data-problem" and finding.details["loses_records"] for finding in findings)
    if wrong:
        return (
            f"{begin}: {listed(wrong, 20)}."
            + (" The log is damaged: there may be more." if damaged else "")
            + not_recorded_text(facts)
        )
    if damaged:
        return f"{begin}. The log is damaged, so that more may have happened than it tells."
    if not numbers["compile_count"] and not numbers["export_count"]:
        return f"{begin}."
    if not facts.tells_ends:
        return f"{begin}.{not_recorded_text(facts)}"
    topics = [
        word
        for word, tells in (("graph breaks", facts.tells_breaks), ("recompiles", facts.tells_recompiles))
        if tells
    ]
    return f"{begin}: no {listed(['failures', *topics], joint='or')}.{not_recorded_text(facts)}"


def _functions(facts: Facts, count: int) -> str:
    named = any(frame.row["function"] is not None for frame in facts.compiled)
    parts = [plural(count, "function" if named else "code object")] if count else []
    if any(is_generated(frame.row["file"]) for frame in facts.compiled):
        parts.append("code that torch generated")
    return " and ".join(parts) or "no function"


def _compiles(facts: Facts, numbers: dict[str, Any]) -> str:
    parts = []
    if numbers["frame_count"]:
        parts.append(
            f"{plural(numbers['frame_count'], 'compile')} of {_functions(facts, numbers['function_count'])}"
        )
    if numbers["ahead_of_time_count"]:
        parts.append(plural(numbers["ahead_of_time_count"], "ahead-of-time compile"))
    if numbers["export_count"]:
        parts.append(plural(numbers["export_count"], "export"))
    if not parts:
        return (
            "no compile ended in this log"
            if numbers["unfinished_count"]
            else f"no compiles in this log{_loaded(facts)}"
        )
    timed = f" in {duration(numbers['compile_us'])}" if numbers["compile_us"] is not None else ""
    return listed(parts) + timed


def _loaded(facts: Facts) -> str:
    """What came from caches instead: a process that finds all of it there compiles nothing."""
    if not facts.kind_count("artifact"):
        return ""
    pieces = sum(piece["outcome"] == "loaded" for piece in facts.table("vllm_pieces"))
    if pieces:
        return f"; vLLM loaded {plural(pieces, 'piece')} from its cache"
    hits = Counter(
        row["cache"] for row in facts.table("caches") if row["outcome"] == "hit" and row["cache"] in CACHES
    )
    return "".join(f", {plural(count, 'hit')} of the {CACHES[cache]}" for cache, count in hits.items())


def _wrong(facts: Facts, numbers: dict[str, Any]) -> Iterator[str]:
    if numbers["unfinished_count"]:
        yield f"{numbers['unfinished_count']:,} did not end"
    if numbers["failure_count"]:
        yield plural(numbers["failure_count"], "failure")
    if numbers["recompile_limit_count"]:
        yield f"{plural(numbers['recompile_limit_count'], 'function')} at the recompile limit"
    if numbers["graph_break_count"]:
        yield (
            f"{plural(numbers['graph_break_count'], 'graph break')} at"
            f" {plural(numbers['graph_break_place_count'], 'place')}"
        )
    if numbers["restart_count"]:
        yield plural(numbers["restart_count"], "restart")
    if numbers["recompile_count"]:
        yield f"{plural(numbers['recompile_count'], 'recompile')}{_because(facts, numbers)}"
    if numbers["specialization_count"]:
        yield f"{plural(numbers['specialization_count'], noun(facts))} that became constant"
    if numbers["export_failure_count"]:
        yield plural(numbers["export_failure_count"], "export problem")
    if numbers["export_assumption_count"]:
        yield plural(numbers["export_assumption_count"], "assumption")
    if numbers["cudagraph_skip_count"]:
        yield f"{plural(numbers['cudagraph_skip_count'], 'graph')} without CUDA graphs"


def _because(facts: Facts, numbers: dict[str, Any]) -> str:
    """The cause of most recompiles, when it is one; otherwise how many causes there are."""
    own_causes = [cause for cause in facts.once(causes) if cause.rows]
    if not own_causes:
        return ""
    most = max(own_causes, key=lambda cause: len(cause.rows) + len(cause.cascade))
    share = len(most.rows) + len(most.cascade)
    name = most.function[1]
    where = (
        f" in {code(name)}" if name is not None and len({cause.function for cause in own_causes}) > 1 else ""
    )
    if most.reason is not None and 2 * share > numbers["recompile_count"]:
        return (
            f" {'' if share == numbers['recompile_count'] else 'mostly '}because {what_changed(most)}{where}"
        )
    return (
        f" for {plural(numbers['recompile_cause_count'], 'reason')}"
        if numbers["recompile_cause_count"] > 1
        else ""
    )


def _place_count(facts: Facts) -> int:
    """Distinct places of graph breaks; a break whose place is unknown is a place of its own."""
    rows = facts.table("graph_breaks")
    return len(
        {(row["file"], row["line"]) if row["file"] is not None else number for number, row in enumerate(rows)}
    )


def _break_count(facts: Facts) -> int:
    """How often a graph broke: each record once."""
    return sum(row["count"] for row in facts.table("graph_breaks"))


def _phase_times_us(facts: Facts) -> dict[str, int] | None:
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


def _cache_counts(facts: Facts) -> dict[str, dict[str, int]]:
    """How often a cache had it, had it not, or could not be asked; only caches that were asked."""
    lookups: Counter[tuple[str, str]] = Counter(
        (row["cache"], row["outcome"]) for row in facts.table("caches")
    )
    counts = {cache: {outcome: lookups[cache, outcome] for outcome in _OUTCOMES} for cache in _COUNTED_CACHES}
    return {cache: outcomes for cache, outcomes in counts.items() if any(outcomes.values())}


def _specialization_count(facts: Facts) -> int:
    """Sizes of functions of the program that became constants; what compiled autograd generates has many, by
    design.
    """
    compiles = (facts.compiles[facts.number_of(row)] for row in facts.table("specializations"))
    return sum(not is_generated(compile["file"]) for compile in compiles)
