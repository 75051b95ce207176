"""Signals that wait, processes that end with their parent, and errors that cross processes."""

import pickle
import signal
import subprocess
import sys

import pytest
from tlparse_bundle import BundleError
from waiting import HANG_S

# A process of its own, since threads of a test runner may take the signal.
PROGRAM = """
import os, signal, sys
from tlparse_bundle.base.signals import held_back

number, came = int(sys.argv[1]), []
signal.signal(number, lambda number, frame: came.append(number))
with held_back():
    os.kill(os.getpid(), number)
    assert came == []
assert came == [number]
try:
    with held_back():
        raise RuntimeError
except RuntimeError:
    os.kill(os.getpid(), number)
assert came == [number] * 2
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_until_the_block_ends(number):
    subprocess.run([sys.executable, "-c", PROGRAM, str(int(number))], timeout=HANG_S, check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only workers end with their parent")
@pytest.mark.parametrize(("parent", "code"), [("os.getppid()", 0), ("os.getppid() + 1", 1)])
def test_a_process_whose_parent_has_gone_ends(parent, code):
    program = f"import os; from tlparse_bundle.base.signals import end_with; end_with({parent})"
    done = subprocess.run([sys.executable, "-c", program], timeout=HANG_S, check=False)
    assert done.returncode == code


def test_an_error_crosses_processes():
    error = pickle.loads(pickle.dumps(BundleError("what", hint="do this", code="c", exit_code=5)))
    assert (error.message, error.hint, error.code, error.exit_code) == ("what", "do this", "c", 5)
    assert str(error) == "what\n\ndo this" and str(BundleError("what")) == "what"
    assert (BundleError("what").code, BundleError("what").exit_code) == ("failed", 1)
