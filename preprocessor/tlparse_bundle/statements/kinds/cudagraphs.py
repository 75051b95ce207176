"""Graphs that run without CUDA graphs although the program enabled them, or that are recorded repeatedly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, duration, first_line, function_name, listed, plural, times
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference, Remedy
from tlparse_bundle.statements.source_places import is_of_program
from tlparse_bundle.statements.statement import Place
from tlparse_bundle.tables.cuda_graphs import FOUND_FROM
from tlparse_bundle.tables.text.record_values import frames_in

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CudaGraphsRow, MetricsRow

KINDS = ("cudagraph-skip", "cudagraph-rerecord")
REFERENCE = {
    "cudagraph-skip": KindReference(
        title="CUDA graphs skipped",
        meaning="torch could not use CUDA graphs for a graph although the program enabled them. The title "
        "has torch's reason, the place is the line that torch names.",
        fix="Remove the reason, such as a CPU input or a mutated input.",
        not_when="If launch overhead is small, the graph runs well without CUDA graphs.",
    ),
    "cudagraph-rerecord": KindReference(
        title="CUDA graph recorded repeatedly",
        meaning="torch recorded the CUDA graph of one compiled graph four times or more.",
        fix="Pad inputs to a few sizes. Call `torch.compiler.cudagraph_mark_step_begin()` before each step, "
        "so that graphs run in the same order.",
        not_when="A few recordings are normal: one for each size, and one for each graph that runs before "
        "it.",
    ),
}
_SKIPPING = re.compile(r"(skipping cudagraphs due to )\1+")  # backend "cudagraphs" writes it twice
_MANY_RECORDINGS = 4


def findings(facts: Facts) -> Iterator[Finding]:
    yield from _skips(facts)
    yield from _repeated(facts)


def _skips(facts: Facts) -> Iterator[Finding]:
    """Yield findings from ``cudagraph_skip_reason`` (torch/_dynamo/utils.py: CompilationMetrics)."""
    reasons: dict[str, str] = {}  # by text, since most graphs share one long text
    groups: dict[str, list[MetricsRow]] = {}
    for row in facts.metrics_with("cudagraph_skip_reason"):
        text = row["values"].get("cudagraph_skip_reason")
        if type(text) is str and text:
            if text not in reasons:
                reasons[text] = first_line(_SKIPPING.sub(r"\1", FOUND_FROM.sub("", text)))
            groups.setdefault(reasons[text], []).append(row)
    for reason, rows in groups.items():
        compiles = [facts.number_of(row) for row in rows]
        names = list(
            dict.fromkeys(facts.compiles[number]["function"] or "(unknown function)" for number in compiles)
        )
        full = next(row["values"]["cudagraph_skip_reason"] for row in rows)
        places = list(
            dict.fromkeys(
                place
                for row in rows
                if (place := _found_from(facts, row["values"]["cudagraph_skip_reason"])) is not None
            )
        )
        yield Finding(
            "cudagraph-skip",
            "warning",
            f"{plural(len(rows), 'graph')} of {listed([code(name) for name in names])}"
            f" {'runs' if len(rows) == 1 else 'run'} without CUDA graphs: {reason}",
            (reason,),
            "\n\n".join(filter(None, (full if full.strip() != reason else "", _others(places)))),
            places[0] if places else facts.place_of(compiles[0]),
            compiles,
            [row["event"] for row in rows],
            count=len(rows),
            details={"reason": full, "functions": names[:100]},
            placed=False,
        )


def _found_from(facts: Facts, reason: str) -> Place | None:
    """Return the innermost place of the program in the stack of a reason; None without a stack."""
    found = FOUND_FROM.search(reason)
    frames = frames_in(found["stack"]) if found else []
    frame = next((frame for frame in reversed(frames) if is_of_program(frame.file)), None) or (
        frames[-1] if frames else None
    )
    return None if frame is None else (frame.function, facts.short(frame.file), frame.line)


def _others(places: list[Place]) -> str:
    others = [code(f"{file}:{line}") for _, file, line in places[1:]]
    return f"torch names {plural(len(others), 'more line')}: {listed(others)}." if others else ""


def _repeated(facts: Facts) -> Iterator[Finding]:
    groups: dict[tuple[object, ...], list[CudaGraphsRow]] = {}
    for row in facts.table("cuda_graphs"):
        if row["record_count"] >= _MANY_RECORDINGS:
            key = *facts.function_key(facts.number_of(row)), row["direction"]
            groups.setdefault(key, []).append(row)
    for rows in groups.values():
        number = facts.number_of(rows[0])
        count, us = sum(row["record_count"] for row in rows), sum(row["record_us"] for row in rows)
        backward = "the backward of " if rows[0]["direction"] == "backward" else ""
        yield Finding(
            "cudagraph-rerecord",
            "info",
            f"The CUDA graph of {backward}{function_name(facts.compiles[number]['function'])} was recorded"
            f" {times(count)}, in {duration(us)}",
            (rows[0]["direction"],),
            "torch records a graph again for each new size of its inputs, and when it runs after a different"
            " graph than before. It does not log which of these was the reason.",
            facts.place_of(number),
            [facts.number_of(row) for row in rows],
            [event for row in rows for event in row["record_events"]],
            count=count,
            cost_us=us,
            cost_of="recording CUDA graphs",
            remedies=[
                Remedy(
                    "Mark the begin of each step, so that graphs run in the same order.",
                    "torch.compiler.cudagraph_mark_step_begin()",
                ),
                Remedy("Pad the inputs to a few sizes if they vary."),
            ],
            details={"direction": rows[0]["direction"], "record_count": count},
        )
