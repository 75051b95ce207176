"""A jump as a sentence: what rose or fell, between which runs, and in which functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tlparse_bundle.base.wording import code, large, listed
from tlparse_bundle.statements.runs.trend.metrics import BY_KEY, COMPILE_TIME, MICROSECONDS, PHASES, value
from tlparse_bundle.statements.runs.trend.run import Run

_OF_FUNCTIONS = frozenset(("recompile_count", "graph_break_count"))
_MOST_FUNCTIONS = 2
_PHASE_NAMES = {
    "dynamo_time_us": "in Dynamo",
    "aot_time_us": "in AOTAutograd",
    "inductor_time_us": "in Inductor",
    "backward_time_us": "in later backward compiles",
}


def sentence(base: Run, run: Run, changes: Sequence[Mapping[str, Any]]) -> str:
    """Return the changes of a jump in words. ``base``: the run before it."""
    main = [change for change in changes if change["metric"] not in PHASES] or list(changes)
    first, *others = main
    parts = [f"{_change(base, run, first)} {_between(base, run)}"]
    if first["metric"] == COMPILE_TIME and (phase := _most(first, changes)):
        parts[0] = f"{_moved(first)}, mostly {_PHASE_NAMES[phase]}, {_between(base, run)}"
    parts += [_change(base, run, change) for change in others]
    return large("; ".join(parts))


def _between(base: Run, run: Run) -> str:
    return f"between {_short(base)} and {_short(run)}"


def _short(run: Run) -> str:
    return run.location.name.rpartition("/")[2]


def _change(base: Run, run: Run, change: Mapping[str, Any]) -> str:
    if BY_KEY[change["metric"]].unit == MICROSECONDS:
        return _moved(change)
    difference = change["after"] - change["before"]
    more = "more" if difference > 0 else "fewer"
    count = value(change["metric"], abs(difference))
    metric = BY_KEY[change["metric"]]
    noun = metric.one if count == "1" else metric.title
    return f"{count} {more} {noun}{_where(base, run, change['metric'], difference)}"


def _moved(change: Mapping[str, Any]) -> str:
    """Return 'compile time rose from 12 s to 31 s'."""
    metric = BY_KEY[change["metric"]]
    verb = "rose" if change["after"] > change["before"] else "fell"
    before, after = (value(metric.key, change[side]) for side in ("before", "after"))
    return f"{metric.title} {verb} from {before} to {after}"


def _most(total: Mapping[str, Any], changes: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the phase with more than half of the change of the compile time, or None."""
    whole = total["after"] - total["before"]
    phases = [change for change in changes if change["metric"] in PHASES]
    found = (change for change in phases if 2 * (change["after"] - change["before"]) / whole > 1)
    change = next(found, None)
    return None if change is None else change["metric"]


def _where(base: Run, run: Run, metric: str, difference: float) -> str:
    """Return the functions whose numbers changed in that direction between the two runs."""
    if metric not in _OF_FUNCTIONS:
        return ""
    before, after = base.by_function[metric], run.by_function[metric]
    changed = {
        name: after.get(name, 0) - before.get(name, 0)
        for name in sorted({*before, *after})
        if (after.get(name, 0) - before.get(name, 0)) * difference > 0
    }
    names = sorted(changed, key=lambda name: -abs(changed[name]))
    preposition = "of" if metric == "recompile_count" else "in"
    listing = listed([code(function) for function, _ in names], _MOST_FUNCTIONS)
    return f" {preposition} {listing}" if names else ""
