"""``run``: the program is traced, bundled and opened; its exit code and signals are passed on."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import urllib.request

import pytest
from log_builder import log
from tlparse_bundle import Bundle
from tlparse_bundle.cli.recording import run_traced
from torch_python import NO_TORCH, TORCH, has_torch
from traces import ROOT
from waiting import HANG_S

# Writes the log of a small program to torch's location, then does what the test wants.
TRACER = """
import os, pathlib, signal, sys, time
folder = pathlib.Path(os.environ["TORCH_TRACE"])
folder.mkdir(exist_ok=True)
(folder / "dedicated_log_torch_trace_x.log").write_bytes(%r)
""" % log("artifact:a 0/0\n | x")


@pytest.fixture
def command(tmp_path):
    """Return command(options, program): the command line of a run of a Python program."""

    def make(*options, program="", python=sys.executable):
        (tmp_path / "program.py").write_text(TRACER + textwrap.dedent(program))
        return [sys.executable, "-m", "tlparse_bundle", "run", *options, "--", python, "program.py"]

    return make


@pytest.fixture
def start(tmp_path):
    """Return start(command): the process, in the folder of the test."""
    started = []

    def start_it(command, **options):
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "preprocessor"),
            "BROWSER": "true",
            **options.pop("env", {}),
        }
        environment.pop("TORCH_TRACE", None)
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        started.append(process)
        return process

    yield start_it
    for process in started:
        process.kill()
        process.communicate()


def finish(process):
    out, errors = process.communicate(timeout=HANG_S)
    return process.returncode, out, errors


@pytest.mark.parametrize("code", [0, 7])
def test_the_program_is_traced_and_its_exit_code_is_ours(command, start, tmp_path, code):
    returned, out, errors = finish(
        start(command("-o", "out", "--no-open", program=f"print('hello'); sys.exit({code})"))
    )
    assert (returned, out) == (code, "hello\n")
    assert "tlparse-bundle serve out" in errors and "Traceback" not in errors
    assert Bundle.open(tmp_path / "out").logs[0].id == "x"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "program.py"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_reach_the_program(command, start, tmp_path, number):
    """The program prints the signals it got and may end as it likes; the bundle has the records so far."""
    program = """
    def got(number, frame):
        print("got", number, flush=True)
        sys.exit(3)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, got)
    print("ready", flush=True)
    time.sleep(600)
    """
    process = start(command("-o", "out", "--no-open", program=program))
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    returned, out, _ = finish(process)
    assert (returned, out) == (3, f"got {int(number)}\n")
    assert Bundle.open(tmp_path / "out").logs


def test_a_signal_that_comes_while_the_program_is_started_reaches_it(tmp_path, monkeypatch):
    class Slow(subprocess.Popen):
        """The program runs, but ``run_traced`` does not have its process yet."""

        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            os.kill(os.getpid(), signal.SIGHUP)

    monkeypatch.setattr("tlparse_bundle.cli.recording.subprocess.Popen", Slow)
    assert (
        run_traced([sys.executable, "-c", "import signal; signal.pause()"], tmp_path) == 128 + signal.SIGHUP
    )


def test_a_signal_that_interrupts_no_system_call_reaches_the_program(tmp_path):
    """As one does that comes right before the call: here another thread takes it."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)

    def send():
        ready.read_bytes()  # waits until the program has opened it
        signal.pthread_kill(threading.get_ident(), signal.SIGHUP)

    threading.Thread(target=send).start()
    code = f"import signal; open({str(ready)!r}, 'w').close(); signal.pause()"
    assert run_traced([sys.executable, "-c", code], tmp_path) == 128 + signal.SIGHUP


def test_a_program_that_a_signal_ends(command, start, tmp_path):
    returned, _, errors = finish(
        start(command("-o", "out", "--no-open", program="os.kill(os.getpid(), signal.SIGKILL)"))
    )
    assert returned == 128 + signal.SIGKILL and "exited with code 137" in errors
    assert Bundle.open(tmp_path / "out").logs


