"""``follow``, ``serve --follow`` and ``run --follow``: processes, signals, exit codes, output and remaining
files.
"""

import json
import os
import signal
import subprocess
import sys
import textwrap
import urllib.request
from pathlib import Path

import pytest
import traces
from following_commands import LOG, children, start  # noqa: F401 - start is a fixture
from tlparse_bundle import Bundle, build, discover
from torch_python import NO_TORCH, TORCH, has_torch
from waiting import HANG_S, until
from warm_command import run_warm

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="follow needs fork")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def is_the_build(out, trace):
    """Return whether the bundle equals a build, byte for byte."""
    build(discover([trace]), out.parent / "built", jobs=1, codec="none")
    return traces.files(out) == traces.files(out.parent / "built")


# ---- ends


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_finishes_the_bundle(number, code, start, tmp_path):
    started = start("follow", "trace", "out", "--no-serve", "--codec", "none").state()
    returned, out, errors = started.end(number)
    assert (returned, out) == (code, "") and "View it: tlparse-bundle serve out" in errors
    assert is_the_build(tmp_path / "out", tmp_path / "trace")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["built", "out", "trace"]


def test_it_ends_with_a_process_and_has_all_its_records(start, tmp_path):
    data = (tmp_path / "trace" / LOG).read_bytes()
    (tmp_path / "trace" / LOG).unlink()
    writer = (
        "import sys, pathlib; out = open('trace/"
        + LOG
        + "', 'wb', 0); [(sys.stdin.readline(), out.write(part)) for part in (DATA[:9000], DATA[9000:20001],"
        " DATA[20001:])]"
    )
    (tmp_path / "data").write_bytes(data)
    program = subprocess.Popen(
        [sys.executable, "-c", "DATA = open('data', 'rb').read()\n" + writer],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
    )
    try:
        started = start(
            "follow", "trace", "out", "--no-serve", "--codec", "none", "--json", "--until-exit", program.pid
        )
        for part in range(3):
            started.state(part + 1)
            program.stdin.write(b"\n")
            program.stdin.flush()
        program.wait(HANG_S)  # an unreaped child has ended as well
        returned, out, _errors = started.end()
    finally:
        program.kill()
        program.communicate()
    assert returned == 0 and json.loads(out)["logs"][0]["source"]["size_bytes"] == len(data)
    assert is_the_build(tmp_path / "out", tmp_path / "trace")


