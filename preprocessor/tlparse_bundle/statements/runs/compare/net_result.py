"""The net result of a comparison: totals of both sides, what they differ by, and which changes explain it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tlparse_bundle.statements.runs.compare.change import identity
from tlparse_bundle.statements.runs.compare.run import Run

LEAST_PART = 0.1  # of the net difference: a smaller change is not named as a reason of it
_MOST = 0.5  # of the net difference: less does not explain it
# What a log counts: the name here, the field of the summary of its findings, and the topic that a torch which
# does not write it lacks.
_COUNTS = (
    ("compiles", "compile_count", None), ("functions", "function_count", "function_names"), ("graph_breaks", "graph_break_count", "graph_breaks"), ("recompiles", "recompile_count", "recompile_reasons"),
    ("recompile_limits", "recompile_limit_count", "recompile_reasons"), ("restarts", "restart_count", "graph_breaks"), ("failures", "failure_count", "failures"), ("unfinished", "unfinished_count", None),
)  # fmt: skip
_CACHES = ("fx_graph", "aot_autograd")
_OUTCOMES = {"hit": "hits", "miss": "misses", "bypass": "bypasses"}


def counts(base: Run, new: Run) -> list[dict]:
    """What both logs have, in numbers: ``name``, ``base`` and ``new``, None where the log does not record it.

    Rows of which neither has any are left out.
    """
    sides = [_counts(run) for run in (base, new)]
    return [
        {"name": name, "base": before, "new": now}
        for name, before, now in ((name, *(side[name] for side in sides)) for name in sides[0])
        if before or now
    ]


def _counts(run: Run) -> dict[str, int | None]:
    found = {name: None if topic in run.untold else run.summary[field] for name, field, topic in _COUNTS}
    found["generated_codes"] = run.generated_count
    asked = run.summary["cache_counts"]
    for cache in _CACHES:
        for outcome, name in _OUTCOMES.items():
            found[f"{cache}_{name}"] = (
                None if "caches" in run.untold else asked.get(cache, {}).get(outcome, 0)
            )
    return found


class Root(NamedTuple):
    """A change that no other one led to, of all logs that have it: ``cost_us`` of all of them; ``log`` is the
    one where it costs most.
    """

    change: dict
    log: dict
    number: int
    cost_us: int | None
    logs: Sequence[dict]


class Net(NamedTuple):
    """``verdict`` and ``reason`` as in the schema of the comparison; ``total_us`` of both sides, None where
    no total can be compared.
    """

    verdict: str
    total_us: tuple[int, int] | None
    reason: str | None
    roots: Sequence[Root]
    different: Sequence[dict]  # counts that are not equal, of all logs together

    @property
    def net_us(self) -> int | None:
        return None if self.total_us is None else self.total_us[1] - self.total_us[0]

    def parts(self, more: bool) -> list[Root]:
        """Changes that account for a part of the net difference, in one direction, the largest first."""
        least = LEAST_PART * abs(self.net_us or 0)
        found = [
            root
            for root in self.roots
            if root.cost_us and (root.cost_us > 0) == more and abs(root.cost_us) >= least
        ]
        return sorted(found, key=lambda root: -abs(root.cost_us or 0))


def net(logs: Sequence[dict]) -> Net:
    """Of all pairs of logs of a document."""
    both = [log for log in logs if log["base"] and log["new"]]
    roots, different = _roots(both), _different(both)
    if any(log["base"]["ends_early"] != log["new"]["ends_early"] for log in both):
        return Net("incomplete", None, None, roots, different)
    total = _total(both)
    difference = 0 if total is None else total[1] - total[0]
    if abs(difference) > sum(log["noise"]["total_us"] for log in both):
        found = Net("more" if difference > 0 else "less", total, None, roots, different)
        return found._replace(reason=_reason(found, both))
    unmatched = any(not (compile["base"] and compile["new"]) for log in both for compile in log["compiles"])
    if not roots and unmatched:
        verdict = "unknown"
    elif roots or different or len(both) < len(logs):
        verdict = "changed"
    else:
        verdict = "same" if abs(difference) < sum(log["noise"]["least_us"] for log in both) else "noise"
    return Net(verdict, total, None, roots, different)


def _total(both: Sequence[dict]) -> tuple[int, int] | None:
    """The compile time of each side; None when a log does not record it.

    Logs of which neither side does add nothing.
    """
    known = [
        (times["base"], times["new"])
        for times in (log["compile_us"] for log in both)
        if (times["base"], times["new"]) != (None, None)
    ]
    if not known or any(None in sides for sides in known):
        return None
    return sum(base for base, _ in known), sum(new for _, new in known)


def _roots(both: Sequence[dict]) -> list[Root]:
    """In the order of the document; of several logs those with errors first, then by cost."""
    groups: dict[tuple, list[tuple[dict, int]]] = {}
    for log in both:
        seen: Counter[tuple] = Counter()
        for index, change in enumerate(log["changes"]):
            if change["because_of"] is None:
                about = identity(change)
                groups.setdefault((about, seen[about]), []).append((log, index))
                seen[about] += 1
    found = []
    for members in groups.values():
        costs = [
            cost for cost in (log["changes"][index]["cost_us"] for log, index in members) if cost is not None
        ]
        log, index = max(members, key=lambda member: abs(member[0]["changes"][member[1]]["cost_us"] or 0))
        found.append(
            Root(
                log["changes"][index], log, index, sum(costs) if costs else None, [log for log, _ in members]
            )
        )
    return (
        found
        if len(both) == 1
        else sorted(found, key=lambda root: (is_new_error(root.change) is False, -abs(root.cost_us or 0)))
    )


def is_new_error(change: dict) -> bool:
    return change["severity"] == "error" and change["change"] in ("new", "worse")


def _different(both: Sequence[dict]) -> list[dict]:
    found: dict[str, dict] = {}
    apart = set()
    for row in (row for log in both for row in log["counts"] if None not in (row["base"], row["new"])):
        kept = found.setdefault(row["name"], {"name": row["name"], "base": 0, "new": 0})
        kept["base"] += row["base"]
        kept["new"] += row["new"]
        apart |= {row["name"]} if row["base"] != row["new"] else set()
    return [row for row in found.values() if row["name"] in apart]


def _reason(found: Net, both: Sequence[dict]) -> str:
    """``speed``: compiles that did not change took most of the difference; ``changes``: what is listed did;
    ``unknown``: neither.
    """
    difference = found.net_us or 0
    sign = 1 if difference > 0 else -1
    unchanged = sum(log["unchanged_us"]["new"] - log["unchanged_us"]["base"] for log in both)
    unchanged -= sum(
        root.cost_us or 0 for root in found.roots if root.change["kind"] == "time"
    )  # these are of compiles that did not change otherwise
    if unchanged * sign >= _MOST * abs(difference):
        return "speed"
    parts = sum(root.cost_us or 0 for root in found.parts(difference > 0))
    return "changes" if abs(parts) >= _MOST * abs(difference) else "unknown"
