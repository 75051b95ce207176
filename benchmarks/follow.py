"""Measure the cost of following: follow a log while it is written at a given rate, then build it once.

    python benchmarks/follow.py LOG [--megabytes-per-second 20] [--ranks 1] [--codec zstd]

Prints the processor time of all processes of the follower and of one build, their peak memory (PSS), and the
longest time from writing a byte to a manifest that includes it. With --ranks N the log is written N times in
parallel, each with its share of the rate. Builds before and after and takes the mean, because the speed of a
shared machine changes within seconds.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLLOW = """
import gc, os, signal, sys
from tlparse_bundle.follow import Follower
gc.set_threshold(50_000)  # as in cli
stop = []
signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
Follower([sys.argv[1]], sys.argv[2], codec=sys.argv[3]).run(lambda: bool(stop), lambda manifest: None)
"""


def pss_bytes(pid):
    """Return the proportional set size (PSS) of a process and its descendants, in bytes."""
    total = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) << 10
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return total
    return total + sum(map(pss_bytes, children))


def measured(command, meanwhile):
    """Run a command while calling ``meanwhile(process)``; return processor seconds, seconds and peak PSS."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process, most, last = subprocess.Popen(command), 0, 0.0
    while process.poll() is None:
        meanwhile(process)
        if time.monotonic() - last > 0.5:
            last = time.monotonic()
            most = max(most, pss_bytes(process.pid))
        time.sleep(0.005)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit(f"exit code {process.returncode}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - begun, most


class Writing:
    """Write the copies of the log, and note which manifest first includes each byte."""

    def __init__(self, data, paths, out, bytes_per_second):
        self.data, self.out, self.rate = data, out, bytes_per_second
        self.files = [path.open("wb", buffering=0) for path in paths]
        self.written, self.times = 0, [(0, time.monotonic())]
        self.begun, self.ended = time.monotonic(), None
        self.seen, self.counters, self.most_s, self.place, self.states = 0, None, 0.0, 0, 0

    def __call__(self, process):
        now = time.monotonic()
        until = min(len(self.data), int((now - self.begun) * self.rate / len(self.files)))
        if until > self.written:
            for file in self.files:
                file.write(self.data[self.written : until])
            self.written = until
            self.times.append((until, time.monotonic()))
        elif until == len(self.data) and self.ended is None and self.seen == until:
            self.ended = now
            process.terminate()
        self.look()

    def look(self):
        try:
            manifest = json.loads((self.out / "manifest.json").read_bytes())
        except OSError:
            return
        live = manifest.get("live")
        if live is None or live["counter"] == self.counters or len(live["logs"]) < len(self.files):
            return
        self.counters, now = live["counter"], time.monotonic()
        self.states += 1
        has = min(row["read_bytes"] for row in live["logs"])
        while self.place < len(self.times) and self.times[self.place][0] <= has:
            self.most_s = max(self.most_s, now - self.times[self.place][1])
            self.place += 1
        self.seen = has


def differ(one, other):
    """Return whether any file differs between two folders."""
    files = [
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (one, other)
    ]
    return files[0] != files[1]


def builds(traces, out, codec):
    """Measure builds with one process and with one per core; return the results by number of processes."""
    command = [
        sys.executable,
        "-m",
        "tlparse_bundle",
        "build",
        str(traces),
        str(out),
        "--overwrite",
        "--codec",
        codec,
        "-q",
    ]
    return {
        jobs: measured([*command, "--jobs", str(jobs)], lambda process: None) for jobs in (1, os.cpu_count())
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("log", type=Path)
    parser.add_argument("--megabytes-per-second", type=float, default=20)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--codec", default="zstd")
    arguments = parser.parse_args()
    data = arguments.log.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        traces, whole = Path(folder, "traces"), Path(folder, "whole")
        names = [f"dedicated_log_torch_trace_rank_{rank}_x.log" for rank in range(arguments.ranks)]
        for place in (traces, whole):
            place.mkdir()
        for name in names:
            (whole / name).write_bytes(data)
        before = builds(whole, Path(folder, "built"), arguments.codec)
        writing = Writing(
            data, [traces / name for name in names], Path(folder, "out"), arguments.megabytes_per_second * 1e6
        )
        cpu, wall, most = measured(
            [sys.executable, "-c", FOLLOW, str(traces), str(writing.out), arguments.codec], writing
        )
        after = builds(whole, Path(folder, "built"), arguments.codec)
        if differ(writing.out, Path(folder, "built")):
            raise SystemExit("the bundle is not the one that a build makes")
    built = {jobs: [sum(pair) / 2 for pair in zip(before[jobs], after[jobs], strict=True)] for jobs in before}
    print(
        f"follow: {cpu:.2f} s of processor time in {wall:.1f} s ({cpu / wall:.2f} cores), {most / 1e6:.0f}"
        f" MB, {writing.states} states, longest delay {writing.most_s:.2f} s"
    )
    for jobs, (build_cpu, build_wall, build_most) in built.items():
        print(
            f"build --jobs {jobs}: {build_cpu:.2f} s of processor time in {build_wall:.1f} s,"
            f" {build_most / 1e6:.0f} MB; follow takes {cpu / build_cpu:.2f} times the time,"
            f" {most / build_most:.2f} times the memory"
        )


if __name__ == "__main__":
    main()