def test_a_process_that_has_ended_already(start, tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    returned, _, errors = start(
        "follow", "trace", "out", "--no-serve", "--codec", "none", "--until-exit", gone.pid
    ).end()
    assert (
        returned == 0
        and f"Process {gone.pid} is not running." in errors
        and is_the_build(tmp_path / "out", tmp_path / "trace")
    )


def test_the_second_ctrl_c_ends_at_once_and_following_again_resumes(start, tmp_path):
    started = start("follow", "trace", "out", "--no-serve", "--codec", "none").state()
    (writer,) = children(started.process.pid)
    os.kill(writer, signal.SIGSTOP)  # takes a while
    started.process.send_signal(signal.SIGINT)
    started.line("Finishing the bundle")
    returned, _, errors = started.end(signal.SIGINT)
    assert (
        returned == 130
        and "To continue: tlparse-bundle follow trace out" in errors
        and "nothing was written" not in errors
    )
    assert Bundle.open(tmp_path / "out").manifest["growing"] is True
    again = start("follow", "trace", "out", "--no-serve", "--codec", "none")
    again.line(f"log {LOG}")
    assert again.end(signal.SIGINT)[0] == 0
    assert is_the_build(tmp_path / "out", tmp_path / "trace")


def test_signals_to_a_process_and_its_group_are_one(start, tmp_path):
    """As with 'timeout', and with a shell whose terminal is closed."""
    started = start("follow", "trace", "out", "--no-serve").state()
    for number in (signal.SIGHUP, signal.SIGHUP, signal.SIGCONT):
        started.process.send_signal(number)
    assert started.end()[0] == 129 and "growing" not in Bundle.open(tmp_path / "out").manifest


@LINUX
@pytest.mark.parametrize("serves", [True, False])
def test_killed_it_leaves_a_bundle_and_no_process(serves, start, tmp_path):
    started = start("follow", "trace", "out", *(["--port", "0"] if serves else ["--no-serve"])).state()
    if serves:
        until(lambda: len(children(started.process.pid)), 2)
    started.end(signal.SIGKILL)
    assert Bundle.open(tmp_path / "out").manifest["growing"] is True
    assert run_warm(
        ["trace", "out", "--codec", "none", "--overwrite"], tmp_path
    ).returncode == 0 and is_the_build(tmp_path / "out", tmp_path / "trace")


@LINUX
def test_a_killed_writer_is_reported_in_a_sentence(start):
    started = start("follow", "trace", "out", "--no-serve", "--json").state()
    os.kill(children(started.process.pid)[0], signal.SIGKILL)
    returned, out, errors = started.end()
    assert (
        returned == 1
        and json.loads(out)["error"]["code"] == "worker-died"
        and "run the command again to continue" in errors
    )


def test_without_a_log_nothing_is_written(start, tmp_path):
    started = start("follow", "later", "out", "--no-serve")
    assert "does not exist yet" in started.line("later")
    started.line("Ctrl-C")
    returned, _, errors = started.end(signal.SIGINT)
    assert returned == 130 and "Interrupted. Nothing was written." in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace"]


def test_a_folder_that_appears_later(start, tmp_path):
    started = start("follow", "later", "out", "--no-serve", "--codec", "none")
    started.line("does not exist yet")
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / LOG).write_bytes((tmp_path / "trace" / LOG).read_bytes())
    started.line(f"log {LOG}")
    assert started.end(signal.SIGINT)[0] == 0 and is_the_build(tmp_path / "out", tmp_path / "later")


