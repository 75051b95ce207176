"""Importing this runs the script with the Python of the environment that scripts/test makes, unless it runs
in an environment already.
"""

import os
import sys
from pathlib import Path

_PYTHON = Path(__file__).resolve().parent.parent / ".venv" / "bin" / "python"

if sys.prefix == sys.base_prefix and _PYTHON.exists():
    os.execv(_PYTHON, [str(_PYTHON), *sys.argv])
