"""``follow``, ``serve --follow`` and ``run --follow``: processes, signals, exit codes, what is said, and what is left."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import urllib.request
import uuid
from pathlib import Path

import pytest
import traces
from fuzz.kills import processes
from log_builder import record, span
from tlparse_bundle import Bundle, build, discover
from waiting import HANG_S, until
from warm_command import run_warm

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="follow needs fork")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
MARK = "TLPARSE_KILLS_MARK"
LOG = "dedicated_log_torch_trace_x.log"
SMALL = traces.ROOT / "fixtures" / "graph_breaks" / "trace"
OPEN = [record("dynamo_start 0/0 " + json.dumps({"stack": [{"line": 1, "name": "forward", "filename": 0}]})), span("entire_frame_compile", "B", 1.76e15, "0/0"), span("inductor_compile", "B", 1.76e15 + 5, "0/0")]


def _heeds_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Started:
    """A command in a folder with the trace 'trace'."""

    def __init__(self, folder, *arguments, **options):
        self.mark, self.folder = uuid.uuid4().hex, folder
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), MARK: self.mark, "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
        environment.pop("TORCH_TRACE", None)
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": _heeds_signals} | options
        self.process = subprocess.Popen([sys.executable, "-m", "tlparse_bundle", *map(str, arguments)], cwd=folder, env=environment, text=True, start_new_session=True, **options)

    def line(self, words, stream="stderr"):
        """Reads up to the line that has these words."""
        said = []
        for line in getattr(self.process, stream):
            said.append(line)
            if words in line:
                return line
        raise AssertionError(f"not said: {words!r} in {''.join(said)}")

    def state(self, counter=1, out="out"):
        """Waits for this state of the bundle."""
        until(lambda: self.process.poll() is not None or _counter(self.folder / out) >= counter)
        assert self.process.poll() is None, self.process.stderr.read()
        return self

    def end(self, number=None):
        """Code and outputs, when it has ended, by this signal or by itself; nothing of it is left then."""
        if number is not None:
            self.process.send_signal(number)
        out, errors = self.process.communicate(timeout=HANG_S)
        assert "Traceback" not in errors, errors
        if sys.platform == "linux":
            until(lambda: processes(self.mark), [])
        return self.process.returncode, out, errors


def _counter(out):
    try:
        return json.loads((out / "manifest.json").read_bytes()).get("live", {}).get("counter", 0)
    except FileNotFoundError:
        return 0


@pytest.fixture
def start(tmp_path):
    """start(arguments): a command; the folder of the test has a folder 'trace' with one log."""
    begun = []
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / LOG).write_bytes(next(SMALL.iterdir()).read_bytes())

    def start_it(*arguments, **options):
        begun.append(Started(tmp_path, *arguments, **options))
        return begun[-1]

    yield start_it
    for started in begun:
        started.process.kill()
        started.process.communicate()


def is_the_build(out, trace):
    """Whether the bundle is byte for byte what a build makes."""
    build(discover([trace]), out.parent / "built", jobs=1, codec="none")
    return traces.files(out) == traces.files(out.parent / "built")


# ---- ends


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_finishes_the_bundle(number, code, start, tmp_path):
    started = start("follow", "trace", "out", "--no-serve", "--codec", "none").state()
    returned, out, errors = started.end(number)
    assert (returned, out) == (code, "") and "Look at it: tlparse-bundle serve out" in errors
    assert is_the_build(tmp_path / "out", tmp_path / "trace")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["built", "out", "trace"]


def test_it_ends_with_a_process_and_has_all_that_it_wrote(start, tmp_path):
    data = (tmp_path / "trace" / LOG).read_bytes()
    (tmp_path / "trace" / LOG).unlink()
    writer = "import sys, pathlib; out = open('trace/" + LOG + "', 'wb', 0); [(sys.stdin.readline(), out.write(part)) for part in (DATA[:9000], DATA[9000:20001], DATA[20001:])]"
    (tmp_path / "data").write_bytes(data)
    program = subprocess.Popen([sys.executable, "-c", "DATA = open('data', 'rb').read()\n" + writer], cwd=tmp_path, stdin=subprocess.PIPE)
    try:
        started = start("follow", "trace", "out", "--no-serve", "--codec", "none", "--json", "--until-exit", program.pid)
        for part in range(3):
            started.state(part + 1)
            program.stdin.write(b"\n")
            program.stdin.flush()
        program.wait(HANG_S)  # a child that nobody has waited for has ended as well
        returned, out, errors = started.end()
    finally:
        program.kill()
        program.communicate()
    assert returned == 0 and json.loads(out)["logs"][0]["source"]["size_bytes"] == len(data)
    assert is_the_build(tmp_path / "out", tmp_path / "trace")


def test_a_process_that_has_ended_already(start, tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    returned, _, errors = start("follow", "trace", "out", "--no-serve", "--codec", "none", "--until-exit", gone.pid).end()
    assert returned == 0 and f"There is no process {gone.pid} any more" in errors and is_the_build(tmp_path / "out", tmp_path / "trace")


def test_the_second_ctrl_c_ends_at_once_and_following_again_goes_on(start, tmp_path):
    started = start("follow", "trace", "out", "--no-serve", "--codec", "none").state()
    (writer,) = _children(started.process.pid)
    os.kill(writer, signal.SIGSTOP)  # it takes its time
    started.process.send_signal(signal.SIGINT)
    started.line("Finishing the bundle")
    time.sleep(0.35)  # two signals at the same moment are one wish
    returned, _, errors = started.end(signal.SIGINT)
    assert returned == 130 and "To go on: tlparse-bundle follow trace out" in errors and "nothing was written" not in errors
    assert Bundle.open(tmp_path / "out").manifest["growing"] is True
    again = start("follow", "trace", "out", "--no-serve", "--codec", "none")
    again.line(f"log {LOG}")
    assert again.end(signal.SIGINT)[0] == 0
    assert is_the_build(tmp_path / "out", tmp_path / "trace")


def _children(pid):
    return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split() if "leftovers" not in Path(f"/proc/{child}/cmdline").read_text()]


def test_signals_to_a_process_and_its_group_are_one(start, tmp_path):
    """As those of 'timeout', and of a shell whose terminal has gone."""
    started = start("follow", "trace", "out", "--no-serve").state()
    for number in (signal.SIGHUP, signal.SIGHUP, signal.SIGCONT):
        started.process.send_signal(number)
    assert started.end()[0] == 129 and "growing" not in Bundle.open(tmp_path / "out").manifest


@LINUX
@pytest.mark.parametrize("serves", [True, False])
def test_killed_it_leaves_a_bundle_and_no_process(serves, start, tmp_path):
    started = start("follow", "trace", "out", *(["--port", "0"] if serves else ["--no-serve"])).state()
    if serves:
        until(lambda: len(_children(started.process.pid)), 2)
    started.end(signal.SIGKILL)
    assert Bundle.open(tmp_path / "out").manifest["growing"] is True


@LINUX
def test_a_writer_that_is_killed_is_a_sentence(start):
    started = start("follow", "trace", "out", "--no-serve", "--json").state()
    os.kill(_children(started.process.pid)[0], signal.SIGKILL)
    returned, out, errors = started.end()
    assert returned == 1 and json.loads(out)["error"]["code"] == "worker-died" and "follow again" in errors


def test_without_a_log_nothing_is_written(start, tmp_path):
    started = start("follow", "later", "out", "--no-serve")
    assert "is not there yet" in started.line("later")
    started.line("Ctrl-C")
    returned, _, errors = started.end(signal.SIGINT)
    assert returned == 130 and "Interrupted; nothing was written." in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace"]


def test_a_folder_that_appears_later(start, tmp_path):
    started = start("follow", "later", "out", "--no-serve", "--codec", "none")
    started.line("is not there yet")
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / LOG).write_bytes((tmp_path / "trace" / LOG).read_bytes())
    started.line(f"log {LOG}")
    assert started.end(signal.SIGINT)[0] == 0 and is_the_build(tmp_path / "out", tmp_path / "later")


# ---- mistakes


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["trace", "out", "--no-serve", "--open"], 2, "leave out --open"),
        (["trace", "s3://bucket/out"], 1, "has to be a folder"),
        (["trace", "mine"], 1, "mine"),
        (["trace", "done", "--no-serve"], 1, "--overwrite"),
        (["done", "out"], 1, "is a bundle already"),
        (["trace", "out", "--label", ""], 2, "--label"),
        (["trace", "out", "--until-exit", "0"], 2, "--until-exit"),
        ([], 2, "TRACE"),
    ],
)
def test_mistakes_are_sentences(arguments, code, words, start, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    build(discover([tmp_path / "trace"]), tmp_path / "done", jobs=1)
    before = traces.files(tmp_path)
    done = run_warm(["follow", *arguments], tmp_path)
    assert (done.returncode, done.stdout) == (code, b"") and words in done.stderr.decode() and traces.files(tmp_path) == before


def test_a_finished_bundle_is_replaced_when_asked(start, tmp_path):
    build(discover([tmp_path / "trace"]), tmp_path / "out", jobs=1, label="old")
    assert start("follow", "trace", "out", "--no-serve", "--overwrite", "--codec", "none").state().end(signal.SIGINT)[0] == 0
    assert is_the_build(tmp_path / "out", tmp_path / "trace")


# ---- pages


def _ask(address, path):
    with urllib.request.urlopen(address.strip().replace("/?token=", "/t/") + path, timeout=HANG_S) as response:
        return json.load(response)


def test_pages_are_served_to_the_end_and_after_it(start, tmp_path):
    program = subprocess.Popen(["sleep", "600"])
    try:
        started = start("follow", "trace", "out", "--port", "0", "--until-exit", program.pid)
        address = started.line("http", "stdout")
        assert _ask(address, "/bundles/out/manifest.json")["growing"] is True
        started.line("Graph break")
    finally:
        program.kill()
        program.communicate()
    started.line("Its pages stay until Ctrl-C")
    assert "growing" not in _ask(address, "/bundles/out/manifest.json")
    assert started.end(signal.SIGINT)[0] == 0


def test_serve_follow_keeps_nothing(start, tmp_path):
    started = start("serve", "trace", "--follow", "--port", "0", "--no-token")
    address = started.line("http", "stdout")
    started.line("to keep it: tlparse-bundle follow trace")
    until(lambda: _ask(address, "bundles/trace/manifest.json")["growing"])
    returned, _, errors = started.end(signal.SIGINT)
    assert returned == 0 and "Interrupted" not in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace"]
    assert run_warm(["serve", "--follow"], tmp_path).returncode == 2


def test_a_port_that_is_taken_is_said_before_anything_is_written(start, tmp_path):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run_warm(["follow", "trace", "out", "--port", taken.getsockname()[1]], tmp_path)
    assert done.returncode == 1 and b"is taken" in done.stderr and not (tmp_path / "out").exists()


# ---- the terminal


class Terminal:
    """A terminal of 80 × 24 in memory, with a command in it."""

    def __init__(self, start, *arguments, columns=80, lines=24):
        pyte = pytest.importorskip("pyte")
        self._ours, its = os.openpty()
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self.resize(columns, lines)
        self.started = start(*arguments, stdin=its, stdout=its, stderr=its)
        os.close(its)
        os.set_blocking(self._ours, False)
        self.raw = b""

    def resize(self, columns, lines):
        import fcntl
        import struct
        import termios

        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def read(self):
        """What can be seen now."""
        try:
            while data := os.read(self._ours, 1 << 16):
                self.raw += data
                self._stream.feed(data)
        except (BlockingIOError, OSError):  # nothing for now, or the program has ended
            pass
        return "\n".join(self.screen.display)

    def shows(self, *words):
        until(lambda: [word for word in words if word not in self.read()], [])
        return self.read()


@LINUX
def test_the_screen(start, tmp_path):
    with (tmp_path / "trace" / "dedicated_log_torch_trace_rank_1_y.log").open("wb") as growing:
        terminal = Terminal(start, "follow", "trace", "out", "--no-serve")
        terminal.shows("trace into out", "2 logs", "Newest findings", "Graph break in `branches_on_tensor`", "Ranks")
        growing.write(b"".join(OPEN))
        growing.flush()
        terminal.shows("Running now", "rank 1", "0/0 forward", "inductor_compile", " min ")
        terminal.resize(50, 12)
        terminal.started.process.send_signal(signal.SIGWINCH)
        assert len(terminal.shows("0/0 forward", "Ctrl-C finishes").split("\n")) == 12
        terminal.resize(80, 24)
    terminal.started.process.send_signal(signal.SIGINT)
    terminal.started.process.wait(HANG_S)
    terminal.shows("Look at it: tlparse-bundle serve out")
    assert b"\x1b[?1049l" in terminal.raw and b"\x1b[?25h" in terminal.raw  # the other screen, and the cursor
    assert b"Traceback" not in terminal.raw and terminal.started.process.returncode == 0


@LINUX
def test_a_terminal_that_goes_away_costs_nothing(start, tmp_path):
    terminal = Terminal(start, "follow", "trace", "out", "--no-serve")
    terminal.shows("1 log")
    os.close(terminal._ours)
    terminal.started.process.send_signal(signal.SIGHUP)
    terminal.started.process.wait(HANG_S)
    assert "growing" not in Bundle.open(tmp_path / "out").manifest


@LINUX
def test_ctrl_z_gives_the_terminal_back(start):
    terminal = Terminal(start, "follow", "trace", "out", "--no-serve")
    terminal.shows("1 log")
    pid = terminal.started.process.pid
    terminal.started.process.send_signal(signal.SIGTSTP)
    # In a session without a shell nobody could wake it up, so that the system does not stop it: it only lets go, and comes back.
    until(lambda: terminal.read() is not None and terminal.raw.count(b"\x1b[?1049h") >= 1 and terminal.raw.count(b"\x1b[?1049l") >= 1)
    os.kill(pid, signal.SIGCONT)
    until(lambda: terminal.read() is not None and terminal.raw.count(b"\x1b[?1049h"), 2)
    terminal.started.process.send_signal(signal.SIGINT)
    assert terminal.started.process.wait(HANG_S) == 0


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(start, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal(start, "follow", "trace", "out", "--no-serve")
    terminal.shows(f"log {LOG}")
    assert b"\x1b" not in terminal.raw


# ---- run

TRACER = """
import os, pathlib, signal, sys
folder = pathlib.Path(os.environ["TORCH_TRACE"])
folder.mkdir(exist_ok=True)
(folder / "dedicated_log_torch_trace_x.log").write_bytes(open("trace/dedicated_log_torch_trace_x.log", "rb").read())
"""


def run_follow(start, tmp_path, *options, program=""):
    (tmp_path / "program.py").write_text(TRACER + textwrap.dedent(program))
    return start("run", "-o", "out", "--follow", "--port", "0", *options, "--", sys.executable, "program.py")


def test_run_follow_shows_the_program_while_it_runs(start, tmp_path):
    wait = "print('at it', flush=True)\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\nsignal.pause()"
    started = run_follow(start, tmp_path, "--keep-trace", "kept", program=wait)
    address = started.line("http")
    started.line("at it", "stdout")
    until(lambda: _ask(address, "/bundles/out/manifest.json")["logs"] != [])
    assert _ask(address, "/bundles/out/manifest.json")["growing"] is True
    returned, out, errors = started.end(signal.SIGTERM)
    assert (returned, out) == (3, "") and "ended with 3" in errors and "Look at it: tlparse-bundle serve out" in errors
    build(discover([tmp_path / "kept"]), tmp_path / "built", jobs=1)
    assert traces.files(tmp_path / "out") == traces.files(tmp_path / "built")


@LINUX
def test_run_follow_builds_when_following_fails(start, tmp_path):
    started = run_follow(start, tmp_path, program="print('at it', flush=True)\nwhile not os.path.exists('go'): pass")
    started.line("at it", "stdout")
    started.state()
    for child in _children(started.process.pid):
        if "program.py" not in Path(f"/proc/{child}/cmdline").read_text():
            os.kill(child, signal.SIGKILL)
    (tmp_path / "go").touch()
    returned, _, errors = started.end()
    assert returned == 0 and "Following failed" in errors and Bundle.open(tmp_path / "out").logs, errors