def test_the_trace_is_kept_on_request(command, start, tmp_path):
    assert finish(start(command("-o", "out", "--no-open", "--keep-trace", "logs")))[0] == 0
    assert [path.name for path in (tmp_path / "logs").iterdir()] == ["dedicated_log_torch_trace_x.log"]
    returned, _, errors = finish(
        start(command("-o", "out2", "--no-open", "--keep-trace", "logs", program="print('not run')"))
    )
    assert returned == 1 and "'logs' is not empty" in errors


def test_provenance_sets_what_torch_needs(command, start):
    program = (
        "print(os.environ.get('INDUCTOR_PROVENANCE'), os.environ.get('TORCHINDUCTOR_FORCE_DISABLE_CACHES'))"
    )
    assert finish(start(command("--no-open", "--provenance", program=program)))[1] == "1 1\n"
    assert finish(start(command("--no-open", program=program)))[1] == "None None\n"


def test_a_bundle_is_replaced_only_when_asked_or_ours(command, start, tmp_path):
    for _ in range(2):
        assert finish(start(command("--no-open")))[0] == 0
    assert Bundle.open(tmp_path / "tlparse_out").logs
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    returned, out, errors = finish(
        start(command("-o", "mine", "--overwrite", "--no-open", program="print('not run')"))
    )
    assert (returned, out) == (1, "") and "mine" in errors and (tmp_path / "mine" / "notes.txt").exists()


@pytest.mark.parametrize(
    "program, code, words",
    [
        (["no-such-program"], 127, "program 'no-such-program' not found"),
        ([sys.executable, "-c", "pass"], 1, "wrote no TORCH_TRACE log"),
        ([sys.executable, "-c", "exit(5)"], 5, "wrote no TORCH_TRACE log"),
        (
            [
                sys.executable,
                "-c",
                (
                    "import os; open(os.environ['TORCH_TRACE'] + '/dedicated_log_torch_trace_x.log', 'w');"
                    " exit(6)"
                ),
            ],
            6,
            "empty",
        ),
    ],
)
def test_mistakes_are_reported_in_a_sentence(start, program, code, words):
    returned, out, errors = finish(
        start([sys.executable, "-m", "tlparse_bundle", "run", "--no-open", "--", *program])
    )
    assert (returned, out) == (code, "") and words in errors and "Traceback" not in errors


def test_it_opens_the_bundle_and_ends_with_the_code_of_the_program(command, start):
    process = start(command("-o", "out", "--open", "--port", "0", program="sys.exit(4)"))
    url = process.stdout.readline().strip()
    with urllib.request.urlopen(
        url.replace("?token=", "t/") + "/bundles/out/manifest.json", timeout=HANG_S
    ) as response:
        assert json.load(response)["format"]["name"] == "tlparse-bundle"
    process.send_signal(signal.SIGINT)
    assert finish(process)[0] == 4


def test_without_a_terminal_nothing_is_opened_unless_asked_for(command, start):
    returned, out, errors = finish(start(command("-o", "out", program="sys.exit(5)")))
    assert (returned, out) == (5, "") and "View it: tlparse-bundle serve out" in errors


def test_a_real_program(start, tmp_path):
    if not has_torch():
        pytest.skip(NO_TORCH)
    (tmp_path / "train.py").write_text(
        textwrap.dedent("""
        import torch

        @torch.compile(backend="aot_eager")
        def step(x):
            y = x + 1
            print("break")
            return y * 2

        step(torch.ones(3))
        raise SystemExit(6)
    """)
    )
    process = start(
        [sys.executable, "-m", "tlparse_bundle", "run", "-o", "out", "--no-open", "--", TORCH, "train.py"]
    )
    returned, out, errors = finish(process)
    assert (returned, out) == (6, "break\n"), errors
    (log,) = Bundle.open(tmp_path / "out").logs
    functions = {compile.row["function"] for compile in log.compiles}
    assert "step" in functions
    assert any(
        artifact.name == "dynamo_output_graph" for compile in log.compiles for artifact in compile.artifacts
    )
    assert sum(compile.row["graph_break_count"] for compile in log.compiles) >= 1
