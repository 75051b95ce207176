"""A bundle that grows while a test writes its logs; the follower runs in a separate process, as for users."""

import itertools
import json
import re
import subprocess
import sys
from contextlib import contextmanager

from traces import ROOT
from waiting import HANG_S, until

RECOMPILES = ROOT / "fixtures" / "recompiles" / "trace" / "dedicated_log_torch_trace_fixture0.log"
RECORD = re.compile(rb"^V\d{4} ", re.MULTILINE)

PROGRAM = """
import select, sys
from tlparse_bundle.follow import Follower
ended = lambda: bool(select.select([sys.stdin], [], [], 0)[0])  # the test says so by closing it
Follower([sys.argv[1]], sys.argv[2], codec=sys.argv[3]).run(ended, lambda manifest: None)
"""


class Following:
    """``logs``: their folder; ``out``: the bundle."""

    def __init__(self, folder, codec="zstd"):
        self.logs, self.out = folder / "logs", folder / "out"
        self.logs.mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(self.logs), str(self.out), codec],
            stdin=subprocess.PIPE, env={"PYTHONPATH": str(ROOT / "preprocessor"), "PATH": "/usr/bin:/bin"},
        )  # fmt: skip

    def write(self, **parts):
        """Append bytes to logs by name, and wait until a state has them."""
        for name, data in parts.items():
            with (self.logs / f"dedicated_log_torch_trace_{name}.log").open("ab") as file:
                file.write(data)
        sizes = {file.name: file.stat().st_size for file in self.logs.iterdir()}
        until(lambda: self._read() == sizes)

    def _read(self):
        try:
            manifest = json.loads((self.out / "manifest.json").read_bytes())
        except FileNotFoundError:
            return None
        read = {row["id"]: row["read_bytes"] for row in manifest["live"]["logs"]}
        return {row["source"]["name"].rpartition("/")[2]: read[row["id"]] for row in manifest["logs"]}

    def end(self):
        """Finish the logs, and so the bundle."""
        if self._process.poll() is None:
            self._process.stdin.close()
            assert self._process.wait(HANG_S) == 0

    def kill(self):
        self._process.kill()
        self._process.wait(HANG_S)


@contextmanager
def following(folder, codec="zstd"):
    made = Following(folder, codec)
    try:
        yield made
    finally:
        made.kill()


def cuts(data, *shares):
    """Split the data within records, at these shares of it."""
    ends = [0, *(int(len(data) * share) for share in shares)]
    return [data[begin:end] for begin, end in itertools.pairwise(ends)]


def whole_records(data, share):
    """Return about this share of the data, up to the end of a record."""
    return data[: max(found.start() for found in RECORD.finditer(data) if found.start() <= len(data) * share)]


def mark(page):
    return page.locator(".live")


def rows(page, label="Compiles"):
    return page.get_by_role("grid", name=label).get_by_role("row")
