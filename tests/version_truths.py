"""Compare a process's own report of its compiles with the bundle of its log, for any version of torch.

A truth is what programs/truth.py of fixtures/versions writes when a program ends; ``compact`` keeps the
compared part.
"""

import re
from pathlib import Path

from tlparse_bundle.log.events.metric_fields import BY_NAME
from tlparse_bundle.model.compiles import forward_us

PROGRAMS = ("breaks", "recompiles", "fail", "train", "ddp", "killed")
BREAK_LINE = re.compile(r"# BREAK (.+)")
LIMIT = "RecompileLimitExceeded"
_SLACK_US = 2_000


def compact(truth):
    """Return {torch, frames, attempts, metrics}: ``metrics`` are [id, function, failure, operators, guards,
    time in µs] of each frame compile.
    """
    metrics = [
        row
        for row in truth["metrics"]
        if row.get("is_forward") is not False
        and not row.get("is_runtime")
        and (row.get("co_name") or row.get("fail_type"))
    ]
    return {
        "torch": truth["torch"],
        "frames": int(truth["counters"].get("frames", {}).get("total", 0)),
        "attempts": [outcome == "ok" for _, outcome in truth["events"]],
        "metrics": [
            [
                *map(row.get, ("compile_id", "co_name")),
                _failure(row),
                *map(row.get, ("graph_op_count", "guard_count")),
                _time_us(row),
            ]
            for row in metrics
        ],
    }


def _failure(row):
    """Return the name of the exception's class; LIMIT for all exceptions of the recompile limit."""
    if "recompile limit" in (row.get("fail_reason") or "").partition("\n")[0].lower():
        return LIMIT
    return (
        row.get("fail_type")
        and row["fail_type"].removeprefix("<class '").removesuffix("'>").rsplit(".", 1)[-1]
    )


def _time_us(row):
    for key, factor in (("dynamo_cumulative_compile_time_us", 1), ("entire_frame_compile_time_s", 1e6)):
        if row.get(key) is not None:
            return round(row[key] * factor)
    return None


def differences(name, log, truth, programs):
    """Return differences between a log's bundle and its process, as sentences.

    ``programs``: the folder of their sources.
    """
    summary = log.summary
    unrecorded = set(summary.get("not_recorded", ()))
    found = [
        *_of_compiles(log, truth, unrecorded),
        *_of_program(name, log, truth, summary, unrecorded, Path(programs, f"{name}.py").read_text()),
    ]
    if summary["unfinished_count"] != (name == "killed"):
        found.append(f"{summary['unfinished_count']} compiles did not end")
    return [f"{name}: {sentence}" for sentence in found]


def _id(key):
    """Return a compile's id as in the process: ids restart after a reset."""
    return key.partition("@")[0]


def _of_compiles(log, truth, unrecorded):
    """Yield differences in the set of compiles."""
    last, refused = {}, {id_ for id_, _, failure, *_ in truth["metrics"] if failure == LIMIT}
    for compile in log.compiles:
        if (id_ := _id(compile.key)) not in refused:
            last[id_] = compile.row
    metrics = truth["metrics"]
    if metrics and metrics[0][0] is None:  # 2.3 does not name the id; the order is that of the frames
        begun = [key for key, row in last.items() if row["status"] != "unfinished"]
        ended = sum(failure is None for _, _, failure, *_ in metrics)
        if len(begun) + sum(row["status"] == "unfinished" for row in last.values()) < ended:
            yield f"{len(begun)} compiles instead of {ended}"
        if "function_names" in unrecorded and any(row["function"] for row in last.values()):
            yield "functions have names, which this torch does not write"
        return
    known = {id_: rest for id_, *rest in metrics if rest[1] != LIMIT}
    unknown = {key for key, row in last.items() if row["status"] != "unfinished"} - set(known)
    if unknown:
        yield f"compiles that the process did not make: {sorted(unknown)}"
    for id_, (function, failure, operators, guards, time_us) in known.items():
        row = last.get(id_)
        if row is None:
            yield f"no compile {id_}"
            continue
        pairs = {
            "function": (row["function"], function or row["function"]),
            "failure": (row["failure_type"], failure),
            "operators": (row["graph_op_count"], operators),
            "guards": (row["guard_count"], guards),
        }
        for what, (here, there) in pairs.items():
            if here != there:
                yield f"{id_} has {what} {here!r} instead of {there!r}"
        took_us = forward_us(row)
        if time_us is not None and (took_us is None or abs(took_us - time_us) > _SLACK_US):
            yield f"{id_} took {took_us} µs instead of {time_us}"


def _of_program(name, log, truth, summary, unrecorded, source):
    """Yield differences from facts that follow from the program."""
    if name == "breaks" and "function_names" not in unrecorded:
        lines = {number for number, line in enumerate(source.splitlines(), 1) if BREAK_LINE.search(line)}
        found = {row["line"] for row in log.table("graph_breaks")}
        if "graph_breaks" in unrecorded:  # code after a break is named after its line, except in a loop
            found = {
                int(at[1])
                for compile in log.compiles
                if (at := re.search(r"_at_(\d+)$", compile.row["function"] or ""))
            }
            lines = {line for line in lines if "in loop" not in source.splitlines()[line - 1]}
            if lines - found:
                yield f"no code continues after the breaks at {sorted(lines - found)}"
        elif found != lines:
            yield f"breaks at the lines {sorted(found)} instead of {sorted(lines)}"
    if name == "recompiles" and "recompile_reasons" not in unrecorded:
        again = sum(not id_.endswith("/0") and failure is None for id_, _, failure, *_ in truth["metrics"])
        if summary["recompile_count"] != again:
            yield f"{summary['recompile_count']} recompiles instead of {again}"
        if summary["recompile_limit_count"] != 1:
            yield f"{summary['recompile_limit_count']} functions at the limit instead of one"
    if "failures" not in unrecorded:
        failed = {id_ for id_, _, failure, *_ in truth["metrics"] if failure is not None and failure != LIMIT}
        rows = log.findings()
        listed = {_id(key) for row in rows if row["kind"] == "failure" for key in row["compiles"]}
        breaks = {_id(key) for row in rows if row["kind"] == "graph-break" for key in row["compiles"]}
        if failed - listed - breaks or listed - failed:  # a break that ends a compile is listed as a break
            yield f"failures of {sorted(listed)} instead of {sorted(failed - breaks)}"
    for topic, numbers in {
        "failures": ["failure_count"],
        "graph_breaks": ["graph_break_count"],
        "recompile_reasons": ["recompile_count", "recompile_limit_count"],
    }.items():
        for number in numbers:
            if (topic in unrecorded) != (summary[number] is None):
                yield (
                    f"{number} is {summary[number]}, and {topic} {'is' if topic in unrecorded else 'is not'}"
                    " unrecorded"
                )


def undescribed(bundle):
    """Return kinds of records and fields of metrics without a description."""
    descriptors = bundle.manifest["descriptors"]
    for log in bundle.logs:
        yield from (
            f"{kind['type']} {kind['name'] or ''}".strip()
            for kind in log.directory["kinds"]
            if descriptors[kind["descriptor"]]["phase"] == "other"
        )
        yield from (field for row in log.table("metrics") for field in row["values"] if field not in BY_NAME)
        yield from (
            config["field"] for config in log.table("metric_configs") if config["field"] not in BY_NAME
        )
