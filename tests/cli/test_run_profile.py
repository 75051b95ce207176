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
class _C:
    class _profiler:
        def _ExperimentalConfig(profile_all_threads):
            assert profile_all_threads
""",
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
class ProfilerActivity:
    CPU = 0
class profile:
    def __init__(self, activities, experimental_config):
        assert threading.current_thread() is not threading.main_thread()
    def start(self):
        open("started", "w").close()
    def stop(self): pass
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
import hidden
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

    def run_it(*options, arguments=()):
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
        assert done.returncode == 0, done.stderr
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
