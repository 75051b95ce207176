"""Measure reading a large profiler trace: speed on one core and peak memory.

    python benchmarks/profiles.py TRACE LOG [--megabytes 500] [--gzip] [--no-budgets]

Repeats the events of TRACE, a trace of torch.profiler, with new times, External ids and correlations until
the file has that size, and adds it to a bundle of LOG with `add-profile` in its own process. Prints megabytes
per second of processor time, without that of the same command with TRACE itself, and the peak memory. Exits
with 1 below 50 MB/s or above 512 MB. Linux and macOS.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from arguments import add_budgets

LEAST_SPEED = 50e6  # bytes per second
MOST_MEMORY = 512e6
_CHILD = """
import json, resource, sys
from tlparse_bundle.cli.main import main
sys.argv = ["tlparse-bundle", "add-profile", *sys.argv[1:], "-q"]
try:
    main()
except SystemExit as end:
    code = end.code
usage = resource.getrusage(resource.RUSAGE_SELF)
peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps([usage.ru_utime + usage.ru_stime, peak]))
sys.exit(code)
"""


def make_profile(source: Path, out: Path, size_bytes: int, is_gzip: bool) -> int:
    """Write a trace of at least ``size_bytes`` and return its size before compression."""
    data = source.read_bytes()
    trace = json.loads(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
    events = trace.pop("traceEvents")
    times = [event["ts"] for event in events if "ts" in event]
    period = max(times) - min(times) + 1e6
    ids = 1 + max(_largest(events, key) for key in ("External id", "correlation"))
    head = json.dumps({**trace, "traceEvents": []}, indent=2).rpartition("]")[0]
    written, copy = 0, 0
    with gzip.open(out, "wb", 1) if is_gzip else out.open("wb") as file:
        written += file.write(head.encode())
        while written < size_bytes:
            texts = (_text(_copy(event, copy, period, ids)) for event in events)
            written += file.write((",\n" * bool(copy) + ",\n".join(texts)).encode())
            copy += 1
        written += file.write(b"]}")
    return written


def _text(event: dict[str, Any]) -> str:
    """Return an event as Kineto writes it."""
    args = event.get("args")
    rest = json.dumps({key: value for key, value in event.items() if key != "args"})[1:-1]
    if args is None:
        return f"  {{\n    {rest}\n  }}"
    return f'  {{\n    {rest},\n    "args": {{\n      {json.dumps(args)[1:-1]}\n    }}\n  }}'


def _largest(events: list[dict[str, Any]], key: str) -> int:
    return max((event["args"][key] for event in events if key in event.get("args", {})), default=0)


def _copy(event: dict[str, Any], copy: int, period: float, ids: int) -> dict[str, Any]:
    if "ts" not in event:
        return event
    event = {**event, "ts": event["ts"] + copy * period}
    args = event.get("args")
    if args is not None:
        moved = {key: args[key] + copy * ids for key in ("External id", "correlation") if key in args}
        event["args"] = {**args, **moved}
    return event


def added(bundle: Path, profile: Path, folder: Path) -> tuple[float, int]:
    """Return processor time and peak memory of add-profile."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(bundle, copy)
    command = [sys.executable, "-c", _CHILD, str(copy), str(profile)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak


def measure(trace: Path, log: Path, size_bytes: int, is_gzip: bool) -> tuple[int, float, int]:
    """Return size of the trace, processor time of reading it, and peak memory."""
    from tlparse_bundle import build, discover

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(discover([log]), folder / "bundle", jobs=1)
        large = folder / ("large.json.gz" if is_gzip else "large.json")
        size = make_profile(trace, large, size_bytes, is_gzip)
        base, _ = added(folder / "bundle", trace, folder)
        seconds, peak = added(folder / "bundle", large, folder)
    return size, seconds - base, peak


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trace", type=Path)
    parser.add_argument("log", type=Path)
    parser.add_argument("--megabytes", type=float, default=500)
    parser.add_argument("--gzip", action="store_true", help="compress the large trace")
    add_budgets(parser)
    options = parser.parse_args()
    size, seconds, peak = measure(options.trace, options.log, int(options.megabytes * 1e6), options.gzip)
    speed = size / max(seconds, 1e-9)
    print(f"{size / 1e6:.0f} MB in {seconds:.1f} s: {speed / 1e6:.0f} MB/s, {peak / 1e6:.0f} MB at the peak")
    sys.exit(not options.no_budgets and (speed < LEAST_SPEED or peak > MOST_MEMORY))
