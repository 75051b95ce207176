"""Measure the peak memory of build and report for logs of many compiles.

    python benchmarks/compiles.py SOURCE [--compiles 10000,100000,1000000] [--jobs 1] [--memory 256MB]
                                  [--no-budgets]

Makes a log of so many compiles (see make_compiles.py), builds its bundle and prints the findings, each in its
own process, and prints the peak resident memory of the largest process, and processor seconds. Exits with 1
when a process takes more than 512 MB. SOURCE is the log of the fixture 'recompiles'. Linux and macOS.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from arguments import add_budgets
from make_compiles import make_compiles

from preprocessor import OURS, elsewhere, measured, ours

LARGEST_BYTES = 512 << 20


def measure(source: Path, compiles: int, *options: str) -> int:
    """Print the figures of a log; return the larger peak."""
    with tempfile.TemporaryDirectory() as folder:
        log, out = Path(folder, "compiles.log"), Path(folder, "out")
        elsewhere(make_compiles, source, log, compiles)
        peaks = []
        for name, command in {
            "build": ours(log, *options)(out),
            "report": [*OURS, "report", str(out)],
        }.items():
            _, cpu_s, peak_bytes = measured(command)
            peaks.append(peak_bytes)
            print(
                f"{compiles:9,} compiles, {log.stat().st_size / 1e6:7.1f} MB, {name}:"
                f" {peak_bytes / 1e6:7.1f} MB at the peak, {cpu_s:6.1f} s",
                flush=True,
            )
    return max(peaks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("--compiles", default="10000,100000,1000000")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--memory", default="256MB")
    add_budgets(parser)
    options = parser.parse_args()
    build_options = ("--jobs", str(options.jobs), "--memory", options.memory)
    largest = max(
        measure(options.source, int(compiles), *build_options) for compiles in options.compiles.split(",")
    )
    sys.exit(not options.no_budgets and largest > LARGEST_BYTES)
