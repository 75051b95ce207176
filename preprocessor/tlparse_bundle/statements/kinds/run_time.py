"""Where compiled code spends its time when it runs, from the tables of profiler traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Protocol

from tlparse_bundle.base.wording import code, duration, function_name, listed, plural
from tlparse_bundle.statements.finding import Finding, KindReference, Remedy
from tlparse_bundle.statements.source_places import Shortener
from tlparse_bundle.statements.statement import Place

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        CompilesRow,
        KernelCallsRow,
        LineTimesRow,
        LogTable,
        RegionCallsRow,
    )

KINDS = ("hot-line", "device-idle", "lookup-time", "break-time", "copy-time")
REFERENCE = {
    "hot-line": KindReference(
        title="Expensive source line",
        meaning="The kernels of one source line take 30 % or more of the measured kernel time. Only with a "
        "profiler trace (--profile).",
        fix="Optimize this line first: a faster operator, a smaller type, or less work.",
        not_when="A large matrix product can take most of the time at full speed of the device.",
    ),
    "device-idle": KindReference(
        title="Idle device",
        meaning="While a compiled function runs, the device works less than half of the time between its "
        "first and last kernel: launching the kernels takes longer than running them.",
        fix="Replay the kernels as a CUDA graph: mode='reduce-overhead'. Larger batches also help.",
        not_when="If the function waits for data or for other ranks, launches are not the reason.",
    ),
    "lookup-time": KindReference(
        title="Guard lookup time",
        meaning="Finding the compiled version of a function takes more than 5 % of its calls: Dynamo checks "
        "the guards of its cache entries before each call.",
        fix="Fewer recompiles mean fewer entries to check. Compile a larger function, so that each call does "
        "more work.",
        not_when="If the calls are short and rare, the share is high but the time is not.",
    ),
    "break-time": KindReference(
        title="Eager time at a graph break",
        meaning="A function runs eager between the end of one graph and the start of the next one, after a "
        "graph break, for 10 % or more of its time.",
        fix="Remove the graph break, so that this part is compiled, too.",
        not_when="If the code must run in Python, such as a call of another library, the time stays.",
    ),
    "copy-time": KindReference(
        title="Copies and fallbacks in compiled code",
        meaning="Copies, and operators that Inductor calls as they are, take 10 % or more of the kernel "
        "time of a compile.",
        fix="Avoid the copy or use an operator that Inductor can compile.",
        not_when="If no other operator does the same, the time stays.",
    ),
}
_LEAST_US = 100.0  # of a finding; less is noise
_LEAST_CALLS = 3
_HOT, _IDLE, _LOOKUP, _BREAK, _COPY = 0.3, 0.5, 0.05, 0.1, 0.1
_MOST_NAMED = 3
_MOST_FINDINGS = 5  # of each kind


class Tables(Protocol):
    """What these findings need of the facts of a log."""

    table: LogTable

    @property
    def short(self) -> Shortener: ...


def findings(facts: Tables) -> Iterator[Finding]:
    if not facts.table("profiles"):
        return
    compiles = _Compiles(facts)
    yield from _hot_line(facts, compiles)
    regions = [row for row in facts.table("region_calls") if row["count"] >= _LEAST_CALLS]
    for kind in (_idle, _lookup, _break):
        found = (finding for row in regions if (finding := kind(row, compiles)) is not None)
        yield from sorted(found, key=lambda finding: -finding.details["us"])[:_MOST_FINDINGS]
    yield from _copies(facts, compiles)


class _Compiles:
    def __init__(self, facts: Tables):
        self.rows: list[CompilesRow] = facts.table("compiles")
        self._numbers = {row["compile"]: number for number, row in enumerate(self.rows)}
        self._short = facts.short
        self._breaks: dict[str, Place] = {}
        for row in facts.table("graph_breaks"):
            place = row["function"], row["file"] and self._short(row["file"]), row["line"]
            for compile in row["compiles"]:
                self._breaks.setdefault(compile, place)

    def number(self, compile: str | None) -> int | None:
        return None if compile is None else self._numbers.get(compile)

    def numbers(self, compiles: Sequence[str]) -> list[int]:
        return [number for compile in compiles if (number := self.number(compile)) is not None]

    def place(self, number: int) -> Place:
        row = self.rows[number]
        return row["function"], row["file"] and self._short(row["file"]), row["line"]

    def break_of(self, compile: str | None) -> Place | None:
        return None if compile is None else self._breaks.get(compile)

    def file(self, file: str | None) -> str | None:
        return file and self._short(file)


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"


def _hot_line(facts: Tables, compiles: _Compiles) -> Iterator[Finding]:
    lines: list[LineTimesRow] = [row for row in facts.table("line_times") if row["file"] is not None]
    if not lines or lines[0]["share"] < _HOT or lines[0]["total_us"] < _LEAST_US:
        return
    row = lines[0]
    name = code(row["code"]) if row["code"] else "One line"
    times = zip(row["kernels"], row["kernels_us"], strict=True)
    kernels = [f"{code(kernel)} ({duration(us)})" for kernel, us in times]
    shared = ""
    if row["shared_us"]:
        shared = f" {duration(row['shared_us'])} of it is in kernels that also compute other lines."
    yield Finding(
        "hot-line",
        "info",
        f"{name} takes {_percent(row['share'])} of the measured kernel time",
        (row["function"] or "", row["code"] or ""),
        f"{plural(row['count'], 'kernel call')} took {duration(row['total_us'])}: "
        f"{listed(kernels, _MOST_NAMED)}.{shared}",
        (row["function"], compiles.file(row["file"]), row["line"]),
        compiles.numbers(row["compiles"]),
        count=row["count"],
        details={
            "us": row["total_us"],
            "share": row["share"],
            "shared_us": row["shared_us"],
            "source_line": row["code"],
            "kernels": row["kernels"],
        },
        placed=False,
    )


def _idle(row: RegionCallsRow, compiles: _Compiles) -> Finding | None:
    number, busy, idle = compiles.number(row["compile"]), row["device_busy_us"], row["device_idle_us"]
    if number is None or busy is None or idle is None or idle < max(_LEAST_US, _IDLE * (busy + idle)):
        return None
    place = compiles.place(number)
    return Finding(
        "device-idle",
        "info",
        f"The device idles {_percent(idle / (busy + idle))} of the time while {function_name(place[0])} runs",
        (),
        f"In {plural(row['count'], 'call')} the device worked {duration(busy)} and idled {duration(idle)}"
        f" between the first and last kernel. {plural(row['launch_count'], 'launch', 'launches')} took"
        f" {duration(row['launch_us'])} on the host.",
        place,
        [number],
        count=row["count"],
        remedies=[Remedy("Replay the kernels as a CUDA graph.", "torch.compile(…, mode='reduce-overhead')")],
        details={
            "us": idle,
            "busy_us": busy,
            "launch_count": row["launch_count"],
            "launch_us": row["launch_us"],
        },
    )


def _lookup(row: RegionCallsRow, compiles: _Compiles) -> Finding | None:
    number, lookup = compiles.number(row["compile"]), row["lookup_us"]
    if number is None or lookup is None or lookup < _LEAST_US:
        return None
    share = lookup / (lookup + row["total_us"])
    if share <= _LOOKUP:
        return None
    place = compiles.place(number)
    return Finding(
        "lookup-time",
        "info",
        f"Guard lookup takes {_percent(share)} of the calls of {function_name(place[0])}",
        (),
        f"In {plural(row['count'], 'call')} of [{row['compile']}] it took {duration(lookup)}, and the calls"
        f" themselves {duration(row['total_us'])}.",
        place,
        [number],
        count=row["count"],
        details={"us": lookup, "share": round(share, 6), "calls_us": row["total_us"]},
    )


def _break(row: RegionCallsRow, compiles: _Compiles) -> Finding | None:
    number, eager = compiles.number(row["compile"]), row["eager_us"]
    place = compiles.break_of(row["compile"])
    if number is None or place is None or eager is None or eager < max(_LEAST_US, _BREAK * row["total_us"]):
        return None
    function = compiles.place(number)[0]
    return Finding(
        "break-time",
        "info",
        f"{function_name(function)} runs eager for {duration(eager / row['count'])} per call at a break",
        (),
        f"In {plural(row['count'], 'call')} of [{row['compile']}], which took {duration(row['total_us'])},"
        f" {duration(eager)} passed between the end of its graph and the start of the part after the break.",
        place,
        [number],
        count=row["count"],
        details={"us": eager, "calls_us": row["total_us"]},
    )


def _copies(facts: Tables, compiles: _Compiles) -> Iterator[Finding]:
    fallbacks = {
        (row["code_event"], row["name"]) for row in facts.table("kernels") if row["kind"] == "fallback"
    }
    every: dict[str, float] = {}
    costly: dict[str, list[KernelCallsRow]] = {}
    for row in facts.table("kernel_calls"):
        if row["compile"] is None or row["kind"] == "eager":
            continue
        every[row["compile"]] = every.get(row["compile"], 0.0) + row["total_us"]
        if row["kind"] == "copy" or (row["code_event"], row["kernel"]) in fallbacks:
            costly.setdefault(row["compile"], []).append(row)
    found = []
    for compile, rows in costly.items():
        number, us = compiles.number(compile), fsum(row["total_us"] for row in rows)
        if number is not None and us >= max(_LEAST_US, _COPY * every[compile]):
            found.append(_copy(rows, us, us / every[compile], number, compiles.place(number)))
    yield from sorted(found, key=lambda finding: -finding.details["us"])[:_MOST_FINDINGS]


def _copy(
    rows: Sequence[Mapping[str, object]], us: float, share: float, number: int, place: Place
) -> Finding:
    names = list(dict.fromkeys(str(row["name"]) for row in rows))
    return Finding(
        "copy-time",
        "info",
        f"Copies and fallbacks take {_percent(share)} of the kernel time of {function_name(place[0])}",
        (),
        f"{listed([code(name) for name in names], _MOST_NAMED)} took {duration(us)}.",
        place,
        [number],
        details={"us": us, "share": round(share, 6), "names": names[:20]},
    )
