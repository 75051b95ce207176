"""Graphs that run without CUDA graphs although the program enabled them, or that are recorded repeatedly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, duration, first_line, function_name, listed, plural, times
from tlparse_bundle.guards.inputs import local_name
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference, Remedy
from tlparse_bundle.statements.source_places import is_of_program
from tlparse_bundle.statements.statement import Place
from tlparse_bundle.tables.cuda_graphs import FOUND_FROM
from tlparse_bundle.tables.text.record_values import frames_in

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import AliasingRow, CudaGraphsRow, MetricsRow

KINDS = ("cudagraph-skip", "cudagraph-rerecord")
REFERENCE = {
    "cudagraph-skip": KindReference(
        title="CUDA graphs skipped",
        meaning="torch could not use CUDA graphs for a graph although the program enabled them. The title "
        "has torch's reason, the place is the line that torch names. torch does not record that it skips a "
        "graph because it changes an input: this is computed from the inputs that the graph changes, if "
        "torch prepared CUDA graphs for it and recorded none.",
        fix="Remove the reason, such as an input on the CPU or an input that the graph changes.",
        not_when="If launch overhead is small, the graph runs well without CUDA graphs.",
    ),
    "cudagraph-rerecord": KindReference(
        title="CUDA graph recorded several times",
        meaning="torch recorded the CUDA graph of one compiled graph four times or more.",
        fix="Pad inputs to a few sizes if they vary. Otherwise let the compiled functions run in the same "
        "order in each step, and call `torch.compiler.cudagraph_mark_step_begin()` before each step.",
        not_when="A few recordings are normal: one for each size, and one for each graph that runs before "
        "it.",
    ),
}
_PREFIXES = re.compile(r"\A(?:skipping cudagraphs due to |disabling cudagraphs due to )+")
_ON_CPU = re.compile(r"cpu device \(\w+\)")  # torch/_inductor/cudagraph_utils.py
_MANY_RECORDINGS = 4
_DIRECTIONS = {"compilation_metrics": "forward", "bwd_compilation_metrics": "backward"}


def findings(facts: Facts) -> Iterator[Finding]:
    yield from _skips(facts)
    yield from _changed_inputs(facts)
    yield from _repeated(facts)


def _skips(facts: Facts) -> Iterator[Finding]:
    """Yield findings from ``cudagraph_skip_reason`` (torch/_dynamo/utils.py: CompilationMetrics)."""
    reasons: dict[str, str] = {}  # by text, since most graphs share one long text
    groups: dict[str, list[MetricsRow]] = {}
    for row in facts.metrics_with("cudagraph_skip_reason"):
        text = row["values"].get("cudagraph_skip_reason")
        if type(text) is str and text:
            if text not in reasons:
                reasons[text] = first_line(_PREFIXES.sub("", FOUND_FROM.sub("", text)))
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
            remedies=[Remedy("Move the tensor to the GPU before the call.")] if _ON_CPU.match(reason) else [],
            details={"reason": full, "functions": names[:100], "direction": _DIRECTIONS[rows[0]["type"]]},
            placed=False,
        )


def _changed_inputs(facts: Facts) -> Iterator[Finding]:
    """Yield findings about graphs that torch prepared and never recorded, and that change an input.

    torch checks this in each run, outside compiles, so that no metrics have the reason
    (check_for_mutation in torch/_inductor/cudagraph_utils.py).
    """
    changes = {row["compile"]: row for row in facts.table("aliasing") if row["moving_mutated_inputs"]}
    groups: dict[object, list[AliasingRow]] = {}
    for row in facts.table("cuda_graphs"):
        is_idle = row["prepare_count"] is not None and not row["record_count"] and row["skip_reason"] is None
        if is_idle and row["direction"] == "forward" and row["compile"] in changes:
            groups.setdefault(facts.function_key(facts.number_of(row)), []).append(changes[row["compile"]])
    for rows in groups.values():
        number = facts.number_of(rows[0])
        names = _inputs(facts, rows[0])
        if names:
            inputs = f"its input{'s' if len(names) > 1 else ''} {listed([code(name) for name in names])}"
        else:
            inputs = "an input" if len(rows[0]["moving_mutated_inputs"]) == 1 else "inputs"
        tensor = names[0] if names else "tensor"
        yield Finding(
            "cudagraph-skip",
            "warning",
            f"{function_name(facts.compiles[number]['function'])} runs without CUDA graphs: it changes"
            f" {inputs}",
            ("changed input",),
            "torch records a graph that changes an input only if the input is a parameter, a buffer, a tensor"
            " marked as static, or an output of another CUDA graph. `TORCH_LOGS=cudagraphs` shows the line.",
            facts.place_of(number),
            [facts.number_of(row) for row in rows],
            [row["event"] for row in rows],
            count=len(rows),
            remedies=[
                Remedy("Return the new value instead of changing the input."),
                Remedy(
                    "Pass the same tensor in each call, and mark it as static before the first call.",
                    f"torch._dynamo.mark_static_address({tensor})",
                ),
            ],
            details={
                "reason": f"it changes {inputs}",
                "functions": [facts.compiles[number]["function"] or "(unknown function)"],
                "direction": "forward",
            },
        )


def _inputs(facts: Facts, changed: AliasingRow) -> list[str]:
    """Return the names of the arguments that a graph changes; none where the log does not show them."""
    graph = next((row for row in facts.table("graph_tensors") if row["compile"] == changed["compile"]), None)
    if graph is None or graph["input_count"] != changed["input_count"]:
        return []
    calls = (row for row in facts.table("call_inputs") if row["compile"] == changed["compile"])
    names = {
        f"l_{name.lower()}_": name for row in calls if (name := local_name(row["source"])).isidentifier()
    }
    nodes = [graph["nodes"][place] for place in changed["moving_mutated_inputs"]]
    return [names[node] for node in nodes] if all(node in names for node in nodes) else []


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
    dynamic = {row["compile"] for row in facts.table("symbols")}
    groups: dict[tuple[object, ...], list[CudaGraphsRow]] = {}
    for row in facts.table("cuda_graphs"):
        parts = 0 if row["compile"] in dynamic else (row["prepare_count"] or 1) - 1
        if row["record_count"] - parts >= _MANY_RECORDINGS:
            key = *facts.function_key(facts.number_of(row)), row["direction"]
            groups.setdefault(key, []).append(row)
    for rows in groups.values():
        number = facts.number_of(rows[0])
        count, us = sum(row["record_count"] for row in rows), sum(row["record_us"] for row in rows)
        backward = "the backward of " if rows[0]["direction"] == "backward" else ""
        reason, remedies = _why_repeated(rows)
        yield Finding(
            "cudagraph-rerecord",
            "info",
            f"The CUDA graph of {backward}{function_name(facts.compiles[number]['function'])} was recorded"
            f" {times(count)}, in {duration(us)}",
            (rows[0]["direction"],),
            reason,
            facts.place_of(number),
            [facts.number_of(row) for row in rows],
            [event for row in rows for event in row["record_events"]],
            count=count,
            cost_us=us,
            cost_of="recording CUDA graphs",
            remedies=remedies,
            details={"direction": rows[0]["direction"], "record_count": count},
        )


_SIZES = Remedy("Pad the inputs to a few sizes, and use few different integers.")
_ORDER = Remedy(
    "Run the compiled functions in the same order in each step, and mark the beginning of each step.",
    "torch.compiler.cudagraph_mark_step_begin()",
)


def _why_repeated(rows: list[CudaGraphsRow]) -> tuple[str, list[Remedy]]:
    """Return the reason for recordings, and what helps.

    torch prepares a graph once for each set of its sizes and integers (cudagraphify_impl in
    torch/_inductor/cudagraph_trees.py). Other recordings have a different reason.
    """
    prepared = [row["prepare_count"] for row in rows]
    if None in prepared:
        return (
            "torch records a graph again for each new size of its inputs, and when it runs after a different"
            " graph than before. It does not log which of these was the reason.",
            [_ORDER, Remedy("Pad the inputs to a few sizes if they vary.")],
        )
    if all(row["record_count"] <= (row["prepare_count"] or 0) for row in rows):
        return "torch records a graph again for each new set of its sizes and integers.", [_SIZES]
    again = (
        "torch records a graph again when it runs after a different graph than before, or when a tensor that"
        " it expects at a fixed address has moved."
    )
    if max(count or 0 for count in prepared) == 1:
        return f"The sizes did not change. {again}", [_ORDER]
    return f"{again} It also records a graph again for each new set of sizes.", [_ORDER, _SIZES]
