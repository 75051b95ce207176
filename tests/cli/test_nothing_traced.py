"""No log in the folder given to TORCH_TRACE: commands report what to check."""

import os
import signal
import subprocess

import pytest
import traces
from following_commands import start  # noqa: F401 - a fixture
from torch_python import NO_TORCH, TORCH, has_torch
from warm_command import run_warm

VARIABLE = "python -c \"import os; print(os.environ.get('TORCH_TRACE'))\""
GRAPH_BREAKS = traces.ROOT / "fixtures" / "graph_breaks" / "trace"
COMMANDS = {
    "build": lambda place: [place, "out"],
    "check": lambda place: ["check", place, "--no-failures"],
    "compare": lambda place: ["compare", GRAPH_BREAKS, place],
    "serve": lambda place: ["serve", place],
    "follow": lambda place: ["follow", place, "out", "--no-serve", "--until-exit", str(2**31 - 2)],
    "latest": lambda place: [place, "out", "--latest"],
    "ranks": lambda place: [place, "out", "--ranks", "0"],
}


@pytest.fixture
def places(tmp_path):
    (tmp_path / "nowhere").mkdir()
    (tmp_path / "nowhere").rmdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "notes.txt").write_text("no log")
    (tmp_path / "empty").mkdir()
    (tmp_path / "began").mkdir()
    (tmp_path / "began" / "dedicated_log_torch_trace_rank_0_x.log").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (command, place)
        for command in COMMANDS
        for place in ("nowhere", "notes", "empty")
        if (command, place) != ("serve", "empty")
    ],
)  # in an empty folder that is served, bundles may appear later: see below
def test_a_folder_without_logs(command, place, places):
    done = run_warm(COMMANDS[command](place), places)
    errors = done.stderr.decode()
    assert (
        done.returncode == 1
        and place in errors
        and ("does not exist" if place == "nowhere" else "no TORCH_TRACE log") in errors
    )
    for words in (
        "nothing was compiled, or TORCH_TRACE was not set when the process",
        VARIABLE,
        "TORCH_COMPILE_DISABLE",
        "tlparse-bundle run -- python train.py",
    ):
        assert words in errors
    assert not (places / "out").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_log_without_a_record(command, places):
    """torch creates a log together with its first record, so this is a different mistake."""
    done = run_warm(COMMANDS[command]("began"), places)
    errors = done.stderr.decode()
    assert (
        done.returncode == 1
        and "empty" in errors
        and "killed before it wrote the first record" in errors
        and "nothing was compiled" not in errors
    )


def test_a_log_that_does_not_exist(places):
    for name in ("rank_0.log", "rank_0.log.gz", "dedicated_log_torch_trace_x"):
        errors = run_warm([name, "out"], places).stderr.decode()
        assert (
            f"'{name}' does not exist" in errors
            and "Check the path." in errors
            and "nothing was compiled" not in errors
        )


def test_ranks_that_no_log_has(places):
    errors = run_warm(
        [traces.ROOT / "fixtures" / "ranks4" / "trace", "out", "--ranks", "7"], places
    ).stderr.decode()
    assert "The file names have the ranks 0, 1, 2, 3." in errors
    errors = run_warm([GRAPH_BREAKS, "out", "--ranks", "0"], places).stderr.decode()
    assert "No file name has a rank." in errors


def test_follow_reports_it_when_interrupted(start, places):
    started = start("follow", "nowhere", "out", "--no-serve")
    assert "Waiting for torch to create it with the first record" in started.line("nowhere")
    started.line("Ctrl-C")
    returned, _, errors = started.end(signal.SIGINT)
    assert returned == 130 and "nothing was compiled" in errors


def test_serve_of_an_empty_folder_names_follow(start, places):
    started = start("serve", "empty", "--port", "0")
    assert "tlparse-bundle serve --follow empty" in started.line("is empty")


@pytest.mark.skipif(not has_torch(), reason=NO_TORCH)
@pytest.mark.parametrize("disable", [None, "TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"])
def test_a_real_program_that_compiles_nothing(disable, tmp_path):
    """torch does not even create the folder."""
    program = (
        "import torch\nf = lambda x: x.sin()\n"
        + ("" if disable is None else "f = torch.compile(f)\n")
        + "f(torch.ones(3))"
    )
    env = {
        **os.environ,
        "TORCH_TRACE": str(tmp_path / "trace"),
        **({} if disable is None else {disable: "1"}),
    }
    subprocess.run([TORCH, "-c", program], env=env, check=True, capture_output=True)
    assert not (tmp_path / "trace").exists()
    done = run_warm(["trace", "out"], tmp_path)
    assert done.returncode == 1 and b"nothing was compiled" in done.stderr
    if disable is None:  # what the environment disables stays disabled in 'run'
        done = run_warm(["run", "--no-open", "--", TORCH, "-c", program], tmp_path)
        assert (
            done.returncode == 1
            and b"wrote no TORCH_TRACE log" in done.stderr
            and b"TORCH_COMPILE_DISABLE" in done.stderr
        )
