"""Rerun the importing script with the Python of scripts/test's environment, unless it already runs in one."""

import os
import sys
from pathlib import Path

_PYTHON = Path(__file__).resolve().parent.parent / ".venv" / "bin" / "python"

if sys.prefix == sys.base_prefix and _PYTHON.exists():
    os.execv(_PYTHON, [str(_PYTHON), *sys.argv])
