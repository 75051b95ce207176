"""Kill commands at any moment: the old bundle stays or the new one is complete, and no file or process is
left.
"""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import traces
from waiting import until

_MARK = "TLPARSE_KILLS_MARK"
_LARGE_BYTES = 9 << 20  # more than a log needs to get a second process for its tables
_SIGNALS = (signal.SIGTERM, signal.SIGKILL, signal.SIGINT)
_LEFT_SECONDS = 30
# By signal: the exit code, and the one when the interpreter has hardly begun or the command is done.
_CODES = {
    signal.SIGTERM: {143, -signal.SIGTERM, 0},
    signal.SIGINT: {130, -signal.SIGINT, 0},
    signal.SIGKILL: {-signal.SIGKILL, 0},
}


class Case(NamedTuple):
    arguments: tuple  # of the command; OUT is 'out'
    olds: tuple  # what may exist before: names of _before


class Workshop:
    """A folder with logs and bundles, and the result of each command on them."""

    def __init__(self, folder):
        self.folder = Path(folder)
        logs = sorted(traces.FIXTURE_LOGS, key=lambda path: path.stat().st_size)[-3:]
        for name in ("one", "several", "small"):
            (self.folder / name).mkdir()
        large = logs[-1].read_bytes()
        (self.folder / "one" / "rank_0.log").write_bytes(large * (1 + _LARGE_BYTES // len(large)))
        for rank, path in enumerate(logs):
            (self.folder / "several" / f"rank_{rank}.log").write_bytes(path.read_bytes() * 2)
        (self.folder / "small" / "rank_9.log").write_bytes(traces.FIXTURE_LOGS[0].read_bytes())
        for name in ("several", "small"):
            self.run("build", name, f"{name}.bundle", "--codec", "gzip").check_returncode()
        self._made = {}

    def cases(self, jobs):
        bundle = ("nothing", "empty", "bundle")
        return {
            "build one": Case(("build", "one", "out", "--overwrite", "--jobs", jobs), bundle),
            "build several": Case(("build", "several", "out", "--overwrite", "--jobs", jobs), bundle),
            "merge": Case(
                ("merge", "several.bundle", "small.bundle", "out", "--overwrite", "--jobs", jobs), bundle
            ),
            "restore": Case(("restore", "several.bundle", "out"), ("nothing", "empty")),
            "site": Case(("site", "several.bundle", "out"), ("nothing", "empty")),
            "legacy": Case(("legacy", "several.bundle", "out"), ("nothing", "empty")),
            "export": Case(("export", "several.bundle", "out", "--overwrite"), ("nothing", "file")),
        }

    def run(self, *arguments, **options):
        return subprocess.run(
            self.command(arguments), cwd=self.folder, env=self.environment(), capture_output=True, **options
        )

    def command(self, arguments):
        return [sys.executable, "-m", "tlparse_bundle", *arguments]

    def environment(self, mark=""):
        return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), _MARK: mark}

    def before(self, old, place):
        """Create what may exist before."""
        if old == "empty":
            place.mkdir()
        elif old == "bundle":
            shutil.copytree(self.folder / "small.bundle", place)
        elif old == "file":
            place.write_text("old")

    def made(self, name, case):
        """Run the command undisturbed; return its result and duration."""
        key = name, case.arguments
        if key not in self._made:
            began = time.monotonic()
            self.run(*case.arguments).check_returncode()
            took = time.monotonic() - began
            self._made[key] = snapshot(self.folder / "out"), took
            remove(self.folder / "out")
        return self._made[key]


def remove(place):
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def snapshot(place):
    """Return {path: hash} of a folder; None when it does not exist."""
    if not place.is_dir():
        return hashlib.sha256(place.read_bytes()).hexdigest() if place.exists() else None
    return {
        path.relative_to(place).as_posix(): (
            None if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        )
        for path in place.rglob("*")
    }


def processes(mark):
    """Return the command lines of processes with our mark in their environment."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if mark.encode() in Path("/proc", pid, "environ").read_bytes():
                found.append(
                    Path("/proc", pid, "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                )
        except OSError:
            pass
    return found


def kill(workshop, rng, name=None):
    """Kill once; return (what was done in words, faults)."""
    jobs = rng.choice("124")
    cases = workshop.cases(jobs)
    name = name or rng.choice(sorted(cases))
    case = cases[name]
    new, took = workshop.made(name, case)
    old, number, whole_group = rng.choice(case.olds), rng.choice(_SIGNALS), rng.random() < 0.5
    out, entries = workshop.folder / "out", sorted(os.listdir(workshop.folder))
    workshop.before(old, out)
    before = snapshot(out)
    after_seconds = rng.uniform(0, took * 1.1)
    mark = uuid.uuid4().hex
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            workshop.command(case.arguments),
            cwd=workshop.folder,
            env=workshop.environment(mark),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        try:
            process.wait(after_seconds)
        except subprocess.TimeoutExpired:
            (os.killpg if whole_group else os.kill)(process.pid, number)
        process.wait()
        errors.seek(0)
        printed = errors.read().decode("utf-8", "replace")
    what = (
        f"{name} --jobs {jobs} over {old}: {number.name}{' to all' if whole_group else ''} after"
        f" {after_seconds:.3f} of {took:.3f} s: {process.returncode}"
    )
    faults = []
    try:
        until(lambda: processes(mark), [], _LEFT_SECONDS)
    except AssertionError:
        faults.append(f"processes are left: {processes(mark)}")
    found = snapshot(out)
    if found not in (before, new):
        faults.append("neither the old one nor the new one")
    if process.returncode == 0 and found != new:
        faults.append("it reported success")
    if "nothing was written" in printed and found != before:
        faults.append("it reported that nothing was written")
    begun = (
        "tlparse_bundle" in printed or number != signal.SIGINT
    )  # otherwise the interpreter itself was interrupted before our first line
    if process.returncode not in _CODES[number] and begun:
        faults.append(f"exit code {process.returncode}: {printed[-300:]}")
    if (
        "Traceback" in printed and begun and process.returncode != -signal.SIGINT
    ):  # while our modules are imported
        faults.append(printed[-1000:])
    if more := sorted(set(os.listdir(workshop.folder)) - {*entries, "out"}):
        faults.append(f"left: {more}")
    for path in (workshop.folder / entry for entry in (*more, "out")):
        remove(path)
    return what, faults


def main(count, seed, names=(), tell=print):
    """Kill ``count`` commands; return the number of those with a fault."""
    rng = random.Random(f"kills {seed}")
    wrong, codes = 0, Counter()
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(folder)
        for number in range(count):
            what, faults = kill(workshop, rng, names[number % len(names)] if names else None)
            codes[what.split()[0], what.rsplit(" ", 1)[1]] += 1
            wrong += bool(faults)
            for fault in faults:
                tell(f"FAULT {what}\n  {fault}")
    for (command, code), times in sorted(codes.items()):
        tell(f"  {times:5} × {command} {code}")
    tell(f"seed {seed}: {count} kills, {wrong} faults")
    return wrong
