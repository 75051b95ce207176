"""Commands that follow logs, as processes in a test's folder."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
import traces
from fuzz.kills import processes
from waiting import HANG_S, until

LOG = "dedicated_log_torch_trace_x.log"
SMALL = traces.ROOT / "fixtures" / "graph_breaks" / "trace"
_MARK = "TLPARSE_KILLS_MARK"


def _heeds_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Started:
    """A command in a folder with the trace 'trace'."""

    def __init__(self, folder, *arguments, browser="true", **options):
        self.mark, self.folder = uuid.uuid4().hex, folder
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            _MARK: self.mark,
            "BROWSER": browser,
            "PYTHONUNBUFFERED": "1",
        }
        environment.pop("TORCH_TRACE", None)
        options = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "preexec_fn": _heeds_signals,
        } | options
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tlparse_bundle", *map(str, arguments)],
            cwd=folder,
            env=environment,
            text=True,
            start_new_session=True,
            **options,
        )

    def line(self, words, stream="stderr"):
        """Read up to the line that contains these words."""
        printed = []
        for line in getattr(self.process, stream):
            printed.append(line)
            if words in line:
                return line
        raise AssertionError(f"not printed: {words!r} in {''.join(printed)}")

    def state(self, counter=1, out="out"):
        """Wait for this state of the bundle."""
        until(lambda: self.process.poll() is not None or _counter(self.folder / out) >= counter)
        assert self.process.poll() is None, self.process.stderr.read()
        return self

    def end(self, number=None, say=None):
        """End the command by a signal, by input or by itself; return its code and outputs. Nothing of it is
        left then.
        """
        if number is not None:
            self.process.send_signal(number)
        out, errors = self.process.communicate(say, timeout=HANG_S)
        assert "Traceback" not in errors, errors
        if sys.platform == "linux":
            until(lambda: processes(self.mark), [])
        return self.process.returncode, out, errors

    def kill(self):
        """Kill the command and the program that it runs."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


def _counter(out):
    try:
        return json.loads((out / "manifest.json").read_bytes()).get("live", {}).get("counter", 0)
    except FileNotFoundError:
        return 0


def children(pid):
    """Return the ids of its child processes, without the one that only cleans up."""
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
        if "leftovers" not in Path(f"/proc/{child}/cmdline").read_text()
    ]


def folder_with_a_log(folder):
    """A folder 'trace' with one log."""
    (folder / "trace").mkdir()
    (folder / "trace" / LOG).write_bytes(next(SMALL.iterdir()).read_bytes())


@pytest.fixture
def start(tmp_path):
    """Return start(arguments): a command; the folder of the test has a folder 'trace' with one log."""
    begun = []
    folder_with_a_log(tmp_path)

    def start_it(*arguments, **options):
        begun.append(Started(tmp_path, *arguments, **options))
        return begun[-1]

    yield start_it
    for started in begun:
        started.kill()
