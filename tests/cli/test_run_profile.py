"""``run --profile`` records a program that does not know of it, with a stand-in for torch."""

import json
import os
import subprocess
import sys

import pytest
from log_builder import record
from tlparse_bundle import Bundle
from tlparse_bundle.cli.recording import Profiling
from traces import ROOT
from waiting import HANG_S

CODE = "cpp_fused_0 = async_compile.cpp_pybinding([], '''\nRECORD_FUNCTION(\"graph_0_cpp_fused_0\", c10::ArrayRef)\n''')"
LOG = record('dynamo_start 0/0 {"stack": []}') + record(
    'inductor_output_code 0/0 {"filename": "/tmp/a.py"}', payload=CODE
)
TORCH = {
    "__init__.py": """
import os
class _C:
    class _profiler:
        def _ExperimentalConfig(profile_all_threads):
            if os.path.exists("old"):
                raise TypeError
""",
    "autograd/__init__.py": "",
    "autograd/profiler.py": "class profile:\n    def _prepare_trace(self): pass\n",
    "_dynamo/__init__.py": "",
    "_dynamo/callback.py": """
class callback_handler:
    start_callbacks, end_callbacks = [], []
    register_start_callback, register_end_callback = start_callbacks.append, end_callbacks.append
""",
    "_inductor/__init__.py": "",
    "_inductor/config.py": "class cpp:\n    enable_kernel_profile = False\n",
    "profiler.py": """
import gzip, json, os, threading
from torch.autograd import profiler
class ProfilerActivity:
    CPU = 0
class profile:
    def __init__(self, activities, experimental_config=None):
        pass
    def start(self):
        assert (threading.current_thread() is threading.main_thread()) == os.path.exists("old")
        profiler.profile()._prepare_trace()
        open("started", "w").close()
    def stop(self):
        open("stopped", "w").close()
    def export_chrome_trace(self, path):
        event = {"ph": "X", "cat": "cpu_op", "name": "graph_0_cpp_fused_0", "pid": os.getpid(), "tid": 1,
                 "ts": 1, "dur": 7}
        with gzip.open(path, "wt") as file:
            json.dump({"traceEvents": [event]}, file)
""",
}
PROGRAM = (
    """
import os, pathlib, sys, time
import importlib.util
import hidden
assert importlib.util.find_spec("torch")  # as programs do to see whether it is installed
folder = pathlib.Path(os.environ["TORCH_TRACE"])
folder.mkdir(exist_ok=True)
(folder / "dedicated_log_torch_trace_x.log").write_bytes(%r)
import torch, torch._dynamo.callback, torch._inductor.config
handler = torch._dynamo.callback.callback_handler
while "--profiled" in sys.argv and not (handler.start_callbacks and torch._inductor.config.cpp.enable_kernel_profile):
    time.sleep(0.01)
for callback in handler.start_callbacks: callback(None)
for callback in handler.end_callbacks: callback(None)
print(any("profiled_program" in path for path in sys.path), torch._inductor.config.cpp.enable_kernel_profile)
while "--wait" in sys.argv and not os.path.exists("started"):
    time.sleep(0.01)
if "--own" in sys.argv:
    import torch.autograd.profiler
    torch.autograd.profiler.profile()._prepare_trace()
    assert os.path.exists("stopped")
if "--fork" in sys.argv and os.fork():
    os.wait()
elif "--fork" in sys.argv:
    os.remove("started")
    for callback in handler.end_callbacks: callback(None)
    while not os.path.exists("started"):
        time.sleep(0.01)
if "--leave" in sys.argv:
    os._exit(0)
if "--kill" in sys.argv:
    sys.stdout.flush()
    os.kill(os.getpid(), 15)
"""
    % LOG
)


@pytest.fixture
def run(tmp_path):
    """Return run(options, arguments): what the program printed, the errors, and the bundle."""
    site = tmp_path / "site"
    for name, text in TORCH.items():
        path = site / "torch" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (site / "sitecustomize.py").write_text(
        "import sys, types\nsys.modules['hidden'] = types.ModuleType('hidden')\n"
    )
    (tmp_path / "program.py").write_text(PROGRAM)

    def run_it(*options, arguments=(), code=0):
        command = [
            "run",
            "--no-open",
            "-o",
            "out",
            "--overwrite",
            *options,
            "--",
            sys.executable,
            "program.py",
        ]
        done = subprocess.run(
            [sys.executable, "-m", "tlparse_bundle", *command, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT / 'preprocessor'}"},
            capture_output=True,
            text=True,
            timeout=HANG_S,
        )
        assert done.returncode == code, done.stderr
        (log,) = Bundle.open(tmp_path / "out").logs
        return done.stdout, done.stderr, log

    return run_it


def test_a_quiet_program_is_recorded_and_joined(run):
    out, errors, log = run("--profile", "--peak", "GB/s=10", arguments=("--profiled", "--wait"))
    assert (out, "No profiler trace" in errors) == ("False True\n", False)
    (row,) = log.table("kernel_calls")
    assert (row["compile"], row["kernel"], row["total_us"]) == ("0/0", "cpp_fused_0", 7)
    (profile,) = log.table("profiles")
    assert profile["assigned_by"] == "process" or profile["assigned_by"] == "keys"
    assert [peak["rate"] for peak in profile["peaks"]] == [10]


@pytest.mark.parametrize("how", ["own", "fork", "leave", "old"])
def test_every_end_of_a_recording_leaves_a_trace(run, tmp_path, how):
    """The program profiles itself, forks, calls os._exit, or has an old torch, which records one thread."""
    if how == "old":
        (tmp_path / "old").touch()
    options = ("--profile", "--profile-seconds", "60" if how in ("own", "leave") else "0.1")
    _, errors, log = run(*options, arguments=("--profiled", "--wait", f"--{how}"))
    assert "no profiler trace" not in errors.lower()
    assert len(log.table("profiles")) == (2 if how == "fork" else 1)
    assert {row["kernel"] for row in log.table("kernel_calls")} == {"cpp_fused_0"}


def test_a_signal_leaves_no_trace_and_the_message_says_so(run):
    _, errors, log = run("--profile", arguments=("--profiled", "--wait", "--kill"), code=128 + 15)
    assert "No profiler trace was recorded: a signal ended the program." in errors
    assert log.table("profiles") == []


def test_without_a_quiet_time_nothing_is_recorded(run):
    out, errors, log = run("--profile", arguments=("--profiled",))
    assert "No profiler trace was recorded: the program ended less than half a second after" in errors
    assert log.table("profiles") == []
    out, errors, log = run()
    assert (out, "profiler" in errors) == ("False False\n", False)


def test_the_environment_keeps_the_path_of_the_program(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", "/mine")
    environment = Profiling(tmp_path, 2.0).environment
    assert environment["PYTHONPATH"].split(os.pathsep)[1:] == ["/mine"]
    assert json.loads(environment["TLPARSE_BUNDLE_PROFILE_SECONDS"]) == 2.0
