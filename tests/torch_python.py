"""A Python that has torch, for tests of real programs."""

import os
import shutil
import subprocess
import sys

TORCH = os.environ.get("TORCH_PYTHON") or sys.executable
NO_TORCH = (
    "no torch: install torch here, or name a Python that has it in the environment variable TORCH_PYTHON"
)


def has_torch():
    return (
        shutil.which(TORCH)
        and subprocess.run([TORCH, "-c", "import torch"], capture_output=True).returncode == 0
    )
