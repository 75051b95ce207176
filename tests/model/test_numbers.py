"""Manifest, tables, commands and queries report the same numbers of a log, on all fixtures and public logs."""

import json
from collections import Counter

import every_log
import pytest
from click.testing import CliRunner
from tlparse_bundle import Bundle
from tlparse_bundle.bundle.sql.in_process import query_result
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

# Counts of a comparison: the summary field with the same number, and the topic that torch must log.
IN_COMPARISON = {
    "compiles": ("compile_count", None),
    "functions": ("function_count", "function_names"),
    "graph_breaks": ("graph_break_count", "graph_breaks"),
    "recompiles": ("recompile_count", "recompile_reasons"),
    "recompile_limits": ("recompile_limit_count", "recompile_reasons"),
    "restarts": ("restart_count", "graph_breaks"),
    "failures": ("failure_count", "failures"),
    "unfinished": ("unfinished_count", None),
}
OUTCOMES = {"hits": "hit", "misses": "miss", "bypasses": "bypass"}


def from_tables(log):
    """Count the numbers of the headline from the tables alone. Unlogged numbers stay None."""
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


@pytest.mark.parametrize("group", every_log.NUMBERS)
def test_all_numbers_agree(group_bundle, group):
    place = str(group_bundle(group))
    bundle = Bundle.open(place)
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
        assert (log.id, {key: summary[key] for key in counts}) == (log.id, counts)
        assert of_info[log.id] == summary and of_report[log.id] == summary, log.id
        rows = [
            summary["compile_count"],
            summary["attempt_count"] if summary["compile_count"] else None,
        ]  # counted and summed by the query
        assert (log.id, of_sql[log.id]) == (log.id, [*(summary[key] for key in IN_SQL), *rows])
        for row in log.table("compiles"):
            check_parts_add_up(row)


def counts_of_comparison(summary):
    """Return a comparison's counts of a log as {name: number}, without those that are 0 or not recorded."""
    not_recorded = summary["not_recorded"]
    counts = {
        name: summary[field] for name, (field, topic) in IN_COMPARISON.items() if topic not in not_recorded
    }
    if "caches" not in not_recorded:
        counts |= {
            f"{cache}_{name}": summary["cache_counts"].get(cache, {}).get(outcome)
            for cache in ("fx_graph", "aot_autograd")
            for name, outcome in OUTCOMES.items()
        }
    return {name: count for name, count in counts.items() if count}


@pytest.mark.parametrize("group", every_log.NUMBERS)
def test_a_bundle_beside_itself_has_the_same_numbers_twice(group_bundle, group):
    """Compare a bundle with itself: times, counts, cache outcomes, and each compile once with all attempts.
    (The document has no counts of causes and attempts.)
    """
    bundle = Bundle.open(group_bundle(group))
    document = compared([("base", bundle)], [("new", bundle)])
    for log, pair in zip(bundle.logs, document["logs"], strict=True):
        took = log.summary["compile_us"]
        assert (log.id, pair["compile_us"]) == (log.id, {"base": took, "new": took})
        assert (log.id, pair["changes"]) == (log.id, [])
        counts = {row["name"]: (row["base"], row["new"]) for row in pair["counts"]}
        counts.pop("generated_codes", None)
        wanted = {name: (count, count) for name, count in counts_of_comparison(log.summary).items()}
        assert (log.id, counts) == (log.id, wanted)
        assert all(row["base"] == row["new"] and not row["lookups"] for row in pair["compiles"]), log.id
        paired = Counter(row["new"]["compile"] for row in pair["compiles"])
        frames = {row["compile"] for row in log.table("compiles") if row["kind"] == "frame"}
        assert set(paired.values()) <= {1} and frames <= paired.keys(), log.id
