"""Run the real tlparse, a dependency of the tests."""

import shutil
import subprocess
import sys
from pathlib import Path

import traces


def run_tlparse(log, out, *options):
    """Run tlparse on a log into ``out``; return {path: bytes} of its report."""
    beside = Path(sys.executable).with_name("tlparse")
    program = beside if beside.exists() else shutil.which("tlparse")
    assert program, "no tlparse beside Python: pip install tlparse==0.4.3"
    done = subprocess.run(
        [program, "--plain-text", "--no-browser", *options, "-o", out, log],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return traces.files(out)
