"""Time, size and memory of a build of many ranks, beside tlparse --all-ranks-html of the same logs.

    python benchmarks/ranks.py SOURCE [--copies 11] [--ranks 64] [--rounds 1] [--jobs 2]

Makes a rank's log of that many copies of SOURCE (see make_trace.py) and the logs of all ranks from it (see
make_ranks.py); builds a bundle of them and runs tlparse, one after the other, and prints the wall time of
each, their ratio, the peak memory of the largest process, and the size of blobs/ beside that of one rank.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from make_ranks import make_ranks
from make_trace import make_trace

PREPROCESSOR = Path(__file__).resolve().parent.parent / "preprocessor"


class Run(NamedTuple):
    seconds: float
    cpu_seconds: float  # of all processes
    peak_bytes: int  # of the largest process


def run(command: list[str]) -> Run:
    start = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(PREPROCESSOR)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)  # usage is that of the process and of those it waited for
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed with {process.returncode}")
    peak_bytes = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, peak_bytes)


def size_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(source: Path, copies: int, ranks: int, rounds: int, jobs: int) -> dict:
    tlparse = Path(sys.executable).with_name("tlparse")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_trace(source, folder / "rank.log", copies)
        make_ranks(folder / "rank.log", folder / "logs", ranks)
        build = [sys.executable, "-m", "tlparse_bundle", "build", "--overwrite", "-q", "--jobs", str(jobs)]
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(run([*build, str(folder / "logs"), str(folder / "out")]))
            theirs.append(run([str(tlparse), "--all-ranks-html", "--overwrite", "--no-browser", "-o", str(folder / "tl"), str(folder / "logs")]))
            shutil.rmtree(folder / "tl")
        run([*build, str(next((folder / "logs").iterdir())), str(folder / "one")])
        best, other = min(ours), min(theirs)
        return {
            "ranks": ranks,
            "logs_bytes": size_bytes(folder / "logs"),
            "seconds": round(best.seconds, 2),
            "tlparse_seconds": round(other.seconds, 2),
            "times_faster": round(other.seconds / best.seconds, 2),
            "cpu_seconds": round(best.cpu_seconds, 2),
            "tlparse_cpu_seconds": round(other.cpu_seconds, 2),
            "peak_bytes": max(run.peak_bytes for run in ours),
            "tlparse_peak_bytes": max(run.peak_bytes for run in theirs),
            "bundle_bytes": size_bytes(folder / "out"),
            "blobs_ratio": round(size_bytes(folder / "out" / "blobs") / size_bytes(folder / "one" / "blobs"), 3),
        }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--copies", type=int, default=11)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(json.dumps(measure(options.source, options.copies, options.ranks, options.rounds, options.jobs), indent=1))
