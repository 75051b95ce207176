"""The command line of scripts/fuzz."""

import argparse
import importlib
import importlib.util
import os
import random
import resource
import sys
import time
from collections import Counter
from pathlib import Path

from fuzz import log_mutations, mutations
from fuzz.bases import LARGER, NAMES
from fuzz.commands import ON_BUNDLES
from fuzz.runner import Runner

_MAX_BYTES = 8 << 30  # of this process's address space: a mistake here must not take the machine's memory
SEEDS = Path(__file__).with_name("seeds.txt")
_COMMANDS_A_BUNDLE = 5


def cases(seed, only):
    """Yield (kind, files, notes, number, commands) endlessly, from a seed."""
    rng = random.Random(f"cases {seed}")
    while True:
        number = rng.randrange(10**9)
        if only == "logs" or (only is None and rng.random() < 0.2):
            yield "log", number, ["build"]
        else:
            yield (
                rng.choice(LARGER if rng.random() < 0.2 else NAMES),
                number,
                rng.sample(sorted(ON_BUNDLES), _COMMANDS_A_BUNDLE),
            )


def fuzz(runner, minutes, seed, only=None, most=None):
    """Run cases until the time is over, or ``most`` of them; return {kind of fault: [count, first fault]} and
    the number of runs.
    """
    end = time.monotonic() + minutes * 60
    found, count = {}, 0
    for kind, number, commands in cases(seed, only):
        files, notes = log_mutations.mutate(number) if kind == "log" else mutations.mutate(kind, number)
        for fault in runner.run_files(kind, files, notes, number, commands):
            if fault.kind not in found:
                tell(fault)
            found.setdefault(fault.kind, [0, fault])[0] += 1
        count += len(commands)
        if time.monotonic() > end or (most is not None and count >= most):
            return found, count


def kept():
    """Return the cases of seeds.txt: faults that were fixed."""
    lines = SEEDS.read_text().splitlines() if SEEDS.exists() else []
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


def tell(fault):
    print(f"\nFAULT {fault.kind}\n  scripts/fuzz --repeat {fault.case}")
    for note in fault.notes:
        print(f"  {ascii(note[:300])[1:-1]}")
    for line in fault.text.rstrip().splitlines()[-12:]:
        print(f"  | {ascii(line)[1:-1][:200]}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz",
        description="Hostile bundles and logs for every command, the Python reader and the viewers; kills.",
    )
    parser.add_argument("minutes", nargs="?", type=float, help="how long")
    parser.add_argument("--seed", type=int, default=0, help="another seed makes other cases (default: 0)")
    parser.add_argument("--only", choices=["bundles", "logs", "pages"], help="a part of it")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (default: 1)")
    parser.add_argument(
        "--kills", type=int, metavar="N", help="kill N commands instead, and look at what is left"
    )
    parser.add_argument(
        "--repeat",
        nargs="+",
        metavar="CASE",
        help="run these cases, such as small-zstd:17:info, or all that are kept: 'kept'",
    )
    parser.add_argument("--most", type=int, metavar="N", help="end after N runs")
    options = parser.parse_args()
    if options.kills:
        return _other("kills")(options.kills, options.seed)
    if options.repeat:
        return _repeat(kept() if options.repeat == ["kept"] else options.repeat, options.most, options.seed)
    if options.minutes is None:
        parser.error("for how many minutes?")
    pages = options.only in (None, "pages") and importlib.util.find_spec("fuzz.pages") is not None
    minutes = options.minutes / 2 if pages and options.only is None else options.minutes
    faults = 0
    if options.only != "pages":
        faults += _in_processes(minutes, options)
    if pages:
        faults += _other("pages")(minutes, options.seed)
    elif options.only == "pages":
        parser.error("there is no fuzz of pages in this checkout")
    return faults


def _other(name):
    return importlib.import_module(f"fuzz.{name}").main


def _repeat(names, most, seed):
    faults = 0
    if pages := [name for name in names if name.endswith(":pages")]:
        faults += _other("pages")(0, seed, pages)
    with Runner() as runner:
        for name in (name for name in names if name not in pages):
            for fault in runner.run(name):
                tell(fault)
                faults += 1
        if most:
            found, _ = fuzz(runner, 60, seed, most=most)
            faults += len(found)
    print(f"{len(names) + (most or 0)} cases, {faults} faults")
    return faults


def _in_processes(minutes, options):
    children = []
    for number in range(1, options.jobs):
        pid = os.fork()
        if pid == 0:
            os._exit(min(100, _one(minutes, options, options.seed + 1_000_000 * number)))
        children.append(pid)
    faults = _one(minutes, options, options.seed)
    return faults + sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children)


def _one(minutes, options, seed):
    began = time.monotonic()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_BYTES, before[1]))
    with Runner() as runner:
        found, count = fuzz(runner, minutes, seed, options.only, options.most)
    resource.setrlimit(resource.RLIMIT_AS, before)  # Chromium takes more
    took = time.monotonic() - began
    print(
        f"\nseed {seed}: {count} runs in {took:.0f} s ({count / took:.0f} a second), {len(found)} kinds of"
        " faults"
    )
    for kind, number in Counter({kind: number for kind, (number, _) in found.items()}).most_common():
        print(f"  {number:6} × {ascii(kind)[1:-1]}  {found[kind][1].case}")
    sys.stdout.flush()
    return len(found)


if __name__ == "__main__":
    sys.exit(min(1, main() or 0))
