"""Programs with a profiler trace, and facts about a trace that are computed without the code under test."""

import gzip
import json
from collections import Counter, defaultdict
from functools import cache
from math import fsum

import traces
from tlparse_bundle import Bundle, build, discover

PROGRAMS = traces.ROOT / "fixtures" / "profiler"
NAMES = sorted(path.parent.name for path in PROGRAMS.glob("*/profiles"))
SHARED = traces.SHARED / "profiler"
TABLES = (
    "profiles",
    "kernel_calls",
    "region_calls",
    "profile_remainder",
    "line_times",
    "step_tree",
    "measured_memory",
)


def built_with(name, out, **options):
    build(
        discover([PROGRAMS / name / "trace"]),
        out,
        jobs=1,
        profile=[str(PROGRAMS / name / "profiles")],
        **options,
    )
    return Bundle.open(out)


def events_of(path):
    """Return the complete events of a trace."""
    trace = json.loads(gzip.decompress(path.read_bytes()))
    return [event for event in trace["traceEvents"] if event.get("ph") == "X"]


def encloses(outer, inner):
    return (
        (outer["pid"], outer["tid"]) == (inner["pid"], inner["tid"])
        and outer["ts"] <= inner["ts"]
        and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]
    )


@cache
def truth_of(path):
    """Return {(kernel event, compile): [durations]} from the ranges 'truth:…' that the program wrote.

    The compile is None where the program does not know it ('*').
    """
    events = events_of(path)
    ranges = [event for event in events if event["name"].startswith("truth:")]
    found = defaultdict(list)
    for event in events:
        if not event["name"].startswith("graph_"):
            continue
        (around,) = [outer for outer in ranges if encloses(outer, event)]
        text = around["name"].removeprefix("truth:")
        if "=" in text:
            parts = dict(part.split("=") for part in text.split(","))
            (text,) = [compile for word, compile in parts.items() if word in event["name"]]
        found[event["name"], None if text == "*" else text].append(event["dur"])
    return dict(found)


def totals(durations):
    return len(durations), round(fsum(durations), 3)


def sums_by_name(events):
    """Return {name: (count, total)} of events."""
    durations = defaultdict(list)
    for event in events:
        durations[event["name"]].append(event["dur"])
    return {name: totals(times) for name, times in durations.items()}


def rows_by_name(rows):
    """Return {name: (count, total)} of rows of kernel_calls."""
    counts, times = Counter(), defaultdict(list)
    for row in rows:
        counts[row["name"]] += row["count"]
        times[row["name"]].append(row["total_us"])
    return {name: (counts[name], round(fsum(times[name]), 3)) for name in counts}
