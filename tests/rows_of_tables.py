"""Rows of JSON Lines tables, for the tests of schemas."""

import job_cases
import traces

# Fixtures with rows in the tables about several ranks.
JOBS = (
    "ranks_killed",
    "ranks_missing_collective",
    "ranks_extra_break",
    "ranks_execution_order",
    "jobs/other_reduce_op",
    "jobs/pipeline_broken",
    "jobs/other_group",
    "jobs/cached_before",
    "parallel/order_circle",
    "parallel/other_options",
    "parallel/ring_wrong_peer",
    "parallel/moe_splits",
    "flight_recorder/wrong_order",
    "profiler/breaks",
    "profiler/steps",
)
# Rows missing from all fixtures.
RARE = {
    "profile_remainder": {
        "profile": "trace.json.gz",
        "reason": "ambiguous",
        "count": 3,
        "total_us": 7.25,
    },
    "rank_estimate_ops": {
        "rank_compile": 0,
        "graph": 0,
        "position": 3,
        "name": "mm",
        "fastest_ns": 7,
        "slowest_ns": 9.5,
    },
    "rank_parity": {
        "rank_compile": 0,
        "compile": "0/0",
        "ranks": [[0, 1]],
        "op": "all_reduce",
        "scheduled": 2,
        "in_code": 1,
        "missing_waits": 0,
    },
}


def folder_of(name):
    """Return the folder of a fixture's logs."""
    if name.startswith("parallel/"):
        return job_cases.unpacked(name.removeprefix("parallel/"))
    folder = traces.ROOT / "fixtures" / name
    return folder / "trace" if (folder / "trace").is_dir() else folder


def rows_of(bundle):
    """Yield (table, row) of all JSON Lines tables."""
    for name in bundle.manifest.get("rank_tables", ()):
        yield from ((name, row) for row in bundle.rank_table(name))
    for log in bundle.logs:
        for name in log.directory["tables"]:
            yield from ((name, row) for row in log.table(name))
