"""Verdicts on several ranks by tlparse 0.4.3 and by our analyses.

Different verdicts are listed one by one with the reason. An unlisted one fails, and so does a listed one that
is gone. The files that tlparse writes are compared in test_legacy.py.
"""

import re

import pytest
import traces
from legacy_tlparse import run_tlparse
from tlparse_bundle.statements.ranks.rank_sets import of_compiles, ranks_in

PUBLIC = ("multi_rank_runtime", "multi_rank_schedule", "exec_order")
TRACES = [*(f"../shared/traces/tlparse/{name}" for name in PUBLIC), "fixtures/ranks4/trace"]

RUN_TIMES = (
    "estimated run times and names of operations are part of its fingerprint of tensors, though it says"
    " shapes, dtypes, strides"
)
BY_POSITION = (
    "it pairs the graphs of ranks by position and gives up when one rank has another number of graphs"
)
TIES = "of equal run times it takes the highest rank for fastest and slowest; here it is the lowest"
# {trace: {verdict: (ours, tlparse's, reason)}}
DIFFERENCES = {
    "multi_rank_runtime": {
        "tensors": ([[0, 1], [4], [5]], [[0], [1], [4], [5]], RUN_TIMES),
        "runtime": ({"0/0": (0, 1), "0/1": (5, 4), "0/2": (0, 4), "0/3": (0, 4)}, "unavailable", BY_POSITION),
    },
    "trace": {
        "runtime": (
            dict.fromkeys(("0/0", "1/0", "2/0"), (0, 0)),
            dict.fromkeys(("0/0", "1/0", "2/0"), (3, 3)),
            TIES,
        )
    },
    "exec_order": {"runtime": ({"0/0": (0, 0), "0/1": (0, 0)}, {"0/0": (1, 1), "0/1": (1, 1)}, TIES)},
}


def of_tlparse(page):
    """Return {verdict: value} of the page."""
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))

    def groups(start, end):
        found = re.search(f"{start}(.*?){end}", text)
        ranks = re.findall(r"Ranks: ([\d, ]*\d)", found[1]) if found else []
        return sorted([int(rank) for rank in row.split(",")] for row in ranks)

    graphs = re.findall(
        r"Graph -_(\d+)_(\d+)_0: \S+ ms delta \(Fastest: Rank (\d+) .*?Slowest: Rank (\d+) ", text
    )
    unavailable = "Runtime analysis not available" in text
    mismatch = re.search(r"Schedule mismatch across ranks: ((?:Rank \d+,? ?)+)", text)
    return {
        "compile ids": "Diverging Compilation IDs" in text,
        "caches": groups("pattern groups:", "(?:Warning|Multi-Rank TLParse)"),
        "collectives": groups("operation sequence groups:", "Multi-Rank TLParse"),
        "tensors": groups("identical signatures:", "document.add"),
        "runtime": (
            "unavailable"
            if unavailable
            else {f"{a}/{b}": (int(fast), int(slow)) for a, b, fast, slow in graphs}
        ),
        "order": None if "analysis unavailable" in text else "execution order differs" in text,
        "schedule mismatch": [int(rank) for rank in re.findall(r"\d+", mismatch[1])] if mismatch else [],
    }


def of_us(bundle):
    """Return the same for the analyses."""
    compiles = bundle.rank_table("rank_compiles")

    def groups(rows):
        return sorted(ranks_in(row["ranks"]) for row in rows) if len(rows) > 1 else []

    def partition(rows, everyone):
        cells = {rank: [] for rank in everyone}
        for compile_rows in of_compiles(rows).values():
            for number, row in enumerate(compile_rows):
                for rank in ranks_in(row["ranks"]):
                    cells[rank].append((row["rank_compile"], number))
        found = {}
        for rank, cell in cells.items():
            found.setdefault(str(cell), []).append(rank)
        return sorted(found.values()) if len(found) > 1 else []

    executions = [row for row in bundle.rank_table("rank_executions") if row["rank_steps"] is not None]
    mismatches = [row for row in bundle.rank_table("rank_execution_mismatches") if row["kind"] == "schedule"]
    return {
        "compile ids": len({tuple(row["compiles"]) for row in bundle.rank_table("rank_compile_keys")}) > 1,
        "caches": groups(bundle.rank_table("rank_cache_totals")),
        "collectives": groups(bundle.rank_table("rank_collectives")),
        "tensors": partition(
            bundle.rank_table("rank_tensors"),
            [row["rank"] for row in bundle.rank_table("rank_estimate_totals")],
        ),
        "runtime": {
            compiles[row["rank_compile"]]["compile"]: (row["fastest_rank"], row["slowest_rank"])
            for row in bundle.rank_table("rank_estimates")
        },
        "order": len(executions) > 1 if sum(len(ranks_in(row["ranks"])) for row in executions) > 1 else None,
        "schedule mismatch": sorted({rank for row in mismatches for rank in ranks_in(row["ranks"])}),
    }


@pytest.mark.parametrize("trace", TRACES)
def test_verdicts(trace, root, built, tmp_path):
    folder = root / trace
    if not folder.is_dir():
        pytest.skip(traces.NO_PUBLIC)
    theirs = of_tlparse(run_tlparse(folder, tmp_path / "report", "--all-ranks-html")["index.html"].decode())
    ours = of_us(built(folder))
    listed = {
        verdict: (mine, other) for verdict, (mine, other, _) in DIFFERENCES.get(folder.name, {}).items()
    }
    assert {
        verdict: (ours[verdict], theirs[verdict]) for verdict in ours if ours[verdict] != theirs[verdict]
    } == listed
