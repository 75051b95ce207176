"""Records a trace of torch.profiler in a program that does not know of it; ``run --profile`` starts it.

Python imports this module at its start, because its folder comes first in PYTHONPATH. It needs nothing but
Python 3.8. When the program has imported torch, a thread waits until the program has compiled something and
has then compiled nothing for QUIET_S, and records all threads for some seconds. A program that ends earlier
writes what was recorded until then.
"""

from __future__ import annotations

import atexit
import importlib.machinery
import importlib.util
import os
import sys
import threading
import time
from typing import Any

FOLDER = os.environ.get("TLPARSE_BUNDLE_PROFILE_DIR", "")
SECONDS = os.environ.get("TLPARSE_BUNDLE_PROFILE_SECONDS", "3")
QUIET_S = 0.5
POLL_S = 0.02
WRITING_S = 120  # that the end of the program waits for the trace


class WhenImported:
    """Calls a function after a module was imported for the first time."""

    def __init__(self, name: str, function: Any):
        self._name, self._function = name, function

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_then_call(module: Any) -> None:
            execute(module)
            self._function()

        spec.loader.exec_module = execute_then_call  # type: ignore[method-assign]
        return spec


class Recorder:
    def __init__(self) -> None:
        self._ending = threading.Event()
        self._compiled = self._compiling = False
        self._quiet_since = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="tlparse-bundle profiler", daemon=True)

    def start(self) -> None:
        atexit.register(self._end)
        self._thread.start()

    def _end(self) -> None:
        self._ending.set()
        self._thread.join(WRITING_S)

    def _run(self) -> None:
        try:
            if self._wait():
                self._record()
        except Exception as error:  # the program goes on without a profiler trace
            sys.stderr.write("tlparse-bundle: no profiler trace: %r\n" % (error,))

    def _wait(self) -> bool:
        """Wait for a quiet time after a compile. Return False when the program ends before."""
        while not self._ending.wait(POLL_S):
            self._observe_compiles()
            self._measure_kernels()
            is_quiet = time.monotonic() - self._quiet_since >= QUIET_S
            if self._compiled and not self._compiling and is_quiet:
                return True
        return False

    def _observe_compiles(self) -> None:
        callbacks = getattr(sys.modules.get("torch._dynamo.callback"), "callback_handler", None)
        if callbacks is not None and self._begins not in callbacks.start_callbacks:  # reset() removes them
            callbacks.register_start_callback(self._begins)
            callbacks.register_end_callback(self._ends)

    @staticmethod
    def _measure_kernels() -> None:
        """Let C++ kernels report their times, as Triton kernels do."""
        cpp = getattr(sys.modules.get("torch._inductor.config"), "cpp", None)
        if cpp is not None and not cpp.enable_kernel_profile:
            cpp.enable_kernel_profile = True

    def _begins(self, *arguments: Any) -> None:
        self._compiling = True

    def _ends(self, *arguments: Any) -> None:
        self._compiled, self._compiling, self._quiet_since = True, False, time.monotonic()

    def _record(self) -> None:
        import torch  # type: ignore[import-not-found, unused-ignore]  # of the program
        from torch.profiler import (  # type: ignore[import-not-found, unused-ignore]
            ProfilerActivity,
            profile,
        )

        activities = [ProfilerActivity.CPU]
        for name in ("cuda", "xpu"):
            if hasattr(torch, name) and getattr(torch, name).is_available():
                activities.append(getattr(ProfilerActivity, name.upper()))
        # The program runs in other threads than this one.
        options = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
        recording = profile(activities=activities, experimental_config=options)
        recording.start()
        self._ending.wait(float(SECONDS))
        recording.stop()
        name = "profile_%d.json.gz" % os.getpid()
        recording.export_chrome_trace(os.path.join(FOLDER, "part_" + name))
        os.replace(os.path.join(FOLDER, "part_" + name), os.path.join(FOLDER, name))


def import_next() -> None:
    """Import the sitecustomize that this one hides."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


if FOLDER:
    sys.meta_path.insert(0, WhenImported("torch", Recorder().start))
    import_next()
