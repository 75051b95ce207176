"""Collectives without a wait, and schedules whose collectives differ from the generated code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, function_name, plural
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CollectiveSchedulesRow, GeneratedCodeRow

KINDS = ("missing-wait", "collective-parity")
REFERENCE = {
    "missing-wait": KindReference(
        title="Missing wait",
        meaning="The generated code calls more collectives than it waits for. Code may read a result "
        "before it exists.",
        fix="Wait for the result of each collective before using it.",
        not_when="A graph may return a result whose caller waits for it.",
    ),
    "collective-parity": KindReference(
        title="Schedule and code differ",
        meaning="Inductor's collective schedule and the generated code contain different numbers of a "
        "collective.",
        fix="Compare the schedule with the generated code, and compare the ranks. Ranks that call "
        "different numbers of collectives hang.",
        not_when="The schedule omits collectives in branches of `torch.cond`. The check skips compiles with "
        "cached graphs or C++ code, because one of the two is then missing.",
    ),
}
# The kinds whose number in a schedule and in its code must agree
# (torch/distributed/_functional_collectives.py).
_OPS = ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all", "reduce")
_WAIT = "wait_tensor"


@lru_cache(256)
def kind_of(op: str) -> str | None:
    """Return the kind of a collective; None for waits, barriers and point-to-point operations."""
    return next((kind for kind in _OPS if kind in op), None)


def findings(facts: Facts) -> Iterator[Finding]:
    schedules: dict[int, list[CollectiveSchedulesRow]] = {}
    for row in facts.table("collective_schedules"):
        schedules.setdefault(facts.number_of(row), []).append(row)
    if not schedules:
        return
    codes: dict[int, list[GeneratedCodeRow]] = {}
    for code_row in facts.table("generated_code"):
        if code_row["role"] == "output" and (number := facts.number_of(code_row)) in schedules:
            codes.setdefault(number, []).append(code_row)
    called: dict[int, dict[str, int]] = {}  # calls of each collective, by the event of the code
    for kernel in facts.lists("kernels"):
        if kernel["kind"] == "collective":
            names = called.setdefault(kernel["code_event"], {})
            if kernel["call_lines"]:
                names[kernel["name"]] = names.get(kernel["name"], 0) + len(kernel["call_lines"])
    fitting: set[object] = set()
    for compile_index, rows in schedules.items():
        own = codes.get(compile_index, ())
        # A cached graph or C++ code has only one of the two.
        if len(own) == len(rows) and not any(row["cut"] for row in (*rows, *own)):
            counts: dict[str, int] = {}
            for code_row in own:
                for name, times in called.get(code_row["event"], {}).items():
                    counts[name] = counts.get(name, 0) + times
            same = (
                tuple(tuple(row["collectives"]) for row in rows),
                tuple(counts.items()),
            )  # recompiles have the same collectives
            if same not in fitting:
                own_findings = list(
                    _of_compile(facts, compile_index, rows, counts, [row["event"] for row in own])
                )
                if not own_findings:
                    fitting.add(same)
                yield from own_findings


def _of_compile(
    facts: Facts,
    compile_index: int,
    schedules: Sequence[CollectiveSchedulesRow],
    called: dict[str, int],
    events: list[int],
) -> Iterator[Finding]:
    planned = _by_op((op, 1) for row in schedules for op in row["collectives"] if op is not None)
    in_code = _by_op(called.items())
    if not planned or (not in_code and not called):
        return
    waits = sum(count for op, count in called.items() if _WAIT in op)
    missing = sum(in_code.values()) - waits
    if planned == in_code and missing <= 0:
        return
    name, file, line = facts.place_of(compile_index)
    place = (name, file, line)
    differing = [op for op in sorted(planned | in_code) if planned[op] != in_code[op]]
    events = [*(row["event"] for row in schedules), *events]
    for op in differing:
        yield Finding(
            "collective-parity",
            "warning",
            f"{function_name(name)}: {planned[op]:,} scheduled {code(op)}, {in_code[op]:,} in the code",
            (op,),
            "Inductor schedules the collectives of a graph, then generates the code. The job hangs if the"
            " ranks call different numbers of collectives.",
            place,
            [compile_index],
            events,
            details={
                "op": op,
                "scheduled_count": planned[op],
                "called_count": in_code[op],
                "missing_wait_count": 0,
            },
        )
    if missing > 0 and not differing:
        yield Finding(
            "missing-wait",
            "warning",
            f"{function_name(name)} does not wait for {plural(missing, 'collective')}",
            ("wait",),
            f"The code calls {plural(sum(in_code.values()), 'collective')}"
            f" ({', '.join(map(code, sorted(in_code)))}) and has {plural(waits, 'wait')}. Without a wait,"
            " code may read the result before it exists. This is fine if the graph returns the result and its"
            " caller waits.",
            place,
            [compile_index],
            events,
            details={
                "op": None,
                "scheduled_count": sum(planned.values()),
                "called_count": sum(in_code.values()),
                "missing_wait_count": missing,
            },
        )


def _by_op(names: Iterable[tuple[str, int]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for name, count in names:
        op = kind_of(name)
        if op is not None:
            counts[op] += count
    return counts
