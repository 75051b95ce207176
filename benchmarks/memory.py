"""Measure the peak memory of a build for logs of two sizes: it must not grow with the log.

    python benchmarks/memory.py SOURCE [--copies 81] [--jobs 1] [--no-budgets]

Makes a log of that many copies of SOURCE (see make_trace.py) and one four times as large, builds a bundle of
each in its own process, and prints the peak resident memory and their ratio. With the SOURCE of the other
benchmarks they are 150 MB and 600 MB. Exits with 1 when the second needs 10 % more memory than the first.
Linux and macOS.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from arguments import add_budgets
from make_trace import make_trace

from preprocessor import measured, ours

LARGEST_RATIO = 1.1


def measure(source: Path, copies: int, jobs: int) -> list[tuple[int, int]]:
    """Return (log size, peak memory of the largest process) for both logs."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (copies, 4 * copies):
            log = Path(folder, f"copies_{count}.log")
            make_trace(source, log, count)
            _, _, peak_bytes = measured(ours(log, "--jobs", str(jobs))(Path(folder, f"out_{count}")))
            rows.append((log.stat().st_size, peak_bytes))
            log.unlink()
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("--copies", type=int, default=81)
    parser.add_argument("--jobs", type=int, default=1, help="with two to four the log gets as many processes")
    add_budgets(parser)
    options = parser.parse_args()
    small, large = measure(options.source, options.copies, options.jobs)
    for size_bytes, peak in (small, large):
        print(f"{size_bytes / 1e6:7.1f} MB log: {peak / 1e6:7.1f} MB at the peak")
    ratio = large[1] / small[1]
    print(f"ratio {ratio:.3f}")
    sys.exit(not options.no_budgets and ratio > LARGEST_RATIO)
