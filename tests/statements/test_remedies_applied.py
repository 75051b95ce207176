"""Each fix that a finding offers, applied to a real program: the problem disappears.

tests/guards/measure_fixes.py does the same for fixes of recompiles. Needs a Python with torch: TORCH_PYTHON.
"""

import os
import subprocess
from pathlib import Path

import pytest
from torch_python import NO_TORCH, TORCH, has_torch
from waiting import HANG_S

PROGRAM = Path(__file__).parent / "remedied_program.py"
# The kind of the problem, its function or a part of its title, and the fix: a part of a remedy's text or code.
CASES = {
    "prints": ("graph-break", "prints", "Avoid calling builtin `print`"),
    "reorders": ("graph-break", "reorders", "torch._dynamo.config.reorderable_logging_functions"),
    "warns": ("graph-break", "warns", "torch._dynamo.config.ignore_logging_functions"),
    "reads_item": ("graph-break", "reads_item", "torch._dynamo.config.capture_scalar_outputs = True"),
    "finds_nonzero": (
        "graph-break",
        "finds_nonzero",
        "torch._dynamo.config.capture_dynamic_output_shape_ops = True",
    ),
    "branches": ("graph-break", "branches", "Use `torch.cond`"),
    "calls_disabled": ("graph-break", "calls_disabled", "Remove the `torch.compiler.disable` call"),
    "takes_time": ("graph-break", "takes_time", "Move the call out of the compiled function"),
    "locks": ("graph-break", "locks", "Avoid using the unsupported context manager"),
    "inserts_break": ("graph-break", "inserts_break", "Remove the `torch._dynamo.graph_break()` call"),
    "taxes": ("graph-break", "taxes", '@torch.library.register_fake("shop::tax")'),
    "discounts": ("failure", "discounts", '@torch.library.register_fake("shop::discount")'),
    "trains": ("failure", "trains", 'torch.library.register_autograd("shop::price"'),
    "runs_backward": ("graph-break", "runs_backward", "Call `backward()` outside the compiled function"),
    "maps_item": ("graph-break", "pick", "and `torch.where` instead"),
    "compares_marked": ("graph-break", "compares_marked", "Use `torch._dynamo.maybe_mark_dynamic` instead"),
    "fixes_size": ("specialization", "fixes_size", "names the specializing code"),
    "sees_arrays": ("recompile", "sees_arrays", "Use `torch.compile(dynamic=True)`"),
    "counts": ("recompile", "counts", "Pass `COUNT` as an argument that is a tensor"),
    "recurrent": ("graph-break", "RNN, GRU, or LSTM", "torch._dynamo.config.allow_rnn=True"),
    "counter": ("recompile", "self.calls", "torch._dynamo.config.allow_unspec_int_on_nn_module"),
    "learning_rate": ("recompile", "['lr']", "lr=torch.tensor("),
}


LEFT = {"counter": 1}  # the recompile that makes the number dynamic


@pytest.fixture(scope="module")
def runs(built, tmp_path_factory):
    """Return the findings of the program without and with the fixes."""
    if not has_torch():
        pytest.skip(NO_TORCH)
    found = {}
    for side in ("before", "after"):
        folder = tmp_path_factory.mktemp(side)
        environment = {**os.environ, "TORCH_TRACE": str(folder), "PYTHONPATH": ""}
        subprocess.run([TORCH, str(PROGRAM), side], env=environment, check=True, cwd=folder, timeout=HANG_S)
        (log,) = built(folder).logs
        found[side] = log.findings()
    return found


def problems(rows, kind, name):
    return [
        row
        for row in rows
        if row["kind"] == kind
        and (
            name in row["title"] or name in {place["function"] for place in row["details"].get("places", ())}
        )
    ]


@pytest.mark.parametrize("name", CASES)
def test_the_fix_removes_the_problem(runs, name):
    kind, subject, fix = CASES[name]
    before, after = (problems(runs[side], kind, subject) for side in ("before", "after"))
    offered = [f"{remedy['text']} {remedy['code'] or ''}" for row in before for remedy in row["remedies"]]
    assert before and any(fix in text for text in offered), offered
    assert sum(row["count"] for row in after) == LEFT.get(name, 0) < sum(row["count"] for row in before)
