"""Logs of many small ranks that compile the same functions, with chosen differences."""

import json

from log_builder import record


def rank_log(rank, functions, odd=None, seconds=1):
    """Return the log of a rank that compiles functions one after another; ``odd`` is the one with a different
    graph.
    """
    out = [record("str " + json.dumps(["a.py", 0]))]
    for number, name in enumerate(functions):
        stack = [{"line": number + 1, "name": name, "filename": 0}]
        start = 1_700_000_000_000_000 + number * 2_000_000
        metrics = {
            "co_name": name,
            "co_filename": "a.py",
            "co_firstlineno": number + 1,
            "start_time_us": start,
            "dynamo_cumulative_compile_time_us": seconds * 1_000_000,
        }
        out += [
            record(f"dynamo_start {number}/0 @{rank} " + json.dumps({"stack": stack})),
            record(
                f"dynamo_output_graph {number}/0 @{rank}",
                payload=f"def forward(self): return {number if name != odd else 'other'}",
            ),
            record(f"compilation_metrics {number}/0 @{rank} " + json.dumps(metrics)),
        ]
    return b"".join(out)


def write_ranks(folder, logs):
    """Fill ``folder`` with one log per rank."""
    for rank, data in enumerate(logs):
        (folder / f"dedicated_log_torch_trace_rank_{rank}_x.log").write_bytes(data)
    return folder
