"""Measure the multi-rank viewer with very many ranks.

    python benchmarks/multirank.py [--ranks 1024] [--compiles 12] [--work FOLDER] [--rounds 5] [--json FILE]
        [--no-budgets]

Makes small logs in FOLDER, in which one rank has a different graph, builds their bundle if it is missing, and
opens the viewer as a new visitor. Needs Chromium and playwright. Exits with 1 when a budget is missed: the
first screen within 2 s, and no task longer than 100 ms of processor time while the matrix, with one row per
rank, is scrolled from end to end in both directions. Times are medians of the rounds.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from arguments import add_budgets, measuring_parser
from page_clock import SEEN, heap_mb, load, longest_task, visited

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "preprocessor"), str(ROOT / "tests")]
from many_ranks import rank_log, write_ranks
from tlparse_bundle import build, discover
from tlparse_bundle.serve.http.app import create_app

FIRST_SCREEN_MS, TASK_MS = 2_000, 100
READY = (
    "document.querySelector('.matrix [role=gridcell]') && document.querySelector('.verdict .findings"
    " article')"
)
SCROLL = """async ({down, right}) => {
  const grid = document.querySelector('.matrix');
  for (let i = 0; i <= 60; i++) {
    grid.scrollTo(
      right ? grid.scrollWidth * i / 60 : grid.scrollLeft,
      down ? grid.scrollHeight * i / 60 : grid.scrollTop);
    await new Promise(requestAnimationFrame);
  }
}"""


def prepare(work: Path, ranks: int, compiles: int) -> Path:
    """Build the bundle of the ranks below ``work``, unless it exists, and return it."""
    out = work / f"ranks_{ranks}_{compiles}"
    if not (out / "manifest.json").exists():
        print(f"building {out.name} …", file=sys.stderr)
        functions = [f"layer_{number}" for number in range(compiles)]
        odd = functions[compiles // 2]
        with tempfile.TemporaryDirectory() as logs:
            write_ranks(
                Path(logs),
                (rank_log(rank, functions, odd if rank == ranks // 2 else None) for rank in range(ranks)),
            )
            build(discover([logs]), out)
    return out


def measure(browser, address: str, rounds: int) -> list[dict]:
    opened = [load(browser, address, READY) for _ in range(rounds)]
    rows = [
        {
            "name": "first screen",
            "value": statistics.median(row["usable_ms"] for row in opened),
            "unit": "ms",
            "budget": FIRST_SCREEN_MS,
        },
        {
            "name": "bytes until then",
            "value": statistics.median(row["usable_bytes"] for row in opened),
            "unit": "B",
            "budget": None,
        },
    ]
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.add_init_script(SEEN)
    page.goto(address)
    page.locator(".matrix [role=rowheader]").first.click()  # one row per rank
    for name, way in {
        "down": {"down": True, "right": False},
        "sideways": {"down": False, "right": True},
    }.items():
        found = []
        for _ in range(rounds):
            page.evaluate("document.querySelector('.matrix').scrollTo(0, 0)")
            with longest_task(browser, page) as task:
                page.evaluate(SCROLL, way)
            found.append(task["cpu_ms"])
        rows.append(
            {
                "name": f"longest task: scrolling {name}",
                "value": statistics.median(found),
                "unit": "ms",
                "budget": TASK_MS,
            }
        )
    rows.append({"name": "JS heap", "value": heap_mb(page), "unit": "MB", "budget": None})
    return rows


def main() -> None:
    parser = measuring_parser(__doc__)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--compiles", type=int, default=12)
    parser.add_argument("--work", type=Path)
    add_budgets(parser)
    options = parser.parse_args()
    work = options.work or Path(tempfile.mkdtemp(prefix="multirank_"))
    work.mkdir(parents=True, exist_ok=True)
    bundle = prepare(work, options.ranks, options.compiles)
    try:
        with visited(lambda: create_app({"run": bundle})) as (browser, root):
            rows = measure(browser, f"{root}/viewers/multirank/?bundle=/bundles/run/#v=1", options.rounds)
    finally:
        if options.work is None:
            shutil.rmtree(work)
    for row in rows:
        budget = row["budget"]
        print(
            f"{row['name']:36}{row['value']:>12,.1f} {row['unit']:3}",
            (
                ""
                if budget is None
                else f"{'ok' if row['value'] <= budget else 'MISSED'} of {budget:,} {row['unit']}"
            ),
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(
        not options.no_budgets
        and any(row["budget"] is not None and row["value"] > row["budget"] for row in rows)
    )


if __name__ == "__main__":
    main()
