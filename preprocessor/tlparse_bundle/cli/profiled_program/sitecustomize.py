"""Records a trace of torch.profiler in a program that does not know of it; ``run --profile`` starts it.

Python imports this module at its start, because its folder comes first in PYTHONPATH. It needs nothing but
Python 3.8. When the program has imported torch, a thread waits until the program has compiled something and
has then compiled nothing for QUIET_S, and records all threads for some seconds. A program that ends earlier,
or starts a profiler of its own, writes what was recorded until then. Forked processes do the same.
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
_waiting_calls: list[Any] = []  # of the main thread, which can make them later


class WhenImported:
    """Calls a function after a module was imported for the first time."""

    def __init__(self, name: str, function: Any):
        self._name, self._function = name, function
        self._is_searching = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self._name or self._is_searching:
            return None
        self._is_searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._is_searching = False
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_then_call(module: Any) -> None:
            execute(module)
            if self in sys.meta_path:  # programs also search for torch without importing it
                sys.meta_path.remove(self)
                self._function()

        spec.loader.exec_module = execute_then_call  # type: ignore[method-assign]
        return spec


class Recorder:
    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._ending = threading.Event()  # of the program, or of the recording
        self._lock = threading.RLock()  # while the recording starts or stops
        self._recording: Any = None  # while it runs
        self._is_starting = self._has_started = False
        self._compiled = self._compiling = False
        self._quiet_since = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="tlparse-bundle profiler", daemon=True)

    def start(self) -> None:
        atexit.register(self.end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._restart)
        self._leave_at_once = os._exit
        os._exit = self._leave  # type: ignore[assignment]  # forked processes end with it
        self._thread.start()

    def _restart(self) -> None:
        self._reset()
        try:
            self._thread.start()
        except RuntimeError:  # forked while the interpreter shuts down
            self._ending.set()

    def _leave(self, status: int) -> None:
        with self._lock:
            has_started = self._has_started
        if has_started:
            self.end()
        self._leave_at_once(status)

    def end(self) -> None:
        """Stop the recording, and wait until it is written."""
        self._ending.set()
        self._stop()
        if self._thread.is_alive():
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
            profiler = _imported("torch.autograd.profiler")
            profiles_itself = getattr(profiler, "_is_profiler_enabled", False)
            if self._compiled and not self._compiling and is_quiet and not profiles_itself:
                return True
        return False

    def _observe_compiles(self) -> None:
        callbacks = getattr(_imported("torch._dynamo.callback"), "callback_handler", None)
        if callbacks is not None and self._begins not in callbacks.start_callbacks:  # reset() removes them
            callbacks.register_start_callback(self._begins)
            callbacks.register_end_callback(self._ends)

    @staticmethod
    def _measure_kernels() -> None:
        """Let C++ kernels report their times in older torch, which has no environment variable for it."""
        cpp = getattr(_imported("torch._inductor.config"), "cpp", None)
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

        options: dict[str, Any] = {"activities": [ProfilerActivity.CPU]}
        for name in ("cuda", "xpu"):  # one that the program does not use would only be initialized for this
            device = getattr(torch, name, None)
            is_usable = not getattr(device, "_is_in_bad_fork", bool)()
            if is_usable and getattr(device, "is_initialized", bool)():
                options["activities"].append(getattr(ProfilerActivity, name.upper()))
        in_main_thread = False
        try:  # the program runs in other threads than this one
            options["experimental_config"] = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
        except TypeError:  # older torch, which records the thread that starts the profiler
            in_main_thread = True
        recording = profile(**options)
        self._give_way()
        _call(lambda: self._start(recording), in_main_thread, self._ending)
        if not self._has_started:
            return
        self._ending.wait(float(SECONDS))
        _call(self._stop, in_main_thread, self._ending)
        self._stop()  # if the main thread did not
        name = "profile_%d.json.gz" % os.getpid()
        recording.export_chrome_trace(os.path.join(FOLDER, "part_" + name))
        os.replace(os.path.join(FOLDER, "part_" + name), os.path.join(FOLDER, name))

    def _give_way(self) -> None:
        """Stop the recording when the program starts a profiler of its own: torch allows one."""
        from torch.autograd import profiler  # type: ignore[import-not-found, unused-ignore]

        prepare = profiler.profile._prepare_trace

        def stop_and_prepare(own: Any) -> None:
            with self._lock:
                if not self._is_starting:
                    self._ending.set()
                    self._stop()
            prepare(own)

        profiler.profile._prepare_trace = stop_and_prepare

    def _start(self, recording: Any) -> None:
        with self._lock:
            if self._ending.is_set():
                return
            self._is_starting = True
            try:
                recording.start()
                self._recording, self._has_started = recording, True
            finally:
                self._is_starting = False

    def _stop(self) -> None:
        with self._lock:
            recording, self._recording = self._recording, None
            if recording is not None:
                recording.stop()


def _imported(name: str) -> Any:
    """Return a module that the program has imported; None while it is imported."""
    module = sys.modules.get(name)
    return None if getattr(getattr(module, "__spec__", None), "_initializing", False) else module


def _call(function: Any, in_main_thread: bool, ending: threading.Event) -> None:
    """Call a function here, or in the main thread and wait for it until the program ends."""
    if not in_main_thread:
        function()
        return
    done, errors = threading.Event(), []

    def call(_: Any) -> int:
        try:
            function()
        except Exception as error:
            errors.append(error)
        done.set()
        return 0

    import ctypes  # only for older torch

    pending = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(call)
    _waiting_calls.append(pending)
    ctypes.pythonapi.Py_AddPendingCall(pending, None)
    while not done.wait(POLL_S) and not ending.is_set():
        pass
    if errors:
        raise errors[0]


def import_next() -> None:
    """Import the sitecustomize that this one hides."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


def is_compile_worker() -> bool:
    """Return whether this process only compiles kernels for the program."""
    return any("compile_worker" in argument for argument in getattr(sys, "orig_argv", ()))


if FOLDER:
    if not is_compile_worker():
        sys.meta_path.insert(0, WhenImported("torch", Recorder().start))
    import_next()
