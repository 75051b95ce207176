"""Measure how fast many runs are shown over time.

    python benchmarks/trend.py [--runs 200] [--rounds 5] [--json FILE] [--no-budgets]

Builds the bundle of a fixture, makes manifests of so many runs of it, lets the command print their table, and
opens the page as a new visitor. Needs Chromium and playwright. Exits with 1 when a budget is missed: the page
within a second. Times are medians of the rounds; the time of the command is shown beside that of `info` on
one bundle.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arguments import add_budgets, measuring_parser
from page_clock import load, visited

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "preprocessor"), str(ROOT / "tests")]
from made_runs import made_runs
from tlparse_bundle import build, discover
from tlparse_bundle.serve.http.app import create_app

PAGE_MS = 1_000
READY = "document.querySelectorAll('.chart .line').length > 1 && document.querySelector('.jumps')"


def prepare(work: Path, count: int) -> tuple[Path, Path]:
    """Build a bundle, and a folder of runs of it of which the last third takes half as long again."""
    bundle, runs = work / "bundle", work / "runs"
    build(discover([ROOT / "fixtures" / "train_step" / "trace"]), bundle)
    draw = random.Random(1)
    changes = (
        {
            "compile_us": int(40e6 * (1 + draw.gauss(0, 0.03)) * (1.5 if number > count * 2 // 3 else 1)),
            "graph_break_count": number % 7,
        }
        for number in range(count)
    )
    made_runs(runs, json.loads((bundle / "manifest.json").read_text()), changes, label="made")
    return bundle, runs


def took(*arguments: object) -> float:
    """Return the seconds that a command takes."""
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tlparse_bundle", *map(str, arguments)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "preprocessor")},
    )
    return time.perf_counter() - begun


def main() -> None:
    parser = measuring_parser(__doc__)
    parser.add_argument("--runs", type=int, default=200)
    add_budgets(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        bundle, runs = prepare(Path(work), options.runs)
        trend = statistics.median(took("trend", runs) for _ in range(options.rounds))
        info = statistics.median(took("info", bundle) for _ in range(options.rounds))
        with visited(lambda: create_app({"runs": runs})) as (browser, address):
            pages = [load(browser, f"{address}/viewers/trend/", READY) for _ in range(options.rounds)]
    usable, size = statistics.median(page["usable_ms"] for page in pages), pages[0]["usable_bytes"]
    print(
        f"trend over {options.runs} bundles takes {trend / info:.2f} times what info takes of one; the page"
        f" is there after {usable:.0f} ms, {size / 1000:.0f} kB"
    )
    if options.json:
        options.json.write_text(
            json.dumps({"trend_s": trend, "info_s": info, "usable_ms": usable, "bytes": size})
        )
    sys.exit(not options.no_budgets and usable > PAGE_MS)


if __name__ == "__main__":
    main()
