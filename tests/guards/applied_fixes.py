"""Runs functions of fixtures/calls with fixes applied, and counts their compiles.

    python applied_fixes.py PROGRAM_PY TASKS_JSON

Runs with a Python that has torch. A task is {"folder", "function", "seed", "calls", "backend", "fixes"}; a fix
is {"fix", "source", "dimension"} as in the table recompile_fixes. Each task runs in a process of its own and
writes its log and ``result.json`` to its folder: the number of compiles, and the error if one was raised.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import random
import re
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
import torch._dynamo.config as config
import torch._logging._internal
from torch._dynamo.eval_frame import _debug_get_cache_entry_list

STEP = re.compile(r"\[(?:'(?P<key>\w+)'|(?P<place>\d+))\]|\.(?P<attribute>\w+)")
LIMITS = (
    "recompile_limit",
    "cache_size_limit",
    "accumulated_recompile_limit",
    "accumulated_cache_size_limit",
)


class Place:
    """Where a source stands: in the arguments of a call, in a module or among the globals."""

    def __init__(self, source: str, program: Any, arguments: dict[str, Any]):
        steps = list(STEP.finditer(source))
        scope, first = source[0], steps[0]["key"]
        self.root: Any = vars(program) if scope == "G" else arguments
        if first == "self":
            self.root, steps = program.NET, steps[1:]
        self.steps = [step["key"] or step["attribute"] or int(step["place"]) for step in steps]

    @property
    def holder(self) -> Any:
        value = self.root
        for step in self.steps[:-1]:
            value = self._read(value, step)
        return value

    @staticmethod
    def _read(value: Any, step: Any) -> Any:
        return value[step] if isinstance(value, (dict, list, tuple)) else getattr(value, step)

    def get(self) -> Any:
        return self._read(self.holder, self.steps[-1])

    def set(self, value: Any) -> None:
        holder, last = self.holder, self.steps[-1]
        if isinstance(holder, tuple):
            whole = Place.__new__(Place)
            whole.root, whole.steps = self.root, self.steps[:-1]
            whole.set((*holder[:last], value, *holder[last + 1 :]))
        elif isinstance(holder, (dict, list)):
            holder[last] = value
        else:
            setattr(holder, last, value)


def apply(fix: dict[str, Any], place: Place, first: dict[str, Any]) -> None:
    """Change the inputs of a call as a fix says. ``first``: the value of each source in the first call."""
    value, kind = place.get(), fix["fix"]
    before = first.setdefault(f"{kind} {fix['source']}", value)
    if kind == "mark_dynamic":
        torch._dynamo.maybe_mark_dynamic(value, fix["dimension"])
    elif kind == "mark_unbacked":
        torch._dynamo.decorators.mark_unbacked(value, fix["dimension"])
    elif kind == "tensor_argument":
        place.set(torch.tensor(value))
    elif kind == "same_type":
        if value is None:
            place.set(first[f"other {fix['source']}"])
        elif isinstance(before, (int, float)) and isinstance(value, (int, float)):
            place.set(type(before)(value))
    elif kind == "same_structure":
        more = (item.clone() if isinstance(item, torch.Tensor) else item for item in value * len(before))
        place.set(type(value)([*value, *more][: len(before)]))
    elif kind in ("few_values", "same_object"):
        place.set(before)
    elif kind == "same_dtype":
        cast = value.detach().to(before.dtype)
        place.set(cast.requires_grad_(value.requires_grad and cast.is_floating_point()))
    elif kind == "same_requires_grad":
        place.set(value.detach())
    elif kind == "same_layout":
        place.set(value.contiguous())


def firsts(make: Any, program: Any, task: dict[str, Any]) -> dict[str, Any]:
    """Return what calls without a value pass with 'same_type': the first value of another call."""
    found: dict[str, Any] = {}
    chance = random.Random(task["seed"])
    for _ in range(task["calls"]):
        inputs = make(chance)
        arguments = {name: value for name, value in inputs.items() if name.isidentifier()}
        for fix in task["fixes"]:
            if fix["fix"] == "same_type":
                with contextlib.suppress(LookupError):
                    value = Place(fix["source"], program, arguments).get()
                    if value is not None:
                        found.setdefault(f"other {fix['source']}", value)
    return found


def run(program: Any, task: dict[str, Any]) -> dict[str, Any]:
    """Run a task and return its result."""
    function, make = program.FUNCTIONS[task["function"]]
    kinds = {fix["fix"] for fix in task["fixes"]}
    for name in LIMITS:
        if hasattr(config, name):
            setattr(config, name, 256)

    compiled = torch.compile(
        function, backend=task["backend"], dynamic=True if "dynamic_true" in kinds else None
    )
    chance = random.Random(task["seed"])
    first = firsts(make, program, task)
    error = None
    for _ in range(task["calls"]):
        inputs = make(chance)
        arguments = {name: value for name, value in inputs.items() if name.isidentifier()}
        for fix in task["fixes"]:
            if fix["source"] is not None:
                with contextlib.suppress(LookupError):  # this call has no such item
                    apply(fix, Place(fix["source"], program, arguments), first)
        try:
            compiled(**arguments)
        except Exception as raised:
            error = error or f"{type(raised).__name__}: {raised}"[:500]
    code = getattr(function, "__func__", function).__code__
    return {"compiles": len(_debug_get_cache_entry_list(code)), "error": error}


def warm_up(backend: str) -> None:
    """Compile another function, without a log: what only the first compile of a process does takes longer than
    many later ones, differs from run to run, and is there with and without a fix.
    """
    log, handler = torch._logging._internal.trace_log, torch._logging._internal.LOG_TRACE_HANDLER
    log.removeHandler(handler)
    torch.set_num_threads(1)  # threads do not survive os.fork
    torch.compile(lambda x: x.sin() + 1, backend=backend, dynamic=False)(torch.ones(3))
    torch._dynamo.reset()
    log.addHandler(handler)


def count_processor_time() -> None:
    """Let the clocks that torch logs run with the processor time of this process and its children, so that other
    work on the machine does not count.
    """
    gc.disable()  # a full collection takes as long as half a compile or several, and comes in any of them
    start = time.time_ns()

    def now_ns() -> int:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return start + time.process_time_ns() + int((children.ru_utime + children.ru_stime) * 1e9)

    time.time_ns = now_ns
    time.time = lambda: now_ns() / 1e9


def main() -> None:
    spec = importlib.util.spec_from_file_location("program", sys.argv[1])
    assert spec and spec.loader
    program = importlib.util.module_from_spec(spec)
    sys.modules["program"] = program
    spec.loader.exec_module(program)
    tasks = json.loads(Path(sys.argv[2]).read_text())
    for backend in dict.fromkeys(task["backend"] for task in tasks):
        warm_up(backend)
    for task in tasks:
        folder = Path(task["folder"])
        folder.mkdir(parents=True, exist_ok=True)
        child = os.fork()
        if child == 0:
            handler = torch._logging._internal.LOG_TRACE_HANDLER
            assert handler is not None and handler.stream is None
            handler.root_dir = str(folder)  # the log begins with the first compile
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(
                folder / "cache"
            )  # so that each compile takes its time
            status = 1
            count_processor_time()
            try:
                (folder / "result.json").write_text(json.dumps(run(program, task)))
                status = 0
            except Exception:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
