"""The net result of a comparison: totals, their difference, and the changes that explain it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tlparse_bundle.statements.runs.compare.change import (
    AnyLog,
    ChangeRow,
    ComparedLog,
    CountRow,
    compared,
    identity,
)
from tlparse_bundle.statements.runs.compare.run import Run
from tlparse_bundle.statements.torch_messages import CACHES

LEAST_PART = 0.1  # of the net difference: smaller changes are not named as causes
_MOST = 0.5  # of the net difference: the least that explains it


class Count(NamedTuple):
    """A count of a log."""

    name: str  # in the document
    words: str
    field: str  # of the summary of a log
    topic: str | None = None  # not counted if the log does not record this topic


COUNTS = (
    Count("compiles", "compiles", "compile_count"),
    Count("functions", "functions", "function_count", "function_names"),
    Count("graph_breaks", "graph breaks", "graph_break_count", "graph_breaks"),
    Count("recompiles", "recompiles", "recompile_count", "recompile_reasons"),
    Count(
        "recompile_limits", "functions at the recompile limit", "recompile_limit_count", "recompile_reasons"
    ),
    Count("restarts", "restarts", "restart_count", "graph_breaks"),
    Count("failures", "failures", "failure_count", "failures"),
    Count("unfinished", "unfinished compiles", "unfinished_count"),
)
_CACHES = ("fx_graph", "aot_autograd")
OUTCOMES = {"hit": "hits", "miss": "misses", "bypass": "bypasses"}
_GENERATED = "generated_codes"
WORDS = {
    **{count.name: count.words for count in COUNTS},
    _GENERATED: "files of generated code",
    **{
        f"{cache}_{outcomes}": f"{CACHES[cache]} {outcomes}"
        for cache in _CACHES
        for outcomes in OUTCOMES.values()
    },
}  # by the name of a count


def counts(base: Run, new: Run) -> list[CountRow]:
    """Return the counts of both logs, except those that are 0 or not recorded in both."""
    before, now = _counts(base), _counts(new)
    return [
        {"name": name, "base": before[name], "new": now[name]} for name in before if before[name] or now[name]
    ]


def _counts(run: Run) -> dict[str, int | None]:
    counts: dict[str, int | None] = {
        count.name: None if count.topic in run.not_recorded else run.summary[count.field] for count in COUNTS
    }
    counts[_GENERATED] = run.generated_count
    lookups = run.summary["cache_counts"]
    for cache in _CACHES:
        for outcome, outcomes in OUTCOMES.items():
            counts[f"{cache}_{outcomes}"] = (
                None if "caches" in run.not_recorded else lookups.get(cache, {}).get(outcome, 0)
            )
    return counts


class Root(NamedTuple):
    """A change without a cause, in all logs that have it."""

    change: ChangeRow
    log: ComparedLog  # with the highest cost
    number: int  # of the change in that log
    cost_us: int | None  # of all logs
    logs: Sequence[ComparedLog]


class Net(NamedTuple):
    """The net result; ``verdict`` and ``reason`` as in the schema of the comparison."""

    verdict: str
    total_us: tuple[int, int] | None  # of both sides; None: not comparable
    reason: str | None
    roots: Sequence[Root]
    different: Sequence[CountRow]  # counts that differ, summed over all logs

    @property
    def net_us(self) -> int | None:
        return None if self.total_us is None else self.total_us[1] - self.total_us[0]

    def parts(self, more: bool) -> list[Root]:
        """Return changes that explain a part of the net difference in one direction, largest first."""
        least = LEAST_PART * abs(self.net_us or 0)
        parts = [
            root
            for root in self.roots
            if root.cost_us and (root.cost_us > 0) == more and abs(root.cost_us) >= least
        ]
        return sorted(parts, key=lambda root: -abs(root.cost_us or 0))


def net_result(logs: Sequence[AnyLog]) -> Net:
    """Return the net result of all pairs of logs."""
    both = compared(logs)
    roots, different = _roots(both), _different(both)
    if any(log["base"]["ends_early"] != log["new"]["ends_early"] for log in both):
        return Net("incomplete", None, None, roots, different)
    total = _total(both)
    difference = 0 if total is None else total[1] - total[0]
    if abs(difference) > sum(log["noise"]["total_us"] for log in both):
        net = Net("more" if difference > 0 else "less", total, None, roots, different)
        return net._replace(reason=_reason(net, both))
    unmatched = any(not (compile["base"] and compile["new"]) for log in both for compile in log["compiles"])
    if not roots and unmatched:
        verdict = "unknown"
    elif roots or different or len(both) < len(logs):
        verdict = "changed"
    else:
        verdict = "same" if abs(difference) < sum(log["noise"]["least_us"] for log in both) else "noise"
    return Net(verdict, total, None, roots, different)


def _total(both: Sequence[ComparedLog]) -> tuple[int, int] | None:
    """Return the compile time of each side; None: not recorded. Ignore pairs of logs without any time."""
    base_us = new_us = 0
    timed = False
    for log in both:
        base, new = log["compile_us"]["base"], log["compile_us"]["new"]
        if base is None and new is None:
            continue
        if base is None or new is None:
            return None
        timed, base_us, new_us = True, base_us + base, new_us + new
    return (base_us, new_us) if timed else None


def _roots(both: Sequence[ComparedLog]) -> list[Root]:
    """Return root changes in document order; of several logs, new errors first, then by cost."""
    groups: dict[tuple[Any, ...], list[tuple[ComparedLog, int]]] = {}
    for log in both:
        seen: Counter[tuple[Any, ...]] = Counter()
        for number, change in enumerate(log["changes"]):
            if change["because_of"] is None:
                about = identity(change)
                groups.setdefault((about, seen[about]), []).append((log, number))
                seen[about] += 1
    roots = [_root(members) for members in groups.values()]
    if len(both) == 1:
        return roots
    return sorted(roots, key=lambda root: (not is_new_error(root.change), -abs(root.cost_us or 0)))


def _root(members: Sequence[tuple[ComparedLog, int]]) -> Root:
    costs = [cost for log, number in members if (cost := log["changes"][number]["cost_us"]) is not None]
    log, number = max(members, key=lambda member: abs(member[0]["changes"][member[1]]["cost_us"] or 0))
    logs = [log for log, _ in members]
    return Root(log["changes"][number], log, number, sum(costs) if costs else None, logs)


def is_new_error(change: Mapping[str, Any]) -> bool:
    return change["severity"] == "error" and change["change"] in ("new", "worse")


def _different(both: Sequence[ComparedLog]) -> list[CountRow]:
    sums: dict[str, tuple[int, int]] = {}
    apart: set[str] = set()
    for row in (row for log in both for row in log["counts"]):
        base, new = row["base"], row["new"]
        if base is None or new is None:
            continue
        before, now = sums.get(row["name"], (0, 0))
        sums[row["name"]] = before + base, now + new
        if base != new:
            apart.add(row["name"])
    return [{"name": name, "base": base, "new": new} for name, (base, new) in sums.items() if name in apart]


def _reason(net: Net, both: Sequence[ComparedLog]) -> str:
    """Return what explains most of the difference: 'speed' (unchanged compiles), 'changes' or 'unknown'."""
    difference = net.net_us or 0
    sign = 1 if difference > 0 else -1
    unchanged = sum(log["unchanged_us"]["new"] - log["unchanged_us"]["base"] for log in both)
    # Compiles whose only change is their time are among the unchanged ones.
    unchanged -= sum(root.cost_us or 0 for root in net.roots if root.change["kind"] == "time")
    if unchanged * sign >= _MOST * abs(difference):
        return "speed"
    parts = sum(root.cost_us or 0 for root in net.parts(difference > 0))
    return "changes" if abs(parts) >= _MOST * abs(difference) else "unknown"
