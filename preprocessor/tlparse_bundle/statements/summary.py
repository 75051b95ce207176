"""The headline and its numbers (schema: manifest, 'summary')."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tlparse_bundle.base.wording import code, duration, large, listed, plural
from tlparse_bundle.model.compiles import EXPORT_RECORDS, statuses
from tlparse_bundle.statements.attempt_list import RowList
from tlparse_bundle.statements.export_calls import AOT_SPAN, ahead_of_time
from tlparse_bundle.statements.export_table import export_calls
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding
from tlparse_bundle.statements.global_states import states_changed
from tlparse_bundle.statements.guard_changes import is_unexplained, noun, what_changed
from tlparse_bundle.statements.main_functions import main_functions
from tlparse_bundle.statements.not_recorded import not_recorded_text, unrecorded_topics
from tlparse_bundle.statements.recompile_causes import causes
from tlparse_bundle.statements.source_places import is_generated
from tlparse_bundle.statements.statement import SEVERITIES
from tlparse_bundle.statements.torch_messages import CACHES
from tlparse_bundle.statements.user_code import own_place

_COUNTED_CACHES = ("fx_graph", "aot_autograd", "precompile")
_OUTCOMES = ("hit", "miss", "bypass")
_MAX_HEADLINE = 120  # characters
_DETAILS = ("places", "reason", "causes", "limit", "known places")  # dropped in this order


def summary(facts: Facts, findings: Sequence[Finding], compiles: RowList) -> dict[str, Any]:
    """Return the numbers of the headline (schema: manifest, 'summary'). ``compiles``: rows of the table."""

    def count(*kinds: str) -> int:
        return sum(finding.count for finding in findings if finding.kind in kinds)

    ahead = sum(row["kind"] == "ahead_of_time" for row in compiles)
    numbers = {
        "compile_count": len(compiles),
        "statuses": statuses(compiles),
        "attempt_count": sum(row["attempt_count"] for row in compiles),
        "limit_count": facts.row_count("limits"),
        "capture_count": facts.row_count("captures"),
        "frame_count": len(compiles) - ahead,
        "ahead_of_time_count": ahead,
        "aot_inductor_count": min(ahead, sum(span.name == AOT_SPAN for span in facts.once(ahead_of_time))),
        "export_count": len(facts.once(export_calls)),
        "function_count": facts.function_count(),
        "compile_us": facts.compile_us,
        "wall_us": facts.wall_us,
        "failure_count": count("failure") if facts.records_outcomes else None,
        "unfinished_count": count("unfinished-compile"),
        "graph_break_count": _break_count(facts) if facts.records_breaks else None,
        "graph_break_place_count": _place_count(facts) if facts.records_breaks else None,
        "recompile_count": facts.row_count("recompiles") if facts.records_recompiles else None,
        "recompile_cause_count": facts.row_count("recompile_causes") if facts.records_recompiles else None,
        "restart_count": count("restart"),
        "recompile_limit_count": (
            sum(finding.kind == "recompile-limit" for finding in findings)
            if facts.records_recompiles
            else None
        ),
        "specialization_count": _specialization_count(facts),
        "export_failure_count": count("export-failure"),
        "export_assumption_count": count("export-assumption"),
        "cudagraph_skip_count": count("cudagraph-skip"),
        "start_epoch_us": facts.directory["clock"]["origin_epoch_us"],
        "phase_times_us": _phase_times_us(facts),
        "cache_counts": _cache_counts(facts),
        "not_recorded": [*unrecorded_topics(facts), *(["exports"] if _lacks_exports(facts) else [])],
        "functions": main_functions(facts),
    }
    return {
        "text": headline(facts, numbers, findings),
        **numbers,
        "findings": {
            severity: sum(finding.severity == severity for finding in findings) for severity in SEVERITIES
        },
    }


def _lacks_exports(facts: Facts) -> bool:
    """Return whether exports may be missing: without TORCH_DTRACE, some leave no record when they succeed."""
    return bool(facts.once(export_calls)) and not facts.row_count(EXPORT_RECORDS)


def headline(facts: Facts, numbers: dict[str, Any], findings: Sequence[Finding]) -> str:
    """Return the headline of these numbers, without as many of _DETAILS as make it too long."""
    texts = (_headline(facts, numbers, findings, _DETAILS[number:]) for number in range(len(_DETAILS) + 1))
    text = next(texts)
    while len(text) > _MAX_HEADLINE and (shorter := next(texts, None)) is not None:
        text = shorter
    return text


def _headline(
    facts: Facts, numbers: dict[str, Any], findings: Sequence[Finding], details: Sequence[str]
) -> str:
    not_recorded = not_recorded_text(facts, short="known places" not in details)
    begin = _compiles(facts, numbers)
    wrong = list(_wrong(facts, numbers, details)) or list(_specialized(facts, numbers))
    damaged = any(finding.kind == "data-problem" and finding.details["loses_records"] for finding in findings)
    if wrong:
        return (
            f"{begin}. {large(', '.join(wrong))}."
            + (" The log is damaged, so there may be more." if damaged else "")
            + not_recorded
        )
    if damaged:
        return f"{begin}. The log is damaged, so counts may be too low."
    if not numbers["compile_count"] and not numbers["export_count"]:
        return f"{begin}."
    if not facts.records_outcomes:
        return f"{begin}.{not_recorded}"
    topics = [
        word
        for word, is_recorded in (
            ("graph breaks", facts.records_breaks),
            ("recompiles", facts.records_recompiles),
        )
        if is_recorded
    ]
    return f"{begin}. No {listed(['failures', *topics], joint='or')}.{not_recorded}"


def _functions(facts: Facts, count: int) -> str:
    named = any(frame.row["function"] is not None for frame in facts.compiled)
    parts = [plural(count, "function" if named else "code object")] if count else []
    if any(is_generated(frame.row["file"]) for frame in facts.compiled):
        parts.append("code generated by torch")
    return ", ".join(parts) or "no functions"


def _compiles(facts: Facts, numbers: dict[str, Any]) -> str:
    parts = []
    if numbers["frame_count"]:
        parts += [_functions(facts, numbers["function_count"]), plural(numbers["frame_count"], "compile")]
    if numbers["ahead_of_time_count"]:
        parts += _ahead_of_time(numbers["ahead_of_time_count"], numbers["aot_inductor_count"])
    if numbers["export_count"]:
        least = "at least " if "exports" in numbers["not_recorded"] else ""
        parts.append(f"{least}{plural(numbers['export_count'], 'export')}")
    if not parts:
        return (
            "No compile finished in this log"
            if numbers["unfinished_count"]
            else f"No compiles in this log{_loaded(facts)}"
        )
    if numbers["compile_us"] is not None:
        parts.append(duration(numbers["compile_us"]))
    return ", ".join(parts)


def _ahead_of_time(count: int, inductor: int) -> list[str]:
    """Return the ahead-of-time compiles by who makes them."""
    kinds = ((inductor, "AOTInductor compile"), (count - inductor, "ahead-of-time compile"))
    return [plural(number, noun) for number, noun in kinds if number]


def _loaded(facts: Facts) -> str:
    """Return what a process without compiles loaded from caches."""
    if not facts.kind_count("artifact"):
        return ""
    pieces = sum(piece["outcome"] == "loaded" for piece in facts.table("vllm_pieces"))
    if pieces:
        return f". vLLM loaded {plural(pieces, 'piece')} from its cache"
    hits = Counter(
        row["cache"] for row in facts.table("caches") if row["outcome"] == "hit" and row["cache"] in CACHES
    )
    texts = [f"{count:,} {CACHES[cache]} {'hit' if count == 1 else 'hits'}" for cache, count in hits.items()]
    return f". {', '.join(texts)}" if texts else ""


def _wrong(facts: Facts, numbers: dict[str, Any], details: Sequence[str]) -> Iterator[str]:
    if numbers["unfinished_count"]:
        yield f"{plural(numbers['unfinished_count'], 'compile')} did not end"
    unknown = sum(call["outcome"] == "unknown" for call in facts.once(export_calls))
    if unknown:
        yield f"the outcome of {plural(unknown, 'export')} is not recorded"
    if numbers["failure_count"]:
        yield plural(numbers["failure_count"], "failure")
    if numbers["graph_break_count"]:
        # Breaks at a line of a library can be at several lines of the program.
        is_of_program = all(own_place(row).inside is None for row in facts.table("graph_breaks"))
        places = f" at {plural(numbers['graph_break_place_count'], 'place')}" if is_of_program else ""
        yield plural(numbers["graph_break_count"], "graph break") + (
            places if numbers["graph_break_count"] > 1 and "places" in details else ""
        )
    if numbers["restart_count"]:
        yield plural(numbers["restart_count"], "restart")
    if numbers["recompile_count"]:
        yield f"{plural(numbers['recompile_count'], 'recompile')}{_because(facts, numbers, details)}"
    if numbers["recompile_limit_count"]:
        limit = "recompile limit" if "limit" in details or not numbers["recompile_count"] else "limit"
        yield f"{plural(numbers['recompile_limit_count'], 'function')} hit the {limit}"
    if numbers["export_failure_count"]:
        yield plural(numbers["export_failure_count"], "export failure")
    if numbers["export_assumption_count"]:
        yield plural(numbers["export_assumption_count"], "export assumption")
    if numbers["cudagraph_skip_count"]:
        runs = "graph runs" if numbers["cudagraph_skip_count"] == 1 else "graphs run"
        yield f"{numbers['cudagraph_skip_count']:,} {runs} without CUDA graphs"


def _specialized(facts: Facts, numbers: dict[str, Any]) -> Iterator[str]:
    """Yield the specializations, which the headline mentions only when nothing is worse."""
    if numbers["specialization_count"]:
        yield plural(numbers["specialization_count"], f"specialized {noun(facts)}")


def _because(facts: Facts, numbers: dict[str, Any], details: Sequence[str]) -> str:
    """Return the cause of most recompiles if there is one, otherwise the number of causes."""
    own_causes = [cause for cause in facts.once(causes) if cause.rows]
    if not own_causes:
        return ""
    most = max(own_causes, key=lambda cause: len(cause.rows) + len(cause.caused))
    share = len(most.rows) + len(most.caused)
    name = most.function[1]
    where = (
        f" in {code(name)}" if name is not None and len({cause.function for cause in own_causes}) > 1 else ""
    )
    is_known = most.reason is not None and not is_unexplained(most)
    if "reason" in details and is_known and 2 * share > numbers["recompile_count"]:
        why = f"because {states_changed(facts, most) or what_changed(most, with_values=False)}{where}"
        return f" {why}" if share == numbers["recompile_count"] else f", mostly {why}"
    return (
        f" ({plural(numbers['recompile_cause_count'], 'cause')})"
        if numbers["recompile_cause_count"] > 1 and "causes" in details
        else ""
    )


def _place_count(facts: Facts) -> int:
    """Return the number of distinct places of graph breaks. A break without a place counts as one."""
    rows = facts.table("graph_breaks")
    return len(
        {(row["file"], row["line"]) if row["file"] is not None else number for number, row in enumerate(rows)}
    )


def _break_count(facts: Facts) -> int:
    """Return the number of graph break records."""
    return sum(row["count"] for row in facts.table("graph_breaks"))


def _phase_times_us(facts: Facts) -> dict[str, int] | None:
    """Return the time of all frames by phase in microseconds; None without frames or their metrics."""
    sums = dict.fromkeys(("dynamo", "aot", "inductor", "backward"), 0)
    for frame in facts.frames:
        row = frame.row
        if row["dynamo_us"] is None:
            return None
        sums["dynamo"] += row["dynamo_us"] + (row["restart_us"] or 0)
        for part in ("aot", "inductor", "backward"):
            sums[part] += row[f"{part}_us"] or 0  # null: the phase was not reached
    return sums if len(facts.frames) else None


def _cache_counts(facts: Facts) -> dict[str, dict[str, int]]:
    """Return the hits, misses and bypasses of each cache that was used."""
    lookups: Counter[tuple[str, str]] = Counter(
        (row["cache"], row["outcome"]) for row in facts.table("caches")
    )
    counts = {cache: {outcome: lookups[cache, outcome] for outcome in _OUTCOMES} for cache in _COUNTED_CACHES}
    return {cache: outcomes for cache, outcomes in counts.items() if any(outcomes.values())}


def _specialization_count(facts: Facts) -> int:
    """Return the number of specialized sizes, without those in code that compiled autograd generates."""
    compiles = (facts.compiles[facts.number_of(row)] for row in facts.table("specializations"))
    return sum(not is_generated(compile["file"]) for compile in compiles)
