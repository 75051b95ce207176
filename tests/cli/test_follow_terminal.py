"""The live screen of ``follow --no-serve``, in an emulated terminal."""

import fcntl
import json
import os
import signal
import struct
import sys
import termios

import pytest
from following_commands import LOG, start  # noqa: F401 - start is a fixture
from log_builder import record, span
from tlparse_bundle import Bundle
from waiting import HANG_S, until

pyte = pytest.importorskip("pyte")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="terminals differ")
OPEN = [
    record("dynamo_start 0/0 " + json.dumps({"stack": [{"line": 1, "name": "forward", "filename": 0}]})),
    span("entire_frame_compile", "B", 1.76e15, "0/0"),
    span("inductor_compile", "B", 1.76e15 + 5, "0/0"),
]


class Terminal:
    """An emulated terminal of 80 × 24 that runs a command."""

    def __init__(self, start, *arguments, columns=80, lines=24):
        self._ours, its = os.openpty()
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self.resize(columns, lines)
        self.started = start(*arguments, stdin=its, stdout=its, stderr=its)
        os.close(its)
        os.set_blocking(self._ours, False)
        self.raw = b""

    def resize(self, columns, lines):
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def read(self):
        """Read what is on the screen."""
        try:
            while data := os.read(self._ours, 1 << 16):
                self.raw += data
                self._stream.feed(data)
        except (BlockingIOError, OSError):  # nothing to read, or the program has ended
            pass
        return "\n".join(self.screen.display)

    def ends(self):
        """Wait for the exit code while reading, because a terminal buffers only some thousand characters."""
        until(lambda: self.read() is not None and self.started.process.poll() is not None)
        return self.started.process.returncode

    def shows(self, *words):
        until(lambda: self._lacks(words), "", HANG_S / 5)
        return self.read()

    def _lacks(self, words):
        """Return an empty string when all is on the screen, otherwise what is missing and what is there."""
        text = self.read()
        missing = [word for word in words if word not in text]
        return f"{missing} are not in\n{text}" if missing else ""


def test_the_screen(start, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")  # as some shells pass on the terminal's initial size
    monkeypatch.setenv("LINES", "24")
    with (tmp_path / "trace" / "dedicated_log_torch_trace_rank_1_y.log").open("wb") as growing:
        terminal = Terminal(start, "follow", "trace", "out", "--no-serve")
        terminal.shows(
            "trace → out", "2 logs", "Newest findings", "Graph break in `branches_on_tensor`", "Ranks"
        )
        growing.write(b"".join(OPEN))
        growing.flush()
        terminal.shows("Running now", "rank 1", "0/0 forward", "inductor_compile", " min ")
        terminal.resize(50, 12)
        terminal.started.process.send_signal(signal.SIGWINCH)
        assert len(terminal.shows("0/0 forward", "Ctrl-C to finish").split("\n")) == 12
        terminal.resize(80, 24)
    terminal.started.process.send_signal(signal.SIGINT)
    assert terminal.ends() == 0
    terminal.shows("View it: tlparse-bundle serve out")
    assert (
        b"\x1b[?1049l" in terminal.raw and b"\x1b[?25h" in terminal.raw
    )  # the alternate screen, and the cursor
    assert b"Traceback" not in terminal.raw


def test_a_terminal_that_goes_away_costs_nothing(start, tmp_path):
    terminal = Terminal(start, "follow", "trace", "out", "--no-serve")
    terminal.shows("1 log")
    os.close(terminal._ours)
    terminal.started.process.send_signal(signal.SIGHUP)
    terminal.started.process.wait(HANG_S)
    assert "growing" not in Bundle.open(tmp_path / "out").manifest


def test_ctrl_z_gives_the_terminal_back(start):
    terminal = Terminal(start, "follow", "trace", "out", "--no-serve")
    terminal.shows("1 log")
    pid = terminal.started.process.pid
    terminal.started.process.send_signal(signal.SIGTSTP)
    # Without a shell in the session nobody could wake the process, so the system does not stop it: it only
    # releases the terminal and resumes.
    until(
        lambda: (
            terminal.read() is not None
            and terminal.raw.count(b"\x1b[?1049h") >= 1
            and terminal.raw.count(b"\x1b[?1049l") >= 1
        )
    )
    os.kill(pid, signal.SIGCONT)
    until(lambda: terminal.read() is not None and terminal.raw.count(b"\x1b[?1049h"), 2)
    terminal.started.process.send_signal(signal.SIGINT)
    assert terminal.ends() == 0


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(start, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal(start, "follow", "trace", "out", "--no-serve")
    terminal.shows(f"log {LOG}")
    assert b"\x1b" not in terminal.raw
