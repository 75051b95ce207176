"""One number of each: what manifest, tables, commands and queries say of a log is the same, on all fixtures
and public logs.
"""

import json
from collections import Counter

import pytest
import traces
from click.testing import CliRunner
from tlparse_bundle import Bundle
from tlparse_bundle.bundle.sql import query_result
from tlparse_bundle.cli.main import cli
from tlparse_bundle.statements.runs.compare.document import compare as compared

IN_SQL = (
    "compile_count",
    "attempt_count",
    "compile_us",
    "graph_break_count",
    "recompile_count",
    "recompile_cause_count",
    "failure_count",
    "limit_count",
)
QUERY = f"""
    SELECT logs.log, {", ".join(f"logs.{name}" for name in IN_SQL)}, count(compiles.compile), sum(compiles.attempt_count)
    FROM logs LEFT JOIN compiles ON compiles.log = logs.log GROUP BY ALL
"""


def from_tables(log):
    """The numbers of the headline, counted in the tables alone. What this torch does not log stays None."""
    summary, rows = log.summary, log.table
    compiles, attempts = rows("compiles"), rows("attempts")
    keys = {row["compile"] for row in compiles}
    asked_caches = Counter((row["cache"], row["outcome"]) for row in rows("caches"))
    breaks = rows("graph_breaks")
    counts = {
        "compile_count": len(compiles),
        "statuses": dict(Counter(row["status"] for row in compiles)),
        "attempt_count": (
            sum(row["compile"] in keys for row in attempts)
            + sum(row["compile"].startswith("aot-") for row in compiles)
        ),
        "limit_count": len(rows("limits")),
        "capture_count": len(rows("captures")),
        "ahead_of_time_count": sum(row["kind"] == "ahead_of_time" for row in compiles),
        "graph_break_count": sum(row["count"] for row in breaks),
        "graph_break_place_count": len(
            {(row["file"], row["line"]) if row["file"] else row["id"] for row in breaks}
        ),
        "recompile_count": len(rows("recompiles")),
        "recompile_cause_count": len(rows("recompile_causes")),
        "failure_count": sum(row["count"] for row in rows("findings") if row["kind"] == "failure"),
        "unfinished_count": sum(
            row["count"] for row in rows("findings") if row["kind"] == "unfinished-compile"
        ),
        "cache_counts": {
            cache: {outcome: asked_caches[cache, outcome] for outcome in ("hit", "miss", "bypass")}
            for cache in summary["cache_counts"]
        },
        "findings": {  # one row stands for all that are not listed
            severity: sum(
                row["count"] if row["kind"] == "unlisted" else 1
                for row in rows("findings")
                if row["severity"] == severity
            )
            for severity in ("error", "warning", "info")
        },
    }
    return {key: None if summary[key] is None else value for key, value in counts.items()}


def check_parts_add_up(row):
    parts = [
        row[part]
        for part in ("dynamo_us", "aot_us", "inductor_us", "backward_us", "restart_us")
        if row[part] is not None
    ]
    if row["dynamo_us"] is not None:
        assert sum(parts) == row["total_us"], row["compile"]


def run(*arguments):
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


@pytest.fixture(scope="module")
def opened(built, unpacked):
    return lambda source: Bundle.open(built(unpacked(source) if isinstance(source, str) else source).location)


@pytest.mark.parametrize("trace", traces.EVERYTHING)
def test_no_two_differ(opened, trace):
    bundle = opened(trace)
    place = str(bundle.location)
    info, report = (
        json.loads(run("info", place, "--json")),
        json.loads(run("report", place, "--format", "json")),
    )
    of_info = {row["id"]: row["summary"] for row in info["manifest"]["logs"]}
    of_report = {row["id"]: row["summary"] for row in report["logs"]}
    with query_result([("it", bundle)], QUERY) as result:
        of_sql = {log: numbers for log, *numbers in result.fetchall()}
    for log in bundle.logs:
        summary = log.summary
        counts = from_tables(log)
        assert {key: summary[key] for key in counts} == counts
        assert of_info[log.id] == summary and of_report[log.id] == summary
        rows = [
            summary["compile_count"],
            summary["attempt_count"] if summary["compile_count"] else None,
        ]  # counted and added up by the query
        assert of_sql[log.id] == [*(summary[key] for key in IN_SQL), *rows]
        for row in log.table("compiles"):
            check_parts_add_up(row)


@pytest.mark.parametrize("trace", traces.EVERYTHING)
def test_a_bundle_beside_itself_has_the_same_numbers_twice(opened, trace):
    bundle = opened(trace)
    document = compared([("base", bundle)], [("new", bundle)])
    for log, pair in zip(bundle.logs, document["logs"], strict=True):
        assert (
            pair["compile_us"] == {"base": log.summary["compile_us"], "new": log.summary["compile_us"]}
            and pair["changes"] == []
        )
        counts = {row["name"]: (row["base"], row["new"]) for row in pair["counts"]}
        for name, key in (
            ("compiles", "compile_count"),
            ("graph_breaks", "graph_break_count"),
            ("recompiles", "recompile_count"),
            ("failures", "failure_count"),
        ):
            assert counts.get(name, (summary := log.summary[key], summary)) == (
                log.summary[key],
                log.summary[key],
            ), name