# ---- mistakes


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["trace", "out", "--no-serve", "--open"], 2, "--no-serve cannot be combined with --open"),
        (["trace", "s3://bucket/out"], 1, "follow writes only to a local folder"),
        (["trace", "mine"], 1, "mine"),
        (["trace", "done", "--no-serve"], 1, "--overwrite"),
        (["done", "out"], 1, "is a bundle, not a trace"),
        (["trace", "out", "--label", ""], 2, "--label"),
        (["trace", "out", "--until-exit", "0"], 2, "--until-exit"),
        ([], 2, "TRACE"),
    ],
)
def test_mistakes_are_reported_in_a_sentence(arguments, code, words, start, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    build(discover([tmp_path / "trace"]), tmp_path / "done", jobs=1)
    before = traces.files(tmp_path)
    done = run_warm(["follow", *arguments], tmp_path)
    assert (
        (done.returncode, done.stdout) == (code, b"")
        and words in done.stderr.decode()
        and traces.files(tmp_path) == before
    )


def test_a_finished_bundle_is_replaced_when_asked(start, tmp_path):
    build(discover([tmp_path / "trace"]), tmp_path / "out", jobs=1, label="old")
    assert (
        start("follow", "trace", "out", "--no-serve", "--overwrite", "--codec", "none")
        .state()
        .end(signal.SIGINT)[0]
        == 0
    )
    assert is_the_build(tmp_path / "out", tmp_path / "trace")


# ---- pages


def _ask(address, path):
    with urllib.request.urlopen(
        address.strip().replace("/?token=", "/t/") + path, timeout=HANG_S
    ) as response:
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
    started.line("Press Ctrl-C to stop serving it")
    assert "growing" not in _ask(address, "/bundles/out/manifest.json")
    assert started.end(signal.SIGINT)[0] == 0


def test_a_signal_ends_the_pages_too(start, tmp_path):
    """The last line then names the command that serves them again."""
    started = start("follow", "trace", "out", "--codec", "none", "--port", "0").state()
    returned, _, errors = started.end(signal.SIGINT)
    assert returned == 0 and "View it: tlparse-bundle serve out" in errors
    assert is_the_build(tmp_path / "out", tmp_path / "trace")


def test_serve_follow_keeps_nothing(start, tmp_path):
    started = start("serve", "trace", "--follow", "--port", "0", "--no-token")
    address = started.line("http", "stdout")
    started.line("to keep it: tlparse-bundle follow trace")
    until(lambda: _ask(address, "bundles/trace/manifest.json")["growing"])
    returned, _, errors = started.end(signal.SIGINT)
    assert returned == 0 and "Interrupted" not in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace"]
    assert run_warm(["serve", "--follow"], tmp_path).returncode == 2


def test_a_taken_port_is_reported_before_anything_is_written(start, tmp_path):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run_warm(["follow", "trace", "out", "--port", taken.getsockname()[1]], tmp_path)
    assert done.returncode == 1 and b"is taken" in done.stderr and not (tmp_path / "out").exists()


# ---- run

TRACER = """
import os, pathlib, signal, sys
folder = pathlib.Path(os.environ["TORCH_TRACE"])
folder.mkdir(exist_ok=True)
(folder / "dedicated_log_torch_trace_x.log").write_bytes(open("trace/dedicated_log_torch_trace_x.log", "rb").read())
"""


def run_follow(start, tmp_path, *options, program=""):
    """The program may wait for what the test writes; it ends when the test ends."""
    (tmp_path / "program.py").write_text(TRACER + textwrap.dedent(program))
    return start(
        "run",
        "-o",
        "out",
        "--follow",
        "--port",
        "0",
        *options,
        "--",
        sys.executable,
        "program.py",
        stdin=subprocess.PIPE,
    )


def test_run_follow_shows_the_program_while_it_runs(start, tmp_path):
    wait = "print('at it', flush=True)\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\nsignal.pause()"
    started = run_follow(start, tmp_path, "--keep-trace", "kept", program=wait)
    address = started.line("http")
    started.line("at it", "stdout")
    until(lambda: _ask(address, "/bundles/out/manifest.json")["logs"] != [])
    assert _ask(address, "/bundles/out/manifest.json")["growing"] is True
    returned, out, errors = started.end(signal.SIGTERM)
    assert (
        (returned, out) == (3, "")
        and "exited with code 3" in errors
        and "View it: tlparse-bundle serve out" in errors
    )
    build(discover([tmp_path / "kept"]), tmp_path / "built", jobs=1)
    assert traces.files(tmp_path / "out") == traces.files(tmp_path / "built")


@LINUX
def test_run_follow_builds_when_following_fails(start, tmp_path):
    started = run_follow(start, tmp_path, program="print('at it', flush=True)\ninput()")
    started.line("at it", "stdout")
    started.state()
    for child in children(started.process.pid):
        if "tlparse_bundle" in Path(f"/proc/{child}/cmdline").read_text():
            os.kill(child, signal.SIGKILL)
    returned, _, errors = started.end(say="go\n")
    assert returned == 0 and "Following failed" in errors and Bundle.open(tmp_path / "out").logs, errors


def test_the_first_compile_of_a_real_program_is_seen_before_the_second_begins(start, tmp_path):
    if not has_torch():
        pytest.skip(NO_TORCH)
    (tmp_path / "train.py").write_text(
        textwrap.dedent("""
        import torch

        @torch.compile(backend="aot_eager")
        def first(x):
            return x.sin() + 1

        @torch.compile(backend="aot_eager")
        def second(x):
            return x.cos() * 2

        first(torch.ones(3))
        input()
        second(torch.ones(3))
    """)
    )
    started = start(
        "run",
        "-o",
        "out",
        "--follow",
        "--port",
        "0",
        "--no-open",
        "--",
        TORCH,
        "train.py",
        stdin=subprocess.PIPE,
    )
    address = started.line("http")

    def seen():
        manifest = _ask(address, "/bundles/out/manifest.json")
        return (
            manifest["growing"],
            [log["summary"]["compile_count"] for log in manifest["logs"]],
            [log["running"] for log in manifest["live"]["logs"]],
        )

    until(seen, (True, [1], [[]]))
    returned, _, errors = started.end(say="go on\n")
    assert returned == 0, errors
    (log,) = Bundle.open(tmp_path / "out").logs
    assert [compile.row["function"] for compile in log.compiles if compile.row["function"]] == [
        "first",
        "second",
    ]
